package dialect

// untagged returns the dialects of bare JSON, Python calls and braces.
func untagged() []Dialect {
	ends := []string{"<|eom_id|>", "<|eot_id|>", "<|im_end|>", "</s>"}
	return []Dialect{
		{Name: "llama3_json", About: "Llama 3.x", Models: []string{"llama3", "llama-3", "llama-v3"}, Calls: []Form{
			{Open: []string{"<|python_tag|>"}, Hide: true, Unwritten: true},
			{Open: []string{"<tool_call>"}, Close: []string{"</tool_call>"}, Unwritten: true},
			{OnlyKnown: true, ArgKeys: []string{"parameters", "arguments"}},
		}, Drop: ends},
		{Name: "json_array", About: "a bare array of calls, as forced tool choice gives", Calls: []Form{{OnlyArray: true, AtStart: true, OnlyKnown: true, Partial: true, ArgKeys: []string{"parameters", "arguments"}}}},
		{Name: "openai_json_text", About: "OpenAI's tool_calls object as text", Think: think(), Calls: []Form{{Envelope: true, LineStart: true}}},
		{Name: "generic_json", About: "a bare JSON call as the whole answer", Think: think(), Calls: []Form{{AtStart: true, OnlyKnown: true}}},
		{Name: "pythonic", About: "Llama 3.2, Gemma 3", Models: []string{"llama3.2", "llama-3.2", "llama3-2", "llama-v3.2", "gemma3", "gemma-3"}, Calls: []Form{
			{Syntax: Python, Open: []string{"<|python_start|>", "<|python_tag|>"}, Close: []string{"<|python_end|>"}, Unwritten: true},
			{Syntax: Python, OnlyKnown: true}}, Drop: ends},
		{Name: "toolace", Same: "pythonic", About: "ToolACE", Models: []string{"toolace", "toolace-2"}, Calls: []Form{
			{Syntax: Python, Open: []string{"<|python_start|>", "<|python_tag|>"}, Close: []string{"<|python_end|>"}, Unwritten: true},
			{Syntax: Python, OnlyKnown: true}}, Drop: ends},
		{Name: "pythonic_llama4", About: "Llama 4", Models: []string{"llama4", "llama-4"}, Calls: []Form{
			{Syntax: Python, Open: []string{"<|python_start|>"}, Close: []string{"<|python_end|>"}},
			{Syntax: Python, OnlyKnown: true}}, Drop: append(ends, "<|eot|>")},
		{Name: "olmo3", About: "OLMo 3", Models: []string{"olmo3", "olmo-3"}, Think: think(), Calls: []Form{
			{Syntax: Python, Open: []string{"<function_calls>"}, Close: []string{"</function_calls>"}, OneLine: true}}, Drop: ends},
		{Name: "lfm2", About: "LFM2", Models: []string{"lfm2", "lfm-2"}, Think: think(), OpensThink: true, Calls: []Form{
			{Syntax: Python, Open: []string{"<|tool_call_start|>"}, Close: []string{"<|tool_call_end|>"}, Tags: Tags{OrJSON: true}},
			{Syntax: Python, OnlyKnown: true, Offered: true}}, Drop: append(ends, "<|tool_call_end|>")},
		{Name: "lfm2_5", Same: "lfm2", About: "LFM2.5", Models: []string{"lfm2.5", "lfm-2.5"}, Think: think(), OpensThink: true, Calls: []Form{
			{Syntax: Python, Open: []string{"<|tool_call_start|>"}, Close: []string{"<|tool_call_end|>"}, Tags: Tags{OrJSON: true}},
			{Syntax: Python, OnlyKnown: true, Offered: true}}, Drop: append(ends, "<|tool_call_end|>")},
		{Name: "gemma4", About: "Gemma 4", Models: []string{"gemma4", "gemma-4"}, Think: []Span{{Open: []string{"<|channel>thought\n", "<|channel>"}, Close: []string{"<channel|>"}}}, CallsInThink: true,
			Calls: []Form{{Syntax: Braces, Open: []string{"<|tool_call>"}, Skip: []string{"call:"}, Close: []string{"<tool_call|>"}, Quote: `<|"|>`}},
			Inert: []Span{{Open: []string{"<|tool_response>response:"}, Close: []string{"<tool_response|>"}}}, Drop: []string{"<tool_call|>", "<channel|>", "<turn|>", "<|tool_response>"}},
		{Name: "functiongemma", About: "FunctionGemma", Models: []string{"functiongemma"},
			Calls: []Form{{Syntax: Braces, Open: []string{"<start_function_call>"}, Skip: []string{"call:"}, Close: []string{"<end_function_call>"}, Quote: "<escape>"}},
			Inert: []Span{{Open: []string{"<start_function_response>"}, Close: []string{"<end_function_response>"}}}, Drop: []string{"<end_function_call>", "<end_of_turn>"}},
	}
}

// framed returns the dialects whose output is cut into messages with a header.
func framed() []Dialect {
	atem := Form{Syntax: Markup, Section: Span{Open: []string{"<atem:function_calls>"}, Close: []string{"</atem:function_calls>"}},
		Open: []string{"<atem:invoke"}, Close: []string{"</atem:invoke>"},
		Tags: Tags{HeadEnd: []string{">"}, NameAttr: "name", Param: "<atem:parameter", KeyEnd: ">", KeyAttr: "name", ParamClose: []string{"</atem:parameter>"}}}
	return []Dialect{
		{Name: "harmony", About: "gpt-oss", Models: []string{"gpt-oss"}, Frames: &Frames{
			Start: []string{"<|start|>", "<|channel|>"}, Head: "<|message|>", End: []string{"<|end|>", "<|call|>", "<|return|>"},
			Think: []string{"analysis"}, Answer: []string{"final"}, Silent: []string{"assistant", "python"}, Prefix: "functions.", HeadFirst: true}},
		{Name: "glimmer", About: "Glimmer", Models: []string{"glimmer"}, Frames: &Frames{
			Start: []string{"<|start|>", "<|message|>"}, Head: "<|message|>", End: []string{"<|eom|>", "<|eot|>"},
			Think: []string{"self"}, Answer: []string{"user"}, Body: &atem, HeadFirst: true}},
		{Name: "functionary_v32", About: "Functionary v3.2", Models: []string{"functionary-small-v3.2", "functionary-medium-v3.2"}, Frames: &Frames{
			Start: []string{">>>"}, Head: "\n", End: []string{"<|eot_id|>"}, Answer: []string{"all"}, Bare: true, HeadFirst: true}},
		{Name: "inkling", About: "Inkling", Models: []string{"inkling"}, Think: []Span{{Open: []string{"<|content_thinking|>"}, Close: []string{"<|end_message|>"}}},
			Calls: []Form{{Open: []string{"<|content_invoke_tool_json|>"}, Close: []string{"<|end_message|>"}, ArgKeys: []string{"args", "arguments"}, Layout: Packed, Join: "<|message_model|>"}},
			Drop:  []string{"<|content_text|>", "<|message_model|>", "<|end_message|>", "<|content_model_end_sampling|>"}},
	}
}

// lenient returns the forms of models that half remember a format, and plain text.
func lenient() []Dialect {
	return []Dialect{
		{Name: "plain", About: "no calls: everything is text", Think: think()},
		{Name: "think_only", About: "no calls; the prompt opened the reasoning", Think: think(), StartsThinking: true},
		{Name: "hermes_lenient", About: "small models that half remember hermes", Think: think(), Calls: loose()},
		{Name: "lenient_tools_wrapper", About: "calls in <tools>, only when nothing else stands there", Think: think(), Calls: loose()},
		{Name: "lenient_fence", About: "calls in a fence named tool_call", Think: think(), Calls: loose()},
		{Name: "lenient_fence_named", About: "calls in a fence that names the tool", Think: think(), Calls: loose()},
	}
}

// loose are the half remembered forms, the same for all of these rows.
func loose() []Form {
	closers := []string{"</tool_call>", "</toolcall>", "</tool-call>", "</tool_calls>", "</invoke>", "</minimax:toolcall>", "</arg_value>"}
	return []Form{
		{Syntax: Lenient, Open: []string{"<tool_call>", "<toolcall>", "<tool-call>", "<tool_calls>", "<invoke>"}, Close: closers, Loose: true, Sticky: true,
			ArgKeys: []string{"arguments", "parameters", "args"}},
		{Syntax: Lenient, Open: []string{"[TOOL_CALL]"}, Close: []string{"[/TOOL_CALL]"}, Sticky: true, Unwritten: true},
		{Syntax: Lenient, Open: []string{"<FunctionCall>"}, Close: []string{"</FunctionCall>"}, Sticky: true, Unwritten: true},
		{Open: []string{"<tools>"}, Close: append([]string{"</tools>"}, closers...), OnlyObject: true, Exact: true, Sticky: true, ArgKeys: []string{"arguments"}},
		{Open: []string{"```tool_call\n", "```tool-call\n", "```toolcall\n", "```invoke\n"}, Close: append([]string{"```"}, closers...), Loose: true, Sticky: true, LineStart: true},
		{Syntax: Named, Open: []string{"```tool "}, Sep: []string{"\n"}, Close: []string{"```"}, Loose: true, Sticky: true, LineStart: true},
	}
}

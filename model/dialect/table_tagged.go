package dialect

// think is the pair of tags that most families use.
func think() []Span { return []Span{{Open: []string{"<think>"}, Close: []string{"</think>"}}} }

// tagged returns the dialects whose calls are JSON between tags.
func tagged() []Dialect {
	toolCall := Form{Open: []string{"<tool_call>"}, Close: []string{"</tool_call>"}, Pad: "\n", Join: "\n", Loose: true, Skip: []string{"```json", "```"}}
	tight := toolCall
	tight.Join = ""
	results := []Span{{Open: []string{"<tool_response>"}, Close: []string{"</tool_response>"}}}
	ends := []string{"<|im_end|>", "<|eot_id|>", "<|end_of_text|>", "</s>", "<|endoftext|>"}
	return []Dialect{
		{Name: "hermes", About: "Qwen2.5, Qwen3, QwQ, MiMo-VL, SmolLM3, EXAONE 4 and most fine-tunes",
			Models: []string{"qwen", "qwq", "hermes", "nous-hermes", "openhermes", "smollm3", "mimo-vl", "cogito", "exaone-4", "exaone4", "groq-tool-use", "groq-8b-tool-use", "groq-70b-tool-use"},
			Think:  think(), Calls: []Form{toolCall}, Inert: results, Drop: append(ends, "</tool_call>")},
		{Name: "nous", Same: "hermes", About: "Hermes 2 Pro, Hermes 3 and 4 of Nous Research", Models: []string{"hermes-2-pro", "hermes-2-theta", "hermes-3", "hermes3", "hermes-4", "hermes4", "hermes-3-llama", "hermes-4-llama", "deephermes"},
			Think: think(), Calls: []Form{toolCall}, Inert: results, Drop: append(ends, "</tool_call>")},
		{Name: "granite4", Same: "hermes", About: "Granite 4.x", Models: []string{"granite4", "granite-4"}, Think: think(), Calls: []Form{toolCall}, Inert: results, Drop: append(ends, "</tool_call>")},
		{Name: "bielik", Same: "hermes", About: "Bielik 3", Models: []string{"bielik"}, Think: think(), Calls: []Form{toolCall}, Inert: results, Drop: append(ends, "</tool_call>")},
		{Name: "reka", About: "Reka Flash", Models: []string{"reka-flash", "reka-edge"}, Think: think(), Calls: []Form{tight}, Inert: results, Drop: append(ends, "</tool_call>")},
		{Name: "ernie45", About: "ERNIE 4.5", Models: []string{"ernie-4.5", "ernie4.5"}, Think: think(), Calls: []Form{toolCall}, Inert: results,
			Drop: append(ends, "<response>", "</response>", "</tool_call>")},
		{Name: "longcat", About: "LongCat", Models: []string{"longcat"}, Think: []Span{{Open: []string{"<think>", "<longcat_think>"}, Close: []string{"</think>", "</longcat_think>"}}},
			Calls: []Form{{Open: []string{"<longcat_tool_call>"}, Close: []string{"</longcat_tool_call>"}, Pad: "\n", Join: "\n"}}, Drop: append(ends, "<longcat_s>", "</longcat_s>")},
		{Name: "granite3", About: "Granite 3.x", Models: []string{"granite3", "granite-3"}, Think: think(), Calls: []Form{
			{Open: []string{"<|tool_call|>", "<tool_call>"}, Close: []string{"</tool_call>"}, OnlyArray: true},
			{OnlyArray: true, AtStart: true},
		}, Drop: append(ends, "<response>", "</response>")},
		{Name: "granite_20b_fc", About: "Granite 20B function calling", Models: []string{"granite-20b-function"},
			Calls: []Form{{Open: []string{"<function_call>"}, OnlyObject: true, Lead: " ", Join: "\n"}}, Drop: ends},
		{Name: "phi4_mini", About: "Phi-4-mini", Models: []string{"phi4-mini", "phi-4-mini"}, Think: think(),
			Calls: []Form{{Open: []string{"functools"}, List: true, Hide: true}}, Drop: append(ends, "<|end|>")},
		{Name: "firefunction", About: "FireFunction", Models: []string{"firefunction-v2"}, Calls: []Form{{Open: []string{"functools"}, OnlyArray: true}}, Drop: ends},
		{Name: "xlam", About: "xLAM", Models: []string{"xlam-2"}, Think: think(), Calls: []Form{
			{OnlyArray: true, LineStart: true},
			{Open: []string{"```json\n"}, Close: []string{"\n```", "```"}, OnlyArray: true, LineStart: true},
			{Open: []string{"[TOOL_CALLS]"}, OnlyArray: true},
			{Open: []string{"<tool_call>"}, Close: []string{"</tool_call>"}},
		}, Drop: ends},
		{Name: "hunyuan_a13b", About: "Hunyuan A13B", Models: []string{"hunyuan-a13b"}, Think: think(),
			Calls: []Form{{Open: []string{"<tool_calls>"}, Close: []string{"</tool_calls>"}, OnlyArray: true}}, Drop: append(ends, "<answer>", "</answer>"), DropTail: true},
		{Name: "jamba", About: "Jamba", Models: []string{"jamba"}, Calls: []Form{{Open: []string{"<tool_calls>"}, Close: []string{"</tool_calls>"}, OnlyArray: true}}, Drop: ends},
		{Name: "apriel", About: "Apriel", Models: []string{"apriel"},
			Think: []Span{{Open: []string{"Here are my reasoning steps:\n"}, Close: []string{"[BEGIN FINAL RESPONSE]"}}},
			Calls: []Form{{Open: []string{"<tool_calls>"}, Close: []string{"</tool_calls>"}, List: true, IDKey: "id"}}, Drop: append(ends, "[END FINAL RESPONSE]", "<|end|>")},
		{Name: "minimax_m1", About: "MiniMax M1", Models: []string{"minimax-m1"}, Think: think(),
			Calls: []Form{{Open: []string{"<tool_calls>"}, Close: []string{"</tool_calls>"}, OneLine: true, OnlyObject: true, Hide: true, HideCut: true}}, Drop: append(ends, "</tool_calls>")},
		{Name: "nemotron_v2", About: "Nemotron Nano 2, Llama Nemotron", Models: []string{"nemotron-nano-v2", "nemotron-nano-9b-v2", "nemotron-nano-12b-v2", "nemotron-v2", "nemotron-super-49b", "nemotron-ultra-253b", "nemotron-nano-8b-v1", "nemotron-nano-4b-v1"}, Think: think(),
			Calls: []Form{{Open: []string{"<TOOLCALL>"}, Close: []string{"</TOOLCALL>"}, List: true}}, Inert: []Span{{Open: []string{"<TOOL_RESPONSE>"}, Close: []string{"</TOOL_RESPONSE>"}}}, Drop: ends},
		{Name: "apertus", About: "Apertus", Models: []string{"apertus"}, Think: []Span{{Open: []string{"<|inner_prefix|>"}, Close: []string{"<|inner_suffix|>"}}},
			Calls: []Form{{Open: []string{"<|tools_prefix|>"}, Close: []string{"<|tools_suffix|>"}, NameAsKey: true}}, Drop: append(ends, "<|tools_suffix|>", "<|assistant_end|>")},
		{Name: "internlm2", About: "InternLM 2", Models: []string{"internlm2"},
			Calls: []Form{{Open: []string{"<|action_start|>"}, Skip: []string{"<|plugin|>"}, Lead: "<|plugin|>\n", Close: []string{"<|action_end|>"}}}, Drop: ends},
		{Name: "gigachat3", About: "GigaChat 3", Models: []string{"gigachat3", "gigachat-3"},
			Calls: []Form{{Open: []string{"<|message_sep|>\n\nfunction call<|role_sep|>\n", "<|function_call|>"}, OnlyObject: true, Hide: false}}, Drop: append(ends, "<|message_sep|>")},
		{Name: "cohere", About: "Command A, Command R7B", Models: []string{"command-a", "command-r7b", "north-mini"},
			Think: []Span{{Open: []string{"<|START_THINKING|>"}, Close: []string{"<|END_THINKING|>"}}},
			Calls: []Form{{Open: []string{"<|START_ACTION|>"}, Close: []string{"<|END_ACTION|>"}, NameKeys: []string{"tool_name", "name"}, ArgKeys: []string{"parameters", "arguments"}, List: true, IDMark: "tool_call_id", Layout: Column}},
			Inert: []Span{{Open: []string{"<|START_TOOL_RESULT|>"}, Close: []string{"<|END_TOOL_RESULT|>"}}},
			Drop:  []string{"<|START_RESPONSE|>", "<|END_RESPONSE|>", "<|START_TEXT|>", "<|END_TEXT|>", "<|END_OF_TURN_TOKEN|>", "<|CHATBOT_TOKEN|>"}},
		{Name: "command_r_plus", About: "Command R, Command R+", Models: []string{"command-r", "command-r-plus"},
			Calls: []Form{{Open: []string{"Action:\n```json\n", "Action: ```json\n"}, Close: []string{"```"}, NameKeys: []string{"tool_name"}, ArgKeys: []string{"parameters"}, LineStart: true, List: true, Layout: Spread}},
			Drop:  []string{"<|CHATBOT_TOKEN|>", "<|END_OF_TURN_TOKEN|>"}},
		{Name: "mistral_v3", About: "Mistral 7B v0.3, Nemo, Mixtral, Small up to 3.1", Models: []string{"mistral", "mixtral", "pixtral", "ministral-8b-2410", "ministral-8b-instruct-2410", "devstral-small-2505"},
			Think: []Span{{Open: []string{"[THINK]"}, Close: []string{"[/THINK]"}}}, IDDigits: 9, Calls: []Form{{Open: []string{"[TOOL_CALLS] "}, OnlyArray: true, IDKey: "id", Hide: true, HideMark: true}, mistral()},
			Inert: []Span{{Open: []string{"[TOOL_RESULTS]"}, Close: []string{"[/TOOL_RESULTS]"}}}, Drop: []string{"</s>"}, DropTail: true},
		{Name: "mistral_v13", Same: "mistral_v11", About: "Devstral, Ministral 3, Magistral, Mistral Large 3", Models: []string{"devstral", "ministral", "magistral", "mistral-large-3", "mistral-large-2512"},
			Think: []Span{{Open: []string{"[THINK]"}, Close: []string{"[/THINK]"}}}, Calls: []Form{mistral()},
			Inert: []Span{{Open: []string{"[TOOL_RESULTS]"}, Close: []string{"[/TOOL_RESULTS]"}}}, Drop: []string{"</s>"}, DropTail: true},
		{Name: "mistral_v11", About: "Mistral Small 3.2", Models: []string{"mistral-small3.2", "mistral-small-3.2", "mistral-small-2506"},
			Think: []Span{{Open: []string{"[THINK]"}, Close: []string{"[/THINK]"}}}, IDDigits: 9, Calls: []Form{mistral()},
			Inert: []Span{{Open: []string{"[TOOL_RESULTS]"}, Close: []string{"[/TOOL_RESULTS]"}}}, Drop: []string{"</s>"}, DropTail: true},
		{Name: "deepseek_v3", About: "DeepSeek V3, R1, Cogito", Models: []string{"deepseek-v3", "deepseek-chat-v3", "deepseek-r1", "cogito-2.1", "cogito-v2"}, Think: think(), Calls: []Form{{
			Syntax: Named, Section: Span{Open: []string{"<｜tool▁calls▁begin｜>"}, Close: []string{"<｜tool▁calls▁end｜>"}},
			Open: []string{"<｜tool▁call▁begin｜>"}, Skip: []string{"function<｜tool▁sep｜>", "```json", "```"}, Sep: []string{"\n```json", "\n"}, Lead: "function<｜tool▁sep｜>", Pad: "\n", Tail: "\n```", Join: "\n", Close: []string{"<｜tool▁call▁end｜>"}, HideMark: true}},
			Inert: []Span{{Open: []string{"<｜tool▁outputs▁begin｜>"}, Close: []string{"<｜tool▁outputs▁end｜>"}, Hidden: true}},
			Drop:  deepseekDrop(), DropTail: true},
		{Name: "deepseek_v31", About: "DeepSeek V3.1", Models: []string{"deepseek-v3.1", "deepseek-v3-1", "deepseek-chat-v3.1", "deepseek-v3.2-exp"}, Think: think(), Calls: []Form{{
			Syntax: Named, Section: Span{Open: []string{"<｜tool▁calls▁begin｜>"}, Close: []string{"<｜tool▁calls▁end｜>"}},
			Open: []string{"<｜tool▁call▁begin｜>"}, Sep: []string{"<｜tool▁sep｜>"}, Close: []string{"<｜tool▁call▁end｜>"}, NeedSep: true, Hide: true}},
			Drop: deepseekDrop(), DropTail: true},
		{Name: "kimi_k2", About: "Kimi K2, K2-Thinking, K2.5", Models: []string{"kimi-k2", "kimi-linear"}, Think: think(), CallsInThink: true, Calls: kimi(),
			Drop: []string{"<|tool_calls_section_end|>", "<|tool_call_section_end|>", "<|im_end|>"}, DropTail: true},
		{Name: "solar", About: "Solar Open", Models: []string{"solar-open"}, Think: think(), IDDigits: 10, Calls: []Form{{
			Syntax: Named, Open: []string{"<|tool_call:begin|>"}, IDMark: "<|tool_call:name|>", IDFirst: true, Sep: []string{"<|tool_call:args|>"}, Close: []string{"<|tool_call:end|>"}}}},
		{Name: "functionary_v31", About: "Functionary v3.1", Models: []string{"functionary-small-v3.1", "functionary-medium-v3.1"},
			Calls: []Form{{Syntax: Named, Open: []string{"<function="}, Sep: []string{">"}, Close: []string{"</function>"}}}, Drop: []string{"<|eom_id|>", "<|eot_id|>", "<|python_tag|>"}},
	}
}

func kimi() []Form {
	call := Form{Syntax: Named, Open: []string{"<|tool_call_begin|>"}, Sep: []string{"<|tool_call_argument_begin|>"}, Close: []string{"<|tool_call_end|>"}, Numbered: true, Hide: true}
	section := call
	section.Section = Span{Open: []string{"<|tool_calls_section_begin|>", "<|tool_call_section_begin|>"}, Close: []string{"<|tool_calls_section_end|>", "<|tool_call_section_end|>"}}
	section.Noise = true
	return []Form{section, call}
}

func mistral() Form {
	return Form{Syntax: Named, Open: []string{"[TOOL_CALLS]"}, IDMark: "[CALL_ID]", Sep: []string{"[ARGS]"}, Tags: Tags{OrJSON: true}, HideMark: true}
}

func deepseekDrop() []string {
	return []string{"<｜tool▁outputs▁begin｜>", "<｜tool▁outputs▁end｜>", "<｜tool▁output▁begin｜>", "<｜tool▁output▁end｜>", "<｜tool▁calls▁end｜>", "<｜end▁of▁sentence｜>"}
}

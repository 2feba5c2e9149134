package dialect

// The words that several families share.
const (
	signatures = "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n" +
		"You are provided with function signatures within <tools></tools> XML tags:\n<tools>\n{tools}\n</tools>\n\n"
	inTags = "For each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:\n" +
		"<tool_call>\n{\"name\": <function-name>, \"arguments\": <args-json-object>}\n</tool_call>"
	reminder = "\n\n<IMPORTANT>\nReminder:\n" +
		"- Function calls MUST follow the specified format: an inner <function=...></function> block must be nested within <tool_call></tool_call> XML tags\n" +
		"- Required parameters MUST be specified\n" +
		"- You may provide optional reasoning for your function call in natural language BEFORE the function call, but NOT after\n" +
		"- If there is no function call available, answer the question like normal with your current knowledge and do not tell the user about function calls\n</IMPORTANT>"
	coder = "If you choose to call a function ONLY reply in the following format with NO suffix:\n\n" +
		"<tool_call>\n<function=example_function_name>\n<parameter=example_parameter_1>\nvalue_1\n</parameter>\n" +
		"<parameter=example_parameter_2>\nThis is the value for the second parameter\nthat can span\nmultiple lines\n</parameter>\n</function>\n</tool_call>" + reminder
	glmKeys = "For each function call, output the function name and arguments within the following XML format:\n"
	plainly = "# Tools\n\nYou can call these functions:\n{tools}\n\nTo call one, write exactly this form, with the function's name and its arguments, and then stop:\n{call}"
	invokes = "# Tools\n\nYou can call these functions:\n<functions>\n{tools}\n</functions>\n\nTo call one, write exactly this form, and then stop:\n{call}\n" +
		"String parameters are written as they are, lists and objects as JSON."
)

// lesson returns how a dialect is taught: in its family's words where they are known, else plainly.
func (d *Dialect) lesson() Lesson {
	response := Lesson{Style: Lines, Result: "<tool_response>\n{content}\n</tool_response>", Between: "\n"}
	with := func(style Style, text, result string) Lesson {
		return Lesson{Style: style, Text: text, Result: result, Between: "\n"}
	}
	response.Text = plainly
	switch d.Name {
	case "hermes", "reka", "ernie45":
		response.Text = signatures + inTags
	case "qwen3_coder", "step3p5":
		response.Style = XML
		response.Text = "# Tools\n\nYou have access to the following functions:\n\n<tools>\n{tools}\n</tools>\n\n" + coder
	case "glm45", "poolside":
		response.Text = signatures + glmKeys + "<tool_call>{function-name}\n<arg_key>{arg-key-1}</arg_key>\n<arg_value>{arg-value-1}</arg_value>\n" +
			"<arg_key>{arg-key-2}</arg_key>\n<arg_value>{arg-value-2}</arg_value>\n...\n</tool_call>"
	case "glm47":
		response.Text = signatures + glmKeys + "<tool_call>{function-name}<arg_key>{arg-key-1}</arg_key><arg_value>{arg-value-1}</arg_value>" +
			"<arg_key>{arg-key-2}</arg_key><arg_value>{arg-value-2}</arg_value>...</tool_call>"
		response.Result, response.Between = "<tool_response>{content}</tool_response>", ""
	case "llama3_json":
		return with(Lines, "Given the following functions, please respond with a JSON for a function call with its proper arguments that best answers the given prompt.\n\n"+
			"Respond in the format {\"name\": function name, \"parameters\": dictionary of argument name and its value}. Do not use variables.\n\n{tools}", `{"output": {json}}`)
	case "deepseek_v3":
		l := with(Bare, plainly, "<｜tool▁output▁begin｜>{content}<｜tool▁output▁end｜>")
		l.Around = [2]string{"<｜tool▁outputs▁begin｜>", "<｜tool▁outputs▁end｜>"}
		return l
	case "deepseek_v31":
		return with(Bare, "## Tools\nYou have access to the following tools:\n\n{tools}\n\nTo use a tool, write exactly this form:\n{call}", "<｜tool▁output▁begin｜>{content}<｜tool▁output▁end｜>")
	case "deepseek_v32", "claude_invoke":
		l := with(Bare, invokes, "<result>{content}</result>")
		l.Around = [2]string{"<function_results>\n", "\n</function_results>"}
		return l
	case "deepseek_v4":
		return with(Bare, invokes, "<tool_result>{content}</tool_result>")
	case "minimax_m2", "minimax_m3":
		return with(Wrapped, "# Tools\nYou may call one or more tools to assist with the user query.\nHere are the tools available in JSONSchema format:\n\n"+
			"<tools>\n{tools}\n</tools>\n\nWhen making tool calls, write exactly this form:\n{call}", "<response>{content}</response>")
	case "kimi_k2", "kimi_k3":
		return with(Array, plainly, "## Return of functions.{name}:{n}\n{content}")
	case "mistral_v3":
		return with(Array, "[AVAILABLE_TOOLS]{tools}[/AVAILABLE_TOOLS]\n\nTo call one, write exactly this form, and then stop:\n{call}", `[TOOL_RESULTS] {"content": {json}, "call_id": "{id}"}[/TOOL_RESULTS]`)
	case "mistral_v11":
		return with(Array, "[AVAILABLE_TOOLS]{tools}[/AVAILABLE_TOOLS]\n\nTo call one, write exactly this form, and then stop:\n{call}", "[TOOL_RESULTS]{id}[TOOL_CONTENT]{content}[/TOOL_RESULTS]")
	case "harmony":
		return with(TypeScript, "# Tools\n\n## functions\n\nnamespace functions {\n\n{tools}\n\n} // namespace functions\n\n"+
			"Calls to these tools must go to the commentary channel: 'functions'. Make one call at a time, in this form:\n{call}",
			"<|start|>functions.{name} to=assistant<|channel|>commentary<|message|>{json}<|end|>")
	case "gemma4":
		return with(Declarations, "{tools}\n\nTo call a tool, write exactly this form, and then stop:\n{call}", `<|tool_response>response:{name}{value:<|"|>{content}<|"|>}<tool_response|>`)
	case "functiongemma":
		return with(Bare, plainly, "<start_function_response>response:{name}{<escape>{content}<escape>}<end_function_response>")
	case "pythonic", "pythonic_llama4", "lfm2", "olmo3":
		return with(Bare, "# Tools\n\nYou can call these functions:\n{tools}\n\nIf you decide to call functions, write nothing else than them, in this form:\n{call}", `{"output": {json}}`)
	case "seed_oss":
		return with(Stubs, "Tool List:\n{tools}\n\nTo call a tool, write exactly this form, and then stop:\n{call}", response.Result)
	case "cohere":
		l := with(BareArray, plainly, `{"tool_call_id": "{n}", "results": {"0": {json}}, "is_error": null}`)
		l.Around, l.Between = [2]string{"<|START_TOOL_RESULT|>[", "]<|END_TOOL_RESULT|>"}, ", "
		return l
	case "hunyuan_v3":
		response.Text = signatures + "For each function call, write exactly this form:\n{call}"
		response.Around = [2]string{"<tool_responses>\n", "\n</tool_responses>"}
	case "nemotron_v2":
		l := with(Lines, plainly, "{json}")
		l.Around, l.Between = [2]string{"<TOOL_RESPONSE>[", "]</TOOL_RESPONSE>"}, ", "
		return l
	case "apertus":
		l := with(Lines, plainly, "{json}")
		l.Around, l.Between = [2]string{"[", "]"}, ", "
		return l
	case "lenient_fence", "lenient_fence_named", "lenient_tools_wrapper", "hermes_lenient":
		response.Text = signatures + inTags
	}
	return response
}

package dialect

import "strings"

// The form of qwen3_coder, as its families show it, and what they are reminded of.
const (
	coderForm = "If you choose to call a function ONLY reply in the following format with NO suffix:\n\n" +
		"<tool_call>\n<function=example_function_name>\n<parameter=example_parameter_1>\nvalue_1\n</parameter>\n" +
		"<parameter=example_parameter_2>\nThis is the value for the second parameter\nthat can span\nmultiple lines\n</parameter>\n</function>\n</tool_call>\n\n"
	reminder = "<IMPORTANT>\nReminder:\n" +
		"- Function calls MUST follow the specified format: an inner <function=...></function> block must be nested within <tool_call></tool_call> XML tags\n" +
		"- Required parameters MUST be specified\n" +
		"- You may provide optional reasoning for your function call in natural language BEFORE the function call, but NOT after\n" +
		"- If there is no function call available, answer the question like normal with your current knowledge and do not tell the user about function calls\n</IMPORTANT>"
	stepReminder = "<IMPORTANT>\nReminder:\n" +
		"- Function calls MUST follow the specified format: an inner <function=...>\n...\n</function> block must be nested within <tool_call>\n...\n</tool_call> XML tags\n" +
		"- Required parameters MUST be specified\n</IMPORTANT>"
)

// markupTemplates are those of calls with one tagged value for each argument.
func markupTemplates() map[string]PromptTemplate {
	coder := PromptTemplate{Style: XML, Text: "# Tools\n\nYou have access to the following functions:\n\n<tools>\n{tools}\n</tools>\n\n" + coderForm + reminder,
		Gap: "\n\n", Result: response, Between: "\n"}
	nemotron := coder
	nemotron.Gap = "\n"
	qwen35 := coder
	qwen35.Style, qwen35.Place = Lines, BeforeSystem
	step := PromptTemplate{Text: "# Tools\n\nYou have access to the following functions in JSONSchema format:\n\n<tools>\n{tools}\n</tools>\n\n" + coderForm + stepReminder,
		Result: "<tool_response>{content}</tool_response>"}
	seed := PromptTemplate{Style: SeedStubs, Gap: "\n\n", Result: response, Between: "\n",
		Text: "{tools}\n工具调用请遵循如下格式:\n<seed:tool_call>\n<function=example_function_name>\n<parameter=example_parameter_1>value_1</parameter>\n" +
			"<parameter=example_parameter_2>This is the value for the second parameter\nthat can span\nmultiple lines</parameter>\n</function>\n</seed:tool_call>"}
	all := map[string]PromptTemplate{"qwen3_coder": coder, "qwen3_5": qwen35, "nemotron3": nemotron, "step3p5": step, "seed_oss": seed, "glimmer": glimmerTemplate()}
	for _, group := range []map[string]PromptTemplate{glmTemplates(), invokeTemplates()} {
		for name, l := range group {
			all[name] = l
		}
	}
	return all
}

// glmTemplates are those of GLM and its kin.
func glmTemplates() map[string]PromptTemplate {
	const keys = "For each function call, output the function name and arguments within the following XML format:\n"
	glm45 := PromptTemplate{Text: signatures + keys + "<tool_call>{function-name}\n<arg_key>{arg-key-1}</arg_key>\n<arg_value>{arg-value-1}</arg_value>\n" +
		"<arg_key>{arg-key-2}</arg_key>\n<arg_value>{arg-value-2}</arg_value>\n...\n</tool_call>",
		Place: BeforeSystem, Gap: "\n", Result: response, Between: "\n"}
	glm47 := PromptTemplate{Text: signatures + keys + "<tool_call>{function-name}<arg_key>{arg-key-1}</arg_key><arg_value>{arg-value-1}</arg_value>" +
		"<arg_key>{arg-key-2}</arg_key><arg_value>{arg-value-2}</arg_value>...</tool_call>",
		Place: BeforeSystem, Result: "<tool_response>{content}</tool_response>"}
	glm52 := glm47
	glm52.Style = Bare
	poolside := PromptTemplate{Gap: "\n", Result: response, Between: "\n",
		Text: "### Tools\n\nYou may call functions to assist with the user query.\nAll available function signatures are listed below:\n" +
			"<available_tools>\n{tools}\n</available_tools>\n\n" +
			"Wrap your thinking in '<think>', '</think>' tags, followed by a function call. For each function call, return an unescaped XML-like object " +
			"with function name and arguments within '<tool_call>' and '</tool_call>' tags, like here:\n<think> your thoughts here </think>\n" +
			"<tool_call>function-name\n<arg_key>argument-key</arg_key>\n<arg_value>value-of-argument-key</arg_value>\n</tool_call>"}
	all := map[string]PromptTemplate{"glm45": glm45, "glm47": glm47, "glm5_2": glm52, "poolside": poolside, "minicpm5": minicpmTemplate()}
	for name, mark := range map[string]string{"hunyuan_v3": "", "hy3": ":opensource"} {
		all[name] = hunyuanTemplate(mark)
	}
	return all
}

// hunyuanTemplate is the words of Hunyuan 3, whose tags end in a mark.
func hunyuanTemplate(mark string) PromptTemplate {
	text := signatures + "For function call returns, you should first print <tool_calls@>\nFor each function call, you should return object like:\n" +
		"<tool_call@>{function-name}<tool_sep@>\n<arg_key@>{arg-key-1}</arg_key@>\n<arg_value@>{arg-value-1}</arg_value@>\n" +
		"<arg_key@>{arg-key-2}</arg_key@>\n<arg_value@>{arg-value-2}</arg_value@>\n...\n</tool_call@>\n" +
		"At the end of function call returns, you should print </tool_calls@>"
	marked := func(s string) string { return strings.ReplaceAll(s, "@>", mark+">") }
	return PromptTemplate{Text: marked(text), Between: "\n", Result: marked("<tool_response@>\n{content}\n</tool_response@>"),
		Around: [2]string{marked("<tool_responses@>\n"), marked("\n</tool_responses@>")}}
}

// minicpmTemplate is the words of MiniCPM 5.
func minicpmTemplate() PromptTemplate {
	return PromptTemplate{Gap: "\n", Result: response, Between: "\n",
		Text: "# Tools\n\nYou are provided with function signatures within <tools></tools> XML tags:\n<tools>\n{tools}\n</tools>\n\nTool usage guidelines:\n" +
			"- You may call zero or more functions. If no function calls are needed, just answer normally and do not include any <function ... </function>.\n" +
			"- When calling a function, return an XML object within <function ... </function> using:\n" +
			"<function name=\"function-name\"><param name=\"param-name\">param-value</param></function>\n" +
			"- param-value may be multi-line. If it contains <, & or newline characters, wrap it in a CDATA block: " +
			"<param name=\"param-name\"><![CDATA[...multi-line value...]]></param>"}
}

// invokeTemplates are those of <invoke name="…">.
func invokeTemplates() map[string]PromptTemplate {
	const list = "# Tools\nYou may call one or more tools to assist with the user query.\nHere are the tools available in JSONSchema format:\n\n<tools>\n{tools}\n</tools>\n\n"
	minimax2 := PromptTemplate{Style: Wrapped, Gap: "\n", Result: "<response>{content}</response>", Between: "\n",
		Text: list + "When making tool calls, use XML format to invoke tools and pass parameters:\n\n<minimax:tool_call>\n<invoke name=\"tool-name-1\">\n" +
			"<parameter name=\"param-key-1\">param-value-1</parameter>\n<parameter name=\"param-key-2\">param-value-2</parameter>\n...\n</invoke>\n</minimax:tool_call>"}
	minimax3 := minimax2
	minimax3.Text = list + strings.ReplaceAll("To call tools, wrap all invocations in a single @<tool_call>@</tool_call> block. Parameter values containing nested objects or arrays "+
		"are recursively expanded into XML elements. Example:\n\n@<tool_call>\n@<invoke name=\"tool-name-1\">@<param-1>value-1@</param-1>@<param-2>@<item>@<key-a>val-a@</key-a>@<key-b>val-b@</key-b>@</item>@</param-2>@</invoke>\n"+
		"@<invoke name=\"tool-name-2\">@<param-1>value-1@</param-1>@</invoke>\n@</tool_call>", "@<", minimaxMark+"<")
	claude := PromptTemplate{Style: Bare, Gap: "\n\n", Result: "<result>{content}</result>", Around: [2]string{"<function_results>\n", "\n</function_results>"}, Between: "\n",
		Text: "# Tools\n\nYou can call these functions:\n<functions>\n{tools}\n</functions>\n\nTo call one, write exactly this form, and then stop:\n{call}\n" +
			"String parameters are written as they are, lists and objects as JSON."}
	return map[string]PromptTemplate{"minimax_m2": minimax2, "minimax_m3": minimax3, "claude_invoke": claude}
}

func glimmerTemplate() PromptTemplate {
	const tag = "<atem:function_calls>\n<atem:invoke name=\""
	return PromptTemplate{Style: Bare, Gap: "<|eom|><|start|>assistant", Result: "<tool_output name=\"{name}\">\n{content}\n</tool_output>", Between: "\n",
		Text: "In this environment you have access to a set of tools you can use to answer the user's question.\n\n" +
			"You can invoke a function by writing a \"<atem:function_calls>\" block like the following:\n" + tag + "$FUNCTION_NAME\">\n" +
			"<atem:parameter name=\"$PARAMETER_NAME\">$PARAMETER_VALUE</atem:parameter>\n...\n</atem:invoke>\n</atem:function_calls>\n\n" +
			"String and scalar parameters should be specified as is, while lists and objects should use JSON format. " +
			"Note that spaces for string values are not stripped. The output is not expected to be valid XML and is parsed with regular expressions.\n" +
			"Here are the functions available in JSONSchema format:\n// Function schemas\n{tools}\n\n" +
			"Here's an example of how to call a function in the tool set:\n(If the tool namespace is not specified, invoke the function directly as " +
			"`example_function_name` rather than `example_tool_name.example_function_name`)\n\nto=example_tool_name.example_function_name\n\n" +
			tag + "example_tool_name.example_function_name\">\n<atem:parameter name=\"example_parameter_1\">value_1</atem:parameter>\n" +
			"<atem:parameter name=\"example_parameter_2\">This is the value for the second parameter\nthat can span\n\"multiple\" lines\n</atem:parameter>\n" +
			"</atem:invoke>\n</atem:function_calls>"}
}

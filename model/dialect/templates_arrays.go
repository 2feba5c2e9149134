package dialect

// functools are the words that Phi-4-mini and FireFunction share.
func functools(verb, slip string) string {
	return "In addition to plain text responses, you can " + verb + " to call one or more of the provided functions.\n\n" +
		"Use the following rule to decide when to call a function:\n" +
		"  * if the response can be generated from your internal knowledge (e.g., as in the case of queries like \"What is the capital of Poland?\"), do so\n" +
		"  * if you need external information that can be obtained by calling one or more of the provided functions, generate a function calls\n\n" +
		"If you decide to call functions:\n  * prefix function calls with functools marker (no closing marker required)\n" +
		"  * all function calls should be generated in a single JSON list formatted as functools[{\"name\": [function name], \"arguments\": [function arguments as JSON]}, ...]\n" +
		"  * follow the provided JSON schema. Do not hallucinate arguments or values. Do to blindly copy values from the provided samples\n" +
		"  * respect the argument type formatting. E.g., if the type " + slip + " number and format is float, write value 7 as 7.0\n" +
		"  * make sure you pick the right functions that match the user intent"
}

// inArraysTemplates are those of calls in one JSON array.
func inArraysTemplates() map[string]PromptTemplate {
	plain := func(style Style, text string) PromptTemplate {
		return PromptTemplate{Style: style, Text: text, Gap: "\n", Result: response, Between: "\n"}
	}
	granite := plain(IndentedArray, "You are a helpful assistant with access to the following tools. When a tool is required to answer the user's query, "+
		"respond only with <|tool_call|> followed by a JSON list of tools used. If a tool does not exist in the provided list of tools, "+
		"notify the user that you do not have the ability to fulfill the request.\n\n{tools}")
	granite20b := plain(Bare, "<|function_call_library|>{tools}If none of the functions are relevant or the given question lacks the parameters required by the function, "+
		`please output "<function_call> {"name": "no_function", "arguments": {}}".`)
	granite20b.Result = "<function_response> {content}"
	fire := plain(IndentedArray, functools("chose", "if")+"\n\nAvailable functions as JSON spec:\n{tools}")
	fire.Gap = " "
	xlam := plain(Indented, "You have access to a set of tools. When using tools, make calls in a single JSON array: \n\n"+
		`[{"name": "tool_call_name", "arguments": {"arg1": "value1", "arg2": "value2"}}, ... (additional parallel tool calls as needed)]`+
		"\n\nIf no tool is suitable, state that explicitly. If the user's input lacks required parameters, ask for clarification. "+
		"Do not interpret or respond until tool results are returned. Once they are available, process them or make additional calls if needed. "+
		"For tasks that don't require tools, such as casual conversation or general advice, respond directly in plain text. The available tools are:\n\n{tools}")
	hunyuan := plain(Array, "你是一位函数组合专家。你会得到一个问题和一组可能的函数。根据问题，你需要进行一个或多个函数/工具调用以实现目的。\n"+
		"如果没有一个函数可以使用，请直接使用自然语言回复用户，以助手：开头。\n如果给定的问题缺少函数所需的参数，请使用自然语言进行提问，向用户询问必要信息，以助手：开头。\n"+
		"如果调用结果已经足够回答用户问题，请对历史结果进行总结，使用自然语言回复用户，以助手：开头。\n"+
		`你应该只在工具调用部分返回函数调用。如果你决定调用任何函数，你必须将其格式化为<tool_calls>[{"name": "func_name1", "arguments": {"argument1": "value1", "argument2": "value2"}},...]</tool_calls>。`+
		"你不应该在回复中包含任何其他文本。以下是你可以调用的函数列表，格式为JSON。\n\n{tools}")
	hunyuan.Gap, hunyuan.Result, hunyuan.Place = "", "<tool_response>{content}</tool_response>", BeforeSystem
	nemotron := plain(BareArray, "You can use the following tools to assist the user if required:\n<AVAILABLE_TOOLS>{tools}</AVAILABLE_TOOLS>\n\n"+
		"If you decide to call any tool(s), use the following format:\n<TOOLCALL>[{{\"name\": \"tool_name1\", \"arguments\": \"tool_args1\"}}, {{\"name\": \"tool_name2\", \"arguments\": \"tool_args2\"}}]</TOOLCALL>\n\n"+
		"The user will execute tool-calls and return responses from tool(s) in this format:\n<TOOL_RESPONSE>[{{\"tool_response1\"}}, {{\"tool_response2\"}}]</TOOL_RESPONSE>\n\n"+
		"Based on the tool responses, you can call additional tools if needed, correct tool calls if any errors are found, or just respond to the user.")
	nemotron.Result, nemotron.Around, nemotron.Between = "{content}", [2]string{"<TOOL_RESPONSE>[", "]</TOOL_RESPONSE>"}, ", "
	apertus := plain(TypeScriptTight, "Tool Capabilities:\n{tools}\n\n"+exactly)
	apertus.Gap, apertus.Result, apertus.Around, apertus.Between = "", "{content}", [2]string{"[", "]"}, ", "
	apriel := plain(Lines, "You are provided with function signatures within <available_tools></available_tools> XML tags. "+
		"You may call one or more functions to assist with the user query. Don't make assumptions about the arguments. "+
		"You should infer the argument values from previous user responses and the system message. Here are the available tools:\n"+
		"<available_tools>\n{tools}\n</available_tools>\n\nReturn all function calls as a list of JSON objects within <tool_calls></tool_calls> XML tags. "+
		"Each JSON object should contain a function name and arguments as follows:\n"+
		"<tool_calls>[\n    {\"name\": <function-name-1>, \"arguments\": <args-dict-1>},\n    {\"name\": <function-name-2>, \"arguments\": <args-dict-2>},\n    ...\n]</tool_calls>")
	cohere := plain(BareColumn, "## Available Tools\nHere is the list of tools that you have available to you.\n"+
		"You can ONLY use the tools listed here. When a tool is not listed below, it is NOT available and you should NEVER attempt to use it.\n"+
		"Each tool is represented as a JSON object with fields like \"name\", \"description\", \"parameters\" (per JSON Schema), and optionally, \"responses\" (per JSON Schema).\n\n"+
		"```json\n{tools}\n```\n\n"+exactly)
	cohere.Gap = ""
	cohere.Around, cohere.Between = [2]string{"<|START_TOOL_RESULT|>[\n", "\n]<|END_TOOL_RESULT|>"}, ",\n"
	cohere.Result = "    {\n        \"tool_call_id\": \"{n}\",\n        \"results\": {\n            \"0\": {json}\n        },\n        \"is_error\": null\n    }"
	command := plain(CommandStubs, "## Available Tools\nHere is a list of tools that you have available to you:\n\n{tools}\n\n"+
		"Write 'Action:' followed by a json-formatted list of actions that you want to perform in order to produce a good response to the user's last input. "+
		"You can use any of the supplied tools any number of times, but you should aim to execute the minimum number of necessary actions for the input. "+
		"You should use the `directly-answer` tool if calling the other tools is unnecessary. "+
		"The list of actions you want to call should be formatted as a list of json objects, for example:\n```json\n[\n    {\n"+
		"        \"tool_name\": title of the tool in the specification,\n"+
		"        \"parameters\": a dict of parameters to input into the tool as they are defined in the specs, or {} if it takes no parameters\n    }\n]```")
	command.Result = "<results>\n{content}</results>"
	return map[string]PromptTemplate{"granite3": granite, "granite_20b_fc": granite20b, "firefunction": fire, "xlam": xlam, "hunyuan_a13b": hunyuan, "nemotron_v2": nemotron,
		"apertus": apertus, "apriel": apriel, "cohere": cohere, "command_r_plus": command, "phi4_mini": plain(Indented, functools("choose", "is")+"{tools}")}
}

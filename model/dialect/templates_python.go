package dialect

// pythonTemplates are those of calls written as Python, and of bare JSON.
func pythonTemplates() map[string]PromptTemplate {
	output := func(style Style, place Place, text string) PromptTemplate {
		return PromptTemplate{Style: style, Place: place, Text: text, Gap: "\n", Result: `{"output": {json}}`, Between: "\n"}
	}
	llama4 := output(IndentedArray, AfterSystem, "Here is a list of functions in JSON format that you can invoke. "+
		"Use exact format: [func_name1(param1=value1, param2=value2), func_name2(...)]\n{tools}")
	llama4.Gap, llama4.Result = "", "{json}"
	lfm2 := PromptTemplate{Style: BareArray, Text: "List of tools: <|tool_list_start|>{tools}<|tool_list_end|>",
		Gap: "\n", Result: "<|tool_response_start|>{content}<|tool_response_end|>", Between: "\n"}
	lfm25 := lfm2
	lfm25.Text, lfm25.Result = "List of tools: {tools}", response
	olmo3 := PromptTemplate{Style: Array, Gap: "", Result: "Function {name} returned:\n{content}", Between: "\n\n",
		Text: "You are provided with function signatures within <functions></functions> XML tags. You may call one or more functions to assist with the user query. " +
			"Output any function calls within <function_calls></function_calls> XML tags. Do not make assumptions about what values to plug into functions." +
			"<functions>{tools}</functions>"}
	return map[string]PromptTemplate{
		"llama3_json": output(Indented, FirstUser, "Given the following functions, please respond with a JSON for a function call with its proper arguments that best answers the given prompt.\n\n"+
			"Respond in the format {\"name\": function name, \"parameters\": dictionary of argument name and its value}.Do not use variables.\n\n{tools}"),
		"pythonic": output(Indented, BeforeSystem, "You have access to the following functions. To call functions, please respond with a python list of the calls. "+
			"Respond in the format [func_name1(params_name1=params_value1, params_name2=params_value2...), func_name2(params)] Do not use variables.\n\n{tools}"),
		"toolace": output(Indented, BeforeSystem, "You are an expert in composing functions. You are given a question and a set of possible functions. "+
			"Based on the question, you will need to make one or more function/tool calls to achieve the purpose.\n"+
			"If none of the function can be used, point it out. If the given question lacks the parameters required by the function, also point it out.\n"+
			"You should only return the function call in tools call sections.\n\n"+
			"If you decide to invoke any of the function(s), you MUST put it in the format of [func_name1(params_name1=params_value1, params_name2=params_value2...), func_name2(params)]\n"+
			"You SHOULD NOT include any other text in the response.\nHere is a list of functions in JSON format that you can invoke.\n{tools}"),
		"pythonic_llama4": llama4, "lfm2": lfm2, "lfm2_5": lfm25, "olmo3": olmo3,
		"gemma4": {Style: Declarations, Gap: "\n", Text: "{tools}\n\nTo call a tool, write exactly this form, and then stop:\n{call}",
			Result: `<|tool_response>response:{name}{value:<|"|>{content}<|"|>}<tool_response|>`},
		"functiongemma": {Style: FunctionDeclarations, Text: "You can do function calling with the following functions:{tools}",
			Result: "<start_function_response>response:{name}{<escape>{content}<escape>}<end_function_response>"},
	}
}

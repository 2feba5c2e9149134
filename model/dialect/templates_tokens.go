package dialect

// tokenTemplates are those of calls between control tokens, and of framed messages.
func tokenTemplates() map[string]PromptTemplate {
	const available = "[AVAILABLE_TOOLS]{tools}[/AVAILABLE_TOOLS]\n\nTo call one, write exactly this form, and then stop:\n{call}"
	mistral3 := PromptTemplate{Style: Array, Text: available, Result: `[TOOL_RESULTS] {"content": {json}, "call_id": "{id}"}[/TOOL_RESULTS]`}
	mistral11 := PromptTemplate{Style: Array, Text: available, Result: "[TOOL_RESULTS]{id}[TOOL_CONTENT]{content}[/TOOL_RESULTS]"}
	mistral13 := PromptTemplate{Style: Array, Text: available, Result: "[TOOL_RESULTS]{content}[/TOOL_RESULTS]"}
	kimi2 := PromptTemplate{Style: Array, Text: plainly, Result: "## Return of functions.{name}:{n}\n{content}", Between: "\n"}
	kimi3 := PromptTemplate{Style: SortedArray, Place: BeforeSystem, Text: "# Tools\nHere are the available tools, described in JSONSchema.\n\n```json\n{tools}\n```\n\n" + exactly,
		Result: `<|open|>message role="tool" tool="{name}" index="{place}"<|sep|>{content}<|close|>message<|sep|>`, Between: "<|end_of_msg|>"}
	harmony := PromptTemplate{Style: TypeScript, Gap: "<|end|><|start|>assistant",
		Text: "# Tools\n\n## functions\n\nnamespace functions {\n\n{tools}\n\n} // namespace functions\n\n" +
			"Calls to these tools must go to the commentary channel: 'functions'. Make one call at a time, in this form:\n{call}",
		Result: "<|start|>functions.{name} to=assistant<|channel|>commentary<|message|>{json}<|end|>"}
	solar := PromptTemplate{Style: Marked, Result: "<|tool_response:begin|>{id}<|tool_response:name|>{name}<|tool_response:result|>{content}<|tool_response:end|>",
		Text: "## Tools\n\n### Tool Call Instruction\nYou may invoke one or more tools to assist with the user's query. " +
			"Available tools are provided in JSON Schema format: <|tools:begin|><|tool:begin|><tools-json-object><|tool:end|>...<|tools:end|>\n\n" +
			"### Available Tools\n<|tools:begin|>{tools}<|tools:end|>\n\n### Tool Call Format\n" +
			"For each tool call, return a JSON object with the following structure, enclosed within <|tool_call:begin|> and <|tool_call:end|> tags: \n" +
			"<|tool_call:begin|><tool-call-id><|tool_call:name|><tool-name><|tool_call:args|><args-json-object><|tool_call:end|>\n" +
			"- The <tool-call-id> must be a randomly generated string consisting of 10 lowercase letters (a-z) and/or digits (0-9) (e.g., a1b2c3d4e5)\n\n" +
			"### Tool Response Format\nEach tool is responded by `tool` with the following structure:\n" +
			"<|tool_response:id|><tool-call-id><|tool_response:name|><tool-name><|tool_response:result|><results><|tool_response:end|>\n" +
			"- Ensure the <tool-call-id> matches the corresponding tool call"}
	functionary31 := PromptTemplate{Style: Used, Place: BeforeSystem, Result: response, Between: "\n",
		Text: "You have access to the following functions:\n\n{tools}\n\n\nThink very carefully before calling functions.\n" +
			"If a you choose to call a function ONLY reply in the following format:\n<{start_tag}={function_name}>{parameters}{end_tag}\nwhere\n\n" +
			"start_tag => `<function`\nparameters => a JSON dict with the function argument name as key and function argument value as value.\nend_tag => `</function>`\n\n" +
			"Here is an example,\n<function=example_function_name>{\"example_name\": \"example_value\"}</function>\n\nReminder:\n" +
			"- If looking for real time information use relevant functions before falling back to brave_search\n" +
			"- Function calls MUST follow the specified format, start with <function= and end with </function>\n" +
			"- Required parameters MUST be specified\n- Only call one function at a time\n- Put the entire function call reply on one line"}
	functionary32 := PromptTemplate{Style: TypeScriptBraces, Place: BeforeSystem, Result: response, Between: "\n",
		Text: "You are capable of executing available function(s) if required.\nOnly execute function(s) when absolutely necessary.\n" +
			"Ask for the required input to:recipient==all\nUse JSON for function arguments.\nRespond in this format:\n>>>${recipient}\n${content}\n" +
			"Available functions:\n// Supported function definitions that should be called when necessary.\nnamespace functions {\n\n{tools}\n\n} // namespace functions"}
	gigachat := PromptTemplate{Style: TypeScriptWide, Result: "function result<|role_sep|>\n{content}", Between: "<|message_sep|>\n\n",
		Text: "function descriptions<|role_sep|>\nnamespace functions {\n{tools}\n\n} // namespace functions\n\n" + exactly}
	return map[string]PromptTemplate{"mistral_v3": mistral3, "mistral_v11": mistral11, "mistral_v13": mistral13, "kimi_k2": kimi2, "kimi_k3": kimi3, "harmony": harmony,
		"solar": solar, "functionary_v31": functionary31, "functionary_v32": functionary32, "gigachat3": gigachat,
		"inkling": {Style: FlatArray, Place: BeforeSystem, Gap: "<|end_message|><|message_model|>", Text: "tool_declare<|content_xml|>{tools}\n\n" + exactly,
			Result: "<|message_tool|>{name}<|content_text|>{content}<|end_message|>"},
		"internlm2": {Style: BareArray, Text: "<|plugin|>\n{tools}\n\n" + exactly, Result: response, Between: "\n"}}
}

package dialect

// dsmlBlock is the example of DeepSeek V3.2 and V4 around their block.
func dsmlBlock(section, first, second string) string {
	return "<｜DSML｜" + section + ">\n<｜DSML｜invoke name=\"" + first + "\">\n" +
		"<｜DSML｜parameter name=\"$PARAMETER_NAME\" string=\"true|false\">$PARAMETER_VALUE</｜DSML｜parameter>\n...\n</｜DSML｜invoke>\n" +
		"<｜DSML｜invoke name=\"" + second + "\">\n...\n</｜DSML｜invoke>\n</｜DSML｜" + section + ">\n\n"
}

// deepseekTemplates are those of DeepSeek.
func deepseekTemplates() map[string]PromptTemplate {
	v3 := PromptTemplate{Style: Fenced, Result: "<｜tool▁output▁begin｜>{content}<｜tool▁output▁end｜>", Between: "\n",
		Around: [2]string{"<｜tool▁outputs▁begin｜>", "<｜tool▁outputs▁end｜>"},
		Text: "You are a helpful assistant with tool calling capabilities. When a tool call is needed, you MUST use the following format to issue the call:\n" +
			"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>FUNCTION_NAME\n```json\n{\"param1\": \"value1\", \"param2\": \"value2\"}\n```" +
			"<｜tool▁call▁end｜><｜tool▁calls▁end｜>\n\nMake sure the JSON is valid.## Tools\n\n### Function\n\nYou have the following functions available:\n\n\n{tools}"}
	v31 := PromptTemplate{Style: Headed, Result: "<｜tool▁output▁begin｜>{content}<｜tool▁output▁end｜>",
		Text: "## Tools\nYou have access to the following tools:\n\n{tools}\n\nIMPORTANT: ALWAYS adhere to this exact format for tool use:\n" +
			"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>tool_call_name<｜tool▁sep｜>tool_call_arguments<｜tool▁call▁end｜>{{additional_tool_calls}}<｜tool▁calls▁end｜>\n\n" +
			"Where:\n\n- `tool_call_name` must be an exact match to one of the available tools\n" +
			"- `tool_call_arguments` must be valid JSON that strictly follows the tool's Parameters Schema\n" +
			"- For multiple tool calls, chain them directly without separators or spaces"}
	v32 := PromptTemplate{Style: Bare, Gap: "\n\n", Result: "<result>{content}</result>", Around: [2]string{"<function_results>\n", "\n</function_results>"}, Between: "\n",
		Text: "## Tools\n\nYou have access to a set of tools you can use to answer the user's question.\n" +
			"You can invoke functions by writing a \"<｜DSML｜function_calls>\" block like the following as part of your reply to the user:\n" +
			dsmlBlock("function_calls", "$FUNCTION_NAME", "$FUNCTION_NAME2") +
			"String and scalar parameters should be specified as is without any escaping or quotes, while lists and objects should use JSON format. " +
			"The \"string\" attribute should be set to \"true\" for string type parameters and \"false\" for other types (numbers, booleans, arrays, objects).\n\n" +
			"If the thinking_mode is enabled, then after function results you should strongly consider outputting a thinking block. Here is an example:\n\n" +
			"<｜DSML｜function_calls>\n...\n</｜DSML｜function_calls>\n\n<function_results>\n...\n</function_results>\n\n<think>...thinking about results</think>\n\n" +
			"Here are the functions available in JSONSchema format:\n<functions>\n{tools}\n</functions>"}
	v4 := PromptTemplate{Style: Bare, Gap: "\n\n", Result: "<tool_result>{content}</tool_result>", Between: "\n\n",
		Text: "## Tools\n\nYou have access to a set of tools to help answer the user's question. You can invoke tools by writing a \"<｜DSML｜tool_calls>\" block like the following:\n\n" +
			dsmlBlock("tool_calls", "$TOOL_NAME", "$TOOL_NAME2") +
			"String parameters should be specified as is and set `string=\"true\"`. For all other types (numbers, booleans, arrays, objects), " +
			"pass the value in JSON format and set `string=\"false\"`.\n\n" +
			"If thinking_mode is enabled (triggered by <think>), you MUST output your complete reasoning inside <think>...</think> BEFORE any tool calls or final response.\n\n" +
			"Otherwise, output directly after </think> with tool calls or final response.\n\n" +
			"### Available Tool Schemas\n\n{tools}\n\nYou MUST strictly follow the above defined tool name and parameter schemas to invoke tool calls."}
	return map[string]PromptTemplate{"deepseek_v3": v3, "deepseek_v31": v31, "deepseek_v32": v32, "deepseek_v4": v4}
}

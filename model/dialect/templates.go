package dialect

import "sync"

// The words that several families share.
const (
	signatures = "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n" +
		"You are provided with function signatures within <tools></tools> XML tags:\n<tools>\n{tools}\n</tools>\n\n"
	inTags = "For each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:\n" +
		"<tool_call>\n{\"name\": <function-name>, \"arguments\": <args-json-object>}\n</tool_call>"
	exactly = "To call one, write exactly this form, with the function's name and its arguments, and then stop:\n{call}"
	plainly = "# Tools\n\nYou can call these functions:\n{tools}\n\n" + exactly
)

// Template returns how a dialect is taught: in its family's words where they are known, else plainly.
func (d *Dialect) Template() PromptTemplate {
	if l, ok := templates()[d.Name]; ok {
		return l
	}
	return PromptTemplate{Text: plainly, Gap: "\n", Result: response, Between: "\n"}
}

// response is a result in the tags of most families.
const response = "<tool_response>\n{content}\n</tool_response>"

// templates holds them by dialect; it is built once and never changed.
var templates = sync.OnceValue(func() map[string]PromptTemplate {
	all := map[string]PromptTemplate{}
	for _, group := range []map[string]PromptTemplate{inTagsTemplates(), inArraysTemplates(), markupTemplates(), deepseekTemplates(), pythonTemplates(), tokenTemplates()} {
		for name, l := range group {
			all[name] = l
		}
	}
	return all
})

// inTagsTemplates are those of calls in JSON, each between tags of its own.
func inTagsTemplates() map[string]PromptTemplate {
	hermes := PromptTemplate{Text: signatures + inTags, Gap: "\n", Result: response, Between: "\n"}
	reka := hermes
	reka.Between = ""
	granite := hermes
	granite.Text = "You are a helpful assistant with access to the following tools. You may call one or more tools to assist with the user query.\n\n" +
		"You are provided with function signatures within <tools></tools> XML tags:\n<tools>\n{tools}\n</tools>\n\n" +
		"For each tool call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:\n" +
		"<tool_call>\n{\"name\": <function-name>, \"arguments\": <args-json-object>}\n</tool_call>. " +
		"If a tool does not exist in the provided list of tools, notify the user that you do not have the ability to fulfill the request."
	nous := hermes
	nous.Place = BeforeSystem
	nous.Text = "You are a function calling AI model. You are provided with function signatures within <tools></tools> XML tags. " +
		"You may call one or more functions to assist with the user query. Don't make assumptions about what values to plug into functions. " +
		"Here are the available tools: <tools> {tools} </tools>Use the following pydantic model json schema for each tool call you will make: " +
		`{"properties": {"name": {"title": "Name", "type": "string"}, "arguments": {"title": "Arguments", "type": "object"}}, ` +
		`"required": ["name", "arguments"], "title": "FunctionCall", "type": "object"}}` +
		"\nFor each function call return a json object with function name and arguments within <tool_call></tool_call> XML tags as follows:\n" +
		"<tool_call>\n{\"name\": <function-name>, \"arguments\": <args-dict>}\n</tool_call>"
	bielik := hermes
	bielik.Result = "<|function_output|>{content}"
	bielik.Text = "Masz dostęp do następujących narzędzi. Definicje narzędzi znajdują się poniżej wewnątrz znaczników <|function_list|>:\n" +
		"<|function_list|>\n[{tools}]\n<|function_list|>\n\nAby wywołać narzędzie, użyj formatu " +
		`<tool_call>{"name": "nazwa_narzędzia", "arguments": {"argument": "wartość"}}</tool_call>. ` +
		"Wyniki działania narzędzi zostaną przekazane z markerem <|function_output|>."
	bielik.Style = LinesComma
	minimax1 := PromptTemplate{Gap: "\n", Result: "tool result: {content}", Between: "\n\n",
		Text: "You are provided with these tools:\n<tools>\n{tools}\n</tools>\n\nIf you need to call tools, please respond with <tool_calls></tool_calls> XML tags, " +
			"and provide tool-name and json-object of arguments, following the format below:\n<tool_calls>\n{\"name\": <tool-name>, \"arguments\": <args-json-object>}\n...\n</tool_calls>"}
	all := map[string]PromptTemplate{"reka": reka, "granite4": granite, "nous": nous, "bielik": bielik, "minimax_m1": minimax1}
	for _, name := range []string{"hermes", "ernie45", "hermes_lenient", "lenient_fence", "lenient_fence_named", "lenient_tools_wrapper"} {
		all[name] = hermes
	}
	return all
}

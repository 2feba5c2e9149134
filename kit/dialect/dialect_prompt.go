package dialect

// PromptTemplate is how tools are explained to a family: in the words that it was trained on, where these are known.
type PromptTemplate struct {
	// Style describes how the tools are listed.
	Style Style `yaml:"style,omitempty"`
	// Text is the system text; {tools} is replaced by the list and {call} by a call written in the form.
	Text string `yaml:"text,omitempty"`
	// Place describes where the text goes.
	Place Place `yaml:"place,omitempty"`
	// Gap comes between the text of an answer and its calls.
	Gap string `yaml:"gap,omitempty"`
	// Result is how one result goes back: {content}, {json} (the content as a JSON string), {name}, {id},
	// {n} (its number in the conversation) and {place} (in the turn, from 1).
	Result string `yaml:"result,omitempty"`
	// Around comes before the first and after the last result of a turn.
	Around [2]string `yaml:"around,omitempty"`
	// Between comes between two results.
	Between string `yaml:"between,omitempty"`
}

// Template returns the prompt of a dialect: in the words of its family where they are known, else in general words.
func (d *Dialect) Template() PromptTemplate {
	if d.Prompt != nil {
		return *d.Prompt
	}
	return PromptTemplate{
		Text: "# Tools\n\nYou can call these functions:\n{tools}\n\n" +
			"To call one, write exactly this form, with the function's name and its arguments, and then stop:\n{call}",
		Gap: "\n", Result: "<tool_response>\n{content}\n</tool_response>", Between: "\n",
	}
}

// Place describes where the tool prompt goes in a request.
type Place int

// The places. The zero Place is the end of the system text.
const (
	AfterSystem  Place = iota // after the system text
	BeforeSystem              // before the system text
	FirstUser                 // before the user's first message
)

// Style describes how tools are listed for a model.
type Style int

// The styles of listing tools. "Whole" means an OpenAI function object, "bare" {name, description, parameters}.
const (
	Lines                Style = iota // whole, one a line
	LinesComma                        // whole, one a line with a comma between
	Bare                              // bare, one a line
	Array                             // whole, an array on one line
	BareArray                         // bare, an array on one line
	BareColumn                        // bare, an array with one a line, with "responses": null
	Indented                          // whole, each on many lines, a blank line between
	IndentedArray                     // whole, an array on many lines
	SortedArray                       // whole, a compact array with sorted members
	FlatArray                         // bare with a type, a compact array with sorted members
	Wrapped                           // <tool>{bare}</tool> for each
	Marked                            // <|tool:begin|>{bare}<|tool:end|> for each
	Fenced                            // whole, each in a fence of its own
	Headed                            // ### NAME, description and parameters
	Used                              // Use the function 'NAME' to 'DESCRIPTION', and the bare object
	XML                               // <function><name>…
	TypeScript                        // type name = (_: {…}) => any; with a blank line between
	TypeScriptTight                   // the same without blank lines, and no comma behind the last parameter
	TypeScriptBraces                  // as TypeScript, an object written out in braces
	TypeScriptWide                    // the same with two blanks before each line
	SeedStubs                         // Python functions with a docstring, as Seed-OSS knows them
	CommandStubs                      // the same as Command R knows them
	Declarations                      // declaration:name{…} of Gemma 4
	FunctionDeclarations              // the same of FunctionGemma
)

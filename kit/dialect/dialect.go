// Package dialect reads, recovers and writes the tool calls of models that write them as text.
//
// A dialect is a file of data: how a call opens and closes, where its name is, how its values are written, which tags
// enclose reasoning, how a result goes back, and the prompt that explains the tools. One incremental parser reads all
// dialects, and one writer writes them. WrapTextCalls makes a model without tool calls of its own work with them, and
// WrapRecovery turns calls that came as text by mistake into calls.
package dialect

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"rein/internal/plaintext"
)

// Dialect is one way in which a family of models writes its calls. Rows are shared and must not be changed.
type Dialect struct {
	// Name is the dialect's id, as in "hermes".
	Name string `yaml:"name,omitempty"`
	// About describes in a few words which models use it.
	About string `yaml:"about,omitempty"`
	// Models are parts of model names (lower case) that use it; the longest part that fits decides. Empty for forms
	// that no family was trained on.
	Models []string `yaml:"models,omitempty"`
	// Think encloses reasoning. A closer without its opener means that everything before it was reasoning.
	Think []Span `yaml:"think,omitempty"`
	// OpensThink means that the model always writes the opener of its reasoning itself: a closer without one is text.
	OpensThink bool `yaml:"opens_think,omitempty"`
	// StartsThinking means that output always begins inside reasoning.
	StartsThinking bool `yaml:"starts_thinking,omitempty"`
	// CallsInThink means that a call inside reasoning is meant, and ends the reasoning.
	CallsInThink bool `yaml:"calls_in_think,omitempty"`
	// Calls are the forms that a call may take.
	Calls []Form `yaml:"calls,omitempty"`
	// Frames means that output is cut into framed messages; nil when it is not.
	Frames *Frames `yaml:"frames,omitempty"`
	// Drop are markers that carry nothing and vanish from the text.
	Drop []string `yaml:"drop,omitempty"`
	// Inert encloses text that is kept but never read: results that the model repeats.
	Inert []Span `yaml:"inert,omitempty"`
	// DropTail means that text after the last call of the turn is noise of the format.
	DropTail bool `yaml:"drop_tail,omitempty"`
	// Same names the row whose forms this one has: the two differ in their prompts.
	Same string `yaml:"same,omitempty"`
	// Spellings are other ways in which the family writes a part of its marks. They are read, but never written.
	Spellings Spellings `yaml:"spellings,omitempty"`
	// IDDigits is how many digits the ids of calls have, for families that ask for a length; 0 for those that take any id.
	IDDigits int `yaml:"id_digits,omitempty"`
	// NullText means that the text null is the null value even where the schema asks for a string.
	NullText bool `yaml:"null_text,omitempty"`
	// Prompt explains the tools to the family; nil for the general words.
	Prompt *PromptTemplate `yaml:"prompt,omitempty"`
}

// Span is a pair of tags. Open may hold several spellings.
type Span struct {
	Open  []string `yaml:"open,omitempty"`
	Close []string `yaml:"close,omitempty"`
	// Hidden means that what is between does not show.
	Hidden bool `yaml:"hidden,omitempty"`
}

// Spellings are the other ways to write a part of the marks.
type Spellings struct {
	Of   string   `yaml:"of,omitempty"`
	Also []string `yaml:"also,omitempty"`
}

// Syntax describes how the part between a call's opener and closer is written.
type Syntax int

// The syntaxes. A Form's zero Syntax is JSON.
const (
	JSON     Syntax = iota // {"name":…,"arguments":{…}}, one or many, or an array of them
	Named                  // NAME, a separator, and one JSON object of arguments
	Markup                 // NAME and one tagged value for each argument
	Elements               // NAME and one element for each argument, nested for objects and arrays
	Python                 // f(a="x", b=[1]), calls with literal keywords
	Braces                 // call:NAME{key:<|"|>text<|"|>,n:1}
	Lenient                // half remembered: each of the above is tried on the whole block
)

// Form is one shape of a call (or of a section of calls) in a dialect.
type Form struct {
	Syntax Syntax `yaml:"syntax,omitempty"`
	// Section opens and closes the list that encloses the calls; empty when each call is by itself.
	Section Span `yaml:"section,omitempty"`
	// Open begins one call (with a Section: one call inside it). Empty with Syntax JSON or Python: the bare value.
	Open []string `yaml:"open,omitempty"`
	// Close ends one call; it may be missing at the end of the output.
	Close []string `yaml:"close,omitempty"`
	// NameKeys and ArgKeys are the members that hold name and arguments; empty means "name" and "arguments"/"parameters".
	NameKeys []string `yaml:"name_keys,omitempty"`
	ArgKeys  []string `yaml:"arg_keys,omitempty"`
	// NameAsKey means that the object is {NAME: arguments}.
	NameAsKey bool `yaml:"name_as_key,omitempty"`
	// Sep are tokens between name and arguments (Named), the first that occurs counts.
	Sep []string `yaml:"sep,omitempty"`
	// IDMark comes between a call's id and its name, the id first with IDFirst.
	IDMark  string `yaml:"id_mark,omitempty"`
	IDFirst bool   `yaml:"id_first,omitempty"`
	// Envelope means that {"tool_calls":[…]} may enclose the calls.
	Envelope bool `yaml:"envelope,omitempty"`
	// Skip are tokens that may come before the name or around the arguments and mean nothing.
	Skip []string `yaml:"skip,omitempty"`
	// Tags describes Markup and Elements.
	Tags Tags `yaml:"tags,omitempty"`
	// Quote encloses strings in Braces.
	Quote string `yaml:"quote,omitempty"`
	// OnlyKnown makes a call of it only when the name is one of the tools offered; else it stays text.
	OnlyKnown bool `yaml:"only_known,omitempty"`
	// LineStart means that the opener counts only at the start of a line.
	LineStart bool `yaml:"line_start,omitempty"`
	// AtStart means that the opener counts only as the first thing of the answer.
	AtStart bool `yaml:"at_start,omitempty"`
	// NeedClose means that a call without its closer is no call.
	NeedClose bool `yaml:"need_close,omitempty"`
	// OrWhole means that a call of a known tool with all that it requires counts when the output ends before the closer.
	OrWhole bool `yaml:"or_whole,omitempty"`
	// RawArg means that text instead of the object is the value of the tool's only required argument (Named).
	RawArg bool `yaml:"raw_arg,omitempty"`
	// OneLine means that each object of JSON is on a line of its own.
	OneLine bool `yaml:"one_line,omitempty"`
	// Hide means that a block that could not be read does not show in the text; HideCut the same of one that the end of the
	// output cut off before its first argument was whole.
	Hide    bool `yaml:"hide,omitempty"`
	HideCut bool `yaml:"hide_cut,omitempty"`
	// Unwritten means that the form is read, but never written.
	Unwritten bool `yaml:"unwritten,omitempty"`
	// List writes all calls of a turn as one array.
	List bool `yaml:"list,omitempty"`
	// Each writes the Section around each call instead of around all, and Join comes between two calls.
	Each bool   `yaml:"each,omitempty"`
	Join string `yaml:"join,omitempty"`
	// Layout is how an array of calls is written.
	Layout Layout `yaml:"layout,omitempty"`
	// IDKey is the last member of a call's object, with its id; empty when there is none.
	IDKey string `yaml:"id_key,omitempty"`
	// Lead, Pad and Tail are written before the name, before and after the arguments.
	Lead string `yaml:"lead,omitempty"`
	Pad  string `yaml:"pad,omitempty"`
	Tail string `yaml:"tail,omitempty"`
	// HideMark means that the opener never shows, even where no call follows: it is a control token.
	HideMark bool `yaml:"hide_mark,omitempty"`
	// NeedSep means that the separator must come between name and arguments.
	NeedSep bool `yaml:"need_sep,omitempty"`
	// Numbered means that a name ends in :N, unless it is known without.
	Numbered bool `yaml:"numbered,omitempty"`
	// Noise means that what is in a section and is no call means nothing.
	Noise bool `yaml:"noise,omitempty"`
	// Offered makes a call of it only when tools were offered.
	Offered bool `yaml:"offered,omitempty"`
	// Partial means that the whole calls of an array that was cut off count.
	Partial bool `yaml:"partial,omitempty"`
	// OnlyArray and OnlyObject restrict what JSON may be.
	OnlyArray  bool `yaml:"only_array,omitempty"`
	OnlyObject bool `yaml:"only_object,omitempty"`
	// Exact means that nothing may come between the call and its closer or the end of the output.
	Exact bool `yaml:"exact,omitempty"`
	// Sticky means that a block that is no call stays unread up to its closer, whatever is in it.
	Sticky bool `yaml:"sticky,omitempty"`
	// AfterCall means that the form counts only behind a call.
	AfterCall bool `yaml:"after_call,omitempty"`
	// Loose means that JSON with Python's words, single quotes or unescaped quotation marks is read where it has one meaning.
	Loose bool `yaml:"loose,omitempty"`
}

// Layout is how an array of calls is written.
type Layout int

// The layouts. A Form's zero Layout is InLine.
const (
	InLine Layout = iota // on one line
	Column               // one call a line
	Spread               // on many lines, indented
	Packed               // without blanks, the arguments in order of their names
)

// Tags are the marks of key/value markup.
type Tags struct {
	// HeadEnd ends the opener that holds the name.
	HeadEnd []string `yaml:"head_end,omitempty"`
	// NameAttr is the attribute that holds the name; empty when the opener holds nothing but the name.
	NameAttr string `yaml:"name_attr,omitempty"`
	// Param begins an argument and KeyEnd ends its key; KeyAttr names the attribute that holds the key.
	Param   string `yaml:"param,omitempty"`
	KeyEnd  string `yaml:"key_end,omitempty"`
	KeyAttr string `yaml:"key_attr,omitempty"`
	// Value comes between key and value, where there is such a tag; ParamClose ends the value.
	Value      string   `yaml:"value,omitempty"`
	ParamClose []string `yaml:"param_close,omitempty"`
	// Newlines means that one newline after the opening and one before the closing tag belong to the markup.
	Newlines bool `yaml:"newlines,omitempty"`
	// Snug means that values are written without these newlines, where they do not need them. So only a pair of newlines
	// belongs to the markup: a single one is part of the value.
	Snug bool `yaml:"snug,omitempty"`
	// Trim means that blanks around a value belong to the markup.
	Trim bool `yaml:"trim,omitempty"`
	// Type encloses a word for the type of a value, between key and value. It is skipped: the schema says more.
	Type Span `yaml:"type,omitempty"`
	// TypeAttr is the attribute that makes a value's type certain ("string" or "type").
	TypeAttr string `yaml:"type_attr,omitempty"`
	// Escaped means that attributes hold &quot; and &amp;.
	Escaped bool `yaml:"escaped,omitempty"`
	// CDATA means that a value may be wrapped in <![CDATA[…]]>.
	CDATA bool `yaml:"cdata,omitempty"`
	// Prefix comes before every tag of Elements.
	Prefix string `yaml:"prefix,omitempty"`
	// OrJSON means that {"name":…,"arguments":…} may replace the markup.
	OrJSON bool `yaml:"or_json,omitempty"`
	// Tight means that the tags are written without line breaks between them.
	Tight bool `yaml:"tight,omitempty"`
	// Closed means that every value has its closing tag: none is ever forgotten.
	Closed bool `yaml:"closed,omitempty"`
	// Strict refuses a call whose arguments are not those of its tool.
	Strict bool `yaml:"strict,omitempty"`
}

// Frames are messages with a header: START header HEAD body END.
type Frames struct {
	Start []string `yaml:"start,omitempty"` // begins a header
	Head  string   `yaml:"head,omitempty"`  // ends the header
	End   []string `yaml:"end,omitempty"`   // ends the body
	// Think, Answer and Silent are recipients or channels whose body is reasoning, visible text, or nothing.
	Think  []string `yaml:"think,omitempty"`
	Answer []string `yaml:"answer,omitempty"`
	Silent []string `yaml:"silent,omitempty"`
	// BuiltIn are beginnings of recipients that the model's maker provides, not we: a message to them is no call.
	BuiltIn []string `yaml:"built_in,omitempty"`
	// Prefix comes before the name of a called function and is cut off.
	Prefix string `yaml:"prefix,omitempty"`
	// Body is how a call's arguments are written; nil means a JSON object.
	Body *Form `yaml:"body,omitempty"`
	// Bare means that a header is nothing but a recipient, and HeadFirst that output may begin inside a header.
	Bare      bool `yaml:"bare,omitempty"`
	HeadFirst bool `yaml:"head_first,omitempty"`
}

// Find returns the dialect of that name.
func Find(name string) (*Dialect, error) {
	if load, ok := rows()[name]; ok {
		return load(), nil
	}
	meant := ""
	if guess := plaintext.NearestNames(name, append(dialectNames(), "auto", "none")); len(guess) > 0 {
		meant = "; did you mean " + strings.Join(guess, " or ") + "?"
	}
	return nil, fmt.Errorf("no dialect %q%s (\"rein dialect list\" shows all)", name, meant)
}

// All returns every dialect, sorted by name.
func All() []*Dialect {
	all := make([]*Dialect, len(rows()))
	for i, name := range dialectNames() {
		all[i] = rows()[name]()
	}
	return all
}

// dialectNames returns the names of all dialects, sorted.
func dialectNames() []string { return slices.Sorted(maps.Keys(rows())) }

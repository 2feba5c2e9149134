// Package dialect reads and writes tool calls for models that only speak text.
//
// A dialect is a row of a table: how a call opens and closes, where its name stands, how its values are written, which
// tags enclose reasoning, how a result goes back and how a model is taught the form. One incremental engine reads them all.
package dialect

import (
	"fmt"
	"sort"
	"strings"
	"sync"

	"rein/internal/near"
)

// Dialect is one way in which a family of models writes its calls. Rows are shared and must not be changed.
type Dialect struct {
	// Name is the dialect's id, as in "hermes".
	Name string
	// About says in a few words which models speak it.
	About string
	// Models are parts of model names (lower case) that speak it; the longest part that fits decides. Empty for forms
	// that no family was trained on.
	Models []string
	// Think encloses reasoning. A closer without its opener says that everything before it was reasoning.
	Think []Span
	// OpensThink says that the model always writes the opener of its reasoning itself: a closer without one is text.
	OpensThink bool
	// StartsThinking says that output always begins inside reasoning.
	StartsThinking bool
	// CallsInThink says that a call inside reasoning is meant, and ends the reasoning.
	CallsInThink bool
	// Calls are the forms that a call may take.
	Calls []Form
	// Frames says that output is cut into framed messages; nil when it is not.
	Frames *Frames
	// Drop are markers that carry nothing and vanish from the text.
	Drop []string
	// Inert encloses text that is kept but never read: results that the model repeats.
	Inert []Span
	// DropTail says that text after the last call of the turn is noise of the format.
	DropTail bool
	// Same names the row whose forms this one has: the two differ in how they are taught.
	Same string
	// IDDigits is how many digits the ids of calls have, for families that ask for a length; 0 for those that take any id.
	IDDigits int
	// NullText says that the text null is the null value even where the schema asks for a string.
	NullText bool
}

// Span is a pair of tags. Open may hold several spellings.
type Span struct {
	Open  []string
	Close []string
	// Hidden says that what stands between does not show.
	Hidden bool
}

// Syntax says how the part between a call's opener and closer is written.
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
	Syntax Syntax
	// Section opens and closes the list that encloses the calls; empty when each call stands by itself.
	Section Span
	// Open begins one call (with a Section: one call inside it). Empty with Syntax JSON or Python: the bare value.
	Open []string
	// Close ends one call; it may be missing at the end of the output.
	Close []string
	// NameKeys and ArgKeys are the members that hold name and arguments; empty means "name" and "arguments"/"parameters".
	NameKeys, ArgKeys []string
	// NameAsKey says that the object is {NAME: arguments}.
	NameAsKey bool
	// Sep are tokens between name and arguments (Named), the first that occurs counts.
	Sep []string
	// IDMark stands between a call's id and its name, the id first with IDFirst.
	IDMark  string
	IDFirst bool
	// Envelope says that {"tool_calls":[…]} may enclose the calls.
	Envelope bool
	// Skip are tokens that may stand before the name or around the arguments and mean nothing.
	Skip []string
	// Tags describes Markup and Elements.
	Tags Tags
	// Quote encloses strings in Braces.
	Quote string
	// OnlyKnown makes a call of it only when the name is one of the tools offered; else it stays text.
	OnlyKnown bool
	// LineStart says that the opener counts only at the start of a line.
	LineStart bool
	// AtStart says that the opener counts only as the first thing of the answer.
	AtStart bool
	// NeedClose says that a call without its closer is no call.
	NeedClose bool
	// OneLine says that each object of JSON stands on a line of its own.
	OneLine bool
	// Hide says that a block that could not be read does not show in the text; HideCut the same of one that the end of the
	// output cut off before its first argument was whole.
	Hide, HideCut bool
	// Unwritten says that the form is read, but never written or taught.
	Unwritten bool
	// List writes all calls of a turn as one array.
	List bool
	// Each writes the Section around each call instead of around all, and Join stands between two calls.
	Each bool
	Join string
	// Layout is how an array of calls is written.
	Layout Layout
	// IDKey is the last member of a call's object, with its id; empty when there is none.
	IDKey string
	// Lead, Pad and Tail are written before the name, before and after the arguments.
	Lead, Pad, Tail string
	// HideMark says that the opener never shows, even where no call follows: it is a control token.
	HideMark bool
	// NeedSep says that the separator must stand between name and arguments.
	NeedSep bool
	// Numbered says that a name ends in :N, unless it is known without.
	Numbered bool
	// Noise says that what stands in a section and is no call means nothing.
	Noise bool
	// Offered makes a call of it only when tools were offered.
	Offered bool
	// Partial says that the whole calls of an array that was cut off count.
	Partial bool
	// OnlyArray and OnlyObject restrict what JSON may be.
	OnlyArray, OnlyObject bool
	// Exact says that nothing may stand between the call and its closer or the end of the output.
	Exact bool
	// Sticky says that a block that is no call stays unread up to its closer, whatever stands in it.
	Sticky bool
	// Loose says that JSON with Python's words, single quotes or unescaped quotation marks is read where it has one meaning.
	Loose bool
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
	HeadEnd []string
	// NameAttr is the attribute that holds the name; empty when the opener holds nothing but the name.
	NameAttr string
	// Param begins an argument and KeyEnd ends its key; KeyAttr names the attribute that holds the key.
	Param, KeyEnd, KeyAttr string
	// Value stands between key and value, where there is such a tag; ParamClose ends the value.
	Value      string
	ParamClose []string
	// Newlines says that one newline after the opening and one before the closing tag belong to the markup.
	Newlines bool
	// Snug says that values are written without these newlines, where they do not need them.
	Snug bool
	// Trim says that blanks around a value belong to the markup.
	Trim bool
	// TypeAttr is the attribute that makes a value's type certain ("string" or "type").
	TypeAttr string
	// Escaped says that attributes hold &quot; and &amp;.
	Escaped bool
	// CDATA says that a value may be wrapped in <![CDATA[…]]>.
	CDATA bool
	// Prefix stands before every tag of Elements.
	Prefix string
	// OrJSON says that {"name":…,"arguments":…} may stand in place of the markup.
	OrJSON bool
	// Tight says that the tags are written without line breaks between them.
	Tight bool
	// Closed says that every value has its closing tag: none is ever forgotten.
	Closed bool
	// Strict refuses a call whose arguments are not those of its tool.
	Strict bool
}

// Frames are messages with a header: START header HEAD body END.
type Frames struct {
	Start []string // begins a header
	Head  string   // ends the header
	End   []string // ends the body
	// Think, Answer and Silent are recipients or channels whose body is reasoning, visible text, or nothing.
	Think, Answer, Silent []string
	// Prefix stands before the name of a called function and is cut off.
	Prefix string
	// Body is how a call's arguments are written; nil means a JSON object.
	Body *Form
	// Bare says that a header is nothing but a recipient, and HeadFirst that output may begin inside a header.
	Bare, HeadFirst bool
}

// Find returns the dialect of that name.
func Find(name string) (*Dialect, error) {
	if d, ok := index()[name]; ok {
		return d, nil
	}
	return nil, unknown(name)
}

// Known returns an error for a name that Wrap does not take, with the names that were probably meant.
func Known(name string) error {
	switch name {
	case "", "none", "auto":
		return nil
	}
	_, err := Find(name)
	return err
}

func unknown(name string) error {
	names := []string{"auto", "none"}
	for _, d := range All() {
		names = append(names, d.Name)
	}
	meant := ""
	if guess := near.Names(name, names); len(guess) > 0 {
		meant = "; did you mean " + strings.Join(guess, " or ") + "?"
	}
	return fmt.Errorf("no dialect %q%s (\"rein dialect list\" shows all)", name, meant)
}

// All returns every dialect, sorted by name.
func All() []*Dialect {
	all := make([]*Dialect, 0, len(index()))
	for _, d := range index() {
		all = append(all, d)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Name < all[j].Name })
	return all
}

// index holds the rows by name; it is built once and never changed.
var index = sync.OnceValue(func() map[string]*Dialect {
	rows := map[string]*Dialect{}
	for _, group := range [][]Dialect{tagged(), markup(), untagged(), framed(), lenient()} {
		for _, d := range group {
			rows[d.Name] = &d
		}
	}
	return rows
})

package dialect

import (
	"encoding/json"
	"fmt"
	"strings"
)

// PromptTemplate is how a family is taught its form: in the words that it was trained on where these are known.
type PromptTemplate struct {
	// Style says how the tools are listed.
	Style Style `yaml:"style,omitempty"`
	// Text is the system text; {tools} stands for the list and {call} for a call written in the form.
	Text string `yaml:"text,omitempty"`
	// Place says where the text stands.
	Place Place `yaml:"place,omitempty"`
	// Gap stands between the text of an answer and its calls.
	Gap string `yaml:"gap,omitempty"`
	// Result is how one result goes back: {content}, {json} (the content as a JSON string), {name}, {id},
	// {n} (its number in the conversation) and {place} (in the turn, from 1).
	Result string `yaml:"result,omitempty"`
	// Around stands before the first and after the last result of a turn.
	Around [2]string `yaml:"around,omitempty"`
	// Between stands between two results.
	Between string `yaml:"between,omitempty"`
}

// Template returns how a dialect is taught: in its family's words where they are known, else in general words.
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

// Place says where a lesson stands in a request.
type Place int

// The places. A Lesson's zero Place is the end of the system text.
const (
	AfterSystem  Place = iota // after the system text
	BeforeSystem              // before the system text
	FirstUser                 // before what the user said first
)

// Result is what a call gave, as a family is told.
type Result struct {
	ID   string // the provider's or ours
	Name string
	Text string
	N    int // how many calls the conversation had before this one
}

// ToolPrompt returns the text that teaches the tools, and how to call them, to a model of this family. Without tools it is
// empty.
func (d *Dialect) ToolPrompt(tools []Tool) string {
	if len(tools) == 0 || silentRow(d) {
		return ""
	}
	template := d.Template()
	example := d.WriteCalls([]Call{{Name: "example_function", Args: json.RawMessage(`{"example_parameter": "value"}`)}}, nil, 0)
	return strings.NewReplacer("{tools}", listTools(template.Style, tools), "{call}", strings.TrimSpace(example)).Replace(template.Text)
}

// WriteAnswer returns an answer of the model as the family writes it: its text, then its calls. first is how many calls
// the conversation had before.
func (d *Dialect) WriteAnswer(text string, calls []Call, tools []Tool, first int) string {
	written := d.WriteCalls(calls, tools, first)
	if text == "" || written == "" {
		return text + written
	}
	gap := d.Template().Gap
	return strings.TrimRight(text, "\n") + gap + written
}

// WriteResults returns the results of a turn as the family is told them. A result that holds the closing mark of its own
// place is broken up there, so that no result can end its place and go on as somebody else.
func (d *Dialect) WriteResults(results []Result) string {
	template := d.Template()
	var parts []string
	for i, r := range results {
		text := r.Text
		if _, after, ok := strings.Cut(template.Result, "{content}"); ok {
			text = defuse(text, strings.TrimSpace(after))
		}
		text = defuse(defuse(text, strings.TrimSpace(template.Around[1])), strings.TrimSpace(template.Between))
		for k := range d.Calls {
			text = defuse(text, d.Calls[k].Quote)
		}
		parts = append(parts, strings.NewReplacer("{content}", text, "{json}", string(quote(r.Text)), "{name}", r.Name,
			"{id}", d.callID(r.ID, r.N), "{n}", fmt.Sprint(r.N), "{place}", fmt.Sprint(i+1)).Replace(template.Result))
	}
	return template.Around[0] + strings.Join(parts, template.Between) + template.Around[1]
}

// callID returns the id under which the family knows the call with this number. Families with a rule for ids get the
// number, so that call and result agree whatever id the conversation has.
func (d *Dialect) callID(id string, n int) string {
	if id == "" || d.IDDigits > 0 {
		return fmt.Sprintf("%0*d", d.IDDigits, n)
	}
	return id
}

// defuse breaks a closing mark inside a text.
func defuse(text, mark string) string {
	if len(mark) < 2 {
		return text
	}
	return strings.ReplaceAll(text, mark, mark[:1]+`\`+mark[1:])
}

func silentRow(d *Dialect) bool { return len(d.Calls) == 0 && d.Frames == nil }

package dialect

import (
	"encoding/json"
	"fmt"
	"strings"
)

// CallResult is the result of a call.
type CallResult struct {
	ID   string // the provider's or ours
	Name string
	Text string
	N    int // how many calls the conversation had before this one
}

// ToolPrompt returns the text that explains the tools, and how to call them, to a model of this family. Without tools it
// is empty.
func ToolPrompt(d *Dialect, tools []Tool) string {
	if len(tools) == 0 || silentRow(d) {
		return ""
	}
	template := d.Template()
	example := WriteCalls(d, []Call{{Name: "example_function", Args: json.RawMessage(`{"example_parameter": "value"}`)}}, nil, 0)
	return strings.NewReplacer("{tools}", listTools(template.Style, tools), "{call}", strings.TrimSpace(example)).Replace(template.Text)
}

// writeAnswer returns an answer of the model as the family writes it: its text, then its calls. first is how many calls
// the conversation had before.
func writeAnswer(d *Dialect, text string, calls []Call, tools []Tool, first int) string {
	written := WriteCalls(d, calls, tools, first)
	if text == "" || written == "" {
		return text + written
	}
	gap := d.Template().Gap
	return strings.TrimRight(text, "\n") + gap + written
}

// WriteResults returns the results of a turn in the form of the family. Where a result holds the closing mark of its own
// place, the mark is broken up, so that no result can end its place and continue as somebody else.
func WriteResults(d *Dialect, results []CallResult) string {
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
		parts = append(parts, strings.NewReplacer("{content}", text, "{json}", string(quoteJSON(r.Text)), "{name}", r.Name,
			"{id}", callID(d, r.ID, r.N), "{n}", fmt.Sprint(r.N), "{place}", fmt.Sprint(i+1)).Replace(template.Result))
	}
	return template.Around[0] + strings.Join(parts, template.Between) + template.Around[1]
}

// callID returns the id under which the family knows the call with this number. Families with a rule for ids get the
// number, so that call and result agree whatever id the conversation has.
func callID(d *Dialect, id string, n int) string {
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

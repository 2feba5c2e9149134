package files

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"rein/internal/plaintext"
)

// mostOutput is how many lines of one output of a cell are shown.
const mostOutput = 100

// isNotebook reports whether a file is a Jupyter notebook by its name.
func isNotebook(name string) bool { return strings.EqualFold(path.Ext(name), ".ipynb") }

// renderedNotebook returns the cells of a notebook as text: each with its number, type and id, its source, and what is text of its
// outputs. ok is false for a file that is no notebook of format 4.
func renderedNotebook(name string, text []byte) (rendered []byte, ok bool) {
	if !isNotebook(name) {
		return nil, false
	}
	n, err := parseNotebook(string(text))
	if err != nil {
		return nil, false
	}
	var b strings.Builder
	for i, c := range n.Cells {
		fmt.Fprintf(&b, "── cell %d: %s", i, c.Type)
		if c.ID != "" {
			fmt.Fprintf(&b, ", id %s", c.ID)
		}
		b.WriteString("\n")
		writeLines(&b, c.Source)
		for _, o := range n.outputs(c) {
			b.WriteString("── output\n")
			lines := strings.Split(strings.TrimRight(o, "\n"), "\n")
			writeLines(&b, strings.Join(lines[:min(len(lines), mostOutput)], "\n"))
			if more := len(lines) - mostOutput; more > 0 {
				fmt.Fprintf(&b, "… %s\n", plaintext.Counted(more, "more line"))
			}
		}
	}
	if len(n.Cells) == 0 {
		b.WriteString("(the notebook has no cells)\n")
	}
	return []byte(b.String()), true
}

func writeLines(b *strings.Builder, text string) {
	if b.WriteString(text); text != "" && !strings.HasSuffix(text, "\n") {
		b.WriteByte('\n')
	}
}

// notebookOutput is one output of a cell, in format 4.
type notebookOutput struct {
	Type      string                     `json:"output_type"`
	Text      json.RawMessage            `json:"text"` // of a stream
	Data      map[string]json.RawMessage `json:"data"` // by media type
	Name      string                     `json:"ename"`
	Value     string                     `json:"evalue"`
	Traceback []string                   `json:"traceback"`
}

// colours are the escape sequences of tracebacks.
var colours = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("\x1b\\[[0-9;]*m") })

// outputs returns the outputs of a cell as text.
func (n *notebook) outputs(c notebookCell) (out []string) {
	s, ok := c.fields["outputs"]
	var all []notebookOutput
	if !ok || json.Unmarshal([]byte(n.text[s.from:s.to]), &all) != nil {
		return nil
	}
	for _, o := range all {
		switch {
		case o.Type == "error" && len(o.Traceback) > 0:
			out = append(out, colours().ReplaceAllString(strings.Join(o.Traceback, "\n"), ""))
		case o.Type == "error":
			out = append(out, o.Name+": "+o.Value)
		case o.Text != nil:
			out = append(out, joinedText(o.Text))
		default:
			out = append(out, dataText(o.Data))
		}
	}
	return slices.DeleteFunc(out, func(text string) bool { return strings.TrimSpace(text) == "" })
}

// dataText is what is text of the forms that an output has, and the types of the others.
func dataText(data map[string]json.RawMessage) string {
	var others []string
	for kind := range data {
		if !strings.HasPrefix(kind, "text/") {
			others = append(others, kind)
		}
	}
	slices.Sort(others)
	text := ""
	for _, kind := range []string{"text/plain", "text/markdown", "text/html"} {
		if raw, ok := data[kind]; ok {
			text = joinedText(raw)
			break
		}
	}
	if len(others) > 0 {
		text = strings.TrimRight(text, "\n") + "\n(not shown: " + strings.Join(others, ", ") + ")"
	}
	return strings.TrimPrefix(text, "\n")
}

// joinedText is a text that is spelled as one, or as a list of lines.
func joinedText(raw json.RawMessage) string {
	var lines []string
	if json.Unmarshal(raw, &lines) == nil {
		return strings.Join(lines, "")
	}
	var text string
	_ = json.Unmarshal(raw, &text) // anything else is not text
	return text
}

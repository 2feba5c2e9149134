package files

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// notebookCell is one cell of a notebook.
type notebookCell struct {
	ID     string
	Type   string // "code", "markdown" or "raw"
	Source string
	span   span
	fields map[string]span // of the values
}

// span is a range of bytes of the file.
type span struct{ from, to int }

// notebook is a parsed file. A change of a cell leaves every other byte of the file as it is.
type notebook struct {
	Cells []notebookCell
	text  string
	cells span // the array, with its brackets
	unit  string
}

// parseNotebook reads a notebook of format 4.
func parseNotebook(text string) (*notebook, error) {
	n := &notebook{text: text}
	top, err := n.fields(span{strings.Index(text, "{"), len(text)})
	if err != nil {
		return nil, fmt.Errorf("not a notebook: %w", err)
	}
	var ok bool
	if n.cells, ok = top["cells"]; !ok || text[n.cells.from] != '[' {
		return nil, errors.New("not a notebook of format 4: it has no list of cells")
	}
	if before := text[:n.cells.from]; strings.Contains(before, "\n") {
		line := before[strings.LastIndexByte(before, '\n')+1:]
		n.unit = line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	}
	items, err := n.items(n.cells)
	if err != nil {
		return nil, err
	}
	for _, s := range items {
		c := notebookCell{span: s}
		if c.fields, err = n.fields(s); err != nil {
			return nil, err
		}
		c.ID, c.Type = n.word(c, "id"), n.word(c, "cell_type")
		if c.Source, err = n.source(c); err != nil {
			return nil, err
		}
		n.Cells = append(n.Cells, c)
	}
	return n, nil
}

// fields returns the spans of an object's values.
func (n *notebook) fields(s span) (map[string]span, error) {
	if s.from < 0 {
		return nil, errors.New("there is no object")
	}
	d := json.NewDecoder(strings.NewReader(n.text[s.from:s.to]))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.Join(errors.New("there is no object"), err)
	}
	out := map[string]span{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		v, err := value(d, s.from)
		if err != nil {
			return nil, err
		}
		out[fmt.Sprint(key)] = v
	}
	_, err := d.Token()
	return out, err
}

// items returns the spans of an array's items.
func (n *notebook) items(s span) ([]span, error) {
	d := json.NewDecoder(strings.NewReader(n.text[s.from:s.to]))
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	var out []span
	for d.More() {
		v, err := value(d, s.from)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	_, err := d.Token()
	return out, err
}

func value(d *json.Decoder, base int) (span, error) {
	var raw json.RawMessage
	if err := d.Decode(&raw); err != nil {
		return span{}, err
	}
	end := base + int(d.InputOffset())
	return span{end - len(raw), end}, nil
}

func (n *notebook) word(c notebookCell, field string) string {
	s, ok := c.fields[field]
	if !ok {
		return ""
	}
	var w string
	_ = json.Unmarshal([]byte(n.text[s.from:s.to]), &w) // anything but a string is no word
	return w
}

func (n *notebook) source(c notebookCell) (string, error) {
	s, ok := c.fields["source"]
	if !ok {
		return "", errors.New("a cell has no source")
	}
	raw := []byte(n.text[s.from:s.to])
	var lines []string
	if err := json.Unmarshal(raw, &lines); err == nil {
		return strings.Join(lines, ""), nil
	}
	var whole string
	err := json.Unmarshal(raw, &whole)
	return whole, err
}

// change is a span of the file and what comes in its place.
type change struct {
	span
	text string
}

// splice makes changes that do not overlap, the last in the file first.
func (n *notebook) splice(changes ...change) string {
	text := n.text
	for len(changes) > 0 {
		last := 0
		for i := range changes {
			if changes[i].from > changes[last].from {
				last = i
			}
		}
		c := changes[last]
		text = text[:c.from] + c.text + text[c.to:]
		changes = append(changes[:last], changes[last+1:]...)
	}
	return text
}

// Replace returns the file with another source for cell i, and another type if typ is not empty. The outputs of a code cell
// are removed: they are the outputs of the old source.
func (n *notebook) Replace(i int, source, cellType string) string {
	c := n.Cells[i]
	if cellType != "" && cellType != c.Type {
		return n.splice(change{c.span, n.cell(c.ID, cellType, source)})
	}
	s := c.fields["source"]
	rendered := n.lines(source, 4)
	if n.text[s.from] == '"' {
		rendered = quote(source)
	}
	changes := []change{{s, rendered}}
	if o, ok := c.fields["outputs"]; ok && source != c.Source {
		changes = append(changes, change{o, "[]"})
	}
	if e, ok := c.fields["execution_count"]; ok && source != c.Source {
		changes = append(changes, change{e, "null"})
	}
	return n.splice(changes...)
}

// Insert returns the file with a new cell before cell i, or at the end if i is the number of cells.
func (n *notebook) Insert(i int, cellType, source string) string {
	id := ""
	if len(n.Cells) > 0 && n.Cells[0].ID != "" {
		id = n.freeID()
	}
	cell := n.cell(id, cellType, source)
	switch {
	case len(n.Cells) == 0:
		return n.splice(change{n.cells, "[" + n.newline(2) + cell + n.newline(1) + "]"})
	case i == len(n.Cells):
		end := n.Cells[i-1].span.to
		return n.splice(change{span{end, end}, "," + n.newline(2) + cell})
	}
	at := n.Cells[i].span.from
	return n.splice(change{span{at, at}, cell + "," + n.newline(2)})
}

// Delete returns the file without cell i.
func (n *notebook) Delete(i int) string {
	s := n.Cells[i].span
	switch {
	case i > 0:
		s.from = n.Cells[i-1].span.to
	case len(n.Cells) > 1:
		s.to = n.Cells[1].span.from
	default:
		s = span{n.cells.from + 1, n.cells.to - 1}
	}
	return n.splice(change{s, ""})
}

// freeID is an id that no cell has.
func (n *notebook) freeID() string {
	for k := len(n.Cells) + 1; ; k++ {
		id, free := fmt.Sprintf("cell-%d", k), true
		for _, c := range n.Cells {
			free = free && c.ID != id
		}
		if free {
			return id
		}
	}
}

// cell renders a cell as Jupyter does, fields sorted.
func (n *notebook) cell(id, cellType, source string) string {
	var b strings.Builder
	field := func(name, value string) {
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.WriteString(n.newline(3) + quote(name) + ": " + value)
	}
	b.WriteByte('{')
	field("cell_type", quote(cellType))
	if cellType == "code" {
		field("execution_count", "null")
	}
	if id != "" {
		field("id", quote(id))
	}
	field("metadata", "{}")
	if cellType == "code" {
		field("outputs", "[]")
	}
	field("source", n.lines(source, 4))
	b.WriteString(n.newline(2) + "}")
	return b.String()
}

// lines renders a source as a list of lines at a depth.
func (n *notebook) lines(source string, depth int) string {
	if source == "" {
		return "[]"
	}
	var b strings.Builder
	b.WriteByte('[')
	for i, l := range strings.SplitAfter(source, "\n") {
		if l == "" {
			break
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(n.newline(depth) + quote(l))
	}
	b.WriteString(n.newline(depth-1) + "]")
	return b.String()
}

// newline begins a line at a depth; nothing in a file that is all on one line.
func (n *notebook) newline(depth int) string {
	if n.unit == "" {
		return ""
	}
	end := "\n"
	if strings.Contains(n.text, "\r\n") {
		end = "\r\n"
	}
	return end + strings.Repeat(n.unit, depth)
}

func quote(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always encodes
	return strings.TrimSuffix(b.String(), "\n")
}

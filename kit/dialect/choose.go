package dialect

import (
	"slices"
	"strings"
)

// For returns the dialect that a model was trained on, by its name, and false when no family fits. Case, the owner before a
// slash and what follows the family's name (sizes, quantisations, tags) do not matter.
func For(model string) (*Dialect, bool) {
	model = familiar(model)
	best, longest := "", 0
	for _, name := range dialectNames() {
		for _, part := range modelsOf(name) {
			if len(part) > longest && strings.Contains(model, part) {
				best, longest = name, len(part)
			}
		}
	}
	if best == "" {
		return nil, false
	}
	return rows()[best](), true
}

// modelsOf returns the Models of a dialect from the one line of its file that lists them: to decode all files takes long.
func modelsOf(name string) []string {
	text, _ := data.ReadFile("data/" + name + ".yaml")
	_, after, found := strings.Cut(string(text), "\nmodels: [")
	list, _, whole := strings.Cut(after, "]\n")
	if !found || !whole {
		return nil
	}
	return strings.Split(list, ", ")
}

// familiar returns a model's name as the rows have it: without the owner, in small letters, 3p1 for 3.1 undone.
func familiar(model string) string {
	model = strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	name := []byte(strings.ReplaceAll(model, "_", "-"))
	for i := 1; i+1 < len(name); i++ {
		if name[i] == 'p' && isDigit(name[i-1]) && isDigit(name[i+1]) {
			name[i] = '.'
		}
	}
	return string(name)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// Guess returns the dialect whose marks come first in text; plain when none does. Forms that small models write count only where all their
// calls are of the tools offered. It is for looking at text of an unknown model, not for running its calls.
func Guess(text string, tools []Tool) *Dialect {
	if d := guess(text); d.Name != "plain" || len(tools) == 0 {
		return d
	}
	offered := newToolbox(tools)
	for _, d := range []*Dialect{find("hermes_lenient"), elementsOf(text, tools)} {
		calls := Parse(d, Options{Tools: tools}, text).Calls
		if len(calls) > 0 && !slices.ContainsFunc(calls, func(c Call) bool { return offered[c.Name] == nil || c.Unclosed }) {
			return d
		}
	}
	return find("plain")
}

// elementsOf returns the dialect of models that write a call as an element with the tool's name: <shell><command>ls</command></shell>. It has
// the tools of which text has such elements.
func elementsOf(text string, tools []Tool) *Dialect {
	d := &Dialect{Name: "elements"}
	for _, t := range tools {
		if f := (Form{Syntax: Lenient, Open: []string{"<" + t.Name + ">"}, Close: []string{"</" + t.Name + ">"}, LineStart: true}); isName(t.Name) && strings.Contains(text, f.Close[0]) {
			d.Calls = append(d.Calls, f)
		}
	}
	return d
}

func guess(text string) *Dialect {
	best, at, size := rows()["plain"](), len(text), 0
	for _, d := range All() {
		if d.Same != "" {
			continue
		}
		for i := range d.Calls {
			if d.Calls[i].Syntax == Lenient || d.Calls[i].Sticky {
				continue
			}
			for _, lit := range d.Calls[i].openers() {
				if k := strings.Index(text, lit); len(lit) > 3 && k >= 0 && (k < at || k == at && len(lit) > size) && len(Parse(d, Options{}, text).Calls) > 0 {
					best, at, size = d, k, len(lit)
				}
			}
		}
		if f := d.Frames; f != nil && len(f.Head) > 3 && strings.Contains(text, f.Head) && len(Parse(d, Options{}, text).Calls) > 0 {
			return d
		}
	}
	return best
}

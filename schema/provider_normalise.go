package schema

import (
	"encoding/json"
	"slices"
	"strings"
)

// Normalised is a schema as one provider takes it.
type Normalised struct {
	// Schema is what to send: an object at the root, byte-stable.
	Schema json.RawMessage
	// Profile is whose rules the schema follows: those asked for, or a looser set of the same provider where the strict
	// one cannot hold the schema.
	Profile *Profile
	// Strict means that a request may ask the provider to enforce the schema.
	Strict bool
	// Note is what got lost at the root and has no description there; it belongs to the tool's description. Mostly empty.
	Note string
	// Lost lists what the provider's version leaves out, or has only in a description.
	Lost []Loss
	plan *plan
}

// Loss is one keyword that the provider's version of a schema leaves out.
type Loss struct {
	Path    string `json:"path"` // of the schema, like properties.name.items; empty for the root
	Keyword string `json:"keyword"`
	Note    string `json:"note,omitempty"` // what the description has instead; empty where no description is needed
}

const (
	maxNodeDepth = 22       // nested nodes that are written; null may double them, and Parse takes 50
	leastBudget  = 24 << 10 // bytes that every schema may grow to
	maxLost      = 100      // further losses are not listed
)

// Normalise writes a schema for a provider. What the provider cannot express goes into descriptions. It fails only
// where raw is no JSON.
func Normalise(raw json.RawMessage, p Profile) (*Normalised, error) {
	document, err := parse(raw)
	if err != nil {
		return nil, err
	}
	budget := max(leastBudget, 4*len(raw))
	n, ok := writeForProfile(document, budget, &p)
	if !ok {
		fallback, _ := ProfileOf(p.fallback)
		n, _ = writeForProfile(document, budget, &fallback)
		n.Lost = append([]Loss{{Keyword: "strict", Note: "cannot be held strictly"}}, n.Lost...)
	}
	return n, nil
}

// writeForProfile writes the schema and reports whether the profile can hold it.
func writeForProfile(document *Value, budget int, p *Profile) (*Normalised, bool) {
	w := &profileWriter{p: p, root: document, budget: budget, fits: true}
	plan := &plan{}
	out := w.node(document, "", plan)
	w.definitions(out)
	n := &Normalised{Schema: out.Append(nil), Profile: p, Strict: p.strict || p.closed, Note: w.rootNote, Lost: w.lost, plan: plan}
	if p.fallback != "" && (!w.fits || len(p.Problems(n.Schema)) > 0) {
		return n, false
	}
	return n, true
}

// profileWriter walks a schema and writes it as the profile allows.
type profileWriter struct {
	p        *Profile
	root     *Value
	lost     []Loss
	rootNote string
	budget   int      // bytes that may still be written
	stack    []*Value // targets of references that are being written
	depth    int
	fits     bool // whether a strict profile can hold the schema
	defs     []definition
}

func (w *profileWriter) lose(path, keyword, note string) {
	if len(w.lost) < maxLost {
		w.lost = append(w.lost, Loss{strings.TrimPrefix(path, "."), keyword, note})
	}
}

// spend takes from the budget and reports whether there was enough. A hostile schema of a few references can describe a
// tree of any size.
func (w *profileWriter) spend(bytes int) bool {
	w.budget -= bytes
	return w.budget > 0
}

// node writes one schema.
func (w *profileWriter) node(v *Value, path string, plan *plan) *Value {
	d := &draft{out: &Value{Kind: '{'}, path: path, root: path == "", plan: plan}
	if w.depth++; w.depth > maxNodeDepth || !w.spend(48) {
		w.depth--
		w.drop(d, "depth", "")
		return w.anything(d)
	}
	base := len(w.stack)
	defer func() { w.depth, w.stack = w.depth-1, w.stack[:base] }()
	if v.Kind == 'f' {
		w.drop(d, "false", "never valid")
	}
	if v.Kind != '{' {
		return w.anything(d)
	}
	flat, kept := w.flatten(v, d)
	if kept != nil {
		return kept
	}
	d.source = w.choose(flat, d)
	w.types(d)
	return w.finish(d)
}

// finish writes the members of the node in a fixed order: type, description, enum, then the others as they come.
func (w *profileWriter) finish(d *draft) *Value {
	if len(d.types) > 1 && !w.p.lists {
		if w.p.keywords.Has("anyOf") && d.source.Member("anyOf") == nil {
			return w.split(d)
		}
		w.drop(d, "type", "or "+alternatives(d.types[1:]))
		d.types = d.types[:1]
	}
	switch {
	case len(d.types) == 1:
		d.set("type", stringValue(d.types[0]))
	case len(d.types) > 1:
		d.set("type", stringsValue(d.types))
	case !d.chosen && (w.p.null == nullList || w.p.null == nullAnyOf) && isNullSchema(d.source):
		d.set("type", stringValue("null"))
	case !d.chosen && w.p.typed:
		w.dropUntyped(d)
		return w.anything(d)
	case !d.chosen && w.p.strict:
		w.fits = false
	}
	d.set("description", stringValue(""))
	w.enum(d)
	for _, m := range d.source.Members {
		w.keyword(d, m.Name, m.Value)
	}
	w.demand(d)
	w.describe(d)
	w.standAlone(d)
	return w.null(d)
}

// demand adds what the provider asks for besides.
func (w *profileWriter) demand(d *draft) {
	is := func(t string) bool { return slices.Contains(d.types, t) }
	if is("array") && w.p.items && d.out.Member("items") == nil && d.out.Member("prefixItems") == nil {
		d.set("items", w.anything(&draft{out: &Value{Kind: '{'}}))
	}
	if is("object") && (w.p.filled || d.root) && d.out.Member("properties") == nil && (d.root || d.out.Member("additionalProperties") == nil) {
		d.set("properties", &Value{Kind: '{'})
	}
	if is("object") && w.p.closed {
		if extra := d.source.Member("additionalProperties"); extra != nil && extra.Kind != 'f' || d.source.Member("properties") == nil && !d.root {
			w.fits = false
		}
		d.set("additionalProperties", &Value{Kind: 'f'})
	}
	if d.root && w.p.alone && len(d.out.Member("properties").Members) == 0 {
		d.remove("properties")
	}
}

func (d *draft) remove(name string) {
	d.out.Members = slices.DeleteFunc(d.out.Members, func(m member) bool { return m.Name == name })
}

// describe joins the description and the notes.
func (w *profileWriter) describe(d *draft) {
	var parts []string
	if v := d.source.Member("description"); v != nil && v.Kind == '"' && v.Text != "" {
		parts = append(parts, v.Text)
	}
	if len(d.notes) > 0 {
		parts = append(parts, "("+strings.Join(d.notes, "; ")+")")
	}
	description := strings.Join(parts, " ")
	switch {
	case description == "":
		d.remove("description")
	case !w.p.allows("description", d.root):
		d.remove("description")
		w.rootNote = strings.Join(d.notes, "; ")
	default:
		w.spend(len(description))
		d.set("description", stringValue(description))
	}
}

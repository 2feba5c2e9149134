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
	// Strict says that the provider may be told to hold the model to the schema.
	Strict bool
	// Note is what got lost at the root and has no description there; it belongs to the tool's description. Mostly empty.
	Note string
	// Lost lists what the provider's version does not say, or says only in a description.
	Lost []Loss
	plan *plan
}

// Loss is one thing that the provider's version of a schema does not say.
type Loss struct {
	Path    string `json:"path"` // of the schema, like properties.name.items; empty for the root
	Keyword string `json:"keyword"`
	Note    string `json:"note,omitempty"` // what the description says instead; empty where nothing needs to be said
}

const (
	maxNodeDepth = 64       // nested nodes that are written
	leastBudget  = 24 << 10 // bytes that every schema may grow to
	maxLost      = 100      // further losses are not listed
)

// Normalise writes the schema for a provider. The answer for a profile is worked out once and then remembered. It
// never fails: what a provider cannot say goes into descriptions, and Check still holds the model to all of it.
func (s *Schema) Normalise(p Profile) *Normalised {
	if n, ok := s.normalised.Load(p.Name); ok {
		return n.(*Normalised)
	}
	n, ok := s.write(&p)
	if !ok {
		fallback, _ := ProfileOf(p.fallback)
		n, _ = s.write(&fallback)
		n.Lost = append([]Loss{{Keyword: "strict", Note: "cannot be held strictly"}}, n.Lost...)
	}
	s.normalised.Store(p.Name, n)
	return n
}

// write writes the schema and tells whether the profile can hold it.
func (s *Schema) write(p *Profile) (*Normalised, bool) {
	w := &writer{p: p, root: s.document, budget: max(leastBudget, 4*len(s.raw)), fits: true}
	plan := &plan{}
	out := w.node(s.document, "", plan)
	w.definitions(out)
	n := &Normalised{Schema: out.append(nil), Profile: p, Strict: p.strict || p.closed, Note: w.rootNote, Lost: w.lost, plan: plan}
	if p.fallback != "" && (!w.fits || len(p.Problems(n.Schema)) > 0) {
		return n, false
	}
	return n, true
}

// writer walks a schema and writes it as the profile allows.
type writer struct {
	p        *Profile
	root     *value
	lost     []Loss
	rootNote string
	budget   int      // bytes that may still be written
	stack    []*value // targets of references that are being written
	depth    int
	fits     bool // whether a strict profile can hold the schema
	defs     []definition
}

func (w *writer) lose(path, keyword, note string) {
	if len(w.lost) < maxLost {
		w.lost = append(w.lost, Loss{strings.TrimPrefix(path, "."), keyword, note})
	}
}

// spend takes from the budget and tells whether there was enough. A hostile schema of a few references can describe a
// tree of any size.
func (w *writer) spend(bytes int) bool {
	w.budget -= bytes
	return w.budget > 0
}

// draft is a node on its way: what is known of it, and the notes for its description.
type draft struct {
	source   *value
	out      *value
	types    []string // in the order of the schema, without null
	nullable bool
	notes    []string
	path     string
	root     bool
	chosen   bool // anyOf is as the profile takes it
	plan     *plan
}

func (d *draft) set(name string, v *value) {
	for i := range d.out.members {
		if d.out.members[i].name == name {
			d.out.members[i].value = v
			return
		}
	}
	d.out.members = append(d.out.members, member{name, v})
}

// drop leaves a keyword out and says so.
func (w *writer) drop(d *draft, keyword, note string) {
	w.lose(d.path, keyword, note)
	if note != "" {
		d.notes = append(d.notes, note)
	}
}

// node writes one schema.
func (w *writer) node(v *value, path string, plan *plan) *value {
	d := &draft{out: &value{kind: '{'}, path: path, root: path == "", plan: plan}
	if w.depth++; w.depth > maxNodeDepth || !w.spend(48) {
		w.depth--
		w.drop(d, "depth", "")
		return w.anything(d)
	}
	base := len(w.stack)
	defer func() { w.depth, w.stack = w.depth-1, w.stack[:base] }()
	if v.kind == 'f' {
		w.drop(d, "false", "never valid")
	}
	if v.kind != '{' {
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

// types reads which types the node has, from type, enum, const or what else it says.
func (w *writer) types(d *draft) {
	add := func(name string) {
		if name == "null" {
			d.nullable = true
		} else if !slices.Contains(d.types, name) {
			d.types = append(d.types, name)
		}
	}
	v := d.source
	switch t := v.member("type"); {
	case t != nil && t.kind == '[':
		for _, item := range t.items {
			add(item.text)
		}
	case t != nil:
		add(t.text)
	case v.member("const") != nil:
		add(v.member("const").typeName())
	case v.member("enum") != nil:
		for _, item := range v.member("enum").items {
			add(item.typeName())
		}
	case v.member("properties") != nil || d.root:
		add("object")
	case v.member("items") != nil:
		add("array")
	}
	if n := v.member("nullable"); n != nil && n.kind == 't' {
		d.nullable = true
	}
	if slices.Contains(d.types, "number") {
		d.types = slices.DeleteFunc(d.types, func(t string) bool { return t == "integer" })
	}
	if d.root {
		d.types, d.nullable = []string{"object"}, false
	}
}

// typeName is the type of a literal.
func (v *value) typeName() string {
	k := v.kinds()
	for i, name := range kindNames {
		if k&(1<<i) != 0 {
			return name
		}
	}
	return "string"
}

// finish writes the members of the node in a fixed order: type, description, enum, then the others as they come.
func (w *writer) finish(d *draft) *value {
	if len(d.types) > 1 && !w.p.lists {
		if w.p.keywords["anyOf"] && d.source.member("anyOf") == nil {
			return w.split(d)
		}
		w.drop(d, "type", "or "+alternatives(d.types[1:]))
		d.types = d.types[:1]
	}
	switch {
	case len(d.types) == 1:
		d.set("type", text(d.types[0]))
	case len(d.types) > 1:
		d.set("type", texts(d.types))
	case !d.chosen && w.p.typed:
		return w.anything(d)
	case !d.chosen && w.p.strict:
		w.fits = false
	}
	d.set("description", text(""))
	w.enum(d)
	for _, m := range d.source.members {
		w.keyword(d, m.name, m.value)
	}
	w.demand(d)
	w.describe(d)
	w.standAlone(d)
	return w.null(d)
}

// demand adds what the provider asks for besides.
func (w *writer) demand(d *draft) {
	is := func(t string) bool { return slices.Contains(d.types, t) }
	if is("array") && w.p.items && d.out.member("items") == nil && d.out.member("prefixItems") == nil {
		d.set("items", w.anything(&draft{out: &value{kind: '{'}}))
	}
	if is("object") && (w.p.filled || d.root) && d.out.member("properties") == nil && (d.root || d.out.member("additionalProperties") == nil) {
		d.set("properties", &value{kind: '{'})
	}
	if is("object") && w.p.closed {
		if extra := d.source.member("additionalProperties"); extra != nil && extra.kind != 'f' || d.source.member("properties") == nil && !d.root {
			w.fits = false
		}
		d.set("additionalProperties", &value{kind: 'f'})
	}
	if d.root && w.p.alone && len(d.out.member("properties").members) == 0 {
		d.remove("properties")
	}
}

func (d *draft) remove(name string) {
	d.out.members = slices.DeleteFunc(d.out.members, func(m member) bool { return m.name == name })
}

// describe joins the description and the notes.
func (w *writer) describe(d *draft) {
	var parts []string
	if v := d.source.member("description"); v != nil && v.kind == '"' && v.text != "" {
		parts = append(parts, v.text)
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
		d.set("description", text(description))
	}
}

// null says that null is allowed, as far as the provider can.
func (w *writer) null(d *draft) *value {
	if !d.nullable {
		return d.out
	}
	return w.nullable(d.out, d.path)
}

// nullable adds null to what a written node allows.
func (w *writer) nullable(out *value, path string) *value {
	d := &draft{out: out, path: path}
	t, choice := out.member("type"), out.member("anyOf")
	switch {
	case w.p.null == nullNone:
		w.lose(path, "null", "")
	case w.p.null == nullKeyword && choice == nil:
		d.set("nullable", &value{kind: 't'})
	case w.p.null == nullKeyword:
		for i, branch := range choice.items {
			choice.items[i] = w.nullable(branch, path)
		}
	case choice != nil:
		if !slices.ContainsFunc(choice.items, func(b *value) bool { t := b.member("type"); return t != nil && t.text == "null" }) {
			choice.items = append(choice.items, &value{kind: '{', members: []member{{"type", text("null")}}})
		}
	case w.p.null == nullList && t != nil:
		w.listNull(d, t)
	case t != nil || out.member("$ref") != nil:
		null := &value{kind: '{', members: []member{{"type", text("null")}}}
		return &value{kind: '{', members: []member{{"anyOf", &value{kind: '[', items: []*value{out, null}}}}}
	}
	return out
}

// listNull adds null to the type and to the literals of a node.
func (w *writer) listNull(d *draft, t *value) {
	list := t.items
	if t.kind == '"' {
		list = []*value{t}
	}
	if !slices.ContainsFunc(list, func(item *value) bool { return item.text == "null" }) {
		d.set("type", &value{kind: '[', items: append(slices.Clone(list), text("null"))})
	}
	if c := d.out.member("const"); c != nil && c.kind != 'n' {
		d.remove("const")
		d.set("enum", &value{kind: '[', items: []*value{c, {kind: 'n'}}})
	}
	if e := d.out.member("enum"); e != nil && !slices.ContainsFunc(e.items, func(v *value) bool { return v.kind == 'n' }) {
		d.set("enum", &value{kind: '[', items: append(slices.Clone(e.items), &value{kind: 'n'})})
	}
}

func text(s string) *value { return &value{kind: '"', text: s} }

func texts(list []string) *value {
	v := &value{kind: '['}
	for _, s := range list {
		v.items = append(v.items, text(s))
	}
	return v
}

// anything writes a node that any value fits.
func (w *writer) anything(d *draft) *value {
	if d.root {
		d.source = &value{kind: '{'}
		d.types = []string{"object"}
		d.set("type", text("object"))
		w.demand(d)
		return d.out
	}
	out := &value{kind: '{'}
	if d.source == nil {
		d.source = out
	}
	if w.p.strict {
		w.fits = false
	}
	d.out = out
	d.set("description", text(""))
	if w.p.typed {
		d.out = w.anyTyped(d)
		return d.out
	}
	w.describe(d)
	return d.out
}

// anyTyped spells "any value" for a provider that wants a type everywhere.
func (w *writer) anyTyped(d *draft) *value {
	var branches []*value
	for _, t := range []string{"string", "number", "boolean"} {
		branches = append(branches, &value{kind: '{', members: []member{{"type", text(t)}}})
	}
	branches = append(branches, &value{kind: '{', members: []member{{"type", text("object")}}})
	list := &value{kind: '{', members: []member{{"type", text("array")}, {"items", &value{kind: '{', members: []member{{"type", text("string")}}}}}}
	branches = append(branches, list)
	w.describe(d)
	choice := &value{kind: '[', items: branches}
	if description := d.out.member("description"); description != nil {
		if !w.p.alone {
			return &value{kind: '{', members: []member{{"description", description}, {"anyOf", choice}}}
		}
		branches[0] = describeFirst(branches[0], description.text)
	}
	return &value{kind: '{', members: []member{{"anyOf", choice}}}
}

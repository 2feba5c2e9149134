package schema

import (
	"fmt"
	"strconv"
	"strings"
)

// node is a schema. The fast path knows the everyday subset; what the subset cannot express makes a node opaque, and then
// only the validator can accept a value.
type node struct {
	types      kinds // as declared, or as enum and const imply; 0: any
	declared   kinds // by the keyword type alone
	opaque     bool
	properties []property
	index      map[string]int // into properties, when there are many
	required   uint64         // a bit for each required property, when all of them are declared
	mustHave   []string
	closed     bool // additionalProperties is false
	takesAll   bool // additionalProperties is true
	open       bool // additionalProperties, patternProperties or the like allows other members
	extra      *node
	prefix     []*node // of the first items
	items      *node   // of the items behind them
	enum       []*Value
	min, max   *float64
	length     bounds // of strings
	count      bounds // of arrays
	ref        *node
	all        []*node
	choices    []choice
	rare       *rare // nil without any of its keywords
	effective  kinds // what types, ref, all and choices allow together; set by settle
	settled    int8
}

// choice is anyOf, or oneOf where exactly one of the forms has to fit.
type choice struct {
	forms []*node
	one   bool
}

type property struct {
	name string
	node *node
}

// bounds are the inclusive limits of a length; high < 0 means none.
type bounds struct{ low, high int }

// lookup returns the index of a property, or -1.
func (n *node) lookup(name string) int {
	if n.index != nil {
		if i, ok := n.index[name]; ok {
			return i
		}
		return -1
	}
	for i := range n.properties {
		if n.properties[i].name == name {
			return i
		}
	}
	return -1
}

func (n *node) names() []string {
	names := make([]string, len(n.properties))
	for i, p := range n.properties {
		names[i] = p.name
	}
	return names
}

// builder turns a schema into nodes, each schema object into one, so that cycles end.
type builder struct {
	root     *Value
	base     *Value // the innermost schema with an $id of its own: references are relative to it
	refAlone bool   // what comes beside a $ref means nothing, as up to draft-07
	anchors  map[*Value]map[string]*Value
	nodes    map[*Value]*node
	patterns patterns
	tracks   bool // a keyword asks which members or items others have evaluated
	depth    int
}

// maxSchemaDepth bounds schemas inside schemas.
const maxSchemaDepth = 50

// olderDrafts are the drafts in which a $ref stands alone, as $schema names them.
const olderDrafts words = "json-schema.org/draft-04/schema json-schema.org/draft-06/schema json-schema.org/draft-07/schema"

func (b *builder) build() (*node, error) {
	if named := b.root.Member("$schema"); named != nil {
		_, address, _ := strings.Cut(named.Text, "://")
		b.refAlone = olderDrafts.Has(strings.TrimSuffix(address, "#"))
	}
	n, err := b.node(b.root, "")
	if err != nil {
		return nil, err
	}
	for _, n := range b.nodes {
		n.settle()
	}
	return n, nil
}

func (b *builder) node(v *Value, path string) (*node, error) {
	if n := b.nodes[v]; n != nil {
		return n, nil
	}
	if b.depth++; b.depth > maxSchemaDepth {
		return nil, fmt.Errorf("nested deeper than %d", maxSchemaDepth)
	}
	defer func() { b.depth-- }()
	n := &node{length: bounds{0, -1}, count: bounds{0, -1}}
	b.nodes[v] = n
	switch v.Kind {
	case 't':
		return n, nil
	case 'f':
		n.opaque, n.more().never = true, true
		return n, nil
	case '{':
	default:
		return nil, fmt.Errorf("schema at %s is neither an object nor a boolean", place(path))
	}
	if id := v.Member("$id"); id != nil && !strings.HasPrefix(id.Text, "#") {
		defer func(outer *Value) { b.base = outer }(b.base)
		b.base = v
	}
	alone := b.refAlone && v.Member("$ref") != nil
	for _, m := range v.Members {
		if alone && m.Name != "$ref" && !definitions.Has(m.Name) {
			continue
		}
		if err := b.keyword(n, m.Name, m.Value, path); err != nil {
			return nil, err
		}
	}
	n.finish()
	return n, nil
}

// finish prepares what the fast path looks up.
func (n *node) finish() {
	if len(n.properties) > 8 {
		n.index = make(map[string]int, len(n.properties))
		for i, p := range n.properties {
			n.index[p.name] = i
		}
	}
	for _, name := range n.mustHave {
		i := n.lookup(name)
		if i < 0 || i > 63 {
			n.opaque = true
			continue
		}
		n.required |= 1 << i
	}
	if len(n.properties) > 64 {
		n.opaque = true
	}
	if n.rare != nil {
		n.finishRare()
	}
	if n.types == 0 && n.enum != nil {
		for _, e := range n.enum {
			n.types |= e.Kinds()
		}
	}
}

// keyword reads one keyword of a schema object into n.
func (b *builder) keyword(n *node, word string, v *Value, path string) (err error) {
	at := path + "/" + word
	switch word {
	case "type":
		n.declared, err = typesOf(v, at)
		n.types = n.declared
	case "properties":
		n.properties, err = b.named(v, at)
	case "required":
		n.mustHave, err = stringsOf(v, at)
	case "additionalProperties":
		n.closed, n.open, n.takesAll = v.Kind == 'f', v.Kind != 'f', v.Kind == 't'
		if v.Kind == '{' {
			n.extra, err = b.node(v, at)
		}
	case "items":
		if v.Kind == '[' { // as in draft-07
			n.more().tuple = true
			return b.first(n, v, at)
		}
		n.items, err = b.node(v, at)
	case "prefixItems":
		return b.first(n, v, at)
	case "enum":
		err = n.setEnum(v, at)
	case "const":
		n.more().constant = v
		n.opaque = n.opaque || v.Kind == '{' || v.Kind == '['
	case "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems":
		err = n.setBound(word, v, at)
	case "$ref", "$dynamicRef", "$recursiveRef":
		n.opaque = true
		var target *node
		if target, err = b.reference(word, v, at); n.ref == nil {
			n.ref = target
		} else {
			n.all = append(n.all, target)
		}
	case "allOf":
		n.opaque = true
		var parts []*node
		parts, err = b.list(v, at)
		n.all = append(n.all, parts...)
	case "anyOf", "oneOf":
		n.opaque = true
		c := choice{one: word == "oneOf"}
		c.forms, err = b.list(v, at)
		n.choices = append(n.choices, c)
	default:
		err = b.rare(n, word, v, at)
	}
	return err
}

// first reads the schemas of the first items, which draft 2020-12 calls prefixItems.
func (b *builder) first(n *node, v *Value, at string) (err error) {
	n.opaque = true
	if v.Kind != '[' || len(v.Items) > 0 {
		n.prefix, err = b.list(v, at)
	}
	return err
}

// named reads an object of schemas.
func (b *builder) named(v *Value, at string) ([]property, error) {
	if v.Kind != '{' {
		return nil, fmt.Errorf("%s is not an object", place(at))
	}
	list := make([]property, 0, len(v.Members))
	for _, m := range v.Members {
		child, err := b.node(m.Value, at+"/"+m.Name)
		if err != nil {
			return nil, err
		}
		list = append(list, property{m.Name, child})
	}
	return list, nil
}

func (b *builder) list(v *Value, at string) ([]*node, error) {
	if v.Kind != '[' || len(v.Items) == 0 {
		return nil, fmt.Errorf("%s is not a list of schemas", place(at))
	}
	var list []*node
	for i, item := range v.Items {
		n, err := b.node(item, at+"/"+strconv.Itoa(i))
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, nil
}

func place(path string) string {
	if path == "" {
		return "the root"
	}
	return path
}

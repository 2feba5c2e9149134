package schema

import (
	"fmt"
	"strconv"
)

// node is a schema as the everyday subset sees it. What the subset cannot say makes it opaque: then a value can be
// refused by what the node knows, but only the full validator can accept it.
type node struct {
	types      kinds // as declared, or what enum and const say; 0: any
	opaque     bool
	properties []property
	index      map[string]int // into properties, when there are many
	required   uint64         // a bit for each required property, when all of them are declared
	mustHave   []string
	closed     bool // additionalProperties is false
	open       bool // additionalProperties, patternProperties or the like says what else may come
	extra      *node
	items      *node
	enum       []*value
	min, max   *float64
	length     bounds // of strings
	count      bounds // of arrays
	ref        *node
	all        []*node
	any        [][]*node // anyOf and oneOf
	effective  kinds     // what types, ref, all and any allow together; set by settle
	settled    int8
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
	root  *value
	nodes map[*value]*node
	depth int
}

// maxSchemaDepth bounds schemas inside schemas; the full validator's work grows with its square.
const maxSchemaDepth = 50

func build(root *value) (*node, error) {
	b := &builder{root: root, nodes: map[*value]*node{}}
	n, err := b.node(root, "")
	if err != nil {
		return nil, err
	}
	for _, n := range b.nodes {
		n.settle()
	}
	return n, nil
}

func (b *builder) node(v *value, path string) (*node, error) {
	if n := b.nodes[v]; n != nil {
		return n, nil
	}
	if b.depth++; b.depth > maxSchemaDepth {
		return nil, fmt.Errorf("nested deeper than %d", maxSchemaDepth)
	}
	defer func() { b.depth-- }()
	n := &node{length: bounds{0, -1}, count: bounds{0, -1}}
	b.nodes[v] = n
	switch v.kind {
	case 't':
		return n, nil
	case 'f':
		n.opaque = true
		return n, nil
	case '{':
	default:
		return nil, fmt.Errorf("schema at %s is neither an object nor a boolean", place(path))
	}
	for _, m := range v.members {
		if err := b.keyword(n, m.name, m.value, path); err != nil {
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
	if n.types == 0 && n.enum != nil {
		for _, e := range n.enum {
			n.types |= e.kinds()
		}
	}
}

// annotations say nothing about whether a value is valid.
const annotations words = "title description default examples example deprecated readOnly writeOnly $comment $schema $defs definitions nullable discriminator contentEncoding contentMediaType propertyOrdering"

// keyword reads one keyword of a schema object into n.
func (b *builder) keyword(n *node, word string, v *value, path string) (err error) {
	at := path + "/" + word
	switch word {
	case "type":
		n.types, err = typesOf(v, at)
	case "properties":
		err = b.properties(n, v, at)
	case "required":
		n.mustHave, err = stringsOf(v, at)
	case "additionalProperties":
		n.closed, n.open = v.kind == 'f', v.kind != 'f'
		if v.kind == '{' {
			n.extra, err = b.node(v, at)
		}
	case "items":
		if v.kind == '[' {
			n.opaque = true
			return nil
		}
		n.items, err = b.node(v, at)
	case "enum":
		err = n.setEnum(v, at)
	case "const":
		err = n.setEnum(&value{kind: '[', items: []*value{v}}, at)
	case "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems":
		err = n.setBound(word, v, at)
	case "$ref":
		n.opaque = true
		n.ref, err = b.reference(v, at)
	case "allOf":
		n.opaque = true
		n.all, err = b.list(v, at)
	case "anyOf", "oneOf":
		n.opaque = true
		var list []*node
		list, err = b.list(v, at)
		n.any = append(n.any, list)
	case "patternProperties", "unevaluatedProperties", "if", "then", "else", "dependentSchemas", "dependencies":
		n.opaque, n.open = true, true
		err = b.others(word, v, at)
	default:
		n.opaque = n.opaque || asserts.has(word)
		err = b.others(word, v, at)
	}
	return err
}

// others reads the schemas of keywords that the subset does not know, because they must be schemas as well.
func (b *builder) others(word string, v *value, at string) error {
	for _, sub := range subschemas(member{word, v}) {
		if _, err := b.node(sub, at); err != nil {
			return err
		}
	}
	return nil
}

// asserts holds the keywords that only the full validator knows. Words that nobody knows say nothing.
const asserts words = "$dynamicRef $recursiveRef $id id $anchor $dynamicAnchor $vocabulary not dependentRequired propertyNames contains minContains maxContains prefixItems additionalItems uniqueItems unevaluatedItems multipleOf exclusiveMinimum exclusiveMaximum pattern minProperties maxProperties format contentSchema"

func (b *builder) properties(n *node, v *value, at string) error {
	if v.kind != '{' {
		return fmt.Errorf("%s is no object", place(at))
	}
	for _, m := range v.members {
		child, err := b.node(m.value, at+"/"+m.name)
		if err != nil {
			return err
		}
		n.properties = append(n.properties, property{m.name, child})
	}
	return nil
}

func (b *builder) list(v *value, at string) ([]*node, error) {
	if v.kind != '[' || len(v.items) == 0 {
		return nil, fmt.Errorf("%s is no list of schemas", place(at))
	}
	var list []*node
	for i, item := range v.items {
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

package schema

import (
	"fmt"
	"strconv"

	"rein/schema/internal/tree"
)

// node is a schema as the everyday subset sees it. What the subset cannot express makes it opaque: then a value can be
// refused by what the node knows, but only the full validator can accept it.
type node struct {
	types      tree.Kinds // as declared, or as enum and const imply; 0: any
	opaque     bool
	properties []property
	index      map[string]int // into properties, when there are many
	required   uint64         // a bit for each required property, when all of them are declared
	mustHave   []string
	closed     bool // additionalProperties is false
	open       bool // additionalProperties, patternProperties or the like allows other members
	extra      *node
	items      *node
	enum       []*tree.Value
	min, max   *float64
	length     bounds // of strings
	count      bounds // of arrays
	ref        *node
	all        []*node
	any        [][]*node  // anyOf and oneOf
	effective  tree.Kinds // what types, ref, all and any allow together; set by settle
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
	root  *tree.Value
	nodes map[*tree.Value]*node
	depth int
}

// maxSchemaDepth bounds schemas inside schemas; the full validator's work grows with its square.
const maxSchemaDepth = 50

func build(root *tree.Value) (*node, error) {
	b := &builder{root: root, nodes: map[*tree.Value]*node{}}
	n, err := b.node(root, "")
	if err != nil {
		return nil, err
	}
	for _, n := range b.nodes {
		n.settle()
	}
	return n, nil
}

func (b *builder) node(v *tree.Value, path string) (*node, error) {
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
		n.opaque = true
		return n, nil
	case '{':
	default:
		return nil, fmt.Errorf("schema at %s is neither an object nor a boolean", place(path))
	}
	for _, m := range v.Members {
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
	if n.types == 0 && n.enum != nil {
		for _, e := range n.enum {
			n.types |= e.Kinds()
		}
	}
}

// keyword reads one keyword of a schema object into n.
func (b *builder) keyword(n *node, word string, v *tree.Value, path string) (err error) {
	at := path + "/" + word
	switch word {
	case "type":
		n.types, err = tree.TypesOf(v, at)
	case "properties":
		err = b.properties(n, v, at)
	case "required":
		n.mustHave, err = stringsOf(v, at)
	case "additionalProperties":
		n.closed, n.open = v.Kind == 'f', v.Kind != 'f'
		if v.Kind == '{' {
			n.extra, err = b.node(v, at)
		}
	case "items":
		if v.Kind == '[' {
			n.opaque = true
			return nil
		}
		n.items, err = b.node(v, at)
	case "enum":
		err = n.setEnum(v, at)
	case "const":
		err = n.setEnum(&tree.Value{Kind: '[', Items: []*tree.Value{v}}, at)
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
		n.opaque = n.opaque || asserts.Has(word)
		err = b.others(word, v, at)
	}
	return err
}

// others reads the schemas of keywords that the subset does not know, because they must be schemas as well.
func (b *builder) others(word string, v *tree.Value, at string) error {
	for _, sub := range subschemas(tree.Member{Name: word, Value: v}) {
		if _, err := b.node(sub, at); err != nil {
			return err
		}
	}
	return nil
}

// asserts holds the keywords that only the full validator knows. Unknown words mean nothing.
const asserts tree.Words = "$dynamicRef $recursiveRef $id id $anchor $dynamicAnchor $vocabulary not dependentRequired propertyNames contains minContains maxContains prefixItems additionalItems uniqueItems unevaluatedItems multipleOf exclusiveMinimum exclusiveMaximum pattern minProperties maxProperties format contentSchema"

func (b *builder) properties(n *node, v *tree.Value, at string) error {
	if v.Kind != '{' {
		return fmt.Errorf("%s is no object", place(at))
	}
	for _, m := range v.Members {
		child, err := b.node(m.Value, at+"/"+m.Name)
		if err != nil {
			return err
		}
		n.properties = append(n.properties, property{m.Name, child})
	}
	return nil
}

func (b *builder) list(v *tree.Value, at string) ([]*node, error) {
	if v.Kind != '[' || len(v.Items) == 0 {
		return nil, fmt.Errorf("%s is no list of schemas", place(at))
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

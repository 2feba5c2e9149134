package schema

import (
	"fmt"
	"math/big"
)

// rare holds what the fast path does not know, and only the validator decides.
type rare struct {
	never             bool     // the schema false
	constant          *Value   // const
	least, most       *big.Rat // minimum, maximum
	above, below      *big.Rat // exclusiveMinimum, exclusiveMaximum
	notLeast, notMost bool     // as draft-04 writes them
	step              *big.Rat // multipleOf
	pattern           *pattern
	unique            bool
	tuple             bool  // items is a list, as in draft-07
	additional        *node // additionalItems
	contains          *node
	containing        bounds // minContains, maxContains
	size              bounds // minProperties, maxProperties
	names             *node  // propertyNames
	byPattern         []patternProperty
	dependent         []dependency
	not               *node
	test, then, other *node // if, then, else
	unevaluated       *node // unevaluatedItems, unevaluatedProperties
	unevaluatedItems  *node
}

type patternProperty struct {
	pattern *pattern
	node    *node
}

// dependency is what an object needs that has a member of that name.
type dependency struct {
	name     string
	required []string
	node     *node // nil: only the names
}

// more returns the rare part of n.
func (n *node) more() *rare {
	if n.rare == nil {
		n.rare = &rare{containing: bounds{1, -1}, size: bounds{0, -1}}
	}
	return n.rare
}

// rare reads one of the keywords that the fast path does not know. Unknown words mean nothing.
func (b *builder) rare(n *node, word string, v *Value, at string) (err error) {
	if !rareWords.Has(word) {
		return b.others(word, v, at)
	}
	n.opaque = true
	r := n.more()
	switch word {
	case "exclusiveMinimum":
		r.above, r.notLeast, err = exclusive(v, at)
	case "exclusiveMaximum":
		r.below, r.notMost, err = exclusive(v, at)
	case "multipleOf":
		if r.step, err = number(v, at); err == nil && r.step.Sign() <= 0 {
			err = fmt.Errorf("%s is not more than 0", at)
		}
	case "pattern":
		r.pattern, err = b.pattern(v, at)
	case "uniqueItems":
		r.unique = v.Kind == 't'
	case "additionalItems":
		r.additional, err = b.node(v, at)
	case "contains":
		r.contains, err = b.node(v, at)
	case "minContains":
		r.containing.low, err = countOf(v, at)
	case "maxContains":
		r.containing.high, err = countOf(v, at)
	case "minProperties":
		r.size.low, err = countOf(v, at)
	case "maxProperties":
		r.size.high, err = countOf(v, at)
	case "propertyNames":
		r.names, err = b.node(v, at)
	case "not":
		r.not, err = b.node(v, at)
	case "unevaluatedItems":
		b.tracks = true
		r.unevaluatedItems, err = b.node(v, at)
	default:
		n.open = n.open || word != "dependentRequired"
		err = b.open(r, word, v, at)
	}
	return err
}

const rareWords words = "exclusiveMinimum exclusiveMaximum multipleOf pattern uniqueItems additionalItems contains minContains maxContains minProperties maxProperties propertyNames not unevaluatedItems unevaluatedProperties patternProperties dependentRequired dependentSchemas dependencies if then else"

// others reads the schemas of keywords that mean nothing here, because they must be schemas as well.
func (b *builder) others(word string, v *Value, at string) error {
	for _, sub := range subschemas(member{Name: word, Value: v}) {
		if _, err := b.node(sub, at); err != nil {
			return err
		}
	}
	return nil
}

// open reads the keywords by which an object may have members that properties does not name.
func (b *builder) open(r *rare, word string, v *Value, at string) (err error) {
	switch word {
	case "unevaluatedProperties":
		b.tracks = true
		r.unevaluated, err = b.node(v, at)
	case "if":
		r.test, err = b.node(v, at)
	case "then":
		r.then, err = b.node(v, at)
	case "else":
		r.other, err = b.node(v, at)
	case "patternProperties":
		var list []property
		list, err = b.named(v, at)
		for _, p := range list {
			r.byPattern = append(r.byPattern, patternProperty{b.patterns.add(p.name), p.node})
		}
	default:
		err = b.dependencies(r, v, at)
	}
	return err
}

// dependencies reads dependentRequired and dependentSchemas, and what draft-07 has for both.
func (b *builder) dependencies(r *rare, v *Value, at string) (err error) {
	if v.Kind != '{' {
		return fmt.Errorf("%s is not an object", at)
	}
	for _, m := range v.Members {
		d := dependency{name: m.Name}
		switch at := at + "/" + m.Name; m.Value.Kind {
		case '[':
			d.required, err = stringsOf(m.Value, at)
		default:
			d.node, err = b.node(m.Value, at)
		}
		if err != nil {
			return err
		}
		r.dependent = append(r.dependent, d)
	}
	return nil
}

func (b *builder) pattern(v *Value, at string) (*pattern, error) {
	if v.Kind != '"' {
		return nil, fmt.Errorf("%s is not a string", at)
	}
	return b.patterns.add(v.Text), nil
}

// exclusive reads a limit that itself is not allowed. Draft-04 has a boolean there, which belongs to the other limit.
func exclusive(v *Value, at string) (limit *big.Rat, other bool, err error) {
	if v.Kind == 't' || v.Kind == 'f' {
		return nil, v.Kind == 't', nil
	}
	limit, err = number(v, at)
	return limit, false, err
}

// finishRare puts together what stands in several keywords.
func (n *node) finishRare() {
	r := n.rare
	if r.tuple {
		n.items = r.additional
	}
	if r.notLeast {
		r.above = r.least
	}
	if r.notMost {
		r.below = r.most
	}
	if r.constant != nil {
		n.opaque = n.opaque || n.enum != nil
		if n.enum == nil {
			n.enum = []*Value{r.constant}
		}
	}
}

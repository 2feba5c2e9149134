package schema

import (
	"fmt"
	"strconv"
)

// typesOf reads the keyword type: a name or a list of names.
func typesOf(v *value, at string) (kinds, error) {
	list := []*value{v}
	if v.kind == '[' {
		list = v.items
	}
	var types kinds
	for _, item := range list {
		k, ok := kindOf(item.text)
		if item.kind != '"' || !ok {
			return 0, fmt.Errorf("%s: %s is no type of JSON Schema", at, item.append(nil))
		}
		types |= k
	}
	return types, nil
}

func stringsOf(v *value, at string) ([]string, error) {
	if v.kind != '[' {
		return nil, fmt.Errorf("%s is no list", at)
	}
	list := make([]string, 0, len(v.items))
	for _, item := range v.items {
		if item.kind != '"' {
			return nil, fmt.Errorf("%s holds something that is no string", at)
		}
		list = append(list, item.text)
	}
	return list, nil
}

// setEnum keeps the allowed values. Numbers and containers have many spellings, which the fast path does not compare.
func (n *node) setEnum(v *value, at string) error {
	if v.kind != '[' {
		return fmt.Errorf("%s is no list", at)
	}
	if n.enum != nil {
		n.opaque = true
		return nil
	}
	n.enum = v.items
	for _, item := range v.items {
		if item.kind == '{' || item.kind == '[' {
			n.opaque = true
		}
	}
	return nil
}

// setBound reads a numeric limit. One that no float64 or int holds exactly is left to the full validator.
func (n *node) setBound(word string, v *value, at string) error {
	if v.kind != '0' {
		return fmt.Errorf("%s is no number", at)
	}
	if word == "minimum" || word == "maximum" {
		f, err := strconv.ParseFloat(v.text, 64)
		if err != nil || f > 1<<53 || f < -1<<53 || strconv.FormatFloat(f, 'f', -1, 64) != v.text {
			n.opaque = true
			return nil
		}
		if word == "minimum" {
			n.min = &f
		} else {
			n.max = &f
		}
		return nil
	}
	i, err := strconv.Atoi(v.text)
	if err != nil || i < 0 {
		n.opaque = true
		return nil
	}
	switch word {
	case "minLength":
		n.length.low = i
	case "maxLength":
		n.length.high = i
	case "minItems":
		n.count.low = i
	case "maxItems":
		n.count.high = i
	}
	return nil
}

// settle works out which types a value may have at all. A cycle of references says nothing and counts as any.
func (n *node) settle() kinds {
	switch n.settled {
	case 2:
		return n.effective
	case 1:
		return anyKind
	}
	n.settled = 1
	allowed := anyKind
	if n.types != 0 {
		allowed = widen(n.types)
	}
	if n.ref != nil {
		allowed &= n.ref.settle()
	}
	for _, part := range n.all {
		allowed &= part.settle()
	}
	for _, alternatives := range n.any {
		var some kinds
		for _, a := range alternatives {
			some |= a.settle()
		}
		allowed &= some
	}
	n.effective, n.settled = allowed, 2
	return allowed
}

// widen adds what a type includes: every integer is a number.
func widen(k kinds) kinds {
	if k&isNumber != 0 {
		k |= isInteger
	}
	return k
}

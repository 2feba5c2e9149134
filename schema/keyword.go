package schema

import (
	"fmt"
	"strconv"

	"rein/schema/internal/tree"
)

func stringsOf(v *tree.Value, at string) ([]string, error) {
	if v.Kind != '[' {
		return nil, fmt.Errorf("%s is no list", at)
	}
	list := make([]string, 0, len(v.Items))
	for _, item := range v.Items {
		if item.Kind != '"' {
			return nil, fmt.Errorf("%s holds something that is no string", at)
		}
		list = append(list, item.Text)
	}
	return list, nil
}

// setEnum keeps the allowed values. Numbers and containers have many spellings, which the fast path does not compare.
func (n *node) setEnum(v *tree.Value, at string) error {
	if v.Kind != '[' {
		return fmt.Errorf("%s is no list", at)
	}
	if n.enum != nil {
		n.opaque = true
		return nil
	}
	n.enum = v.Items
	n.opaque = n.opaque || len(v.Items) == 0 // no value is allowed
	for _, item := range v.Items {
		if item.Kind == '{' || item.Kind == '[' {
			n.opaque = true
		}
	}
	return nil
}

// setBound reads a numeric limit. One that no float64 or int holds exactly is left to the full validator.
func (n *node) setBound(word string, v *tree.Value, at string) error {
	if v.Kind != '0' {
		return fmt.Errorf("%s is no number", at)
	}
	if word == "minimum" || word == "maximum" {
		f, err := strconv.ParseFloat(v.Text, 64)
		if err != nil || f > 1<<53 || f < -1<<53 || strconv.FormatFloat(f, 'f', -1, 64) != v.Text {
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
	i, err := strconv.Atoi(v.Text)
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

// settle works out which types a value may have at all. A cycle of references allows any.
func (n *node) settle() tree.Kinds {
	switch n.settled {
	case 2:
		return n.effective
	case 1:
		return tree.AnyKind
	}
	n.settled = 1
	allowed := tree.AnyKind
	if n.types != 0 {
		allowed = include(n.types)
	}
	if n.ref != nil {
		allowed &= n.ref.settle()
	}
	for _, part := range n.all {
		allowed &= part.settle()
	}
	for _, alternatives := range n.any {
		var some tree.Kinds
		for _, a := range alternatives {
			some |= a.settle()
		}
		allowed &= some
	}
	n.effective, n.settled = allowed, 2
	return allowed
}

// include adds what a type includes: every integer is a number.
func include(k tree.Kinds) tree.Kinds {
	if k&tree.IsNumber != 0 {
		k |= tree.IsInteger
	}
	return k
}

package schema

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
)

func stringsOf(v *Value, at string) ([]string, error) {
	if v.Kind != '[' {
		return nil, fmt.Errorf("%s is not a list", at)
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

// setEnum keeps the allowed values. Containers have many spellings, which the fast path does not compare.
func (n *node) setEnum(v *Value, at string) error {
	if v.Kind != '[' {
		return fmt.Errorf("%s is not a list", at)
	}
	n.enum = append([]*Value{}, v.Items...)
	n.opaque = n.opaque || len(v.Items) == 0 // no value is allowed
	for _, item := range v.Items {
		n.opaque = n.opaque || item.Kind == '{' || item.Kind == '['
	}
	return nil
}

// setBound reads a limit. The fast path leaves those that a float64 does not hold exactly to the validator.
func (n *node) setBound(word string, v *Value, at string) (err error) {
	switch word {
	case "minimum", "maximum":
		exact, err := number(v, at)
		if err != nil {
			return err
		}
		f, err := strconv.ParseFloat(v.Text, 64)
		n.opaque = n.opaque || err != nil || f > 1<<53 || f < -1<<53 || strconv.FormatFloat(f, 'f', -1, 64) != v.Text
		if word == "minimum" {
			n.min, n.more().least = &f, exact
		} else {
			n.max, n.more().most = &f, exact
		}
		return nil
	case "minLength":
		n.length.low, err = countOf(v, at)
	case "maxLength":
		n.length.high, err = countOf(v, at)
	case "minItems":
		n.count.low, err = countOf(v, at)
	case "maxItems":
		n.count.high, err = countOf(v, at)
	}
	return err
}

// number reads a number of a schema exactly.
func number(v *Value, at string) (*big.Rat, error) {
	if v.Kind != '0' {
		return nil, fmt.Errorf("%s is not a number", at)
	}
	r, ok := new(big.Rat).SetString(v.Text)
	if !ok {
		return nil, fmt.Errorf("%s is not a number", at)
	}
	return r, nil
}

// countOf reads how many of something there may be. What no value can reach is as good as the largest int.
func countOf(v *Value, at string) (int, error) {
	r, err := number(v, at)
	switch {
	case err != nil:
		return 0, err
	case !r.IsInt() || r.Sign() < 0:
		return 0, fmt.Errorf("%s is not a whole number of 0 or more", at)
	case !r.Num().IsInt64():
		return math.MaxInt, nil
	}
	return int(min(r.Num().Int64(), math.MaxInt)), nil
}

// settle works out which types a value may have at all. A cycle of references allows any.
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
		allowed = include(n.types)
	}
	if n.ref != nil {
		allowed &= n.ref.settle()
	}
	for _, part := range n.all {
		allowed &= part.settle()
	}
	for _, c := range n.choices {
		var some kinds
		for _, a := range c.forms {
			some |= a.settle()
		}
		allowed &= some
	}
	n.effective, n.settled = allowed, 2
	return allowed
}

// include adds what a type includes: every integer is a number.
func include(k kinds) kinds {
	if k&isNumber != 0 {
		k |= isInteger
	}
	return k
}

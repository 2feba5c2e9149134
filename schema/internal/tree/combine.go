package tree

import (
	"slices"
	"strconv"
)

// Unite joins two lists without doubles, in their order.
func Unite(a, b []*Value) []*Value {
	seen := map[string]bool{}
	var out []*Value
	for _, v := range slices.Concat(a, b) {
		if key := string(v.Append(nil)); !seen[key] {
			seen[key] = true
			out = append(out, v)
		}
	}
	return out
}

// Intersect keeps what both lists hold.
func Intersect(a, b []*Value) []*Value {
	seen := map[string]bool{}
	for _, v := range b {
		seen[string(v.Append(nil))] = true
	}
	return slices.DeleteFunc(Unite(a, nil), func(v *Value) bool { return !seen[string(v.Append(nil))] })
}

// Narrow keeps the types that both allow; integer is narrower than number. Nothing in common: the first stands.
func Narrow(a, b *Value) *Value {
	list := func(v *Value) []*Value {
		if v.Kind == '[' {
			return v.Items
		}
		return []*Value{v}
	}
	var out []*Value
	for _, x := range list(a) {
		for _, y := range list(b) {
			switch {
			case x.Equal(y) || x.Text == "integer" && y.Text == "number":
				out = append(out, x)
			case x.Text == "number" && y.Text == "integer":
				out = append(out, y)
			}
		}
	}
	switch len(out) {
	case 0:
		return a
	case 1:
		return out[0]
	}
	return &Value{Kind: '[', Items: out}
}

// Pick returns b where both are numbers and better(b, a) holds, else a.
func Pick(a, b *Value, better func(x, y float64) bool) *Value {
	x, errX := strconv.ParseFloat(a.Text, 64)
	y, errY := strconv.ParseFloat(b.Text, 64)
	if errX == nil && errY == nil && better(y, x) {
		return b
	}
	return a
}

// Holds reports whether a list has a value that is equal to v.
func Holds(list []*Value, v *Value) bool {
	return slices.ContainsFunc(list, func(w *Value) bool { return w.Equal(v) })
}

package schema

import (
	"slices"
	"strconv"
)

// unite joins two lists without doubles, in their order.
func unite(a, b []*Value) []*Value {
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

// intersect keeps what both lists hold.
func intersect(a, b []*Value) []*Value {
	seen := map[string]bool{}
	for _, v := range b {
		seen[string(v.Append(nil))] = true
	}
	return slices.DeleteFunc(unite(a, nil), func(v *Value) bool { return !seen[string(v.Append(nil))] })
}

// narrow keeps the types that both allow; integer is narrower than number. Nothing in common: the first stands.
func narrow(a, b *Value) *Value {
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

// pick returns b where both are numbers and better(b, a) holds, else a.
func pick(a, b *Value, better func(x, y float64) bool) *Value {
	x, errX := strconv.ParseFloat(a.Text, 64)
	y, errY := strconv.ParseFloat(b.Text, 64)
	if errX == nil && errY == nil && better(y, x) {
		return b
	}
	return a
}

// holds reports whether a list has a value that is equal to v.
func holds(list []*Value, v *Value) bool {
	return slices.ContainsFunc(list, func(w *Value) bool { return w.Equal(v) })
}

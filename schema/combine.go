package schema

import (
	"slices"
	"strconv"
)

// unite joins two lists without doubles, in their order.
func unite(a, b []*value) []*value {
	seen := map[string]bool{}
	var out []*value
	for _, v := range slices.Concat(a, b) {
		if key := string(v.append(nil)); !seen[key] {
			seen[key] = true
			out = append(out, v)
		}
	}
	return out
}

// intersect keeps what both lists hold.
func intersect(a, b []*value) []*value {
	seen := map[string]bool{}
	for _, v := range b {
		seen[string(v.append(nil))] = true
	}
	return slices.DeleteFunc(unite(a, nil), func(v *value) bool { return !seen[string(v.append(nil))] })
}

// narrow keeps the types that both allow; integer is narrower than number. Nothing in common: the first stands.
func narrow(a, b *value) *value {
	list := func(v *value) []*value {
		if v.kind == '[' {
			return v.items
		}
		return []*value{v}
	}
	var out []*value
	for _, x := range list(a) {
		for _, y := range list(b) {
			switch {
			case x.equal(y) || x.text == "integer" && y.text == "number":
				out = append(out, x)
			case x.text == "number" && y.text == "integer":
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
	return &value{kind: '[', items: out}
}

func pick(a, b *value, better func(x, y float64) bool) *value {
	x, errX := strconv.ParseFloat(a.text, 64)
	y, errY := strconv.ParseFloat(b.text, 64)
	if errX == nil && errY == nil && better(y, x) {
		return b
	}
	return a
}

func holds(list []*value, v *value) bool {
	return slices.ContainsFunc(list, func(w *value) bool { return w.equal(v) })
}

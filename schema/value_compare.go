package schema

import (
	"math/big"
	"slices"
	"sort"
)

// Rat returns a number exactly. Parse bounds its size.
func (v *Value) Rat() *big.Rat {
	r, _ := new(big.Rat).SetString(v.Text)
	return r
}

// Same compares two values as JSON, numbers by their value: 1.0 is the same as 1.
func (v *Value) Same(w *Value) bool {
	if v.Kind != w.Kind || len(v.Items) != len(w.Items) || len(v.Members) != len(w.Members) {
		return false
	}
	if v.Kind == '0' {
		return v.Text == w.Text || v.Rat().Cmp(w.Rat()) == 0
	}
	if v.Text != w.Text {
		return false
	}
	for i := range v.Items {
		if !v.Items[i].Same(w.Items[i]) {
			return false
		}
	}
	for _, m := range v.Members {
		if other := w.Member(m.Name); other == nil || !m.Value.Same(other) {
			return false
		}
	}
	return true
}

// Twice returns the indices of two items of a list that are the same, or 0, 0.
func (v *Value) Twice() (i, j int) {
	if len(v.Items) < 2 {
		return 0, 0
	}
	first := make(map[string]int, len(v.Items))
	for j, item := range v.Items {
		key := string(item.canonical(nil))
		if i, again := first[key]; again {
			return i, j
		}
		first[key] = j
	}
	return 0, 0
}

// canonical writes values that are the same in the same way.
func (v *Value) canonical(out []byte) []byte {
	switch v.Kind {
	case '0':
		return append(out, v.Rat().RatString()...)
	case '[':
		out = append(out, '[')
		for _, item := range v.Items {
			out = append(item.canonical(out), ',')
		}
		return append(out, ']')
	case '{':
		out = append(out, '{')
		members := slices.Clone(v.Members)
		sort.Slice(members, func(i, j int) bool { return members[i].Name < members[j].Name })
		for _, m := range members {
			out = append(m.Value.canonical(append(appendString(out, m.Name), ':')), ',')
		}
		return append(out, '}')
	}
	return v.Append(out)
}

// Has returns a function that reports whether an object has a member of that name.
func (v *Value) Has() func(name string) bool {
	if len(v.Members) <= 16 {
		return func(name string) bool { return v.Member(name) != nil }
	}
	names := make(map[string]bool, len(v.Members))
	for _, m := range v.Members {
		names[m.Name] = true
	}
	return func(name string) bool { return names[name] }
}

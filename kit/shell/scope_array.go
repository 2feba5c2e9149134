package shell

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
)

// array is a variable with elements. The zero value is an empty one.
type array struct {
	// Items are the elements by their keys: numbers, or any text in an associative array.
	Items map[string]value
	Assoc bool
	// Lost means that elements may be there that are not known, or that known ones may be others. Taint is where they come from.
	Lost bool
	// Loose means that some elements may be several: which index each has is not known.
	Loose bool
	Taint taint
}

// arrayOf is an array of values from 0 on.
func arrayOf(values []value) array {
	a := array{Items: make(map[string]value, len(values))}
	for i, v := range values {
		a.Items[strconv.Itoa(i)] = v
	}
	return a
}

// unknownArray is an array of which nothing is known.
func unknownArray(t taint) array { return array{Lost: true, Taint: t} }

// Keys are the keys in the order in which bash lists the elements. That of several names is not known: ok is false then.
func (a array) Keys() (keys []string, ok bool) {
	keys = slices.Collect(maps.Keys(a.Items))
	if a.Assoc || a.Lost {
		return keys, !a.Lost && len(keys) < 2
	}
	slices.SortFunc(keys, func(x, y string) int {
		m, _ := strconv.Atoi(x) // keys of a list are numbers
		n, _ := strconv.Atoi(y)
		return m - n
	})
	return keys, true
}

// Next is the index that an appended element gets.
func (a array) Next() int {
	keys, _ := a.Keys()
	if len(keys) == 0 || a.Assoc {
		return 0
	}
	n, _ := strconv.Atoi(keys[len(keys)-1]) // keys of a list are numbers
	return n + 1
}

// Item is one element; set is false where there is none.
func (a array) Item(key string) (v value, set bool) {
	if a.Lost || a.Loose {
		return holeOf(a.Taints()), true
	}
	v, set = a.Items[key]
	return v, set
}

// Taints are the sources of all elements of an array that is not known.
func (a array) Taints() taint {
	t := a.Taint
	for _, v := range a.Items {
		t |= v.Taint
	}
	if !a.Lost && !a.Loose || t == 0 {
		t |= fromLost
	}
	return t
}

// With is the array with one more element, or another one in its place. Arrays are not changed: scopes share them.
func (a array) With(key string, v value) array {
	if len(v.Else) > 0 {
		v = holeOf(v.Taint | fromLost)
	}
	if a.Lost || a.Loose {
		a.Taint |= v.Taint
		a.Lost = true
		return a
	}
	items := make(map[string]value, len(a.Items)+1)
	maps.Copy(items, a.Items)
	items[key] = v
	a.Items = items
	return a
}

// Without is the array without one element.
func (a array) Without(key string) array {
	items := maps.Clone(a.Items)
	delete(items, key)
	a.Items = items
	return a
}

// Equal reports whether both have the same elements.
func (a array) Equal(b array) bool {
	same := reflect.ValueOf(a.Items).Pointer() == reflect.ValueOf(b.Items).Pointer() // scopes share elements
	return a.Lost == b.Lost && a.Loose == b.Loose && (same || maps.EqualFunc(a.Items, b.Items, func(x, y value) bool { return x.Text == y.Text }))
}

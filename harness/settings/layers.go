package settings

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"time"
)

// cloned reports whether the file comes with the project, which may be anybody's.
func (l *Layer) cloned() bool { return l.Name == "project" || l.Name == "local" }

// withoutLoosening takes away what a project may not set, and returns a warning for each key: a cloned repository must not
// choose where keys are sent, nor take down what protects its reader.
func (l *Layer) withoutLoosening(path string, v reflect.Value) (warnings []string) {
	for i := range v.NumField() {
		f, field := v.Type().Field(i), v.Field(i)
		name := path + nameOfField(f)
		switch {
		case f.Tag.Get("lower") != "" || field.IsZero() || f.Name == "Schema":
		case field.Type() == reflect.TypeFor[map[string]toolLimits](): // all of it only lowers
		case field.Type() == reflect.TypeFor[Limits]():
			warnings = append(warnings, l.withoutLoosening(name+".", field)...)
		default:
			warnings = append(warnings, fmt.Sprintf("%s: %q is ignored in a project's settings; put it in your own", l.Path, name))
			field.SetZero()
		}
	}
	return warnings
}

// Merge gives what holds: for each key the highest layer that sets it. Permissions, which add up, stay with the layers.
func Merge(all []Layer) Settings {
	var s Settings
	for _, l := range all {
		lay(reflect.ValueOf(&s).Elem(), reflect.ValueOf(l.Settings), l.cloned())
	}
	return s
}

// lay puts what is set in a layer over what the layers below it set. A number in a file that comes with the project can
// only lower the one that would hold without it.
func lay(into, from reflect.Value, cloned bool) {
	for i := range from.NumField() {
		f, in, out := from.Type().Field(i), from.Field(i), into.Field(i)
		switch {
		case in.IsZero():
		case in.Type() == reflect.TypeFor[map[string]toolLimits]():
			layTools(out, in.Interface().(map[string]toolLimits), cloned)
		case in.Kind() == reflect.Struct:
			lay(out, in, cloned)
		case cloned && in.CanInt():
			out.SetInt(min(holds(out.Int(), f.Tag.Get("lower")), in.Int()))
		default:
			out.Set(in)
		}
	}
}

// layTools does the same for the limits of single tools. A tool may have limits of its own, which are not known here, so what
// the project says about them is kept apart.
func layTools(into reflect.Value, from map[string]toolLimits, cloned bool) {
	all := map[string]toolLimits{}
	for name, l := range into.Interface().(map[string]toolLimits) {
		all[name] = l
	}
	for name, l := range from {
		one := all[name]
		if cloned {
			one.Most.Timeout, one.Most.Output = lower(one.Most.Timeout, l.Timeout), lower(one.Most.Output, l.Output)
			l.Timeout, l.Output = 0, 0
		}
		lay(reflect.ValueOf(&one).Elem(), reflect.ValueOf(l), cloned)
		all[name] = one
	}
	into.Set(reflect.ValueOf(all))
}

// lower returns the lower of two limits, of which zero is none.
func lower[N int | Duration](a, b N) N {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// holds returns the value of a number: what is set, or what its tag says for a number that is not.
func holds(set int64, tag string) int64 {
	if set != 0 {
		return set
	}
	if n, err := strconv.ParseInt(tag, 10, 64); err == nil {
		return n
	}
	if d, err := time.ParseDuration(tag); err == nil {
		return int64(d)
	}
	return math.MaxInt64
}

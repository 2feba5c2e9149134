package settings

import (
	"encoding/json"
	"fmt"
	"maps"
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

// Merge returns what holds: for each key the highest layer that sets it. Permissions, which add up, stay with the layers.
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
	maps.Copy(all, into.Interface().(map[string]toolLimits))
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

// Value is one setting that holds, and where it comes from.
type Value struct {
	Names []string        // the path of keys
	Value json.RawMessage // as a settings file writes it
	Layer string          // that decides it: see Layer.Name
	Path  string          // of the layer's file
}

// Explain returns the settings that hold when layers are put together, in the order of the schema. Permissions, network, files and
// secrets add up, so each layer that has one has a value of its own.
func Explain(layers []Layer) (all []Value, err error) {
	adds := map[string]bool{"permissions": true, "network": true, "files": true, "secrets": true, "mcpServers": true, "hooks": true}
	var before Settings
	from := map[string]Value{}
	order := leaves(nil, reflect.ValueOf(before))
	for i, l := range layers {
		now := Merge(layers[:i+1])
		old, held, own := leaves(nil, reflect.ValueOf(before)), leaves(nil, reflect.ValueOf(now)), leaves(nil, reflect.ValueOf(l.Settings))
		for n, leaf := range held {
			if leaf.value.IsZero() {
				continue
			}
			sets := !own[n].value.IsZero() && reflect.DeepEqual(own[n].value.Interface(), leaf.value.Interface())
			if !sets && reflect.DeepEqual(old[n].value.Interface(), leaf.value.Interface()) {
				continue
			}
			text, err := json.Marshal(leaf.value.Interface())
			if err != nil {
				return nil, err
			}
			v := Value{Names: leaf.names, Value: text, Layer: l.Name, Path: l.Path}
			if adds[leaf.names[0]] {
				all = append(all, v)
				continue
			}
			from[key(leaf.names)] = v
		}
		before = now
	}
	for _, leaf := range order {
		if v, ok := from[key(leaf.names)]; ok {
			all = append(all, v)
		}
	}
	return all, nil
}

func key(names []string) string {
	text, _ := json.Marshal(names) // strings have a form in JSON
	return string(text)
}

type leaf struct {
	names []string
	value reflect.Value
}

// leaves are the single settings in a struct of settings, also in structs inside of it.
func leaves(names []string, v reflect.Value) (all []leaf) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name := nameOfField(f)
		if name == "-" || name == "" {
			continue
		}
		here := append(names[:len(names):len(names)], name)
		if f.Type.Kind() == reflect.Struct {
			all = append(all, leaves(here, v.Field(i))...)
			continue
		}
		all = append(all, leaf{here, v.Field(i)})
	}
	return all
}

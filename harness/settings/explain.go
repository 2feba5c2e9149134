package settings

import (
	"encoding/json"
	"reflect"
)

// Value is one setting that holds, and where it comes from.
type Value struct {
	Names []string        // the path of keys
	Value json.RawMessage // as a settings file writes it
	Layer string          // that decides it: see Layer.Name
	Path  string          // of the layer's file
}

// Explain gives the settings that hold when layers are put together, in the order of the schema. Permissions, network, files and
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

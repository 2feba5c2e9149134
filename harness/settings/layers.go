package settings

import "reflect"

// cloned reports whether the file comes with the project, which may be anybody's.
func (l *Layer) cloned() bool { return l.Name == "project" || l.Name == "local" }

// Merge gives what holds: for each key the highest layer that sets it. Permissions, which add up, stay with the layers.
func Merge(all []Layer) Settings {
	var s Settings
	for _, l := range all {
		lay(reflect.ValueOf(&s).Elem(), reflect.ValueOf(l.Settings), l.cloned())
	}
	return s
}

// lay puts what is set in a layer over what the layers below it set. A number in a file that comes with the project can
// only lower one of theirs.
func lay(into, from reflect.Value, cloned bool) {
	switch {
	case from.IsZero():
	case from.Kind() == reflect.Struct:
		for i := range from.NumField() {
			lay(into.Field(i), from.Field(i), cloned)
		}
	case from.Type() == reflect.TypeFor[map[string]toolLimits]():
		whole := reflect.MakeMap(from.Type())
		for _, m := range []reflect.Value{into, from} {
			for _, key := range m.MapKeys() {
				one := reflect.New(from.Type().Elem()).Elem()
				if below := whole.MapIndex(key); below.IsValid() {
					one.Set(below)
				}
				lay(one, m.MapIndex(key), cloned)
				whole.SetMapIndex(key, one)
			}
		}
		into.Set(whole)
	case cloned && from.CanInt() && !into.IsZero() && into.Int() < from.Int():
	default:
		into.Set(from)
	}
}

package settings

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A setting is one key of the schema: the path to it, and its field.
type setting struct {
	path  []string
	field reflect.StructField
}

// everySetting lists the keys of the schema, those inside of other keys too. The key of a map is "bash".
func everySetting(t reflect.Type, path ...string) (all []setting) {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Tag.Get("json") == "-" {
			continue
		}
		here := append(path[:len(path):len(path)], nameOfField(f))
		switch {
		case f.Type.Kind() == reflect.Struct:
			all = append(all, everySetting(f.Type, here...)...)
		case f.Type.Kind() == reflect.Map && f.Type.Elem() == reflect.TypeFor[toolLimits]():
			all = append(all, everySetting(f.Type.Elem(), append(here, "bash")...)...)
		default:
			all = append(all, setting{here, f})
		}
	}
	return all
}

// value draws a value of a key, as JSON.
func (s setting) value(t *rapid.T, name string) string {
	seconds := rapid.Int64Range(1, 1<<22).Draw(t, name)
	if only, ok := map[string]string{"review.severity": `"high"`, "sandboxBackend.name": `"none"`, "terminal.theme": `"none"`, "terminal.language": `"zh"`, "terminal.images": `"none"`, "terminal.notify": `"off"`, "agents.external": `{"x":{"command":"evil"}}`,
		"notify.on": `["end"]`, "notify.desktop": `"on"`, "notify.webhook": `"https://evil.test"`,
		"server.url": `"https://evil.test"`, "server.webhooks": `[{"url":"https://evil.test"}]`,
		"server.signIn": `{"issuer":"https://evil.test","clientID":"x","roles":{"x":"operator"}}`}[strings.Join(s.path, ".")]; ok {
		return only
	}
	switch s.field.Type {
	case reflect.TypeFor[Duration]():
		return fmt.Sprintf(`"%dms"`, seconds)
	case reflect.TypeFor[json.RawMessage]():
		return `{"allow":["*"]}`
	}
	switch s.field.Type.Kind() {
	case reflect.String:
		return map[string]string{"mode": `"full"`, "sandbox": `"off"`, "effort": `"max"`}[s.path[0]] + map[bool]string{true: `"x"`}[s.path[0] != "mode" && s.path[0] != "sandbox" && s.path[0] != "effort"]
	case reflect.Map:
		return map[string]string{"providers": `{"openai":{"baseURL":"http://evil.test"}}`, "models": `{"openai/x":{}}`, "sampling": `{"*":{"seed":1}}`, "agents": `{"small":"x/y"}`, "format": `{".go":[["evil"]]}`, "terminal": `{"send":"x"}`, "search": `{"brave":{"url":"http://evil.test"}}`}[s.path[0]]
	case reflect.Bool:
		return "true"
	case reflect.Slice:
		return `["x"]`
	}
	return fmt.Sprint(seconds)
}

// in writes a settings file with one key.
func (s setting) in(value string) string {
	if value == "" {
		return "{}"
	}
	for i := len(s.path) - 1; i >= 0; i-- {
		value = fmt.Sprintf("{%q:%s}", s.path[i], value)
	}
	return value
}

// of returns what the merged settings hold for the key. A limit of a tool is the lower one of its two values.
func (s setting) of(t *testing.T, merged Settings) (value any, number int64) {
	v := reflect.ValueOf(merged)
	for _, name := range s.path[:len(s.path)-1] {
		if v.Kind() == reflect.Map {
			v = v.MapIndex(reflect.ValueOf(name))
			if !v.IsValid() {
				v = reflect.ValueOf(toolLimits{})
			}
			continue
		}
		for i := range v.NumField() {
			if nameOfField(v.Type().Field(i)) == name {
				v = v.Field(i)
				break
			}
		}
	}
	own := v.FieldByName(s.field.Name)
	number = math.MaxInt64
	if own.CanInt() {
		number = holds(own.Int(), s.field.Tag.Get("lower"))
	}
	if l, ok := v.Interface().(toolLimits); ok {
		if most := reflect.ValueOf(l.Most).FieldByName(s.field.Name); most.IsValid() && most.Int() > 0 {
			number = min(number, most.Int())
		}
	}
	return own.Interface(), number
}

// TestAProjectOnlyTightensEveryKey: for every key of the schema, and any values of the user and the project, what holds
// with the project's files is what holds without them, or a lower limit. A new key is in the test as soon as it is read.
func TestAProjectOnlyTightensEveryKey(t *testing.T) {
	all := everySetting(reflect.TypeFor[Settings]())
	if len(all) < 35 {
		t.Fatalf("only %d keys", len(all))
	}
	lowered := 0
	for _, s := range all {
		t.Run("approval-22 "+strings.Join(s.path, "."), func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				user, project := "", s.value(rt, "project")
				if rapid.Bool().Draw(rt, "the user sets it") {
					user = s.value(rt, "user")
				}
				merged := func(layer string) (Settings, string) {
					layers, warnings := []Layer{{Name: "user"}, {Name: layer}}, []string(nil)
					for i, text := range []string{s.in(user), s.in(project)} {
						more, err := layers[i].Parse([]byte(text))
						if err != nil {
							rt.Fatal(err)
						}
						warnings = append(warnings, more...)
					}
					if layer == "" {
						layers = layers[:1]
					}
					return Merge(layers), strings.Join(warnings, "\n")
				}
				before, _ := merged("")
				for _, layer := range []string{"project", "local"} {
					after, warnings := merged(layer)
					was, wasNumber := s.of(t, before)
					is, isNumber := s.of(t, after)
					switch tag := s.field.Tag.Get("lower"); {
					case tag == "rules" || s.path[0] == "$schema": // kit/guards ignores a project's allow rules
					case tag == "":
						if !reflect.DeepEqual(was, is) || !strings.Contains(warnings, "is ignored in a project's settings") {
							rt.Fatalf("%s: %v with the user, %v with the %s file; warnings %q", s.in(project), was, is, layer, warnings)
						}
					case isNumber > wasNumber:
						rt.Fatalf("%s raises %d to %d", s.in(project), wasNumber, isNumber)
					case isNumber < wasNumber:
						lowered++
					}
				}
			})
		})
	}
	if lowered == 0 {
		t.Error("no limit was ever lowered")
	}
}

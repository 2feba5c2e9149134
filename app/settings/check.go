package settings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// check finds values that no setting may have, while the file that holds them is known.
func (s *Settings) check() error {
	if err := s.Browser.check(); err != nil {
		return err
	}
	if s.Mode != "" {
		if _, err := Mode(s.Mode); err != nil {
			return err
		}
	}
	if s.Sessions.Days < 0 {
		return fmt.Errorf("sessions.days: %d is below 0", s.Sessions.Days)
	}
	if err := CheckEffort(s.Effort); err != nil {
		return err
	}
	if _, err := s.Review.Most(); err != nil {
		return err
	}
	if err := CheckSandbox(s.Sandbox); err != nil {
		return err
	}
	if err := s.Terminal.check(); err != nil {
		return err
	}
	for name, one := range s.Sampling {
		if err := one.Check(); err != nil {
			return fmt.Errorf("sampling.%s: %w", name, err)
		}
	}
	if err := s.Backend.check(); err != nil {
		return err
	}
	if err := s.Notify.Check(); err != nil {
		return err
	}
	if err := s.Server.Check(); err != nil {
		return err
	}
	if err := CheckOffer(s.Tools); err != nil {
		return err
	}
	for key, raw := range map[string]json.RawMessage{"mcpServers": s.MCPServers, "hooks": s.Hooks} {
		if raw = bytes.TrimSpace(raw); len(raw) > 0 && raw[0] != '{' && string(raw) != "null" {
			return fmt.Errorf("%s: expected an object", key)
		}
	}
	return belowZero("", reflect.ValueOf(*s))
}

// belowZero finds a number below zero and names its key. Amounts have their own sign for "off", and refuse others when
// they are read. In a field with the tag none, the number in it means that there is no limit.
func belowZero(path string, v reflect.Value) error {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if none := f.Tag.Get("none"); none != "" && none == strconv.FormatInt(v.Field(i).Int(), 10) {
				continue
			}
			if err := belowZero(path+"."+nameOfField(f), v.Field(i)); err != nil {
				return err
			}
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			if err := belowZero(path+"."+key.String(), v.MapIndex(key)); err != nil {
				return err
			}
		}
	case reflect.Int, reflect.Int64:
		if v.Type() == reflect.TypeFor[Duration]() && v.Int() == int64(off) {
			return fmt.Errorf("%s: it cannot be off", path[1:])
		}
		if v.Type() != reflect.TypeFor[amount]() && v.Int() < 0 {
			return fmt.Errorf("%s: a number below zero: %d", path[1:], v.Int())
		}
	}
	return nil
}

// inner are the settings that are read later, of which it is known what they may hold.
var inner = map[string]reflect.Type{
	"network": reflect.TypeFor[Network](), "files": reflect.TypeFor[Files](), "secrets": reflect.TypeFor[map[string]Secret](),
}

// unknownKeys returns a warning for each key inside a setting that nothing reads.
func unknownKeys(path string, raw json.RawMessage, t reflect.Type) (warnings []string) {
	var keys map[string]json.RawMessage
	if t.Kind() != reflect.Map && t.Kind() != reflect.Struct || json.Unmarshal(raw, &keys) != nil {
		return nil // a plain value, or one of the wrong kind, which its reader reports
	}
	var known []string
	fields := map[string]reflect.Type{}
	for i := 0; t.Kind() == reflect.Struct && i < t.NumField(); i++ {
		name := nameOfField(t.Field(i))
		known, fields[name] = append(known, name), t.Field(i).Type
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		of := fields[ReadAs(key, known)]
		if t.Kind() == reflect.Map {
			of = t.Elem()
		}
		if of == reflect.TypeFor[toolLimits]() && !strings.HasPrefix(key, "mcp__") && !slices.Contains(ToolNames(), key) {
			warnings = append(warnings, fmt.Sprintf("%s: there is no tool %q%s", path, key, DidYouMean(key, ToolNames())))
			continue
		}
		if of == nil {
			warnings = append(warnings, fmt.Sprintf("unknown setting %q is ignored%s", path+"."+key, DidYouMean(key, known)))
			continue
		}
		warnings = append(warnings, unknownKeys(path+"."+key, keys[key], of)...)
	}
	return warnings
}

// doubledKeys returns a warning for each key that an object in a JSON text has more than once.
func doubledKeys(path string, d *json.Decoder) (warnings []string) {
	t, err := d.Token()
	of, seen := t, map[string]bool{}
	for _, ok := of.(json.Delim); ok && err == nil && d.More(); {
		name := path
		if of == json.Delim('{') {
			t, err = d.Token()
			name = strings.TrimPrefix(fmt.Sprintf("%s.%v", path, t), ".")
			if seen[name] {
				warnings = append(warnings, fmt.Sprintf("%q is there more than once: the last one holds", name))
			}
			seen[name] = true
		}
		warnings = append(warnings, doubledKeys(name, d)...)
	}
	if _, ok := of.(json.Delim); ok {
		_, _ = d.Token() // its end: the text is valid
	}
	return warnings
}

// settingType is what a setting of this name is read into; nil when there is none.
func settingType(name string) reflect.Type {
	if t, ok := inner[name]; ok {
		return t
	}
	t := reflect.TypeFor[Settings]()
	for i := range t.NumField() {
		if nameOfField(t.Field(i)) == name {
			return t.Field(i).Type
		}
	}
	return nil
}

// nameOfField is the key that a field is read from.
func nameOfField(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// ReadAs returns the name as which package json reads a key: whatever its case.
func ReadAs(key string, known []string) string {
	for _, name := range known {
		if strings.EqualFold(key, name) {
			return name
		}
	}
	return key
}

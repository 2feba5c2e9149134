package server

import (
	"encoding/base64"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// check reports where a value that was read from JSON does not fit a schema.
func (s schemas) check(of *schema, at string, v any) (wrong []*errorDetail) {
	for of.Ref != "" {
		of = s[strings.TrimPrefix(of.Ref, schemaPath)]
	}
	bad := func(format string, args ...any) {
		wrong = append(wrong, &errorDetail{Message: fmt.Sprintf(format, args...), Location: at, Value: v})
	}
	if len(of.Type) == 0 || v == nil && slices.Contains(of.Type, "null") {
		return nil
	}
	switch v := v.(type) {
	case bool:
		if of.Type[0] == "boolean" {
			return nil
		}
	case float64:
		if of.Type[0] == "number" || of.Type[0] == "integer" && v == math.Trunc(v) {
			checkBound(bad, "number", v, of.Minimum, of.Maximum)
			return wrong
		}
	case string:
		if of.Type[0] == "string" {
			of.checkText(v, bad)
			return wrong
		}
	case []any:
		if of.Type[0] == "array" {
			checkBound(bad, "array length", len(v), of.MinItems, of.MaxItems)
			for i, item := range v {
				wrong = append(wrong, s.check(of.Items, fmt.Sprintf("%s[%d]", at, i), item)...)
			}
			return wrong
		}
	case map[string]any:
		if of.Type[0] == "object" {
			return s.checkObject(of, at, v)
		}
	}
	bad("expected %s", of.Type[0])
	return wrong
}

func (s *schema) checkText(text string, bad func(string, ...any)) {
	checkBound(bad, "length", utf8.RuneCountInString(text), s.MinLength, s.MaxLength)
	if s.pattern != nil && !s.pattern.MatchString(text) {
		bad("expected string to match pattern %s", s.Pattern)
	}
	if s.ContentEncoding == "base64" {
		if _, err := base64.StdEncoding.DecodeString(text); err != nil {
			bad("expected string to be base64 encoded")
		}
	}
	if s.Enum != nil && !slices.Contains(s.Enum, text) {
		bad("expected value to be one of %q", strings.Join(s.Enum, ", "))
	}
}

// checkObject takes null for a member that need not be there.
func (s schemas) checkObject(of *schema, at string, v map[string]any) (wrong []*errorDetail) {
	for _, name := range of.Required {
		if _, ok := v[name]; !ok {
			wrong = append(wrong, &errorDetail{Message: "expected required property " + name + " to be present", Location: at, Value: v})
		}
	}
	rest, _ := of.AdditionalProperties.(*schema)
	for _, name := range slices.Sorted(maps.Keys(v)) {
		member := of.Properties[name]
		if member == nil {
			member = rest
		}
		switch {
		case member == nil:
			wrong = append(wrong, &errorDetail{Message: "unexpected property", Location: at + "." + name, Value: v})
		case v[name] != nil || slices.Contains(of.Required, name) || member == rest:
			wrong = append(wrong, s.check(member, at+"."+name, v[name])...)
		}
	}
	return wrong
}

func checkBound[T int | float64](bad func(string, ...any), what string, n T, least, most *T) {
	if least != nil && n < *least {
		bad("expected %s >= %v", what, *least)
	}
	if most != nil && n > *most {
		bad("expected %s <= %v", what, *most)
	}
}

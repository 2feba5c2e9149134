package schema

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"
)

// TestSchemasKeepTheirBytes: a model reads these bytes, and caches of providers depend on them.
func TestSchemasKeepTheirBytes(t *testing.T) {
	type inner struct {
		Path string `json:"path" jsonschema:"a <path> & \"more\""`
	}
	type embedded struct {
		Deep bool `json:"deep,omitempty"`
	}
	type all struct {
		embedded
		Kind    string            `json:"kind" enum:"read,write" default:"read"`
		Count   int               `json:"count,omitempty" minimum:"1" maximum:"1000000"`
		Ratio   float64           `json:"ratio,omitempty" minimum:"0.25" jsonschema:"a ratio"`
		Level   *int              `json:"level,omitempty" enum:"1,2"`
		Small   uint8             `json:"small,omitempty"`
		Names   []string          `json:"names" minItems:"1" maxItems:"9" minLength:"2" maxLength:"80"`
		Inner   []inner           `json:"inner,omitempty" jsonschema:"a list"`
		One     *inner            `json:"one,omitempty"`
		Pair    [2]bool           `json:"pair,omitempty"`
		Headers map[string]string `json:"headers,omitempty"`
		Any     any               `json:"any,omitempty"`
		Told    any               `json:"told,omitempty" jsonschema:"anything"`
		When    time.Time         `json:"when,omitempty"`
		Raw     json.RawMessage   `json:"raw,omitempty"`
		Hidden  string            `json:"-"`
	}
	for of, want := range map[reflect.Type]string{
		reflect.TypeFor[struct{}](): `{"type":"object","additionalProperties":false}`,
		reflect.TypeFor[all]():      `{"type":"object","properties":{"deep":{"type":"boolean"},"kind":{"type":"string","default":"read","enum":["read","write"]},"count":{"type":"integer","minimum":1,"maximum":1000000},"ratio":{"type":"number","description":"a ratio","minimum":0.25},"level":{"type":"integer","enum":[1,2]},"small":{"type":"integer","minimum":0,"maximum":255},"names":{"type":"array","items":{"type":"string","minLength":2,"maxLength":80},"minItems":1,"maxItems":9},"inner":{"type":"array","items":{"type":"object","properties":{"path":{"type":"string","description":"a \u003cpath\u003e \u0026 \"more\""}},"required":["path"],"additionalProperties":false},"description":"a list"},"one":{"type":"object","properties":{"path":{"type":"string","description":"a \u003cpath\u003e \u0026 \"more\""}},"required":["path"],"additionalProperties":false},"pair":{"type":"array","items":{"type":"boolean"},"minItems":2,"maxItems":2},"headers":{"type":"object","additionalProperties":{"type":"string"}},"any":true,"told":{"description":"anything"},"when":{"type":"string"},"raw":true},"required":["kind","names"],"additionalProperties":false}`,
	} {
		s, err := Of(of)
		if err != nil {
			t.Fatal(err)
		}
		if have := string(s.Raw()); have != want {
			t.Errorf("have %s\nwant %s", have, want)
		}
	}
}

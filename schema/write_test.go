package schema

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// TestWriteIsTheLibrarysSpelling: a model reads these bytes, and caches of providers depend on them.
func TestWriteIsTheLibrarysSpelling(t *testing.T) {
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
	for _, of := range []reflect.Type{reflect.TypeFor[all](), reflect.TypeFor[struct{}](), reflect.TypeFor[inner]()} {
		s, err := jsonschema.ForType(of, nil)
		if err == nil {
			err = constrain(of, s)
		}
		if err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var have bytes.Buffer
		if err := write(&have, s); err != nil || have.String() != string(want) {
			t.Errorf("%v\nhave %s\nwant %s", err, have.String(), want)
		}
	}
}

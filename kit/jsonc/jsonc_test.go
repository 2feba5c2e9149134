package jsonc

import (
	"encoding/json"
	"testing"
)

func TestStandard(t *testing.T) {
	text := "{\n // a comment\n \"a\": [1, 2,],\n}"
	plain, err := Standard([]byte(text))
	if err != nil || !json.Valid(plain) || len(plain) != len(text) {
		t.Errorf("%q: %v", plain, err)
	}
	if _, err := Standard([]byte("{]}")); err == nil || err.Error() != "this is not JSON: line 1, column 2: invalid character ']' at start of value" {
		t.Error(err)
	}
}

func TestWrongKind(t *testing.T) {
	type file struct {
		Command string
		Args    []string
		On      bool
		Max     int
		Env     map[string]string
	}
	for text, want := range map[string]string{
		`7`:                 "expected an object, not number",
		`{"Command": 7}`:    "Command: expected a text, not number",
		`{"Args": "x"}`:     "Args: expected a list, not string",
		`{"On": "yes"}`:     "On: expected true or false, not string",
		`{"Max": 1.5}`:      "Max: expected a whole number, not number 1.5",
		`{"Env": ["A=1"]}`:  "Env: expected an object, not array",
		`{"Command": "ls"`:  "unexpected end of JSON input",
		`{"Command": "ls"}`: "",
	} {
		got := ""
		if err := WrongKind(json.Unmarshal([]byte(text), new(file))); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

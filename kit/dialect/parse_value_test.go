package dialect

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

func TestTyped(t *testing.T) {
	rows := []struct {
		rule, raw string
		types     []string
		want      string
	}{
		{"text stays as it is", " 5 ", []string{"string"}, `" 5 "`},
		{"a whole number", "42", []string{"integer"}, `42`},
		{"leading zeros", "007", []string{"integer"}, `7`},
		{"a number with an empty fraction is whole", "5.0", []string{"integer"}, `5.0`},
		{"half a number is not whole", "5.5", []string{"integer"}, `"5.5"`},
		{"a large number keeps its digits", "12345678901234567890", []string{"number"}, `12345678901234567890`},
		{"a version is not a number", "3.14.159", []string{"number"}, `"3.14.159"`},
		{"Python's words", "True", []string{"boolean"}, `true`},
		{"yes is not true, and not false", "yes", []string{"boolean"}, `"yes"`},
		{"null where it is allowed", "null", []string{"string", "null"}, `null`},
		{"null is text where only text is", "null", []string{"string"}, `"null"`},
		{"None where null is allowed", "None", []string{"integer", "null"}, `null`},
		{"a list", "[1, 'a', None]", []string{"array"}, `[1,"a",null]`},
		{"a list that was cut", "[1, 2", []string{"array"}, `"[1, 2"`},
		{"an object with its marks escaped", `{\"a\": 1}`, []string{"object"}, `{"a": 1}`},
		{"the narrow type first", "42.5", []string{"string", "number"}, `42.5`},
		{"text is what is left", "hello", []string{"number", "string"}, `"hello"`},
		{"JSON is text where text is asked for", `{"a":1}`, []string{"string"}, `"{\"a\":1}"`},
		{"an object is not a list", `{"a":1}`, []string{"array"}, `"{\"a\":1}"`},
		{"anything goes: JSON", "5", nil, `5`},
		{"anything goes: text", "five", nil, `"five"`},
	}
	for _, r := range rows {
		if got := Typed(r.raw, r.types, false); !sameJSON(got, []byte(r.want)) {
			t.Errorf("%s: %q as %v is %s, want %s", r.rule, r.raw, r.types, got, r.want)
		}
	}
}

// TestTypedOverACorpus counts over a file of {raw, type, value}, named by REIN_COERCE.
func TestTypedOverACorpus(t *testing.T) {
	path := os.Getenv("REIN_COERCE")
	if path == "" {
		return // the rows above are the test; this one measures
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	right, all := 0, 0
	for s := bufio.NewScanner(f); s.Scan(); all++ {
		var row struct {
			Raw   string
			Type  json.RawMessage
			Value json.RawMessage
		}
		if err := json.Unmarshal(s.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		var names []string
		if json.Unmarshal(row.Type, &names) != nil {
			names = []string{form(row.Type)}
		}
		var got json.RawMessage
		if raw := cutNewlines(row.Raw, false); len(names) == 0 {
			got = quoteJSON(raw) // nothing is known of the parameter
		} else {
			got = Typed(raw, names, true)
		}
		if sameJSON(got, row.Value) {
			right++
		} else {
			t.Logf("%q as %s is %s, there %s", row.Raw, row.Type, got, row.Value)
		}
	}
	t.Logf("%d of %d", right, all)
}

// What the validator of arguments takes, 500 levels, comes through.
func TestDeepArgumentsOfACall(t *testing.T) {
	d, err := Find("hermes")
	if err != nil {
		t.Fatal(err)
	}
	args := `{"command":` + strings.Repeat(`[`, 450) + strings.Repeat(`]`, 450) + `}`
	got := Parse(d, Options{Tools: offered}, `<tool_call>{"name":"run","arguments":`+args+`}</tool_call>`)
	if len(got.Calls) != 1 || string(got.Calls[0].Args) != args {
		t.Errorf("got %v", got)
	}
}

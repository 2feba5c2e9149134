package script

import "testing"

// What a user reads of a wrong script names its own words, not those of the YAML package.
func TestErrorsArePlain(t *testing.T) {
	rows := []struct{ name, text, want string }{
		{"an unknown field", "turns:\n  - txt: hi", `line 2: a turn has no field "txt"`},
		{"two of them", "turns:\n  - txt: hi\n    calls: [{nam: x}]", `line 2: a turn has no field "txt"; line 3: a call has no field "nam"`},
		{"an unknown field of the script", "turn: []", `line 1: a script has no field "turn"`},
		{"a text where a list belongs", "turns: hi", "line 1: `hi` is not a value for this field"},
		{"no YAML", "turns: [", "line 1: did not find expected node content"},
		{"no regular expression", "turns: [{text: x, expect: {matches: '('}}]", "line 1: \"(\" is not a regular expression: missing closing ): `(`"},
		{"nothing", "", "it has no turns"},
	}
	for _, row := range rows {
		if _, err := Parse([]byte(row.text)); err == nil || err.Error() != row.want {
			t.Errorf("%s: got %v, want %s", row.name, err, row.want)
		}
	}
}

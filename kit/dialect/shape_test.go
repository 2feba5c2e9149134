package dialect

import "testing"

func TestNew(t *testing.T) {
	s := newValueShape([]byte(`{"type":"object","required":["a"],"properties":{"a":{"type":["string","null"]},"b":{"$ref":"#/$defs/n"},"c":{"enum":[1,2.5]},
		"d":{"type":"array","items":{"type":"boolean"}},"e":{"$ref":"#"}},"$defs":{"n":{"type":"int","nullable":true}}}`))
	rows := []struct {
		name string
		got  valueTypes
		want valueTypes
	}{
		{"a list of types", s.Members["a"].Types, typeString | typeNull},
		{"a reference, another language's name, nullable", s.Members["b"].Types, typeInteger | typeNull},
		{"the values of an enum", s.Members["c"].Types, typeInteger | typeNumber},
		{"items", s.Members["d"].Child("item").Types, typeBoolean},
		{"a schema that refers to itself", s.Members["e"].Members["d"].Types, typeArray},
		{"an unknown member", s.Child("zzz").Types, 0},
		{"no schema", newValueShape([]byte("oops")).Types, 0},
	}
	for _, row := range rows {
		if row.got != row.want {
			t.Errorf("%s: got %b, want %b", row.name, row.got, row.want)
		}
	}
	if len(s.Required) != 1 || (*valueShape)(nil).Child("a") != nil {
		t.Errorf("got %+v", s)
	}
}

func TestParseNumber(t *testing.T) {
	rows := []struct {
		text  string
		whole bool
		want  string
	}{{"42", true, "42"}, {"+7", false, "7"}, {"4.5", true, ""}, {"4.0", true, "4.0"}, {"1e3", false, "1e3"}, {"0x10", false, ""}, {"1_000", false, ""}, {"", false, ""}, {"NaN", false, ""}}
	for _, row := range rows {
		if got, ok := parseJSONNumber(row.text, row.whole); string(got) != row.want || ok != (row.want != "") {
			t.Errorf("%q: got %q, %v, want %q", row.text, got, ok, row.want)
		}
	}
}

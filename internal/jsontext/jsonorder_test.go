package jsontext

import "testing"

func TestForms(t *testing.T) {
	const raw = `{"b":[1,{"d":"x, y: z","c":null}],"a":true}`
	rows := []struct{ name, got, want string }{
		{"spaced, as Python writes it", string(Spaced([]byte(raw))), `{"b": [1, {"d": "x, y: z", "c": null}], "a": true}`},
		{"sorted and compact", string(Sorted([]byte(raw))), `{"a":true,"b":[1,{"c":null,"d":"x, y: z"}]}`},
		{"what is no JSON stays as it is", string(Spaced([]byte("{a"))), "{a"},
		{"strings are not escaped for HTML", string(Quote("<a> & \xff")), `"<a> & ` + "\uFFFD" + `"`},
		{"line breaks inside strings are escaped", string(Clean([]byte("{\"a\":\"x\ny\"}"))), `{"a":"x\ny"}`},
		{"what cannot be cleaned is nothing", string(Clean([]byte(`{"a":}`))), ""},
	}
	for _, row := range rows {
		if row.got != row.want {
			t.Errorf("%s: got %s, want %s", row.name, row.got, row.want)
		}
	}
	members := Members([]byte(raw))
	if len(members) != 2 || members[0].Key != "b" || string(members[1].Value) != "true" {
		t.Errorf("members %v", members)
	}
	if text, ok := Plain([]byte(`"a\nb"`)); text != "a\nb" || !ok {
		t.Errorf("got %q, %v", text, ok)
	}
}

package dialect

import "testing"

func TestForms(t *testing.T) {
	const raw = `{"b":[1,{"d":"x, y: z","c":null}],"a":true}`
	rows := []struct{ name, got, want string }{
		{"spaced, as Python writes it", string(spacedJSON([]byte(raw))), `{"b": [1, {"d": "x, y: z", "c": null}], "a": true}`},
		{"sorted and compact", string(sortedJSON([]byte(raw))), `{"a":true,"b":[1,{"c":null,"d":"x, y: z"}]}`},
		{"what is no JSON stays as it is", string(spacedJSON([]byte("{a"))), "{a"},
		{"strings are not escaped for HTML", string(quoteJSON("<a> & \xff")), `"<a> & ` + "\uFFFD" + `"`},
		{"line breaks inside strings are escaped", string(cleanJSON([]byte("{\"a\":\"x\ny\"}"))), `{"a":"x\ny"}`},
		{"what cannot be cleaned is nothing", string(cleanJSON([]byte(`{"a":}`))), ""},
	}
	for _, row := range rows {
		if row.got != row.want {
			t.Errorf("%s: got %s, want %s", row.name, row.got, row.want)
		}
	}
	members := objectMembers([]byte(raw))
	if len(members) != 2 || members[0].Key != "b" || string(members[1].Value) != "true" {
		t.Errorf("members %v", members)
	}
	if text, ok := plainText([]byte(`"a\nb"`)); text != "a\nb" || !ok {
		t.Errorf("got %q, %v", text, ok)
	}
}

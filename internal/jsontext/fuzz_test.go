package jsontext

import (
	"encoding/json"
	"testing"
)

// FuzzObject checks what holds for every input: an answer is strict JSON, an object, reads the same for encoding/json,
// and is stable; a valid object is never touched; and nothing that was cut off is completed for a tool that writes.
func FuzzObject(f *testing.F) {
	for _, seed := range []string{`{"a":1}`, `{'a':'it's ok',}`, `{"a":"echo "hi" && ls"}`, "```json\n{a:b}\n```", `"{\"a\":1}"`,
		`{"p":"C:\Users\new"}`, `{"a":"""x"""}`, `{"a":[1,2}`, `{{"a":1}}`, `{"a":"x" + 'y'}`, `{“a”：“b”，}`, "{\"a\":1 // x\n}",
		`f({"a":1})`, `{"path:"a.go"}`, `{"a":.5,"b":True,"c":(1)}`, `"a":1}`, `{&quot;a&quot;:1}`, `{"a":"\ud800"}`} {
		f.Add([]byte(seed), true)
	}
	f.Fuzz(func(t *testing.T, input []byte, reads bool) {
		got, err := Object(input, RepairOptions{Reads: reads})
		if err != nil {
			if err.Error() == "" {
				t.Error("a refusal without words")
			}
			return
		}
		var object map[string]json.RawMessage
		if !Strict(got.JSON) || json.Unmarshal(got.JSON, &object) != nil || object == nil {
			t.Fatalf("%q became %q", input, got.JSON)
		}
		if again, err := Object(got.JSON, RepairOptions{}); err != nil || string(again.JSON) != string(got.JSON) || len(again.Notes) > 0 {
			t.Errorf("%q is not stable: %q %v", got.JSON, again.JSON, err)
		}
		if Strict(input) && len(input) > 0 && input[0] == '{' && (string(got.JSON) != string(input) || len(got.Notes) > 0) {
			t.Errorf("valid %q was changed", input)
		}
	})
}

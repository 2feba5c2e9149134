package jsontext

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
)

// refused stands for an answer that must not come.
const refused = "refused"

func TestObject(t *testing.T) {
	for _, row := range []struct{ rule, input, want string }{
		{"valid passes as it is", `{ "a" : "x\u00e9\/" }`, `{ "a" : "x\u00e9\/" }`},
		{"nothing is no arguments", " \n", `{}`},
		{"null is no arguments", `null`, `{}`},
		{"another value", `[1]`, refused},
		{"prose", `I cannot do that`, refused},
		{"a name twice", `{"a":1,"a":2}`, refused},
		{"a name twice in two spellings", `{"a":1,"\u0061":2}`, refused},
		{"half a surrogate pair", `{"a":"\ud83d"}`, refused},

		{"trailing commas", `{"l":[1,2,],}`, `{"l":[1,2]}`},
		{"leading comma", `{,"a":1}`, `{"a":1}`},
		{"doubled comma", `{"a":1,,"l":[1,,2]}`, `{"a":1,"l":[1,2]}`},
		{"missing comma in a list", `{"l":[1 2 "x" "y"]}`, `{"l":[1,2,"x","y"]}`},
		{"missing comma between members", `{"a":"x" "b":true "c":{}}`, `{"a":"x","b":true,"c":{}}`},
		{"missing comma, no space", `{"a":"x""b":"y"}`, `{"a":"x","b":"y"}`},
		{"missing comma at a line's end", "{\"a\": \"x\"\n \"b\": 2}", `{"a":"x","b":2}`},
		{"missing colon", `{"a" "x", "b":2, "c" 3}`, `{"a":"x","b":2,"c":3}`},
		{"semicolons", `{"a":1;"b":2}`, `{"a":1,"b":2}`},
		{"full-width signs", `{"a"："x"，"b"：1}`, `{"a":"x","b":1}`},
		{"arrows", `{"a" => 1, "b"= 2}`, `{"a":1,"b":2}`},

		{"single quotes", `{'a':'it\'s', 'b':['x']}`, `{"a":"it's","b":["x"]}`},
		{"single quotes and an apostrophe", `{'a':'it's ok','b':1}`, `{"a":"it's ok","b":1}`},
		{"double quotes inside single ones", `{'a':'say "hi"'}`, `{"a":"say \"hi\""}`},
		{"smart quotes", `{“a”:“x”, ‘b’:‘y’}`, `{"a":"x","b":"y"}`},
		{"plain quotes inside smart ones", `{“a”:“say "hi"”}`, `{"a":"say \"hi\""}`},
		{"smart quotes that are closed by plain ones", `{“a":“x"}`, `{"a":"x"}`},
		{"smart quotes inside plain ones stay", `{"a":"“x”",}`, `{"a":"“x”"}`},
		{"backticks", "{`a`:`x`}", `{"a":"x"}`},
		{"bare names", `{a:1, b_2:"x", $c:null}`, `{"a":1,"b_2":"x","$c":null}`},
		{"three quotes", `{"a":"""x "y" z"""}`, `{"a":"x \"y\" z"}`},
		{"three quotes that could end twice", `{"a":"""x""", "b":"""y"""}`, refused},
		{"joined strings", `{"a":"x" + "y"}`, `{"a":"xy"}`},
		{"a name that lost a quote", `{"path:"a.go","n":5}`, `{"path":"a.go","n":5}`},

		{"inner quotes", `{"a":"echo "hello" && ls"}`, `{"a":"echo \"hello\" && ls"}`},
		{"inner quotes before a comma", `{"a":"he said "no", then left","b":1}`, `{"a":"he said \"no\", then left","b":1}`},
		{"inner quotes at the end", `{"a":"say "hi""}`, `{"a":"say \"hi\""}`},
		{"inner quotes one after another", `{"a":"echo "x" "y", "z"","b":1}`, `{"a":"echo \"x\" \"y\", \"z\"","b":1}`},
		{"doubled quotes", `{"a":""x""}`, refused},
		{"JSON in a string", `{"a":"{"b":1,"c":"x"}"}`, `{"a":"{\"b\":1,\"c\":\"x\"}"}`},
		{"JSON in a string that could end early", `{"a":"{"b":"x","c":1}"}`, refused},
		{"a look-up inside a string", `{"a":"x = d["k"] + d["l"]"}`, `{"a":"x = d[\"k\"] + d[\"l\"]"}`},
		{"a look-up inside a string of a list", `{"a":["x = d["k"]"]}`, `{"a":["x = d[\"k\"]"]}`},
		{"a single inner quote", `{"a":"say "hi","b":1}`, refused},
		{"a length in inches", `{"a":"a 5" pipe","b":1}`, `{"a":"a 5\" pipe","b":1}`},
		{"two ways to split", `{"a":"echo "x","b":"c" done"}`, refused},
		{"a string without a member's name", `{"a":"x","b"}`, refused},
		{"two strings without a sign between", `{"a":"x" "y"}`, refused},
		{"a call inside a string", `{"a":"print("x")"}`, `{"a":"print(\"x\")"}`},
		{"a brace inside a string", `{"a":"print("}")"}`, refused},

		{"Python words", `{"a":True,"b":None,"c":(1,2)}`, `{"a":true,"b":null,"c":[1,2]}`},
		{"loud words", `{"a":TRUE,"b":NULL}`, `{"a":true,"b":null}`},
		{"undefined", `{"a":undefined}`, `{"a":null}`},
		{"not a number", `{"a":NaN}`, refused},
		{"signs and points of numbers", `{"a":+5,"b":.5,"c":5.,"d":-0.0,"e":-.5}`, `{"a":5,"b":0.5,"c":5,"d":-0.0,"e":-0.5}`},
		{"leading zeros", `{"a":007}`, refused},
		{"thousands", `{"a":1,000}`, refused},
		{"addresses and dates", `{"a":192.168.0.1,"b":2024-01-02,"c":12:30}`, `{"a":"192.168.0.1","b":"2024-01-02","c":"12:30"}`},
		{"bare texts", `{"a": src/a.go, "b": hello world, "c":http://x/y}`, `{"a":"src/a.go","b":"hello world","c":"http://x/y"}`},
		{"a bare text with a comma", `{"a": hello, world}`, refused},
		{"bare words in a list could be one or two", `{"a":[x y]}`, refused},
		{"a nested name without braces", `{"a": b: 1}`, refused},
		{"an ellipsis leaves something out", `{"a":[1,2,...]}`, refused},
		{"a constructor", `{"a":ObjectId("x")}`, refused},

		{"raw line breaks", "{\"a\":\"x\n\ty\r\n\"}", `{"a":"x\n\ty\r\n"}`},
		{"unknown escapes stay", `{"a":"\d+\s*\.go$"}`, `{"a":"\\d+\\s*\\.go$"}`},
		{"a word boundary beside unknown escapes", `{"a":"\bx(\d)"}`, `{"a":"\\bx(\\d)"}`},
		{"a word boundary or a path", `{"a":"\bin\data"}`, refused},
		{"a line break beside unknown escapes", `{"a":"x = 1\nre('\d')"}`, `{"a":"x = 1\nre('\\d')"}`},
		{"a path with a drive", `{"a":"C:\Users\new\bin"}`, `{"a":"C:\\Users\\new\\bin"}`},
		{"a path that may be text", `{"a":"src\utils\new.go"}`, refused},
		{"an escaped line end of a shell", "{\"a\":\"ls \\\n -l\"}", `{"a":"ls \\\n -l"}`},
		{"short codes", `{"a":"\u12 \x41"}`, `{"a":"\\u12 \\x41"}`},

		{"encoded twice", `"{\"a\":1}"`, `{"a":1}`},
		{"encoded twice and broken", `"{\"a\":1,}"`, `{"a":1}`},
		{"escaped without the string", `{\"a\":\"x\"}`, `{"a":"x"}`},
		{"HTML entities", `{&quot;a&quot;:&quot;x &amp; y&quot;}`, `{"a":"x & y"}`},
		{"HTML entities in a string stay", `{"a":"&quot;x",}`, `{"a":"&quot;x"}`},

		{"a mark in front", "\ufeff{\"a\":1}", `{"a":1}`},
		{"a fence", "Here:\n```json\n{\"a\":\"```\\n\"}\n```", `{"a":"` + "```" + `\n"}`},
		{"prose around", `I'll use {braces}: {"a":1} done {ok}`, `{"a":1}`},
		{"prose with quotes behind a valid object", `{"a":1} is the "call"`, `{"a":1}`},
		{"prose with quotes behind a broken object", `{"a":1,} is the "call"`, refused},
		{"a tag in a string that broke", `{"a":""</div>"}`, refused},
		{"a chat marker", `{"a":1}<|im_end|>`, `{"a":1}`},
		{"a tag where the brace is missing", `{"a":1</tool_call>`, `{"a":1}`},
		{"a call around", `read_file({"a":1});`, `{"a":1}`},
		{"a call with two arguments", `read_file({"a":1}, 5)`, refused},
		{"a call with an argument before", `read_file("x", {"a":1})`, refused},
		{"a list around", `[{"a":1}]`, refused},
		{"two objects", `{"a":1}{"b":2}`, refused},
		{"two objects with prose between", `{"a":1} or {"b":2}`, refused},
		{"a broken rest behind the object", `{"a":["x("}\")"],"b":"y"}`, refused},
		{"two values run together", `{"a":[nullnull,1]}`, refused},
		{"a missing bracket before a name", `{"a":["x","b":"y"}`, refused},
		{"members behind the object", `{"a":1},"b":2}`, refused},
		{"an object inside broken text is not the object", `"a": 1, x {"b":2}`, refused},
		{"an object inside a broken object is not the object", `{a b c: {"b":2}}`, refused},
		{"comments", "{\"a\":1, # one\n // two\n /* three */ \"b\":\"#//\"}", `{"a":1,"b":"#//"}`},

		{"a missing bracket inside", `{"a":[1,2}`, `{"a":[1,2]}`},
		{"a round bracket for a square one", `{"a":[1,2)}`, `{"a":[1,2]}`},
		{"a missing bracket that may be of either list", `{"a":[[1],[2,[3]]}`, refused},
		{"a missing brace that may be of either object", `{"a":{"b":1,"c":"x"}`, refused},
		{"a missing brace behind one member", `{"a":{"b":[1,2]}`, `{"a":{"b":[1,2]}}`},
		{"missing brackets at the end", `{"a":{"b":["x"]`, `{"a":{"b":["x"]}}`},
		{"a missing brace in front", `"a":"x","b":{"c":1}}`, `{"a":"x","b":{"c":1}}`},
		{"too many brackets", `{"a":1}}]`, `{"a":1}`},
		{"a comma behind the object", `{"a":1},`, `{"a":1}`},
		{"a comment behind the object", `{"a":1}// done`, `{"a":1}`},
		{"doubled braces", `{{"a":1}}`, `{"a":1}`},
		{"cut off in a string", `{"a":"x`, refused},
		{"cut off in a number", `{"a":1`, refused},
		{"cut off in a word", `{"a":tru`, refused},
		{"cut off after a comma", `{"a":"x",`, refused},
		{"cut off after a colon", `{"a":`, refused},
		{"cut off in a name", `{"a":1,"b`, refused},
	} {
		got, err := Object([]byte(row.input), RepairOptions{Reads: true})
		if row.want == refused {
			if err == nil {
				t.Errorf("%s: %s became %s, want a refusal", row.rule, row.input, got.JSON)
			}
			continue
		}
		if err != nil || !same(got.JSON, row.want) {
			t.Errorf("%s: %s became %s, %v, want %s", row.rule, row.input, got.JSON, err, row.want)
		}
		if valid := Strict([]byte(row.input)) && row.input[0] == '{'; valid != (len(got.Notes) == 0) {
			t.Errorf("%s: notes %q", row.rule, got.Notes)
		}
	}
}

// same compares two JSON texts by what they say.
func same(a []byte, b string) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal([]byte(b), &y) == nil && equalJSON(x, y)
}

func equalJSON(x, y any) bool {
	a, _ := json.Marshal(x)
	b, _ := json.Marshal(y)
	return bytes.Equal(a, b)
}

func TestWhatWasCutOffIsNotCompletedForAToolThatWrites(t *testing.T) {
	for _, input := range []string{`{"a":{"b":["x"]`, `{"a":"x"`, `{"a":1</tool_call>`} {
		_, err := Object([]byte(input), RepairOptions{})
		if e := (*repairError)(nil); !errors.As(err, &e) || e.Reason != truncated {
			t.Errorf("%s: %v", input, err)
		}
	}
	if _, err := Object([]byte(`{"a":[1,2}`), RepairOptions{}); err != nil {
		t.Errorf("a bracket missing inside is no cut: %v", err)
	}
}

func TestNothingIsRepairedAfterALengthStop(t *testing.T) {
	if _, err := Object([]byte(`{"a":1,}`), RepairOptions{Reads: true, Truncated: true}); err == nil {
		t.Error("repaired")
	}
	if got, err := Object([]byte(`{"a":1}`), RepairOptions{Truncated: true}); err != nil || string(got.JSON) != `{"a":1}` {
		t.Error("valid JSON is whole, whatever stopped the model")
	}
}

func TestTheSchemaDecides(t *testing.T) {
	schema := []byte(`{"properties":{"cmd":{"type":"string"},"n":{"type":"integer"},"any":{}}}`)
	for _, row := range []struct{ rule, input, want string }{
		{"leading zeros of a number", `{"n":007}`, `{"n":7}`},
		{"leading zeros of a text", `{"cmd":007}`, `{"cmd":"007"}`},
		{"underscores", `{"n":1_000}`, `{"n":1000}`},
		{"a literal is never a text", `{"cmd":null,"n":1,}`, `{"cmd":null,"n":1}`},
		{"a word for a text", `{"cmd":NaN}`, `{"cmd":"NaN"}`},
		{"a quoted word that is no argument may be a misspelt one", `{"cmd":"say "a", "b": c","n":1}`, refused},
		{"an unknown name still is a name where nothing is in doubt", `{'cmd':'x','comand':'y'}`, `{"cmd":"x","comand":"y"}`},
		{"an argument's name ends a string", `{"cmd":"a "b" c","n":1}`, `{"cmd":"a \"b\" c","n":1}`},
		{"unknown argument, unknown reading", `{"any":007}`, refused},
	} {
		got, err := Object([]byte(row.input), RepairOptions{Reads: true, Schema: schema})
		if row.want == refused {
			if err == nil {
				t.Errorf("%s: became %s", row.rule, got.JSON)
			}
		} else if err != nil || !same(got.JSON, row.want) {
			t.Errorf("%s: became %s, %v", row.rule, got.JSON, err)
		}
	}
}

func TestHostileInputTakesLinearTime(t *testing.T) {
	const n = 1 << 18
	for name, input := range map[string]string{
		"open braces":      strings.Repeat("{", n),
		"open lists":       `{"a":` + strings.Repeat("[", n),
		"quotes":           `{"a":"` + strings.Repeat(`"`, n),
		"quote, comma":     `{"a":"` + strings.Repeat(`x",`, n),
		"quote, closer":    `{"a":"` + strings.Repeat(`x"}`, n),
		"quote, spaces":    `{"a":"` + strings.Repeat(`x"`+strings.Repeat(" ", 50), n/50),
		"harmless":         strings.Repeat("{a}", n),
		"comments":         `{"a":` + strings.Repeat("/*", n),
		"hashes":           `{"a":1,` + strings.Repeat("#", n),
		"line comments":    `{"a":"` + strings.Repeat(`x" //`, n),
		"block comments":   `{"a":"` + strings.Repeat(`x" /*`, n),
		"triples":          `{"a":"""` + strings.Repeat(`""" `, n),
		"pluses":           `{"a":"x"` + strings.Repeat(`+"x"`, n),
		"names":            `{"a":"` + strings.Repeat(`x","y`, n),
		"bare words":       `{"a":` + strings.Repeat(`x `, n),
		"markers":          strings.Repeat("<|", n),
		"backslashes":      `{"a":"` + strings.Repeat(`\`, n) + `d"}`,
		"single quotes":    `{'a':'` + strings.Repeat(`'x`, n),
		"lists and quotes": `{"a":` + strings.Repeat(`["x" "y",`, n),
	} {
		start := time.Now()
		_, _ = Object([]byte(input), RepairOptions{Reads: true})
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%s: %d bytes took %v", name, len(input), took)
		}
	}
}

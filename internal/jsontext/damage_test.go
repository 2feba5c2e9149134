package jsontext

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
)

// Damage done to an object on purpose: what comes back must be that object, or nothing.

var nasties = []string{"a.go", "", "echo \"hi\" && ls", "it's", "x, y", "{\"a\":1}", "[1]", "a: b", "C:\\new\\bin", "\\d+\\s", "line1\nline2\t",
	"// note", "# head", "http://x/y?a=1&b=2", "if (x) { return \"y\"; }", "5\" pipe", "“smart”", "`tick`", "</div>", "null", "007",
	"say \"a\", \"b\"", "grüße 😀", "print(\"}\")", "x\",\"y\":\"z", "{\"a\":\"b\",\"c\":[\"d\"]}", "d[\"k\"]", "<a href=\"x\">", "\"whole\"", "a \"b\"", "\"a\", b", ": \"", "},{", "\", \"", "```\ncode\n```", "true", "1,000", "end\\"}

func randomValue(r *rand.Rand, depth int) any {
	switch n := r.IntN(10); {
	case n < 5:
		return nasties[r.IntN(len(nasties))]
	case n == 5:
		return r.IntN(2000) - 1000
	case n == 6:
		return r.IntN(2) == 0
	case n == 7 || depth == 0:
		return nil
	case n == 8:
		list := []any{}
		for range r.IntN(4) {
			list = append(list, randomValue(r, depth-1))
		}
		return list
	}
	return randomObject(r, depth-1)
}

func randomObject(r *rand.Rand, depth int) map[string]any {
	names := []string{"path", "content", "n", "old_string", "flags", "b"}
	object := map[string]any{}
	for range 1 + r.IntN(4) {
		object[names[r.IntN(len(names))]] = randomValue(r, depth)
	}
	return object
}

// damages each break a JSON text as models and transports do. Deleting a sign may leave valid JSON of another meaning;
// those are left out by the test.
var damages = map[string]func(*rand.Rand, string) string{
	"a quote less":     func(r *rand.Rand, s string) string { return without(r, s, `"`) },
	"a comma less":     func(r *rand.Rand, s string) string { return without(r, s, `,`) },
	"a colon less":     func(r *rand.Rand, s string) string { return without(r, s, `:`) },
	"a bracket less":   func(r *rand.Rand, s string) string { return without(r, s, `{}[]`) },
	"a backslash less": func(r *rand.Rand, s string) string { return without(r, s, `\`) },
	"no backslashes": func(r *rand.Rand, s string) string {
		return strings.NewReplacer(`\\`, `\\`, `\"`, `"`, `\n`, "\n", `\t`, "\t").Replace(s)
	},
	"inner quotes": func(_ *rand.Rand, s string) string { return strings.ReplaceAll(s, `\"`, `"`) },
	"single quotes": func(_ *rand.Rand, s string) string {
		return strings.NewReplacer(`\\`, `\\`, `\"`, `"`, `"`, `'`).Replace(s)
	},
	"Python words": func(_ *rand.Rand, s string) string {
		return strings.NewReplacer(":true", ": True", ":false", ": False", ":null", ": None", ",null", ", None").Replace(s)
	},
	"a comma more":  func(r *rand.Rand, s string) string { return strings.Replace(s, ",", ",,", 1) },
	"cut":           func(r *rand.Rand, s string) string { return s[:1+r.IntN(len(s)-1)] },
	"twice":         func(r *rand.Rand, s string) string { return s + s },
	"fenced":        func(r *rand.Rand, s string) string { return "```json\n" + s + "\n```" },
	"talked around": func(r *rand.Rand, s string) string { return "Sure, I will: " + s + "\nShall I go on?" },
	"a quote more":  func(r *rand.Rand, s string) string { i := r.IntN(len(s)); return s[:i] + `"` + s[i:] },
}

func without(r *rand.Rand, s, signs string) string {
	var places []int
	for i := range len(s) {
		if strings.IndexByte(signs, s[i]) >= 0 && (i == 0 || s[i-1] != '\\') {
			places = append(places, i)
		}
	}
	if len(places) == 0 {
		return s
	}
	i := places[r.IntN(len(places))]
	return s[:i] + s[i+1:]
}

// unknowable are the strings that a damage turns into another valid text, so that no reader can see the damage.
var unknowable = map[string][]string{
	"no backslashes": {`x","y":"z`, `", "`},
	"inner quotes":   {`x","y":"z`, `", "`},
	"a quote more":   {`\d+\s`, `C:\new\bin`, `end\`}, // the quote takes the place of the second backslash
}

func TestDamagedObjectsComeBackAsTheyWereOrNotAtAll(t *testing.T) {
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			right, refusals := 0, 0
			for range 2000 {
				text := plainJSON(t, randomObject(r, 2))
				broken := damage(r, text)
				if Strict([]byte(broken)) || holdsAny(text, unknowable[name]) {
					continue
				}
				got, err := Object([]byte(broken), RepairOptions{Reads: name != "cut"})
				switch {
				case err != nil:
					refusals++
				case same(got.JSON, text):
					right++
				default:
					t.Errorf("%s\n  from %s\n    to %s %q", text, broken, got.JSON, got.Notes)
				}
			}
			t.Logf("%d right, %d refused", right, refusals)
		})
	}
}

// plainJSON writes a value without the escapes that encoding/json adds for HTML.
func plainJSON(t *testing.T, v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}

func holdsAny(text string, values []string) bool {
	for _, v := range values {
		if quoted, _ := json.Marshal(v); strings.Contains(text, string(quoted)) {
			return true
		}
	}
	return false
}

package schema

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

type readArgs struct {
	Path   string   `json:"path" jsonschema:"text file, relative to the workspace"`
	Offset int      `json:"offset,omitempty" jsonschema:"first line" minimum:"1" default:"1"`
	Limit  *int     `json:"limit,omitempty" maximum:"5000"`
	Mode   string   `json:"mode,omitempty" enum:"text,hex"`
	Tags   []string `json:"tags,omitempty"`
	Deep   bool     `json:"deep,omitempty"`
	Scale  float64  `json:"scale,omitempty"`
	Sub    *struct {
		Name string `json:"name"`
		Size int    `json:"size,omitempty"`
	} `json:"sub,omitempty"`
}

func readSchema(t testing.TB) *Schema {
	t.Helper()
	s, err := For[readArgs]()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestForWritesPlainTypesAndTags(t *testing.T) {
	const want = `{"type":"object","properties":{"path":{"type":"string","description":"text file, relative to the workspace"},` +
		`"offset":{"type":"integer","description":"first line","default":1,"minimum":1},"limit":{"type":"integer","maximum":5000},` +
		`"mode":{"type":"string","enum":["text","hex"]},"tags":{"type":"array","items":{"type":"string"}},"deep":{"type":"boolean"},` +
		`"scale":{"type":"number"},"sub":{"type":"object","properties":{"name":{"type":"string"},"size":{"type":"integer"}},` +
		`"required":["name"],"additionalProperties":false}},"required":["path"],"additionalProperties":false}`
	if got := string(readSchema(t).Raw()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestForRefusesATagThatDoesNotFit(t *testing.T) {
	type wrong struct {
		N int `json:"n" default:"many"`
	}
	if _, err := For[wrong](); err == nil || !strings.Contains(err.Error(), "default") {
		t.Errorf("got %v", err)
	}
}

func TestCheck(t *testing.T) {
	s := readSchema(t).WithAliases(map[string]string{"file_path": "path", "deep": "path"})
	for _, row := range []struct {
		rule, args, want string
		notes            int
	}{
		{"a valid call keeps its bytes", `{ "path": "a.go", "offset": 3 }`, `{ "path": "a.go", "offset": 3 }`, 0},
		{"an alias becomes the argument, silently", `{"file_path":"a.go"}`, `{"path":"a.go"}`, 0},
		{"a digit string for an integer", `{"path":"a","offset":"5"}`, `{"path":"a","offset":5}`, 1},
		{"a whole fraction for an integer", `{"path":"a","offset":5.0}`, `{"path":"a","offset":5}`, 1},
		{"a whole power for an integer", `{"path":"a","offset":1e2}`, `{"path":"a","offset":100}`, 1},
		{"a number keeps its fraction", `{"path":"a","scale":5.0}`, `{"path":"a","scale":5.0}`, 0},
		{"a number string for a number", `{"path":"a","scale":"0.5"}`, `{"path":"a","scale":0.5}`, 1},
		{"a word for a boolean", `{"path":"a","deep":"True"}`, `{"path":"a","deep":true}`, 1},
		{"a JSON string for a list", `{"path":"a","tags":"[\"x\",\"y\"]"}`, `{"path":"a","tags":["x","y"]}`, 1},
		{"a JSON string for an object", `{"path":"a","sub":"{\"name\":\"x\",\"size\":\"2\"}"}`, `{"path":"a","sub":{"name":"x","size":2}}`, 2},
		{"one item for a list", `{"path":"a","tags":"x"}`, `{"path":"a","tags":["x"]}`, 1},
		{"null for an optional argument", `{"path":"a","limit":null}`, `{"path":"a"}`, 1},
		{"encoded twice", `"{\"path\":\"a\"}"`, `{"path":"a"}`, 1},
		{"encoded three times", `"\"{\\\"path\\\":\\\"a\\\"}\""`, ``, 0},
		{"a string stays a string", `{"path":"5"}`, `{"path":"5"}`, 0},
	} {
		got, err := s.Check(json.RawMessage(row.args))
		if row.want == "" {
			if err == nil {
				t.Errorf("%s: accepted as %s", row.rule, got.Args)
			}
			continue
		}
		if err != nil || string(got.Args) != row.want || len(got.Notes) != row.notes {
			t.Errorf("%s: got %s %q %v, want %s", row.rule, got.Args, got.Notes, err, row.want)
		}
	}
}

func TestCheckRefuses(t *testing.T) {
	s := readSchema(t).WithAliases(map[string]string{"file_path": "path"})
	for _, row := range []struct{ rule, args, want string }{
		{"missing", `{}`, `path: required argument is missing (a string)`},
		{"no arguments at all", ``, `path: required argument is missing (a string)`},
		{"missing, but sent under a near name", `{"pth":"a"}`, `path: required argument is missing (a string); you sent "pth", did you mean that?; pth: unknown argument; did you mean "path"?`},
		{"another case is another name", `{"path":"a","Path":"b"}`, `Path: unknown argument; did you mean "path"?`},
		{"duplicate name", `{"path":"a","path":"b"}`, `the arguments are not valid JSON: duplicate object member name "path"`},
		{"alias beside the argument", `{"path":"a","file_path":"b"}`, `file_path: is another name of path: send one of them`},
		{"enum", `{"path":"a","mode":"txt"}`, `mode: expected one of "text", "hex" (nearest: "text"), got "txt"`},
		{"too small", `{"path":"a","offset":0}`, `offset: must be at least 1, got 0`},
		{"a number for a string", `{"path":5}`, `path: expected a string, got 5`},
		{"null for a required argument", `{"path":null}`, `path: expected a string, got null`},
		{"a fraction for an integer", `{"path":"a","offset":1.5}`, `offset: expected an integer, got 1.5`},
		{"a word for an integer", `{"path":"a","offset":"five"}`, `offset: expected an integer, got "five"`},
		{"a comma number", `{"path":"a","offset":"1,000"}`, `offset: expected an integer, got "1,000"`},
		{"yes for a boolean", `{"path":"a","deep":"yes"}`, `deep: expected true or false, got "yes"`},
		{"a broken list in a string", `{"path":"a","tags":"[x, y]"}`, `tags: expected a list, got "[x, y]"`},
		{"an object for a list", `{"path":"a","tags":{"a":1}}`, `tags: expected a list, got an object`},
		{"a list for the arguments", `["a"]`, `the arguments must be a JSON object, not a list`},
		{"nested", `{"path":"a","sub":{"nam":"x"}}`, `sub.nam: unknown argument; did you mean "name"?; sub.name: required argument is missing (a string); you sent "nam", did you mean that?`},
		{"a monstrous number", `{"path":"a","scale":1e999999999}`, `the arguments are not valid JSON: number 1e999999999… is out of range`},
		{"half a surrogate pair", `{"path":"\ud800"}`, "the arguments are not valid JSON: invalid surrogate pair"},
	} {
		_, err := s.Check(json.RawMessage(row.args))
		if invalid := (*Invalid)(nil); !errors.As(err, &invalid) || !strings.HasPrefix(err.Error(), row.want) {
			t.Errorf("%s:\n got %v\nwant %s", row.rule, err, row.want)
		}
	}
}

func TestARefusalShowsTheArgumentsThatThereAre(t *testing.T) {
	_, err := readSchema(t).Check(json.RawMessage(`{}`))
	const want = `path: required argument is missing (a string) (arguments: {path: string, offset?: integer, limit?: integer, ` +
		`mode?: "text"|"hex", tags?: array, deep?: boolean, scale?: number, sub?: object})`
	if err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	if _, err := readSchema(t).Check(json.RawMessage(`{"path":5}`)); strings.Contains(err.Error(), "arguments:") {
		t.Errorf("not where only a value is wrong: %v", err)
	}
}

func TestUnknownNameNearAMissingOneIsRefusedThoughTheSchemaIsOpen(t *testing.T) {
	s, err := Parse(json.RawMessage(`{"type":"object","properties":{"genre":{"type":"string"},"year":{"type":"integer"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Check(json.RawMessage(`{"genre_":"x"}`)); err == nil || !strings.Contains(err.Error(), `"genre"`) {
		t.Errorf("got %v", err)
	}
	if _, err := s.Check(json.RawMessage(`{"colour":"x"}`)); err != nil {
		t.Errorf("a name that is near to nothing passes: %v", err)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, row := range []struct{ rule, raw string }{
		{"nothing", ` `},
		{"no JSON", `{`},
		{"duplicate keyword", `{"type":"object","type":"object"}`},
		{"unknown type", `{"type":"dict"}`},
		{"unknown type in a corner", `{"patternProperties":{"":{"type":""}}}`},
		{"unknown type in a definition", `{"$defs":{"a":{"not":{"type":"x"}}}}`},
		{"root is not an object", `{"type":"string"}`},
		{"a reference to a file", `{"type":"object","properties":{"a":{"$ref":"file:///etc/passwd"}}}`},
		{"a reference to nothing", `{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}}}`},
		{"nested beyond all reason", strings.Repeat(`{"properties":{"a":`, 60) + `{}` + strings.Repeat(`}}`, 60)},
		{"properties is not an object", `{"type":"object","properties":[]}`},
	} {
		if _, err := Parse(json.RawMessage(row.raw)); err == nil {
			t.Errorf("%s: accepted", row.rule)
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	s := readSchema(b)
	for _, row := range []struct{ name, args string }{
		{"typical", `{"path":"internal/server/handler.go","offset":120,"limit":80,"mode":"text","tags":["a","b"]}`},
		{"coerced", `{"path":"internal/server/handler.go","offset":"120"}`},
		{"refused", `{"path":"internal/server/handler.go","ofset":120}`},
	} {
		b.Run(row.name, func(b *testing.B) {
			args := json.RawMessage(row.args)
			b.ReportAllocs()
			for b.Loop() {
				_, _ = s.Check(args)
			}
		})
	}
	empty, _ := For[struct{}]()
	b.Run("empty", func(b *testing.B) {
		args := json.RawMessage(`{}`)
		b.ReportAllocs()
		for b.Loop() {
			_, _ = empty.Check(args)
		}
	})
}

func TestDecodeTellsANumberThatDoesNotFit(t *testing.T) {
	var in struct {
		Offset int `json:"offset"`
		Edits  []struct {
			Line int `json:"line"`
		} `json:"edits"`
	}
	for args, want := range map[string]string{
		`{"offset":1e300}`:                           "offset: is out of range, got 1e300",
		`{"edits":[{"line":-99999999999999999999}]}`: "edits.0.line: is out of range, got -99999999999999999999",
	} {
		if err := Decode(json.RawMessage(args), &in); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", args, err, want)
		}
	}
}

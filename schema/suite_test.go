package schema

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPublicSuite runs the public JSON-Schema-Test-Suite, a checkout of which REIN_SCHEMA_SUITE names: the required tests of
// draft 7 and 2020-12, each schema as the property of a tool. Left out are schemas with $id and references to other documents,
// which a tool cannot have. A valid instance has to be accepted, unchanged or with a note, and no invalid one without a note.
func TestPublicSuite(t *testing.T) {
	dir := os.Getenv("REIN_SCHEMA_SUITE")
	if dir == "" {
		t.Skip("REIN_SCHEMA_SUITE names no checkout of the suite")
	}
	for _, draft := range []string{"draft7", "draft2020-12"} {
		files, err := filepath.Glob(filepath.Join(dir, "tests", draft, "*.json"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no tests of %s: %v", draft, err)
		}
		ran, wrong := 0, 0
		for _, file := range files {
			var groups []struct {
				Description string
				Schema      json.RawMessage
				Tests       []struct {
					Description string
					Data        json.RawMessage
					Valid       bool
				}
			}
			text, err := os.ReadFile(file)
			if err == nil {
				err = json.Unmarshal(text, &groups)
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, g := range groups {
				property, alone := asProperty(t, g.Schema)
				if !alone {
					continue
				}
				s, err := Parse(json.RawMessage(`{"type":"object","properties":{"v":` + property + `},"required":["v"]}`))
				for _, test := range g.Tests {
					ran++
					args := `{"v":` + string(test.Data) + `}`
					c, refused := Checked{}, err
					if refused == nil {
						c, refused = s.Check(json.RawMessage(args))
					}
					if silent := len(c.Notes) == 0; test.Valid && (refused != nil || silent && string(c.Args) != args) || !test.Valid && refused == nil && silent {
						wrong++
						t.Logf("%s: %s: %s: %s: %v", filepath.Base(file), g.Description, test.Description, args, refused)
					}
				}
			}
		}
		t.Logf("%s: %d of %d wrong", draft, wrong, ran)
		if wrong > 1 { // a schema without $schema is read as 2020-12, where what stands beside a $ref counts
			t.Errorf("%s: %d wrong", draft, wrong)
		}
	}
}

// asProperty rewrites the references of a schema for its place in a tool's; alone reports whether it needs no other document.
func asProperty(t *testing.T, schema json.RawMessage) (property string, alone bool) {
	text := string(schema)
	for _, other := range []string{`"$id"`, `"http://`, `"urn:`, `"$ref": "http`} {
		if strings.Contains(strings.ReplaceAll(text, `"$schema": "http`, ""), other) {
			return "", false
		}
	}
	var v any
	if err := json.Unmarshal(schema, &v); err != nil {
		t.Fatal(err)
	}
	moved, err := json.Marshal(moveRefs(v))
	if err != nil {
		t.Fatal(err)
	}
	return string(moved), true
}

func moveRefs(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = moveRefs(v[i])
		}
	case map[string]any:
		for name, member := range v {
			ref, isText := member.(string)
			switch {
			case isText && (name == "$ref" || name == "$dynamicRef") && (ref == "#" || strings.HasPrefix(ref, "#/")):
				v[name] = "#/properties/v" + ref[1:]
			case name != "const" && name != "enum":
				v[name] = moveRefs(member)
			}
		}
	}
	return v
}

package schema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"pgregory.net/rapid"
)

type tree struct {
	Name  string          `json:"name"`
	Sub   []tree          `json:"sub,omitempty"`
	Next  *tree           `json:"next,omitempty"`
	Named map[string]tree `json:"named,omitempty"`
}

type list []list

type generic[T any] struct {
	Of   T           `json:"of"`
	More *generic[T] `json:"more,omitempty"`
}

type embedded struct {
	Deep bool   `json:"deep,omitempty"`
	Name string `json:"name"`
}

// fieldTypes are what the fields of arguments may be.
var fieldTypes = []reflect.Type{
	reflect.TypeFor[string](), reflect.TypeFor[bool](), reflect.TypeFor[int](), reflect.TypeFor[*int](), reflect.TypeFor[uint8](), reflect.TypeFor[int16](), reflect.TypeFor[uint](),
	reflect.TypeFor[float64](), reflect.TypeFor[[]byte](), reflect.TypeFor[[][]byte](), reflect.TypeFor[time.Duration](), reflect.TypeFor[*time.Duration](),
	reflect.TypeFor[[]time.Duration](), reflect.TypeFor[map[string]time.Duration](), reflect.TypeFor[json.RawMessage](), reflect.TypeFor[[]json.RawMessage](), reflect.TypeFor[any](),
	reflect.TypeFor[[]string](), reflect.TypeFor[[3]int](), reflect.TypeFor[map[string]string](), reflect.TypeFor[tree](), reflect.TypeFor[*tree](), reflect.TypeFor[[]tree](), reflect.TypeFor[list](),
	reflect.TypeFor[generic[string]](), reflect.TypeFor[generic[[]byte]](), reflect.TypeFor[embedded](), reflect.TypeFor[struct {
		embedded
		Name string `json:"name,omitempty"`
	}](),
}

// TestWhatASchemaAllowsCanBeRead draws structs of arguments, and arguments that their schemas allow: each is read, and is the same when
// it is written and read again.
func TestWhatASchemaAllowsCanBeRead(t *testing.T) {
	durations := jsonv2.WithMarshalers(jsonv2.MarshalFunc(func(d time.Duration) ([]byte, error) { return json.Marshal(d.String()) }))
	rapid.Check(t, func(t *rapid.T) {
		var fields []reflect.StructField
		for i, of := range rapid.SliceOfN(rapid.SampledFrom(fieldTypes), 0, 4).Draw(t, "fields") {
			tag := fmt.Sprintf(`json:"f%d%s" jsonschema:"a field"`, i, rapid.SampledFrom([]string{"", ",omitempty", ",omitzero"}).Draw(t, "option"))
			fields = append(fields, reflect.StructField{Name: fmt.Sprintf("F%d", i), Type: of, Tag: reflect.StructTag(tag)})
		}
		of := reflect.StructOf(fields)
		s, err := generate(of)
		if err != nil {
			t.Fatal(err)
		}
		document, err := parse(s.Raw())
		if err != nil {
			t.Fatal(err)
		}
		args, err := json.Marshal(allowed(t, document, document, 0))
		if err != nil {
			t.Fatal(err)
		}
		read := func(args []byte) (any, []byte) {
			checked, err := s.Check(args)
			if err != nil || len(checked.Notes) > 0 {
				t.Fatalf("%s refuses %s: %v %v", s.Raw(), args, err, checked.Notes)
			}
			into := reflect.New(of).Interface()
			if err := Decode(checked.Args, into); err != nil {
				t.Fatalf("%s allows %s, which cannot be read: %v", s.Raw(), args, err)
			}
			again, err := jsonv2.Marshal(into, durations, jsonv2.Deterministic(true))
			if err != nil {
				t.Fatal(err)
			}
			return into, again
		}
		first, again := read(args)
		if second, last := read(again); !reflect.DeepEqual(first, second) && string(again) != string(last) {
			t.Fatalf("%s is read as %+v, written as %s, and read as %+v", args, first, again, second)
		}
	})
}

// allowed draws a value that a schema of For allows.
func allowed(t *rapid.T, root, s *Value, depth int) any {
	if ref := s.Member("$ref"); ref != nil {
		to, err := resolve(root, ref.Text)
		if err != nil {
			t.Fatal(err)
		}
		s = to
	}
	most := max(0, 3-depth)
	switch kind := s.Member("type"); {
	case kind == nil:
		return rapid.SampledFrom([]any{true, 1.5, "text", []any{1, "a"}, map[string]any{"a": false}}).Draw(t, "any")
	case kind.Text == "boolean":
		return rapid.Bool().Draw(t, "boolean")
	case kind.Text == "integer":
		low, high := -1000, 1000
		if m := s.Member("minimum"); m != nil {
			fmt.Sscan(m.Text, &low)
		}
		if m := s.Member("maximum"); m != nil {
			fmt.Sscan(m.Text, &high)
		}
		return rapid.IntRange(low, high).Draw(t, "integer")
	case kind.Text == "number":
		return rapid.Float64Range(-1e9, 1e9).Draw(t, "number")
	case kind.Text == "string":
		switch pattern := s.Member("pattern"); {
		case pattern == nil:
			return rapid.String().Draw(t, "string")
		case pattern.Text == durationPattern:
			return time.Duration(rapid.Int64().Draw(t, "duration")).String()
		default:
			return rapid.StringMatching(pattern.Text).Draw(t, "string")
		}
	case kind.Text == "array":
		n := rapid.IntRange(0, most).Draw(t, "items")
		if m := s.Member("minItems"); m != nil {
			fmt.Sscan(m.Text, &n)
		}
		items := make([]any, n)
		for i := range items {
			items[i] = allowed(t, root, s.Member("items"), depth+1)
		}
		return items
	}
	object := map[string]any{}
	if properties := s.Member("properties"); properties != nil {
		for _, p := range properties.Members {
			required := false
			if r := s.Member("required"); r != nil {
				for _, name := range r.Items {
					required = required || name.Text == p.Name
				}
			}
			if required || depth < 3 && rapid.Bool().Draw(t, "given") {
				object[p.Name] = allowed(t, root, p.Value, depth+1)
			}
		}
	}
	if extra := s.Member("additionalProperties"); extra.Kind == '{' || extra.Kind == 't' {
		for range rapid.IntRange(0, most).Draw(t, "more") {
			object[rapid.StringMatching(`[a-z]{1,9}`).Draw(t, "key")] = allowed(t, root, extra, depth+1)
		}
	}
	return object
}

type Text string

type endless struct {
	Next *endless `json:"next"`
}

type mutual struct {
	Other struct {
		Back [1]*mutual `json:"back"`
	} `json:"other"`
}

// TestForRefusesWhatCannotBeSent has types of which no value could come as JSON, or not as their schema would say.
func TestForRefusesWhatCannotBeSent(t *testing.T) {
	for _, of := range []reflect.Type{
		reflect.TypeFor[struct{ F func() }](), reflect.TypeFor[struct{ F chan int }](), reflect.TypeFor[struct{ F complex128 }](), reflect.TypeFor[struct{ F fmt.Stringer }](),
		reflect.TypeFor[struct{ F map[int]string }](), reflect.TypeFor[struct{ F map[time.Duration]string }](), reflect.TypeFor[struct{ F [4]byte }](),
		reflect.TypeFor[endless](), reflect.TypeFor[mutual](),
		reflect.TypeFor[struct {
			F int `json:"f,string"`
		}](),
		reflect.TypeFor[struct {
			F []byte `json:"f,format:hex"`
		}](),
		reflect.StructOf([]reflect.StructField{{Name: "A", Type: reflect.TypeFor[int](), Tag: `json:"x"`}, {Name: "B", Type: reflect.TypeFor[int](), Tag: `json:"x"`}}),
		reflect.TypeFor[struct{ Text }](), reflect.TypeFor[struct{ time.Time }](),
		reflect.TypeFor[struct {
			F string `minLength:"-1"`
		}](),
		reflect.TypeFor[[]int](), reflect.TypeFor[string](), within(reflect.TypeFor[int](), maxSchemaDepth+1),
	} {
		if s, err := generate(of); err == nil {
			t.Errorf("%v is described by %s", of, s.Raw())
		}
	}
}

// within is a struct around a struct, and so on, around a type.
func within(t reflect.Type, times int) reflect.Type {
	for range times {
		t = reflect.StructOf([]reflect.StructField{{Name: "A", Type: t}})
	}
	return t
}

func TestChecksOfATypeAreThoseOfItsSchema(t *testing.T) {
	for _, of := range []reflect.Type{
		within(reflect.TypeFor[int](), 3), within(reflect.TypeFor[int](), maxSchemaDepth-10), reflect.TypeFor[map[string]int](), reflect.TypeFor[any](),
		reflect.TypeFor[struct {
			Path string   `json:"path" jsonschema:"a <b> & \"c\"" minLength:"1"`
			Mode []string `json:"mode,omitempty" enum:"read,write" maxItems:"3"`
			Wait time.Duration
			Data []byte
		}](),
	} {
		s, err := generate(of)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := Parse(s.Raw())
		if err != nil || string(parsed.Raw()) != string(s.Raw()) {
			t.Errorf("%v: %s, %s, %v", of, s.Raw(), parsed.Raw(), err)
		}
		for _, args := range []string{`{}`, `{"A":{"A":{"A":1}}}`, `{"path":"x","Wait":"1s","Data":"QUJD"}`, `{"path":"","Wait":"x"}`, `{"mode":["go"]}`, `{"a":1}`} {
			got, failed := s.Check([]byte(args))
			want, refused := parsed.Check([]byte(args))
			if string(got.Args) != string(want.Args) || fmt.Sprint(failed) != fmt.Sprint(refused) {
				t.Errorf("%s for %s: %s, %v, want %s, %v", args, s.Raw(), got.Args, failed, want.Args, refused)
			}
		}
	}
}

func TestSchemasOfTypesWithTheirOwnForms(t *testing.T) {
	type all struct {
		Data  []byte          `json:"data" jsonschema:"the picture"`
		Wait  time.Duration   `json:"wait,omitempty"`
		Extra json.RawMessage `json:"extra,omitempty"`
		Tree  tree            `json:"tree"`
	}
	s, err := For[all]()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"data":{"type":"string","description":"the picture (base64)"`, `"wait":{"type":"string","description":"a duration with units, such as 1m30s or 500ms"`, `"extra":true`,
		`"tree":{"$ref":"#/$defs/tree"}`, `"$defs":{"tree":{"type":"object"`, `"next":{"$ref":"#/$defs/tree"}`} {
		if !strings.Contains(string(s.Raw()), want) {
			t.Errorf("no %s in %s", want, s.Raw())
		}
	}
	var in all
	err = Decode([]byte(`{"data":"aGk=","wait":"1m30s","extra":{"a":[1]},"tree":{"name":"a","sub":[{"name":"b"}]}}`), &in)
	if err != nil || string(in.Data) != "hi" || in.Wait != 90*time.Second || string(in.Extra) != `{"a":[1]}` || in.Tree.Sub[0].Name != "b" {
		t.Errorf("%+v, %v", in, err)
	}
	for _, bad := range []string{`{"data":"x","tree":{"name":"a"}}`, `{"data":"","wait":"90","tree":{"name":"a"}}`, `{"data":"","wait":90,"tree":{"name":"a"}}`, `{"data":"","tree":{"name":"a","next":{}}}`} {
		if checked, err := s.Check([]byte(bad)); err == nil {
			t.Errorf("%s is taken as %s", bad, checked.Args)
		}
	}
	if s, err := For[tree](); err != nil || !strings.Contains(string(s.Raw()), `"next":{"$ref":"#"}`) || strings.Contains(string(s.Raw()), "$defs") {
		t.Errorf("%v, %v", s, err)
	}
}

// TestProvidersTakeTypesWithinThemselves: each provider's version of a recursive schema passes the provider's own rules.
func TestProvidersTakeTypesWithinThemselves(t *testing.T) {
	for _, of := range []reflect.Type{reflect.TypeFor[tree](), reflect.TypeFor[struct {
		Tree tree          `json:"tree"`
		Wait time.Duration `json:"wait"`
		Data []byte        `json:"data"`
	}]()} {
		s, err := generate(of)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range ProfileNames() {
			p, _ := ProfileOf(name)
			n := normalise(s, p)
			if problems := n.Profile.Problems(n.Schema); len(problems) > 0 {
				t.Errorf("%s refuses %v\n%s\n%s", name, problems, s.Raw(), n.Schema)
			}
			if _, err := Parse(n.Schema); err != nil {
				t.Errorf("%s: %v\n%s", name, err, n.Schema)
			}
		}
	}
}

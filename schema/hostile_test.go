package schema

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// chain writes definitions d0 … dn, each made of the next, and an object whose member a is d0.
func chain(n int, link func(next string) string, last string) string {
	var defs []string
	for i := range n {
		defs = append(defs, fmt.Sprintf(`"d%d":%s`, i, link(fmt.Sprintf(`{"$ref":"#/$defs/d%d"}`, i+1))))
	}
	defs = append(defs, fmt.Sprintf(`"d%d":%s`, n, last))
	return `{"type":"object","properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{` + strings.Join(defs, ",") + `}}`
}

// hostileSchemas are each about two kilobytes at most and describe trees without bounds.
var hostileSchemas = map[string]string{
	"a tree of itself":            `{"type":"object","properties":{"l":{"$ref":"#"},"r":{"$ref":"#"},"v":{"type":"integer"}}}`,
	"a list of itself":            `{"$ref":"#/$defs/n","$defs":{"n":{"type":"object","properties":{"next":{"$ref":"#/$defs/n"}}}}}`,
	"forty references to itself":  `{"type":"object","properties":{` + many(40, `"p%d":{"$ref":"#"}`) + `}}`,
	"properties fan out":          chain(16, func(next string) string { return `{"type":"object","properties":{"x":` + next + `,"y":` + next + `}}` }, `{"type":"string"}`),
	"anyOf fans out":              chain(20, func(next string) string { return `{"anyOf":[` + next + `,` + next + `]}` }, `{"type":"string"}`),
	"oneOf fans out":              chain(20, func(next string) string { return `{"oneOf":[` + next + `,` + next + `]}` }, `{"type":"string"}`),
	"allOf fans out":              chain(20, func(next string) string { return `{"allOf":[` + next + `,` + next + `]}` }, `{"type":"string"}`),
	"not fans out":                chain(20, func(next string) string { return `{"not":{"anyOf":[` + next + `,` + next + `]}}` }, `{"type":"string"}`),
	"anyOf in anyOf":              `{"type":"object","properties":{"a":` + strings.Repeat(`{"anyOf":[{"type":"string"},`, 35) + `{}` + strings.Repeat(`]}`, 35) + `}}`,
	"a long text, often":          chain(8, func(next string) string { return `{"type":"object","properties":{"x":` + next + `,"y":` + next + `}}` }, `{"description":"`+strings.Repeat("x", 900)+`"}`),
	"deep":                        strings.Repeat(`{"properties":{"a":`, 100) + `{}` + strings.Repeat(`}}`, 100),
	"a cycle of references":       `{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`,
	"allOf of itself":             `{"type":"object","allOf":[{"$ref":"#"}]}`,
	"anyOf of itself and members": `{"type":"object","properties":{"a":{"$ref":"#"}},"anyOf":[{"properties":{"a":{"$ref":"#"}}},{"properties":{"a":{"$ref":"#"}}}]}`,
	"many members in conflict":    `{"type":"object","allOf":[` + strings.TrimSuffix(strings.Repeat(`{"properties":{"a":{"minLength":1},"b":{"allOf":[{},{}]}}},`, 30), ",") + `,{"properties":{"a":{"minLength":2}}}]}`,
}

func many(n int, format string) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(format, i))
	}
	return strings.Join(all, ",")
}

// deepArgs nests objects so that a recursive schema applies at every level, and fails at the last.
func deepArgs(name string, depth int) json.RawMessage {
	return json.RawMessage(strings.Repeat(`{"`+name+`":`, depth) + `5` + strings.Repeat(`}`, depth))
}

func TestHostileSchemasStayCheap(t *testing.T) {
	for name, raw := range hostileSchemas {
		t.Run(name, func(t *testing.T) {
			s, err := Parse(json.RawMessage(raw))
			if err != nil {
				return // refused is cheap
			}
			for _, vendor := range ProfileNames() {
				p, _ := ProfileOf(vendor)
				took, used := normaliseCost(json.RawMessage(raw), p)
				n := normalise(s, p)
				if took > 50*time.Millisecond || used > 1<<20 || len(n.Schema) > 1<<20 {
					t.Errorf("%s: %v, %d bytes used, %d bytes long", vendor, took, used, len(n.Schema))
				}
				if problems := n.Profile.Problems(n.Schema); len(problems) > 0 {
					t.Errorf("%s refuses: %v\n%.2000s", vendor, problems, n.Schema)
				}
			}
			for _, args := range []json.RawMessage{json.RawMessage(`{"a":5}`), deepArgs("a", 40), deepArgs("l", 40), deepArgs("next", 400)} {
				took, used := cost(func() { _, _ = s.Check(args) })
				if took > 2*time.Second || used > 16<<20 {
					t.Errorf("check of %.30s: %v, %d bytes used", args, took, used)
				}
			}
		})
	}
}

// normaliseCost measures the first version of a schema for a vendor, the best of twenty: what is more was the machine.
func normaliseCost(raw json.RawMessage, p Profile) (took time.Duration, used uint64) {
	took, used = time.Hour, 1<<60
	for try := 0; try < 20 && (try < 3 || took > 50*time.Millisecond || used > 1<<20); try++ {
		s, _ := Parse(raw) // a version is kept, so each try needs a schema of its own
		t, u := cost(func() { normalise(s, p) })
		took, used = min(took, t), min(used, u)
	}
	return took, used
}

// cost measures the time and the memory that was asked for; the bounds of a check above are wide, because tests share machines.
func cost(f func()) (time.Duration, uint64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	f()
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	return took, after.TotalAlloc - before.TotalAlloc
}

func TestHostileArgumentsStayCheap(t *testing.T) {
	const n = 50_000
	keys := many(n, `"key%d":1`)
	for name, row := range map[string]struct{ schema, args string }{
		"unknown names of an open schema":   {`{"properties":{` + many(50, `"kez%d":{"type":"integer"}`) + `}}`, `{` + keys + `}`},
		"unknown names of a closed schema":  {`{"properties":{"key":{}},"required":["kez"],"additionalProperties":false}`, `{` + keys + `}`},
		"wrong items":                       {`{"properties":{"l":{"type":"array","items":{"type":"object","required":["a"]}}}}`, `{"l":[` + many(n, `{"b":%d}`) + `]}`},
		"texts for numbers":                 {`{"properties":{"l":{"type":"array","items":{"type":"integer"}}}}`, `{"l":[` + many(n, `"%d"`) + `]}`},
		"a deep list":                       {`{"properties":{"l":{"type":"array"}}}`, `{"l":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}`},
		"a long text with a name like none": {`{"properties":{"a":{"type":"string"}}}`, `{"` + strings.Repeat("a", n) + `":1}`},
	} {
		s, err := Parse(json.RawMessage(row.schema))
		if err != nil {
			t.Fatal(err)
		}
		if took, _ := cost(func() { _, err = s.Check(json.RawMessage(row.args)) }); took > 3*time.Second {
			t.Errorf("%s: %d bytes took %v", name, len(row.args), took)
		}
		if err != nil && len(err.Error()) > 2000 {
			t.Errorf("%s: a refusal of %d bytes", name, len(err.Error()))
		}
	}
}

func TestASchemaServesManyAtOnce(t *testing.T) {
	s, err := Parse(json.RawMessage(`{"properties":{"a":{"anyOf":[{"type":"integer"},{"type":"null"}]},"b":{"$ref":"#/properties/a"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for i := range 16 {
		group.Go(func() {
			p, _ := ProfileOf(ProfileNames()[i%len(ProfileNames())])
			if got, err := s.Check(json.RawMessage(`{"a":"5","b":null}`)); err != nil || string(got.Args) != `{"a":5,"b":null}` {
				t.Errorf("got %s, %v", got.Args, err)
			}
			if _, err := s.Check(json.RawMessage(`{"a":"x"}`)); err == nil {
				t.Error("accepted")
			}
			normalise(s, p)
		})
	}
	group.Wait()
}

func TestHostilePatternsStayCheap(t *testing.T) {
	const nested = `((((a?)*b?)c?)d?){999}`
	long := json.RawMessage(`{"x0":"` + strings.Repeat("a", 1<<20) + `"}`)
	for name, row := range map[string]struct {
		schema string
		args   json.RawMessage
		want   string // part of the error; empty: it fits
	}{
		"the same one, often":           {`{"properties":{` + many(60, `"x%d":{"pattern":"`+nested+`"}`) + `}}`, json.RawMessage(`{"x0":"a"}`), ""},
		"many that repeat":              {`{"properties":{` + many(60, `"x%d":{"pattern":"`+nested+`%[1]d"}`) + `}}`, json.RawMessage(`{"x0":"a"}`), "too large"},
		"one that repeats, a long text": {`{"properties":{"x0":{"pattern":"` + nested + `z"}}}`, long, "too long"},
		"one that repeats, many texts":  {`{"properties":{"x0":{"items":{"pattern":"` + nested + `|z"}}}}`, json.RawMessage(`{"x0":[` + strings.Repeat(`"aaaaaaaaa",`, 9999) + `""]}`), "too long"},
		"a very long one":               {`{"properties":{"x0":{"pattern":"` + strings.Repeat(`\\pL`, 8000) + `"}}}`, json.RawMessage(`{"x0":"a"}`), "too large"},
		"names of members":              {`{"patternProperties":{` + many(60, `"x%d`+nested+`":{"type":"string"}`) + `}}`, json.RawMessage(`{"x0":"a"}`), "too large"},
		"a plain one, a long text":      {`{"properties":{"x0":{"pattern":"^[a-z]+$"}}}`, long, ""},
		"thirty names of 512 letters":   {`{"properties":{` + many(30, `"x%d":{"pattern":"^[a-zA-Z0-9_.-]{1,512}$"}`) + `}}`, json.RawMessage(`{"x0":"a"}`), ""},
		"one that cannot be expressed":  {`{"properties":{"x0":{"pattern":"^(?!b)"}}}`, json.RawMessage(`{"x0":"a"}`), ""},
		"a long text that does not fit": {`{"properties":{"x0":{"pattern":"^[b-z]+$"}}}`, long, "must match"},
		"as many letters as a line has": {`{"properties":{"x0":{"pattern":"^.{1,1000}$"}}}`, json.RawMessage(`{"x0":"` + strings.Repeat("a", 1000) + `"}`), ""},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Parse(json.RawMessage(row.schema))
			if err != nil {
				t.Fatal(err)
			}
			took, used := cost(func() { _, err = s.Check(row.args) })
			if took > 10*time.Second || used > 256<<20 {
				t.Errorf("%v, %d bytes used", took, used)
			}
			if row.want == "" && err != nil || row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)) {
				t.Errorf("error is %.300v, want %q", err, row.want)
			}
		})
	}
}

package event

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rein/tool"
)

// full is an event in which nothing is zero that a journal keeps.
func full() Event {
	return Event{
		Kind: Called, Time: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC), Session: "s", Turn: 3, Parent: "p",
		Text:    `it says "args":null and <b> "message":1` + "\n",
		Call:    &tool.Call{ID: `a"args":null`, Name: "write_file", Args: json.RawMessage(`{"args":null,"n":12345678901234567890,"t":"<a>\u00e9"}`), Truncated: true},
		Intent:  &tool.Intent{},
		Verdict: &Verdict{Decision: "ask", Rules: []string{"a"}},
		Grant:   &Grant{By: "guard", Hash: "h"},
		Result:  &tool.Result{ID: "a", Name: "n", Text: "\x00\u2028text", Detail: json.RawMessage(`{"args":null}`)},
		Message: json.RawMessage(`{"role":"assistant","args":null}`),
		Usage:   &Usage{Input: 1}, Start: &Start{Terms: Terms{Model: "m", Allow: []string{"bash(a && <b>)"}}, Tools: []string{"bash"}}, Stop: Done,
	}
}

func TestLineIsTheEvent(t *testing.T) {
	for name, change := range map[string]func(*Event){
		"all of it":          func(*Event) {},
		"no call":            func(e *Event) { e.Call = nil },
		"a call without":     func(e *Event) { e.Call = &tool.Call{ID: "a", Name: "b"} },
		"no message":         func(e *Event) { e.Message = nil },
		"nothing":            func(e *Event) { *e = Event{} },
		"only a message":     func(e *Event) { *e = Event{Kind: Responded, Message: e.Message} },
		"spread over lines":  func(e *Event) { e.Message, e.Call.Args = json.RawMessage("{\n \"a\":\r\n1}"), json.RawMessage("{\n}") },
		"arguments are null": func(e *Event) { e.Call.Args = json.RawMessage("null") },
	} {
		t.Run(name, func(t *testing.T) {
			e := full()
			change(&e)
			line, err := e.Line([]byte("before\n"))
			if err != nil {
				t.Fatal(err)
			}
			line, ok := bytes.CutPrefix(line, []byte("before\n"))
			if !ok || bytes.Count(line, []byte("\n")) != 1 || !bytes.HasSuffix(line, []byte("\n")) {
				t.Fatalf("not one line: %q", line)
			}
			sameMembers(t, &e, line)
		})
	}
}

// TestLineHasEachField: a field that somebody adds to an event, a call or a result must not be forgotten in Line.
func TestLineHasEachField(t *testing.T) {
	var e Event
	fill(reflect.ValueOf(&e).Elem())
	line, err := e.Line(nil)
	if err != nil {
		t.Fatal(err)
	}
	sameMembers(t, &e, line)
}

// fill sets what v has to something that is not empty.
func fill(v reflect.Value) {
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)))
		return
	case json.RawMessage:
		v.SetBytes([]byte(`{"a":1}`))
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
	case reflect.String:
		v.SetString("text")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(1.5)
	case reflect.Uint8:
		v.SetUint(7)
	default:
		v.SetInt(7)
	}
}

func sameMembers(t *testing.T, e *Event, line []byte) {
	t.Helper()
	plain, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(members(t, plain), members(t, line)); diff != "" {
		t.Error(diff)
	}
}

func members(t *testing.T, text []byte) map[string]any {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var m map[string]any
	if err := dec.Decode(&m); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return m
}

func TestLineRefusesWhatIsNoJSON(t *testing.T) {
	for _, bad := range []string{`{`, `{} {}`, " ", "{\"a\":\"\n\"}", `{"a":1}}` + "\n" + `{"kind":"granted"`} {
		for name, set := range map[string]func(*Event){
			"message":   func(e *Event) { e.Message = json.RawMessage(bad) },
			"arguments": func(e *Event) { e.Call.Args = json.RawMessage(bad) },
			"detail":    func(e *Event) { e.Result.Detail = json.RawMessage(bad) },
		} {
			e := full()
			set(&e)
			if line, err := e.Line([]byte("before")); err == nil || string(line) != "before" {
				t.Errorf("%s %q: %v %q", name, bad, err, line)
			}
		}
	}
}

func BenchmarkLineWithLongArguments(b *testing.B) {
	e := full()
	e.Call.Args = json.RawMessage(`{"content":"` + strings.Repeat(`a line of source text, as long as lines are\n`, 9000) + `"}`)
	b.SetBytes(int64(len(e.Call.Args)))
	var line []byte
	for b.Loop() {
		var err error
		if line, err = e.Line(line[:0]); err != nil {
			b.Fatal(err)
		}
	}
}

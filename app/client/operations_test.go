package client

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// forBrowsers are the operations without a method: they sign a browser in and out with a cookie. A program has a key.
var forBrowsers = []string{"sign-in", "sign-in-ways", "sign-in-provider", "sign-in-return", "sign-out"}

// described is an operation of the description.
type described struct {
	id, method   string
	path         []string // its parts; {name} fits any
	query, sent  []string // names of its parameters, and those that some method sends
	takes, gives string   // names of the types of its body and of its answer, with [] before a list; binary for one without a type
	uses         []string // methods that send it
}

// shape is the part of a schema that names a type.
type shape struct {
	Ref   string `json:"$ref"`
	Items *shape
}

func (s shape) name() string {
	if s.Items != nil {
		return "[]" + s.Items.name()
	}
	return s.Ref[strings.LastIndex(s.Ref, "/")+1:]
}

type content map[string]struct{ Schema shape }

func describedOperations(t *testing.T) (all []*described) {
	t.Helper()
	var spec struct {
		Paths map[string]map[string]struct {
			OperationID string
			Parameters  []struct{ Name, In string }
			RequestBody struct{ Content content }
			Responses   map[string]struct{ Content content }
		}
	}
	text, err := os.ReadFile("../server/api/openapi.json")
	if err == nil {
		err = json.Unmarshal(text, &spec)
	}
	if err != nil || len(spec.Paths) < 30 {
		t.Fatal(err, len(spec.Paths))
	}
	for path, methods := range spec.Paths {
		for method, o := range methods {
			d := &described{id: o.OperationID, method: strings.ToUpper(method), path: strings.Split(path, "/"), takes: o.RequestBody.Content["application/json"].Schema.name()}
			for _, p := range o.Parameters {
				if p.In == "query" {
					d.query = append(d.query, p.Name)
				}
			}
			for code, r := range o.Responses {
				for kind, c := range r.Content {
					if code[0] == '2' && kind == "application/json" {
						d.gives = c.Schema.name()
					} else if code[0] == '2' {
						d.gives = "binary"
					}
				}
			}
			all = append(all, d)
		}
	}
	return all
}

// Each operation of the description has a method of Client, which sends all of its parameters, escaped, and takes and returns the
// described types. The test calls each method with reflection, so that it knows a new method and a new operation by itself.
func TestEachOperationHasAMethod(t *testing.T) {
	all, record := describedOperations(t), &recorder{}
	c := reflect.ValueOf(&Client{URL: "http://127.0.0.1:1", Key: "key", HTTP: &http.Client{Transport: record}})
	for i := range c.NumMethod() {
		record.sent = nil
		values, body := call(t, c.Method(i))
		check(t, c.Type().Method(i), record.sent, all, values, body)
	}
	for _, d := range all {
		if browser := slices.Contains(forBrowsers, d.id); browser != (len(d.uses) == 0) {
			t.Errorf("operation %s: methods %v; it is for browsers only: %v", d.id, d.uses, browser)
		}
		for _, name := range d.query {
			if len(d.uses) > 0 && !slices.Contains(d.sent, name) && d.id+" "+name != "events after" { // the header Last-Event-ID does the same
				t.Errorf("operation %s: no method sends the parameter %s", d.id, name)
			}
		}
	}
	for _, id := range forBrowsers {
		if !slices.ContainsFunc(all, func(d *described) bool { return d.id == id }) {
			t.Errorf("there is no operation %s", id)
		}
	}
}

// check compares what a method sent with the operation that it must be, and notes the parameters that it sent.
func check(t *testing.T, m reflect.Method, sent *http.Request, all []*described, values []string, body string) {
	t.Helper()
	if sent == nil {
		t.Errorf("%s sends nothing", m.Name)
		return
	}
	parts := strings.Split(sent.URL.EscapedPath(), "/")
	var d *described
	for _, o := range all {
		fits := slices.EqualFunc(o.path, parts, func(want, got string) bool { return want == got || want[:min(1, len(want))] == "{" })
		if fits && o.method == sent.Method && (d == nil || slices.Equal(o.path, parts)) {
			d = o
		}
	}
	if d == nil {
		t.Errorf("%s: no operation is %s %s", m.Name, sent.Method, sent.URL)
		return
	}
	d.uses = append(d.uses, m.Name)
	var got []string
	for _, part := range parts {
		text, err := url.PathUnescape(part)
		if err != nil {
			t.Errorf("%s: %v", m.Name, err)
		}
		got = append(got, text)
	}
	for name, v := range sent.URL.Query() {
		got, d.sent = append(got, v...), append(d.sent, name)
		if !slices.Contains(d.query, name) {
			t.Errorf("%s sends %s, which the operation %s does not have", m.Name, name, d.id)
		}
	}
	for _, v := range values {
		if !slices.ContainsFunc(got, func(g string) bool { return strings.TrimPrefix(strings.TrimPrefix(g, "inbox,sessions,"), "s:") == v }) {
			t.Errorf("%s: the argument %q is not in %s", m.Name, v, sent.URL)
		}
	}
	if body != d.takes && d.id != "reload-settings" { // which takes an empty object
		t.Errorf("%s takes %q, the operation %s %q", m.Name, body, d.id, d.takes)
	}
	if gives := typeName(m.Type.Out(0)); gives != d.gives && gives != "error" && d.id != "events" {
		t.Errorf("%s gives %q, the operation %s %q", m.Name, gives, d.id, d.gives)
	}
}

// call calls a method with arguments that a path or a query must escape. values are those that must be in the address; body names
// the type of the body.
func call(t *testing.T, m reflect.Value) (values []string, body string) {
	t.Helper()
	args := []reflect.Value{reflect.ValueOf(t.Context())}
	for i := 1; i < m.Type().NumIn(); i++ {
		arg := reflect.New(m.Type().In(i)).Elem()
		switch {
		case arg.Kind() != reflect.Struct:
			values = append(values, fill(arg, i))
		case arg.Type().PkgPath() == reflect.TypeFor[Client]().PkgPath(): // a query
			for f := range arg.NumField() {
				values = append(values, fill(arg.Field(f), 10*i+f))
			}
		default:
			body = typeName(arg.Type())
		}
		args = append(args, arg)
	}
	out := m.Call(args)
	if each := out[0]; each.Kind() == reflect.Func { // events: the first error ends them
		each.Call([]reflect.Value{reflect.MakeFunc(each.Type().In(0), func([]reflect.Value) []reflect.Value {
			return []reflect.Value{reflect.ValueOf(false)}
		})})
	}
	return values, body
}

// fill gives an argument a value of its own, and returns its text.
func fill(v reflect.Value, n int) string {
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("%d/a b?c=é&d#%%2e", n))
	case reflect.Bool:
		v.SetBool(true)
	default:
		v.SetInt(int64(n))
	}
	return fmt.Sprint(v)
}

func typeName(t reflect.Type) string {
	switch {
	case t.Kind() == reflect.Slice:
		return "[]" + typeName(t.Elem())
	case t == reflect.TypeFor[io.ReadCloser]():
		return "binary"
	}
	return t.Name()
}

// recorder keeps the last request and refuses it.
type recorder struct{ sent *http.Request }

// RoundTrip answers with a problem, which ends the events too.
func (r *recorder) RoundTrip(sent *http.Request) (*http.Response, error) {
	r.sent = sent
	return &http.Response{StatusCode: http.StatusForbidden, Request: sent, Body: io.NopCloser(bytes.NewReader(nil))}, nil
}

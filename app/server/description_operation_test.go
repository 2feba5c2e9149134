package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"
)

type place struct {
	ID string `path:"id" pattern:"^[a-z]+$" maxLength:"4"`
}

type order struct {
	place
	Most int  `query:"most" minimum:"1" maximum:"9" default:"3"`
	All  bool `query:"all"`
	Body drinks
}

type drinks struct {
	What  []string `json:"what" enum:"tea,milk" minItems:"1"`
	Cups  *int     `json:"cups,omitempty" minimum:"1"`
	Photo []byte   `json:"photo,omitempty"`
	Note  string   `json:"note,omitempty" minLength:"2"`
}

// What fits reaches the operation, and everything else is named with its place.
func TestAnInputIsCheckedByTheTagsOfItsFields(t *testing.T) {
	mux := http.NewServeMux()
	serveOperations(mux, []apiOperation{
		operationAt(roleOperator, "POST /orders/{id}", "order", "orders", "Order", func(_ context.Context, in order) (order, error) { return in, nil }, http.StatusCreated),
		operationAt(RoleViewer, "DELETE /orders", "clear", "orders", "Clear", func(context.Context, noContent) (done noContent, err error) { return done, nil }),
		operationAt(RoleViewer, "GET /broken", "broken", "orders", "Fail", func(context.Context, noContent) (done noContent, err error) {
			return done, errors.New("broken")
		}),
		operationAt(RoleViewer, "GET /endless", "endless", "orders", "No JSON", func(context.Context, noContent) (any, error) { return func() {}, nil }),
		operationAt(RoleViewer, "GET /file", "file", "orders", "A file", func(context.Context, noContent) (fileAnswer, error) {
			return fileAnswer{Name: "a b.txt", Changed: time.Unix(1, 0), Content: strings.NewReader("text")}, nil
		}),
	}, func(_ context.Context, need Role) error {
		if need == roleOperator && os.Getenv("TEST_ROLE") != "" {
			return problem(http.StatusForbidden, "role", "no")
		}
		return nil
	}, func(err error) *errorModel {
		if p, ok := errors.AsType[*errorModel](err); ok {
			return p
		}
		return problem(http.StatusInternalServerError, "internal", err.Error())
	})
	tea := `{"what":["tea"]}`
	for _, row := range []struct {
		name, method, path, body string
		status                   int
		has                      string
	}{
		{"defaults are set", "POST", "/orders/abc", tea, 201, `"Most":3`},
		{"a part of the address counts", "POST", "/orders/abc?most=9&all=true", tea, 201, `"Most":9,"All":true`},
		{"null for what may be left out", "POST", "/orders/abc", `{"what":["tea"],"cups":null}`, 201, `"what":["tea"]`},
		{"a pattern", "POST", "/orders/ABC", tea, 422, "path.id"},
		{"a length in characters", "POST", "/orders/abcde", tea, 422, "expected length \\u003c= 4"},
		{"no number", "POST", "/orders/abc?most=x", tea, 422, "invalid integer"},
		{"too large", "POST", "/orders/abc?most=10", tea, 422, "expected number \\u003c= 9"},
		{"no boolean", "POST", "/orders/abc?all=maybe", tea, 422, "invalid boolean"},
		{"an unknown parameter", "POST", "/orders/abc?more=1", tea, 422, "query.more"},
		{"no body", "POST", "/orders/abc", "", 400, "request body is required"},
		{"no JSON", "POST", "/orders/abc", "{", 400, "body"},
		{"a name twice", "POST", "/orders/abc", `{"what":["tea"],"what":["milk"]}`, 400, "duplicate"},
		{"a member is missing", "POST", "/orders/abc", `{}`, 422, "required property what"},
		{"a member too many", "POST", "/orders/abc", `{"what":["tea"],"x":1}`, 422, "body.x"},
		{"another case", "POST", "/orders/abc", `{"What":["tea"]}`, 422, "body.What"},
		{"null for what must be there is the empty list", "POST", "/orders/abc", `{"what":null}`, 201, `"what":null`},
		{"none of a choice", "POST", "/orders/abc", `{"what":["tea","gin"]}`, 422, "body.what[1]"},
		{"too few", "POST", "/orders/abc", `{"what":[]}`, 422, "expected array length \\u003e= 1"},
		{"another type", "POST", "/orders/abc", `{"what":"tea"}`, 422, "expected array"},
		{"a fraction", "POST", "/orders/abc", `{"what":["tea"],"cups":1.5}`, 422, "expected integer"},
		{"no base64", "POST", "/orders/abc", `{"what":["tea"],"photo":"?"}`, 422, "base64"},
		{"two things are wrong", "POST", "/orders/abc?most=0", `{"what":["tea"],"note":"x"}`, 422, "body.note"},
		{"nothing in, nothing out", "DELETE", "/orders", "", 204, ""},
		{"an error", "GET", "/broken", "", 500, "urn:rein:problem:internal"},
		{"an answer that is no JSON", "GET", "/endless", "", 500, "unsupported type"},
		{"a file", "GET", "/file", "", 200, "text"},
	} {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), row.method, row.path, strings.NewReader(row.body)))
		if w.Code != row.status || !strings.Contains(w.Body.String(), row.has) {
			t.Errorf("%s: %d %s", row.name, w.Code, w.Body)
		}
		if kind := w.Header().Get("Content-Type"); w.Code >= 400 && kind != "application/problem+json" {
			t.Errorf("%s: %s", row.name, kind)
		}
	}
	t.Setenv("TEST_ROLE", "viewer")
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "POST", "/orders/ABC", strings.NewReader("{")))
	if w.Code != http.StatusForbidden {
		t.Errorf("who may not call an operation learns what it takes: %d %s", w.Code, w.Body)
	}
}

// A request with many faults does not get an answer that is many times as long.
func TestTheListOfFaultsIsBounded(t *testing.T) {
	body := map[string]int{}
	for i := range 2000 {
		body[fmt.Sprint(i)] = i
	}
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	known, into := schemas{}, reflect.ValueOf(&node{}).Elem()
	p, ok := errors.AsType[*errorModel](known.inputOf(into.Type()).readBody(known, bytes.NewReader(text), into, nil))
	if !ok || len(p.Errors) != 20 {
		t.Errorf("%v", p)
	}
}

type node struct {
	Name string  `json:"name" doc:"of it"`
	Next *node   `json:"next,omitempty"`
	Rest []*node `json:"rest" nullable:"false"`
}

type outer struct {
	node
	Name int `json:"title"` // hides that of node
}

// A struct is described once, also when it holds itself, and its own fields hide those of the structs in it.
func TestSchemasOfStructs(t *testing.T) {
	s := schemas{}
	s.of(reflect.TypeFor[outer]())
	text, err := json.Marshal(s)
	const want = `{"Node":{"additionalProperties":false,"properties":{"name":{"description":"of it","type":"string"},"next":{"$ref":"#/components/schemas/Node"},` +
		`"rest":{"items":{"$ref":"#/components/schemas/Node"},"type":"array"}},"required":["name","rest"],"type":"object"},` +
		`"Outer":{"additionalProperties":false,"properties":{"next":{"$ref":"#/components/schemas/Node"},"rest":{"items":{"$ref":"#/components/schemas/Node"},"type":"array"},` +
		`"title":{"format":"int64","type":"integer"}},"required":["title","rest"],"type":"object"}}`
	if err != nil || string(text) != want {
		t.Errorf("%s %v", text, err)
	}
}

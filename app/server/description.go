package server

// The files description*.go hold the table of what the server's interface can do: each operation with its path, role, input, answer and what
// does it. It serves the operations, and writes the OpenAPI description of them; both come from the Go types of inputs and answers.

import (
	_ "embed"
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// frame is the description without the operations of the table: what is served beside them is written by hand.
//
//go:embed frame.json
var frame []byte

// writeSpec writes the description of a table of operations as JSON.
func writeSpec(w io.Writer, version string, all []apiOperation) error {
	var whole struct {
		Components map[string]any            `json:"components"`
		Info       map[string]any            `json:"info"`
		OpenAPI    string                    `json:"openapi"`
		Paths      map[string]map[string]any `json:"paths"`
		Security   any                       `json:"security"`
		Servers    any                       `json:"servers"`
	}
	if err := json.Unmarshal(frame, &whole); err != nil {
		return err
	}
	known := schemas{}
	for _, o := range all {
		if whole.Paths[o.Path] == nil {
			whole.Paths[o.Path] = map[string]any{}
		}
		whole.Paths[o.Path][strings.ToLower(o.Method)] = known.describe(o)
	}
	answers := specObject{}
	for _, status := range problemStatuses {
		answers[problemName(status)] = specObject{"description": http.StatusText(status), "content": specContent("application/problem+json", known.of(reflect.TypeFor[errorModel]()))}
	}
	whole.Components["responses"], whole.Components["schemas"], whole.Info["version"] = answers, known, version
	text, err := json.Marshal(whole)
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}

// specObject is a part of the description.
type specObject map[string]any

// describe returns the description of an operation.
func (s schemas) describe(o apiOperation) specObject {
	out := specObject{"operationId": o.ID, "summary": o.Summary, "tags": []string{o.Tag}, "x-role": o.Role}
	in := s.inputOf(o.in)
	var params []specObject
	for _, p := range in.params {
		one := specObject{"name": p.name, "in": p.in, "schema": p.schema}
		if p.required {
			one["required"] = true
		}
		if p.in == "query" {
			one["explode"] = false
		}
		if p.schema.Description != "" {
			one["description"] = p.schema.Description
		}
		params = append(params, one)
	}
	if params != nil {
		out["parameters"] = params
	}
	if in.body != nil {
		out["requestBody"] = specObject{"content": specContent("application/json", in.body), "required": true}
	}
	answer := specObject{"description": http.StatusText(o.status)}
	switch o.out {
	case reflect.TypeFor[noContent]():
	case reflect.TypeFor[fileAnswer]():
		const kind = "application/octet-stream"
		answer = specObject{"description": "The file", "content": specContent(kind, &schema{Type: types{"string"}, Format: "binary", ContentMediaType: kind})}
	default:
		answer["content"] = specContent("application/json", s.of(o.out))
	}
	answers := specObject{strconv.Itoa(o.status): answer}
	for _, status := range o.problems(in) {
		answers[strconv.Itoa(status)] = specObject{"$ref": "#/components/responses/" + problemName(status)}
	}
	out["responses"] = answers
	return out
}

// problemStatuses are the statuses of all problems.
var problemStatuses = []int{http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusRequestTimeout, http.StatusConflict,
	http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusMisdirectedRequest, http.StatusUnprocessableEntity,
	http.StatusTooManyRequests, http.StatusInternalServerError}

// problemName names the answer with a problem.
func problemName(status int) string { return strings.ReplaceAll(http.StatusText(status), " ", "") }

// problems are the statuses of the problems of an operation: its own ones, and those that come with the kind of request that it is.
func (o apiOperation) problems(in input) []int {
	all := slices.Concat(o.errors, []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusMisdirectedRequest,
		http.StatusUnprocessableEntity, http.StatusInternalServerError}) // a query that it does not know is refused too
	if in.params != nil || in.body != nil { // they may name what is not there
		all = append(all, http.StatusNotFound)
	}
	if in.body != nil {
		all = append(all, http.StatusBadRequest, http.StatusRequestTimeout)
	}
	if o.Method != http.MethodGet {
		all = append(all, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusTooManyRequests)
	}
	if strings.HasPrefix(o.Path, "/v1/sessions/{id}") { // it is opened: by another program already, or with settings that cannot be used
		all = append(all, http.StatusConflict)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func specContent(kind string, s *schema) specObject { return specObject{kind: specObject{"schema": s}} }

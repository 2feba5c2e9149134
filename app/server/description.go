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
		Info       map[string]string         `json:"info"`
		OpenAPI    string                    `json:"openapi"`
		Paths      map[string]map[string]any `json:"paths"`
		Security   any                       `json:"security"`
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
	whole.Components["schemas"], whole.Info["version"] = known, version
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
	errors := slices.Concat(o.errors, []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusInternalServerError})
	if params != nil || in.body != nil {
		errors = append(errors, http.StatusUnprocessableEntity)
	}
	for _, status := range errors {
		answers[strconv.Itoa(status)] = specObject{"description": http.StatusText(status), "content": specContent("application/problem+json", s.of(reflect.TypeFor[errorModel]()))}
	}
	out["responses"] = answers
	return out
}

func specContent(kind string, s *schema) specObject { return specObject{kind: specObject{"schema": s}} }

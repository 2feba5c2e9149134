package server

// This part is the table of what the server's interface can do: each operation with its path, role, input, answer and what
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

// writeDescription writes the description of a table of operations as JSON.
func writeDescription(w io.Writer, version string, all []descriptionOperation) error {
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

// object is a part of the description.
type object map[string]any

// describe returns the description of an operation.
func (s schemas) describe(o descriptionOperation) object {
	out := object{"operationId": o.ID, "summary": o.Summary, "tags": []string{o.Tag}, "x-role": o.Role}
	in := s.inputOf(o.in)
	var params []object
	for _, p := range in.params {
		one := object{"name": p.name, "in": p.in, "schema": p.schema}
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
		out["requestBody"] = object{"content": content("application/json", in.body), "required": true}
	}
	answer := object{"description": http.StatusText(o.status)}
	switch o.out {
	case reflect.TypeFor[descriptionNothing]():
	case reflect.TypeFor[descriptionFile]():
		const kind = "application/octet-stream"
		answer = object{"description": "The file", "content": content(kind, &schema{Type: types{"string"}, Format: "binary", ContentMediaType: kind})}
	default:
		answer["content"] = content("application/json", s.of(o.out))
	}
	answers := object{strconv.Itoa(o.status): answer}
	errors := slices.Concat(o.errors, []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusInternalServerError})
	if params != nil || in.body != nil {
		errors = append(errors, http.StatusUnprocessableEntity)
	}
	for _, status := range errors {
		answers[strconv.Itoa(status)] = object{"description": http.StatusText(status), "content": content("application/problem+json", s.of(reflect.TypeFor[errorModel]()))}
	}
	out["responses"] = answers
	return out
}

func content(kind string, s *schema) object { return object{kind: object{"schema": s}} }

package server

import (
	"encoding/json"
	"net/http"
)

// errorModel is a problem of RFC 9457.
type errorModel struct {
	Type     string         `json:"type,omitempty" format:"uri" default:"about:blank" example:"https://example.com/errors/example" doc:"A URI reference to human-readable documentation for the error."`
	Title    string         `json:"title,omitempty" example:"Bad Request" doc:"A short, human-readable summary of the problem type. This value should not change between occurrences of the error."`
	Status   int            `json:"status,omitempty" example:"400" doc:"HTTP status code"`
	Detail   string         `json:"detail,omitempty" example:"Property foo is required but is missing." doc:"A human-readable explanation specific to this occurrence of the problem."`
	Instance string         `json:"instance,omitempty" format:"uri" example:"https://example.com/error-log/abc123" doc:"A URI reference that identifies the specific occurrence of the problem."`
	Errors   []*errorDetail `json:"errors,omitempty" doc:"Optional list of individual error details"`
}

// errorDetail is one thing that is wrong in a request.
type errorDetail struct {
	Message  string `json:"message,omitempty" doc:"Error message text"`
	Location string `json:"location,omitempty" doc:"Where the error occurred, e.g. 'body.items[3].tags' or 'path.thing-id'"`
	Value    any    `json:"value,omitempty" doc:"The value at the given location"`
}

// Error is the detail.
func (p *errorModel) Error() string { return p.Detail }

// problem is an answer whose type names the kind of the problem, so that a client can word it.
func problem(status int, kind, detail string) *errorModel {
	return &errorModel{Type: "urn:rein:problem:" + kind, Title: http.StatusText(status), Status: status, Detail: detail}
}

// writeProblem answers with a problem.
func writeProblem(w http.ResponseWriter, p *errorModel) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // the client is gone
}

// writeJSON answers with a value as JSON.
func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the client is gone
}

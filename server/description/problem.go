package description

import (
	"encoding/json"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

// Problem is an answer of RFC 9457. Its type names the kind of the problem, so that a client can word it.
func Problem(status int, kind, detail string) *huma.ErrorModel {
	return &huma.ErrorModel{Type: "urn:rein:problem:" + kind, Title: http.StatusText(status), Status: status, Detail: detail}
}

// Refuse answers with a problem outside of the described operations.
func Refuse(w http.ResponseWriter, p *huma.ErrorModel) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // the client is gone
}

// Answer answers with a value as JSON outside of the described operations.
func Answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the client is gone
}

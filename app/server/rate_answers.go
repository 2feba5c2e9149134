package server

import (
	"net/http"
	"sync/atomic"
)

// answerCounts counts the answers of the server by the class of their status: 2xx is at index 2. The zero value is ready.
type answerCounts [6]atomic.Int64

// countedWriter is a writer that remembers the status.
type countedWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader remembers the status.
func (c *countedWriter) WriteHeader(status int) {
	c.status = status
	c.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController find the writer behind it.
func (c *countedWriter) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// Count counts the answers of a handler, those of event streams when they end.
func (a *answerCounts) Count(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &countedWriter{w, http.StatusOK}
		defer func() { a[min(max(c.status/100, 0), 5)].Add(1) }()
		next.ServeHTTP(c, r)
	})
}

// Of returns how many answers of a class there were, from 1 to 5.
func (a *answerCounts) Of(class int) int64 { return a[class].Load() }

package server

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"reflect"
)

// serveOperations adds the operations to what a server answers. may fails for who has not the role that an operation needs, and problemOf gives
// the problem of an error.
func serveOperations(mux *http.ServeMux, all []apiOperation, may func(context.Context, Role) error, problemOf func(error) *errorModel) {
	known := schemas{}
	for _, o := range all {
		in := known.inputOf(o.in)
		mux.HandleFunc(o.Method+" "+o.Path, func(w http.ResponseWriter, r *http.Request) {
			err := may(r.Context(), o.Role)
			var out any
			if err == nil {
				out, err = o.do(r.Context(), func(into any) error { return in.read(known, r, reflect.ValueOf(into).Elem()) })
			}
			if err == nil {
				err = o.answer(w, r, out)
			}
			if err != nil {
				writeProblem(w, problemOf(err))
			}
		})
	}
}

// answer writes an answer, or fails before it has written anything.
func (o apiOperation) answer(w http.ResponseWriter, r *http.Request, out any) error {
	switch out := out.(type) {
	case noContent:
		w.WriteHeader(o.status)
	case fileAnswer:
		out.write(w, r)
	default:
		var text bytes.Buffer
		to := json.NewEncoder(&text)
		to.SetEscapeHTML(false)
		if err := to.Encode(out); err != nil {
			return err
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(o.status)
		_, _ = w.Write(text.Bytes()) // the client is gone
	}
	return nil
}

// write answers with the file.
func (f fileAnswer) write(w http.ResponseWriter, r *http.Request) {
	if c, ok := f.Content.(io.Closer); ok {
		defer c.Close()
	}
	h := w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": f.Name}))
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	http.ServeContent(w, r, "", f.Changed, f.Content)
}

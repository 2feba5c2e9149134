package description

import (
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// File describes an answer that is a file.
func File() map[string]*huma.Response {
	return map[string]*huma.Response{"200": {Description: "The file", Content: map[string]*huma.MediaType{"application/octet-stream": {Schema: &huma.Schema{Type: "string", Format: "binary"}}}}}
}

// Download returns a file that no browser shows, whatever it is. close is called at the end.
func Download(name string, changed time.Time, file io.ReadSeeker, close io.Closer) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
		defer close.Close()
		r, out := humago.Unwrap(ctx)
		h := out.Header()
		h.Set("Content-Type", "application/octet-stream")
		h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
		h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
		http.ServeContent(out, r, "", changed, file)
	}}
}

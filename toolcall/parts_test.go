package toolcall

import (
	"context"
	"errors"
	"strings"
	"testing"

	"rein/guard"
	"rein/redact"
	"rein/tool"
)

func TestResultsHaveParts(t *testing.T) {
	image := tool.Part{Kind: tool.ImagePart, MediaType: "image/png", Data: []byte("\x89PNG")}
	link := tool.Part{Kind: tool.LinkPart, URI: "https://example.com/a", Name: "the report"}
	rows := map[string]struct {
		limits Limits
		parts  []tool.Part
		text   string
		kept   int
		kind   tool.Kind
	}{
		"an image without text":   {Limits{}, []tool.Part{image}, "(the result is attached)", 1, ""},
		"a text and an image":     {Limits{}, []tool.Part{{Kind: tool.TextPart, Text: "seen"}, image}, "seen", 1, ""},
		"a link is in the text":   {Limits{}, []tool.Part{link}, " the report]\n", 1, ""},
		"more parts than allowed": {Limits{Parts: 1}, []tool.Part{image, image}, "at most 1 ", 1, tool.TooLarge},
		"more bytes than allowed": {Limits{Bytes: 3}, []tool.Part{image}, "may have 3 bytes", 0, tool.TooLarge},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			attach := named("x", tool.Reads, reads, func(_ context.Context, _ pathArgs, r *tool.Reply) error {
				for _, p := range row.parts {
					if err := r.Attach(p); err != nil {
						return err
					}
				}
				return nil
			})
			r := Runner{Mode: guard.Full, Tools: set(t, attach), Guard: allowAll, Limits: row.limits}
			results, err := r.Run(t.Context(), Scope{}, []tool.Call{call("1", "x", "a")})
			got := results[0]
			if err != nil || len(got.Parts) != row.kept || got.Kind != row.kind || !strings.Contains(got.Text, row.text) {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

// TestNoPartHasASecret looks at everything in which a tool can give a secret.
func TestNoPartHasASecret(t *testing.T) {
	const secret = "hunter2-hunter2-hunter2"
	x := named("x", tool.Reads, reads, func(_ context.Context, _ pathArgs, r *tool.Reply) error {
		r.Show(map[string]string{"seen": secret})
		r.WriteString("text " + secret)
		for _, p := range []tool.Part{
			{Kind: tool.DocumentPart, MediaType: "text/plain", Name: secret + ".txt", Data: []byte("document " + secret)},
			{Kind: tool.LinkPart, URI: "https://example.com/" + secret, Name: secret, Text: secret},
			{Kind: tool.ImagePart, MediaType: "image/png", Name: secret, Data: []byte("\x89PNG")},
		} {
			if err := r.Attach(p); err != nil {
				return err
			}
		}
		return errors.New("error " + secret)
	})
	r := Runner{Mode: guard.Full, Tools: set(t, x), Guard: allowAll, Mask: redact.New([]redact.Value{{Name: "KEY", Text: secret}})}
	results, err := r.Run(t.Context(), Scope{ID: "s"}, []tool.Call{call("1", "x", "a")})
	if err != nil || len(results[0].Parts) != 3 {
		t.Fatalf("got %+v, %v", results, err)
	}
	seen := results[0].Text + string(results[0].Detail)
	for _, p := range results[0].Parts {
		seen += p.Name + p.URI + p.Text + string(p.Data)
	}
	if strings.Contains(seen, secret) || !strings.Contains(seen, "document ") || !strings.Contains(seen, "seen") {
		t.Errorf("the model gets %q", seen)
	}
}

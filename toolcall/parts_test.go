package toolcall

import (
	"context"
	"strings"
	"testing"

	"rein/guard"
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
			results, err := r.Run(t.Context(), Session{}, []tool.Call{call("1", "x", "a")})
			got := results[0]
			if err != nil || len(got.Parts) != row.kept || got.Kind != row.kind || !strings.Contains(got.Text, row.text) {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

package tool

import (
	"errors"
	"strings"
	"testing"
)

func TestAttach(t *testing.T) {
	image := func(n int) Part {
		return Part{Kind: ImagePart, MediaType: "image/png", Data: make([]byte, n)}
	}
	link := Part{Kind: LinkPart, URI: "file:///a"}
	rows := map[string]struct {
		options ReplyOptions
		parts   []Part
		kept    int
		kind    Kind // of the last error; "" is none
	}{
		"an image, a document and a link":   {ReplyOptions{}, []Part{image(3), {Kind: DocumentPart, MediaType: "application/pdf", Name: "a.pdf", Data: []byte("%PDF")}, link}, 3, ""},
		"20 parts":                          {ReplyOptions{}, repeat(link, 20), 20, ""},
		"21 parts":                          {ReplyOptions{}, repeat(link, 21), 20, TooLarge},
		"2 parts where 1 is allowed":        {ReplyOptions{Parts: 1}, repeat(link, 2), 1, TooLarge},
		"8 MiB":                             {ReplyOptions{}, []Part{image(4 << 20), image(4 << 20)}, 2, ""},
		"more than 8 MiB":                   {ReplyOptions{}, []Part{image(4 << 20), image(4<<20 + 1)}, 1, TooLarge},
		"100 bytes where 99 are allowed":    {ReplyOptions{PartBytes: 99}, []Part{image(100)}, 0, TooLarge},
		"an image without data":             {ReplyOptions{}, []Part{image(0)}, 0, Failed},
		"an image of another type":          {ReplyOptions{}, []Part{{Kind: ImagePart, MediaType: "text/html", Data: []byte("x")}}, 0, Failed},
		"a document without a media type":   {ReplyOptions{}, []Part{{Kind: DocumentPart, Data: []byte("x")}}, 0, Failed},
		"a link without a URI":              {ReplyOptions{}, []Part{{Kind: LinkPart, Text: "x"}}, 0, Failed},
		"a part of no kind":                 {ReplyOptions{}, []Part{{Data: []byte("x")}}, 0, Failed},
		"a text is written, and is no part": {ReplyOptions{}, []Part{{Kind: TextPart, Text: "hello"}}, 0, ""},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			r := NewReply(row.options)
			var last error
			for _, p := range row.parts {
				last = r.Attach(p)
			}
			if got := r.Parts(); len(got) != row.kept {
				t.Errorf("kept %d parts, want %d", len(got), row.kept)
			}
			if (last == nil) != (row.kind == "") || last != nil && AsError(last).Kind != row.kind {
				t.Errorf("the last error is %v", last)
			}
			if text, _, _, _ := r.Close(); text != "" != strings.Contains(name, "a text") {
				t.Errorf("wrote %q", text)
			}
			if err := r.Attach(link); !errors.Is(err, errClosed) {
				t.Errorf("after the end: %v", err)
			}
		})
	}
}

func repeat(p Part, n int) (all []Part) {
	for range n {
		all = append(all, p)
	}
	return all
}

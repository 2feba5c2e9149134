package media

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"strings"
	"testing"

	"rein/tool"
)

// TestScreenshotAsksFirst: a person agrees, for one call or for all; without that no picture is taken.
func TestScreenshotAsksFirst(t *testing.T) {
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 40, 30))); err != nil {
		t.Fatal(err)
	}
	taken, broken := 0, error(nil)
	shot := Tools{}.Screenshot(func(context.Context) ([]byte, error) { taken++; return picture.Bytes(), broken })
	run := func(choices ...string) (text string, parts int, asked bool) {
		t.Helper()
		i, err := shot.Intent([]byte("{}"))
		if err != nil {
			t.Fatal(err)
		}
		o := tool.ReplyOptions{Call: "1"}
		if choices != nil {
			o.Chosen = &tool.Chosen{Answers: []tool.Answer{{Choices: choices}}}
		}
		r := tool.NewReply(o)
		err = shot.Run(t.Context(), []byte("{}"), r)
		parts = len(r.Parts())
		text, _, _, _ = r.Close()
		if err != nil {
			text += err.Error()
		}
		return text, parts, i.Questions != nil
	}
	for _, c := range []struct {
		name    string
		choices []string
		asked   bool
		parts   int
		text    string
	}{
		{"approved without an answer", nil, true, 0, "does not want"},
		{"not shown", []string{showNever}, true, 0, "does not want"},
		{"shown once", []string{showOnce}, true, 1, "40×30"},
		{"asked again", []string{showNever}, true, 0, "does not want"},
		{"shown from now on", []string{showAlways}, true, 1, "40×30"},
		{"not asked again", nil, false, 1, "40×30"},
	} {
		text, parts, asked := run(c.choices...)
		if !strings.Contains(text, c.text) || parts != c.parts || asked != c.asked {
			t.Errorf("%s: %q, %d parts, asked %v", c.name, text, parts, asked)
		}
	}
	if taken != 3 {
		t.Errorf("%d pictures were taken, want 3", taken)
	}
	broken = errors.New("cannot open display")
	if text, _, _ := run(); !strings.Contains(text, "cannot open display") || !strings.Contains(text, "view_image") {
		t.Error(text)
	}
}

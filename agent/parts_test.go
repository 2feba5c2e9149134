package agent

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"reflect"
	"strings"
	"testing"

	"rein/event"
	"rein/model"
	"rein/tool"
)

// TestImagesGoToTheModel sends an image, gets one from a tool, and reads both back from the journal.
func TestImagesGoToTheModel(t *testing.T) {
	png, pdf := pixel(t), []byte("%PDF")
	f := newFixture(t, calls("look:1"), says("nice"))
	look := instrument("look", func(_ context.Context, r *tool.Reply) error {
		r.WriteString("a page")
		if err := r.Attach(tool.Part{Kind: tool.ImagePart, MediaType: "image/png", Data: png}); err != nil {
			return err
		}
		return r.Attach(tool.Part{Kind: tool.DocumentPart, MediaType: "application/pdf", Name: "a.pdf", Data: pdf})
	})
	tools, err := tool.NewSet(look)
	if err != nil {
		t.Fatal(err)
	}
	f.Calls.Tools = tools
	st := newStore(t)
	s := f.Start(st.options("s"))
	var prompt event.Event
	for e := range s.Send(t.Context(), model.Text("what"), model.Image("image/png", png), model.Text("is this?")) {
		if e.Kind == event.Prompted {
			prompt = e
		}
	}
	if prompt.Text != "what\n\nis this?" {
		t.Errorf("the event's text is %q", prompt.Text)
	}
	sent := f.model.asked[1].Messages
	if err := model.Check(sent); err != nil {
		t.Error(err)
	}
	if p := sent[0].Parts; len(p) != 3 || p[1].Kind != model.ImageKind || string(p[1].Data) != string(png) {
		t.Errorf("the prompt is %+v", p)
	}
	results := sent[2].Parts
	want := []model.Part{
		{Kind: model.ResultKind, ID: "1", Name: "look", Text: "a page"},
		{Kind: model.ImageKind, ID: "1", MediaType: "image/png", Data: png},
		{Kind: model.DocumentKind, ID: "1", MediaType: "application/pdf", Name: "a.pdf", Data: pdf},
	}
	if !reflect.DeepEqual(results, want) {
		t.Errorf("the results are %+v", results)
	}
	again, err := f.Load(SessionOptions{}, st.read("s"))
	if err != nil || !reflect.DeepEqual(parts(again.Messages()), parts(s.Messages())) {
		t.Errorf("read back: %+v, %v", parts(again.Messages()), err)
	}
}

func parts(messages []*model.Message) (all [][]model.Part) {
	for _, m := range messages {
		all = append(all, m.Parts)
	}
	return all
}

func TestAMessageWithoutPartsIsRefused(t *testing.T) {
	f := newFixture(t, says("never"))
	if _, last, err := drain(t, f.start().Send(t.Context())); err == nil || last.Stop != event.Failed || len(f.model.asked) != 0 {
		t.Errorf("got %+v, %v", last, err)
	}
}

// pixel is the smallest image.
func pixel(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestNoModel: an agent that an embedder did not finish gives errors, not panics.
func TestNoModel(t *testing.T) {
	s := (&Agent{}).Start(SessionOptions{})
	if c := s.Context(); c.Window != 0 {
		t.Errorf("context %+v", c)
	}
	for _, err := range s.Send(t.Context(), model.Text("hi")) {
		if err == nil || !strings.Contains(err.Error(), "no model") {
			t.Errorf("got %v", err)
		}
		break
	}
}

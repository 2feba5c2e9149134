package replay

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rein/model"
)

// said is a model that answers one text, or fails.
type said struct {
	text string
	err  error
}

func (said) Info() model.Info { return model.Info{Provider: "test", Name: "said"} }

func (s said) Stream(context.Context, *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		if s.err != nil {
			yield(model.Chunk{}, s.err)
			return
		}
		if yield(model.Chunk{Kind: model.TextChunk, Text: s.text}, nil) {
			yield(model.Chunk{Kind: model.Done, Message: &model.Message{Role: model.Assistant, Parts: []model.Part{model.Text(s.text)}}, Stop: model.StopLength, Retries: 2}, nil)
		}
	}
}

func ask(t *testing.T, m model.Model, r *model.Request) {
	t.Helper()
	_, _ = model.Ask(t.Context(), m, r)
}

func TestRecorder(t *testing.T) {
	dir := t.TempDir()
	talk := func(words string) *model.Request {
		return &model.Request{System: "Be the password hunter2.", Session: "s", Effort: "low", Messages: []*model.Message{model.UserText(words)}, Tools: []model.ToolSpec{{Name: "read_file", Schema: []byte(`{"type":"object"}`)}}}
	}
	r := &Recorder{Dir: dir, Mask: func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("hunter2"), []byte("[secret]")) }}
	ask(t, r.Model(said{text: "an answer"}), talk("some words"))
	ask(t, r.Model(said{err: &model.Error{Kind: model.Rate, Text: "too many"}}), talk("other words"))
	ask(t, r.Model(said{text: "a summary"}), &model.Request{Messages: []*model.Message{model.UserText("Summarise hunter2.")}})
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	// A crash cuts a line off; the session goes on.
	name := filepath.Join(dir, RecordingName)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, append(text, `{"exchange":{"mod`...), 0o600); err != nil {
		t.Fatal(err)
	}
	r = &Recorder{Dir: dir}
	ask(t, r.Model(said{text: "more"}), talk("some words"))
	r.Close()

	text, _ = os.ReadFile(name)
	for _, not := range []string{"hunter2", "some words", "an answer"} {
		if not != "hunter2" && bytes.Contains(text, []byte(not)) || not == "hunter2" && bytes.Count(text, []byte(not)) > 1 { // the second recorder knows no secret
			t.Errorf("%q is in the recording:\n%s", not, text)
		}
	}
	got, err := ReadRecording(dir)
	if err != nil || len(got.Exchanges) != 4 || got.Full {
		t.Fatalf("got %+v, %v", got, err)
	}
	first, failed, aside := got.Exchanges[0], got.Exchanges[1], got.Exchanges[2]
	if first.Stop != "length" || first.Retries != 2 || first.Options.Effort != "low" || first.Count != 1 || len(got.Tools[first.Tools]) != 1 || got.Systems[first.System] != "Be the password [secret]." {
		t.Errorf("got %+v", first)
	}
	if failed.Kind != "rate" || !strings.Contains(failed.Error, "too many") || failed.System != first.System {
		t.Errorf("got %+v", failed)
	}
	if aside.Answer != "a summary" || len(aside.Whole) != 1 || aside.Whole[0].Text != "Summarise [secret]." {
		t.Errorf("got %+v", aside)
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v", info.Mode(), err)
	}
}

func TestARecordingHasALimit(t *testing.T) {
	var warned []string
	r := &Recorder{Dir: t.TempDir(), Most: 2000, Warn: func(line string) { warned = append(warned, line) }}
	for range 100 {
		ask(t, r.Model(said{text: "x"}), &model.Request{Session: "s", Messages: []*model.Message{model.UserText("x")}})
	}
	r.Close()
	again := &Recorder{Dir: r.Dir, Most: 2000} // a session that goes on does not begin again
	ask(t, again.Model(said{text: "x"}), &model.Request{Session: "s"})
	again.Close()
	info, err := os.Stat(filepath.Join(r.Dir, RecordingName))
	if err != nil || info.Size() > 2000+20 {
		t.Errorf("got %d bytes, %v", info.Size(), err)
	}
	got, err := ReadRecording(r.Dir)
	if err != nil || !got.Full || len(got.Exchanges) < 3 || len(warned) != 1 || !strings.Contains(warned[0], "limits.recording") {
		t.Errorf("got %d exchanges, full %v, %v, %q", len(got.Exchanges), got.Full, err, warned)
	}
}

// TestNoRecording: nothing is recorded unless somebody wants it.
func TestNoRecording(t *testing.T) {
	var none *Recorder
	if m := none.Model(said{}); m != model.Model(said{}) {
		t.Errorf("got %T", m)
	}
	if err := none.Close(); err != nil {
		t.Error(err)
	}
	if _, err := ReadRecording(t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

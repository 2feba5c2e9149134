package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"testing"

	"rein/event"
	"rein/guard"
	"rein/journal"
	"rein/kit/guards"
	"rein/model"
	"rein/tool"
	"rein/toolcall"
)

// reader is a model that reads a file in each of its first turns. It keeps no state, so that both loops pay the same for it.
type reader struct{ turns int }

func (reader) Info() model.Info { return model.Info{Provider: "script", Name: "reader"} }

func (m reader) Stream(_ context.Context, r *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		n := len(r.Messages) / 2
		message := &model.Message{Role: model.Assistant, Parts: []model.Part{model.Text("ready")}}
		if n < m.turns {
			message.Parts = []model.Part{{Kind: model.CallKind, ID: fmt.Sprintf("call%05d", n), Name: "read", Args: fmt.Sprintf(`{"path":"%d.txt"}`, n)}}
		}
		yield(model.Chunk{Kind: model.Done, Message: message, Stop: model.StopEnd, Usage: model.Usage{Input: 10, Output: 5}}, nil)
	}
}

type readArgs struct {
	Path string `json:"path"`
}

func (a readArgs) Intent() tool.Intent { return tool.Intent{Reads: []string{a.Path}} }

const benchTurns = 50

func benchFiles(b *testing.B) (dir string) {
	dir = b.TempDir()
	for n := range benchTurns { // a guard asks about the same call again and again
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.txt", n)), bytes.Repeat([]byte("a line of text\n"), 280), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	return dir
}

func benchJournal(b *testing.B) *journal.File {
	f, _, err := journal.Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	return f
}

// BenchmarkReadTurns is the agent with its pipeline, the standard guards and a synced journal: 50 turns that read a file.
func BenchmarkReadTurns(b *testing.B) {
	dir := benchFiles(b)
	read := tool.New("read", "Read a file.", tool.Reads, func(_ context.Context, in readArgs, r *tool.Reply) error {
		text, err := os.ReadFile(filepath.Join(dir, in.Path))
		if err == nil {
			_, err = r.Write(text)
		}
		return err
	})
	tools, err := tool.NewSet(read)
	if err != nil {
		b.Fatal(err)
	}
	a := Agent{Model: reader{benchTurns}, MaxTurns: 2 * benchTurns, Calls: &toolcall.Runner{Tools: tools, Mode: guard.Supervised, Root: dir,
		Guard: guards.New(guards.Options{Confined: []string{"read"}})}}
	for b.Loop() {
		f := benchJournal(b)
		for e, err := range a.Start(SessionOptions{Journal: f}).Send(b.Context(), model.Text("go")) {
			if err != nil || e.Kind == event.Stopped && e.Stop != event.Done {
				b.Fatalf("%+v, %v", e, err)
			}
		}
		f.Close()
	}
}

// BenchmarkBareReadTurns is a loop that does the same with nothing around it: it asks the model, reads the file, and writes
// the same events to a synced journal.
func BenchmarkBareReadTurns(b *testing.B) {
	dir := benchFiles(b)
	for b.Loop() {
		f := benchJournal(b)
		write := func(events ...event.Event) {
			if err := f.Append(events...); err != nil {
				b.Fatal(err)
			}
		}
		messages := []*model.Message{model.UserText("go")}
		write(event.Event{Kind: event.Started}, event.Event{Kind: event.Prompted, Text: "go", Message: encoded(b, messages[0])})
		for {
			write(event.Event{Kind: event.Requested})
			var done model.Chunk
			for c := range (reader{benchTurns}).Stream(b.Context(), &model.Request{Messages: messages}) {
				done = c
			}
			messages = append(messages, done.Message)
			write(event.Event{Kind: event.Responded, Message: encoded(b, done.Message)})
			calls := done.Message.Calls()
			if len(calls) == 0 {
				break
			}
			c := &tool.Call{ID: calls[0].ID, Name: calls[0].Name, Args: []byte(calls[0].Args)}
			var in readArgs
			if err := json.Unmarshal(c.Args, &in); err != nil {
				b.Fatal(err)
			}
			write(event.Event{Kind: event.Called, Call: c}, event.Event{Kind: event.Granted, Call: &tool.Call{ID: c.ID}})
			text, err := os.ReadFile(filepath.Join(dir, in.Path))
			if err != nil {
				b.Fatal(err)
			}
			write(event.Event{Kind: event.Replied, Call: &tool.Call{ID: c.ID}, Result: &tool.Result{ID: c.ID, Text: string(text)}})
			messages = append(messages, model.Answer(done.Message, model.Result(c.ID, string(text), false)))
		}
		write(event.Event{Kind: event.Stopped})
		f.Close()
	}
}

func encoded(b *testing.B, m *model.Message) []byte {
	text, err := json.Marshal(m)
	if err != nil {
		b.Fatal(err)
	}
	return text
}

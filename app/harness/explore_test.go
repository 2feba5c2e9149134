package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"rein/event"
	"rein/model"
)

// thinker is a model that answers with a function.
type thinker func(r *model.Request) *model.Message

func (thinker) Info() model.Info { return model.Info{Provider: "test", Name: "thinker"} }

func (think thinker) Stream(_ context.Context, r *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		m := think(r)
		stop := model.StopEnd
		if len(m.Calls()) > 0 {
			stop = model.StopCalls
		}
		yield(model.Chunk{Kind: model.Done, Message: m, Stop: stop}, nil)
	}
}

func calling(name string, args any) *model.Message {
	text, _ := json.Marshal(args)
	return &model.Message{Role: model.Assistant, Parts: []model.Part{{Kind: model.CallKind, ID: "c1", Name: name, Args: string(text)}}}
}

func saying(text string) *model.Message {
	return &model.Message{Role: model.Assistant, Parts: []model.Part{model.Text(text)}}
}

// lastText is the text of the last message: the task, or the results of calls.
func lastText(r *model.Request) (text string) {
	for _, p := range r.Messages[len(r.Messages)-1].Parts {
		text += p.Text
	}
	return text
}

// TestExploreFanOut: sub-agents search the repository of this test, one for each question, and their answers are collected.
func TestExploreFanOut(t *testing.T) {
	t.Setenv("REIN_HOME", t.TempDir())
	items := []string{"func narrowed", "type Session struct", "func Merge", "type Worktrees struct"}
	place := regexp.MustCompile(`(?m)^(\S+\.go)\n +(\d+): `)
	explore := thinker(func(r *model.Request) *model.Message {
		text := lastText(r)
		switch len(r.Messages) {
		case 1:
			_, what, _ := strings.Cut(text, "Where is: ")
			return calling("grep", map[string]any{"pattern": "^" + what, "glob": "*.go", "output_mode": "content"})
		case 3:
			found := place.FindStringSubmatch(text)
			if found == nil {
				return saying("nothing in " + text)
			}
			return calling("read_file", map[string]any{"path": found[1], "limit": 5})
		case 5:
			return calling("write_file", map[string]any{"path": "found.txt", "content": text})
		}
		for _, m := range r.Messages {
			for _, p := range m.Parts {
				if found := place.FindStringSubmatch(p.Text); found != nil {
					return saying(fmt.Sprintf(`{"file": %q, "line": %s}`, found[1], found[2]))
				}
			}
		}
		return saying("nothing")
	})
	boss := thinker(func(r *model.Request) *model.Message {
		if len(r.Messages) == 1 {
			return calling("agent", map[string]any{"task": "Where is: {item}", "agent": "explore", "items": items,
				"schema": map[string]any{"type": "object", "properties": map[string]any{"file": map[string]any{"type": "string"}, "line": map[string]any{"type": "integer"}}, "required": []string{"file", "line"}}})
		}
		return saying(lastText(r))
	})
	h, err := Open(t.Context(), Options{Dir: "../..", Terms: event.Terms{Mode: "read-only"}})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close(t.Context())
	s, err := h.Start(t.Context(), NewSession{Model: players{"": boss, "explore": explore}})
	if err != nil {
		t.Fatal(err)
	}
	last, by, denied := event.Event{}, map[string]bool{}, 0
	for _, e := range sendAll(t, s, "Where are they?") {
		if e.Kind == event.Replied && e.Call.Name == "write_file" && e.Result.Failed {
			denied++
		}
		if e.Kind == event.Granted && e.Call.Name == "read_file" {
			by[e.Session] = true
		}
		last = e
	}
	var answers struct {
		Answers []struct {
			Item   string
			Answer struct {
				File string
				Line int
			}
		}
		Failed []any
	}
	if err := json.Unmarshal([]byte(last.Text), &answers); err != nil || len(answers.Answers) != len(items) || len(answers.Failed) > 0 {
		t.Fatalf("%v: %s", err, last.Text)
	}
	for _, a := range answers.Answers {
		lines := strings.Split(get(t, filepath.Join("../..", filepath.FromSlash(a.Answer.File))), "\n")
		if n := a.Answer.Line; n < 1 || n > len(lines) || !strings.HasPrefix(lines[n-1], a.Item) {
			t.Errorf("%s is not in %s:%d", a.Item, a.Answer.File, n)
		}
	}
	if len(by) != len(items) || denied != len(items) {
		t.Errorf("%d sub-agents read, %d could not write; want %d", len(by), denied, len(items))
	}
	all, err := h.Sessions()
	if err != nil || len(all) != len(items)+1 {
		t.Errorf("%d sessions are recorded, %v", len(all), err)
	}
}

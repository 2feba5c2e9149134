package agent

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"rein/event"
	"rein/guard"
	"rein/journal"
	"rein/kit/catalog"
	"rein/kit/providers"
	"rein/kit/script"
	"rein/lab/modelserver"
	"rein/model"
	"rein/tool"
	"rein/toolcall"
)

// strict serves one script in all four protocols and returns the models for it.
func strict(t *testing.T, s *script.Script, window int) map[string]model.Model {
	t.Helper()
	srv := httptest.NewServer(&modelserver.Server{Script: s, Lax: true, Batch: true})
	t.Cleanup(srv.Close)
	o := &providers.Options{Getenv: func(name string) string { return map[bool]string{true: "k"}[strings.HasSuffix(name, "_KEY")] },
		Addresses: map[string]providers.Address{}, Models: map[string]catalog.Model{}}
	all := map[string]model.Model{}
	for _, p := range []string{"openai", "openai-responses", "anthropic", "gemini"} {
		base := srv.URL
		if strings.HasPrefix(p, "openai") {
			base += "/v1"
		}
		o.Addresses[p] = providers.Address{BaseURL: base}
		o.Models[p+"/m"] = catalog.Model{Limit: catalog.Limit{Context: window, Output: 2_000}, Modalities: catalog.Modalities{Input: []string{"text", "image", "pdf"}}}
		m, err := providers.Open(t.Context(), p+"/m", o)
		if err != nil {
			t.Fatal(err)
		}
		all[p] = m
	}
	return all
}

// busyScript calls two tools in parallel in each answer, thinks, and writes a text that is long enough for a summary.
func busyScript(turns int) *script.Script {
	turn := script.Turn{Think: "what next?", Text: "I go on. Task: read. Next: read the next one, then stop.", Repeat: turns,
		Calls: []script.Call{{Name: "read", Args: `{"n":1}`}, {Name: "look", Args: `{}`}}}
	return &script.Script{Turns: []script.Turn{turn}}
}

func busyAgent(t *testing.T, m model.Model) *Agent {
	t.Helper()
	var n int
	var mu sync.Mutex
	png := pixel(t)
	read := tool.New("read", "reads", tool.Reads, func(_ context.Context, in fileArgs, r *tool.Reply) error {
		mu.Lock()
		n++
		text := fileOf(n, 5_000)
		mu.Unlock()
		_, err := r.WriteString(text)
		return err
	})
	look := instrument("look", func(_ context.Context, r *tool.Reply) error {
		r.WriteString(strings.Repeat("seen ", 400))
		return r.Attach(tool.Part{Kind: tool.ImagePart, MediaType: "image/png", Data: png})
	})
	set, err := tool.NewSet(read, look)
	if err != nil {
		t.Fatal(err)
	}
	always := guard.Func(func(context.Context, guard.Case) guard.Verdict { return guard.Verdict{} })
	return &Agent{Model: m, Calls: &toolcall.Runner{Tools: set, Guard: always, Mode: guard.Full}, System: "You work.", MaxTurns: 25, Effort: "low"}
}

// TestCompactedRequestsAreLegalInAllProtocols runs a session over several compactions in each protocol, against a server as
// strict as the providers: a request that breaks a rule is refused. Then it continues in each of the other protocols.
func TestCompactedRequestsAreLegalInAllProtocols(t *testing.T) {
	models := strict(t, busyScript(1000), 24_000)
	for name, m := range models {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st := newStore(t)
			o := st.options("s")
			a := busyAgent(t, m)
			s := a.Start(o)
			compactions := 0
			send := func(text string) {
				t.Helper()
				for e, err := range s.Send(t.Context(), model.Text(text), model.Image("image/png", pixel(t))) {
					if err != nil {
						t.Fatal(err)
					}
					if e.Kind == event.Compacted {
						compactions++
					}
				}
			}
			send("the port is 48231")
			if compactions < 2 {
				t.Errorf("%d compactions", compactions)
			}
			for other, next := range models {
				if err := s.Use(busyAgent(t, next)); err != nil {
					t.Fatal(err)
				}
				send("now as " + other)
			}
			o.Journal.(*journal.File).Close()
			loaded, err := a.Load(st.options("s"), st.read("s"))
			if err != nil {
				t.Fatal(err)
			}
			s = loaded
			send("after a restart")
			if text := fmt.Sprint(parts(s.Messages())); !strings.Contains(text, "the port is 48231") {
				t.Error("the first message is gone")
			}
		})
	}
}

// TestAnImageThatIsRefused has a provider that refuses a request because of an image.
func TestAnImageThatIsRefused(t *testing.T) {
	refuse := func(r *model.Request) (model.Chunk, error) {
		for _, m := range r.Messages {
			for _, p := range m.Parts {
				if p.Kind == model.ImageKind {
					return model.Chunk{}, &model.Error{Kind: model.BadRequest, Status: 400, Text: "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum"}
				}
			}
		}
		return says("a text")(r)
	}
	f := newFixture(t, refuse, refuse, refuse)
	s := f.start()
	for range 2 {
		story, last, err := drain(t, s.Send(t.Context(), model.Text("what is this?"), model.Image("image/png", pixel(t))))
		if err != nil || last.Stop != event.Done {
			t.Fatalf("%s, %v", story, err)
		}
		f.model.turns = append(f.model.turns, refuse)
	}
	if text := fmt.Sprint(parts(f.model.asked[1].Messages)); !strings.Contains(text, "The image (image/png") {
		t.Errorf("the model got %s", text)
	}
}

// TestFallback has a model that fails permanently: the next one answers, and the next message goes to the first again.
func TestFallback(t *testing.T) {
	broken := func(*model.Request) (model.Chunk, error) {
		return model.Chunk{}, &model.Error{Kind: model.Overloaded, Status: 529, Text: "busy"}
	}
	f := newFixture(t, broken, says("the first is back"))
	second := &scripted{turns: []turn{calls("do:1"), says("the second answers")}}
	f.Fallback = []model.Model{&scripted{turns: []turn{broken}}, second}
	s := f.start()
	story, last, err := drain(t, s.Send(t.Context(), model.Text("go")))
	if err != nil || last.Text != "the second answers" || f.ran.Load() != 1 || strings.Count(story, "notice") != 2 {
		t.Fatalf("%s, %+v, %v", story, last, err)
	}
	if _, last, err := drain(t, s.Send(t.Context(), model.Text("again"))); err != nil || last.Text != "the first is back" {
		t.Errorf("%+v, %v", last, err)
	}
	f = newFixture(t, func(*model.Request) (model.Chunk, error) {
		return model.Chunk{}, &model.Error{Kind: model.BadRequest, Text: "no"}
	})
	f.Fallback = []model.Model{second}
	if _, _, err := drain(t, f.start().Send(t.Context(), model.Text("go"))); err == nil {
		t.Error("a request that is wrong goes to no other model")
	}
}

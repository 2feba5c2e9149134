package harness

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"rein/app/settings"
	"rein/event"
	"rein/guard"
	"rein/model"
)

// wordy is a model that answers with answer, and calls tools by their names in calls first. It keeps the requests.
type wordy struct {
	answer   string
	calls    []string
	requests []*model.Request
}

func (m *wordy) Info() model.Info {
	return model.Info{Provider: "test", Name: "wordy", Context: 100_000}
}

func (m *wordy) Stream(_ context.Context, r *model.Request) iter.Seq2[model.Chunk, error] {
	m.requests = append(m.requests, r)
	return func(yield func(model.Chunk, error) bool) {
		d := model.Draft{Before: r.Messages}
		stop := model.StopEnd
		if len(m.calls) > 0 && r.Session != "" {
			c := d.Start("", m.calls[0])
			m.calls, stop = m.calls[1:], model.StopCalls
			if !yield(c, nil) || !yield(d.Args(c.Call, []byte(`{}`)), nil) || !yield(d.End(c.Call), nil) {
				return
			}
		} else if !yield(d.Text([]byte(m.answer)), nil) {
			return
		}
		yield(d.Done("wordy", stop, model.Usage{Input: 100, Output: 10}, nil), nil)
	}
}

// sampling is the system prompt of the server's own requests to the model.
const sampling = "Be short."

// serverKey is a secret that the server sends.
const serverKey = "ghp_w8Xq2LmN4pRt6VyZ0aBcDeFgH1jK3sUo5i7E"

// userServer is a tool server with a prompt, a resource, and a tool that asks the client's model. It returns a file for --mcp-config.
func userServer(t *testing.T) (file string) {
	server := sdk.NewServer(&sdk.Implementation{Name: "notes", Version: "1"}, nil)
	server.AddPrompt(&sdk.Prompt{Name: "greet", Description: "greets", Arguments: []*sdk.PromptArgument{{Name: "who", Required: true}}}, func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: "Greet " + r.Params.Arguments["who"] + "."}}}}, nil
	})
	server.AddResource(&sdk.Resource{Name: "today", URI: "note://today"}, func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: "note://today", MIMEType: "text/plain", Text: "buy tea"}}}, nil
	})
	server.AddTool(&sdk.Tool{Name: "think", InputSchema: map[string]any{"type": "object"}}, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		//lint:ignore SA1019 servers of older versions ask so
		answer, err := r.Session.CreateMessage(ctx, &sdk.CreateMessageParams{MaxTokens: 50, SystemPrompt: sampling, Messages: []*sdk.SamplingMessage{{Role: "user", Content: &sdk.TextContent{Text: "Which tea? My key is " + serverKey}}}})
		if err != nil {
			return nil, err
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "the model says " + answer.Content.(*sdk.TextContent).Text}}}, nil
	})
	web := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil))
	t.Cleanup(web.Close)
	file = filepath.Join(t.TempDir(), "servers.json")
	text, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"notes": map[string]any{"url": web.URL}}})
	if err == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func openFresh(t *testing.T, o Options) *Harness {
	t.Helper()
	t.Setenv("REIN_HOME", t.TempDir())
	o.Dirs, o.Sandbox = settings.Dirs{}, "off"
	h, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close(context.Background()) })
	return h
}

// TestTheUserTakesFromAToolServer: a prompt is a slash command, and a resource that a message names goes with it. Nobody is asked
// for that, also where a call of the model would be.
func TestTheUserTakesFromAToolServer(t *testing.T) {
	h := openFresh(t, Options{Dir: t.TempDir(), MCPConfig: []string{userServer(t)}})
	m := &wordy{answer: "fine"}
	s, err := h.Start(t.Context(), NewSession{Model: m})
	if err != nil {
		t.Fatal(err)
	}
	var calls []string
	watch := func(e event.Event) {
		if e.Kind == event.Granted {
			calls = append(calls, e.Call.Name+" by "+e.Answer.By)
		}
	}
	text, _, ok, err := s.Expand(t.Context(), "notes:greet", "Mei Lin", watch)
	if !ok || err != nil || !strings.Contains(text, "Greet Mei Lin.") {
		t.Errorf("the prompt: %q, %v, %v", text, ok, err)
	}
	if _, _, _, err := s.Expand(t.Context(), "notes:greet", "", watch); err == nil || !strings.Contains(err.Error(), "who is missing") {
		t.Errorf("without an argument: %v", err)
	}
	if got := strings.Join(calls, ", "); got != "mcp_resources by the user's own command" {
		t.Errorf("calls: %s", got)
	}
	if names := strings.Join(s.servers.Names(), " "); names != "notes:note://today" {
		t.Errorf("to complete: %s", names)
	}
	for e, err := range s.Send(t.Context(), Message("Do what @notes:note://today says, not @other:thing.")...) {
		if err != nil {
			t.Fatal(err)
		}
		watch(e)
	}
	last := m.requests[len(m.requests)-1].Messages
	if got := last[len(last)-1].Text(); !strings.Contains(got, "@notes:note://today:\n") || !strings.Contains(got, "buy tea") || strings.Contains(got, "@other:thing:") {
		t.Errorf("the model got %q", got)
	}
	if untrusted := s.guards.Untrusted(s.id); len(untrusted) == 0 {
		t.Error("what the server wrote counts as trusted")
	}
	h.Close(t.Context())

	// The model's own call still needs an approval, and nobody is there.
	m.calls = []string{"mcp_resources"}
	h = openFresh(t, Options{Dir: t.TempDir(), MCPConfig: []string{userServer(t)}})
	if s, err = h.Start(t.Context(), NewSession{NoModel: true}); err != nil {
		t.Fatal(err)
	}
	if got := callText(t, s, "1", "mcp_resources", `{"server":"notes"}`); !strings.Contains(got, "Denied") && !strings.Contains(got, "nobody") {
		t.Errorf("a call of the model ran: %s", got)
	}
}

// TestAToolServerAsksTheModel only when the user allows it, once in a session, and in the session's budget.
func TestAToolServerAsksTheModel(t *testing.T) {
	for name, row := range map[string]struct {
		person *answering
		budget int64
		says   string
		asked  int // requests of the server that reached the model
	}{
		"allowed":               {&answering{answer: guard.Answer{Choice: guard.Approved, By: guard.ByPerson(""), Chosen: chose("Yes, in this session")}}, 0, "the model says green", 2},
		"not allowed":           {&answering{answer: guard.Answer{Choice: guard.Approved, By: guard.ByPerson(""), Chosen: chose("No")}}, 0, "does not allow", 0},
		"nobody is there":       {nil, 0, "nobody is there", 0},
		"the budget is used up": {&answering{answer: guard.Answer{Choice: guard.Approved, By: guard.ByPerson(""), Chosen: chose("Yes, in this session")}}, 115, "budget", 0},
	} {
		t.Run(name, func(t *testing.T) {
			o := Options{Dir: t.TempDir(), MCPConfig: []string{userServer(t)}, Terms: event.Terms{Allow: []string{"mcp__notes"}, Budget: row.budget}}
			if row.person != nil {
				o.Person = row.person
			}
			h := openFresh(t, o)
			m := &wordy{answer: "green", calls: []string{"mcp__notes__think", "mcp__notes__think"}}
			s, err := h.Start(t.Context(), NewSession{Model: m})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.servers.Server("notes").Connect(t.Context()); err != nil {
				t.Fatal(err)
			}
			said := ""
			for e := range s.Send(t.Context(), Message("think")...) {
				if e.Kind == event.Replied {
					said += e.Result.Text + "\n"
				}
			}
			if !strings.Contains(said, row.says) {
				t.Errorf("the tool says %q", said)
			}
			var reached int
			for _, r := range m.requests {
				if r.System != sampling {
					continue
				}
				reached++
				if text := r.Messages[0].Text(); strings.Contains(text, serverKey) || !strings.Contains(text, "Which tea?") {
					t.Errorf("env-09 a secret in what a tool server asks the model: %s", text)
				}
			}
			if reached != row.asked {
				t.Errorf("%d requests reached the model, want %d", reached, row.asked)
			}
			if row.asked == 0 {
				return
			}
			if row.person.shown == nil || !strings.Contains(strings.Join(row.person.shown.Lines, "\n"), "Which tea?") {
				t.Error("the user did not see the request")
			}
			if got, want := s.Usage().Input, int64(100*len(m.requests)); got != want {
				t.Errorf("%d tokens in are counted, want %d", got, want)
			}
			id, used := s.ID(), s.Usage()
			s.Close(t.Context())
			if s, err = h.Resume(t.Context(), id, NewSession{Model: m}); err != nil {
				t.Fatal(err)
			}
			if s.Usage() != used {
				t.Errorf("after a resume %+v are counted, want %+v", s.Usage(), used)
			}
		})
	}
}

// TestAResumedSessionKeepsItsToolServers: the flag need not be given again. A file with another content is not taken, and what
// kept other servers out keeps them out.
func TestAResumedSessionKeepsItsToolServers(t *testing.T) {
	file, dir := userServer(t), t.TempDir()
	h := openFresh(t, Options{Dir: dir, MCPConfig: []string{file}, Terms: event.Terms{StrictMCP: true}})
	s, err := h.Start(t.Context(), NewSession{Model: &wordy{answer: "fine"}})
	if err != nil {
		t.Fatal(err)
	}
	for range s.Send(t.Context(), Message("hello")...) {
	}
	id := s.ID()
	h.Close(t.Context())
	resume := func() (servers int, strict bool, warned string) {
		h, err := Open(t.Context(), Options{Dir: dir, Terms: event.Terms{Sandbox: "off"}, Warn: func(line string) { warned += line + "\n" }})
		if err != nil {
			t.Fatal(err)
		}
		defer h.Close(t.Context())
		s, err := h.Resume(t.Context(), id, NewSession{Model: &wordy{}})
		if err != nil {
			t.Fatal(err)
		}
		if s.servers != nil {
			servers = len(s.servers.List())
		}
		return servers, s.Terms().StrictMCP, warned
	}
	if n, strict, warned := resume(); n != 1 || !strict {
		t.Errorf("%d servers, strict %v, %s", n, strict, warned)
	}
	if err := os.WriteFile(file, []byte(`{"mcpServers":{"other":{"command":"other"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if n, strict, warned := resume(); n != 0 || !strict || !strings.Contains(warned, "was changed") {
		t.Errorf("after a change: %d servers, strict %v, %s", n, strict, warned)
	}
}

// The user learns of a tool server that does not start, though the model has not asked for its tools.
func TestAToolServerThatDoesNotStartIsReported(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mcp.json")
	if err := os.WriteFile(file, []byte(`{"mcpServers":{"dead":{"command":"false"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	warned := make(chan string, 10)
	h := openFresh(t, Options{Dir: t.TempDir(), MCPConfig: []string{file}, Warn: func(line string) { warned <- line }})
	s, err := h.Start(t.Context(), NewSession{Model: &wordy{answer: "fine"}})
	if err != nil {
		t.Fatal(err)
	}
	for range s.Send(t.Context(), Message("hello")...) {
	}
	for {
		select {
		case line := <-warned:
			if strings.HasPrefix(line, "the tool server \"dead\" does not work: ") && strings.HasSuffix(line, "(rein mcp test dead)") {
				return
			}
		case <-time.After(time.Minute):
			t.Fatal("nobody was warned")
		}
	}
}

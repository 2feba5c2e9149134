package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"rein/app/harness"
	"rein/app/settings"
	"rein/guard"
	"rein/tool"
)

// lent is a served directory.
type lent struct {
	*Server
	root string
	h    *harness.Harness
}

func lend(t *testing.T, wait time.Duration) lent { return lendWith(t, wait, nil) }

// lendWith lends a directory; config are files of the user's settings directory.
func lendWith(t *testing.T, wait time.Duration, config map[string]string) lent {
	t.Helper()
	home, root := t.TempDir(), t.TempDir()
	files := map[string]string{filepath.Join(root, "a.txt"): "hello\n"}
	for name, text := range config {
		files[filepath.Join(home, "config", name)] = text
	}
	for name, text := range files {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	person := &Person{Wait: wait}
	h, err := harness.Open(t.Context(), harness.Options{Dir: root, Terms: harness.Terms{Sandbox: "off"}, Person: person, Dirs: settings.Dirs{Config: filepath.Join(home, "config"),
		Sessions: filepath.Join(home, "sessions"), Output: filepath.Join(home, "output"), Private: filepath.Join(home, "private"), State: filepath.Join(home, "state")}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close(context.Background()) })
	session, err := h.Start(t.Context(), harness.NewSession{NoModel: true})
	if err != nil {
		t.Fatal(err)
	}
	s := New(h, session, person, Options{})
	t.Cleanup(s.Close)
	return lent{s, root, h}
}

// connect connects a client. answer is what its user answers; nil: it cannot ask.
func (l lent) connect(t *testing.T, version string, answer func(*sdk.ElicitParams) map[string]any) *sdk.ClientSession {
	t.Helper()
	o := &sdk.ClientOptions{}
	if answer != nil {
		o.ElicitationHandler = func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			if values := answer(r.Params); values != nil {
				return &sdk.ElicitResult{Action: "accept", Content: values}, nil
			}
			return &sdk.ElicitResult{Action: "decline"}, nil
		}
	}
	return l.connectAs(t, version, o)
}

// connectAs connects a client with options.
func (l lent) connectAs(t *testing.T, version string, o *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	ours, theirs := net.Pipe()
	go l.Serve(context.Background(), ours, ours)
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, o).Connect(t.Context(), &sdk.IOTransport{Reader: theirs, Writer: theirs}, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func use(t *testing.T, c *sdk.ClientSession, name string, args map[string]any) (string, *sdk.CallToolResult) {
	t.Helper()
	r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, part := range r.Content {
		if part, ok := part.(*sdk.TextContent); ok {
			text += part.Text
		}
	}
	return text, r
}

var versions = []string{"2025-06-18", "2025-11-25", "2026-07-28"}

// TestApprovalsAreAskedThroughTheClient runs a command that needs an approval, in each version of the protocol.
func TestApprovalsAreAskedThroughTheClient(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			l := lend(t, 0)
			var shown string
			give := once
			c := l.connect(t, version, func(p *sdk.ElicitParams) map[string]any {
				shown = p.Message
				if give == "" {
					return nil
				}
				return map[string]any{"answer": give, "words": "use git"}
			})
			if text, r := use(t, c, "read_file", map[string]any{"path": "a.txt"}); r.IsError || !strings.Contains(text, "hello") || shown != "" {
				t.Errorf("read_file: %q, asked %q", text, shown)
			}
			if text, r := use(t, c, "bash", map[string]any{"command": "rm a.txt"}); r.IsError {
				t.Errorf("approved: %s", text)
			}
			if !strings.Contains(shown, "rm a.txt") {
				t.Errorf("the user was shown %q", shown)
			}
			if _, err := os.Stat(filepath.Join(l.root, "a.txt")); err == nil {
				t.Error("the approved command did not run")
			}
			os.WriteFile(filepath.Join(l.root, "b.txt"), nil, 0o600)
			for _, give = range []string{no, ""} {
				text, r := use(t, c, "bash", map[string]any{"command": "rm b.txt"})
				if !r.IsError || give == no && !strings.Contains(text, "use git") {
					t.Errorf("denied with %q: %s", give, text)
				}
			}
			if _, err := os.Stat(filepath.Join(l.root, "b.txt")); err != nil {
				t.Error("a denied command ran")
			}
		})
	}
}

// TestOnlyADenialIsTheUsers: a client that closes the question, fails, or answers with what was not offered has no user who denied.
func TestOnlyADenialIsTheUsers(t *testing.T) {
	for name, row := range map[string]struct {
		answer  *sdk.ElicitResult
		denied  bool
		problem error
	}{
		"declined":    {&sdk.ElicitResult{Action: "decline"}, true, nil},
		"denied":      {&sdk.ElicitResult{Action: "accept", Content: map[string]any{"answer": no}}, true, nil},
		"closed":      {&sdk.ElicitResult{Action: "cancel"}, false, nil},
		"not offered": {&sdk.ElicitResult{Action: "accept", Content: map[string]any{"answer": "perhaps"}}, false, nil},
		"failed":      {nil, false, errors.New("no window")},
	} {
		l := lend(t, 0)
		c := l.connectAs(t, "2025-06-18", &sdk.ClientOptions{ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) { return row.answer, row.problem }})
		text, r := use(t, c, "bash", map[string]any{"command": "rm a.txt"})
		if _, err := os.Stat(filepath.Join(l.root, "a.txt")); !r.IsError || err != nil || strings.Contains(text, "The user denied") != row.denied || strings.Contains(text, "none of those that were offered") != (name == "not offered") {
			t.Errorf("%s: %s, %v", name, text, err)
		}
	}
}

// TestCallsOfTwoServersHaveTwoNames: an undo of one of them takes no step of the other.
func TestCallsOfTwoServersHaveTwoNames(t *testing.T) {
	if a, b := lend(t, 0).nextID(), lend(t, 0).nextID(); a == b {
		t.Errorf("both have %s", a)
	}
}

// TestALineThatIsNoMessageEndsNothing sends what is no JSON, no object and no request.
func TestALineThatIsNoMessageEndsNothing(t *testing.T) {
	l := lend(t, 0)
	ours, theirs := net.Pipe()
	go l.Serve(context.Background(), ours, ours)
	defer theirs.Close()
	answers := bufio.NewScanner(theirs)
	for _, row := range []struct{ line, want string }{
		{"{", `"code":-32700`}, {"hello", `"code":-32700`}, {"[]", `"code":-32600`}, {"5", `"code":-32600`}, {`{"jsonrpc":"2.0"}`, `"code":-32600`}, {`[5]`, `"code":-32600`},
		{`{"jsonrpc":"2.0","id":"big","method":"ping","params":{"x":"` + strings.Repeat("x", maxLine) + `"}}`, `"id":"big","error":{"code":-32600`},
		{strings.Repeat("x", maxLine+1), `"id":null,"error":{"code":-32600`},
		{"\n" + `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, `"id":1`},
		{`[{"jsonrpc":"2.0","method":"notifications/initialized"},{"jsonrpc":"2.0","id":2,"method":"ping"}]`, `"id":2,"result"`},
		{`{"jsonrpc":"2.0","id":3,"method":"none"}`, `"id":3,"error":{"code":-32601`},
	} {
		if _, err := theirs.Write([]byte(row.line + "\n")); err != nil {
			t.Fatal(row.line, err)
		}
		if !answers.Scan() || !strings.Contains(answers.Text(), row.want) {
			t.Errorf("%s: %q, %v", row.line, answers.Text(), answers.Err())
		}
	}
}

// TestAClientThatCannotAskWaitsForTheInbox answers from elsewhere, and not at all.
func TestAClientThatCannotAskWaitsForTheInbox(t *testing.T) {
	l := lend(t, time.Minute)
	c := l.connect(t, "2025-11-25", nil)
	go func() {
		for range l.h.Inbox().Watch(t.Context()) {
			pending, _ := l.h.Inbox().Pending()
			for _, r := range pending {
				l.h.Inbox().Answer(r.Session, r.Call, r.Hash, guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")})
				return
			}
		}
	}()
	if text, r := use(t, c, "bash", map[string]any{"command": "rm a.txt"}); r.IsError {
		t.Errorf("approved elsewhere: %s", text)
	}
	l = lend(t, -1)
	text, r := use(t, l.connect(t, "2025-11-25", nil), "bash", map[string]any{"command": "rm a.txt"})
	if !r.IsError || !strings.Contains(text, "cannot ask its user") {
		t.Errorf("nobody answers: %s", text)
	}
}

func TestJudgeCommandRunsNothing(t *testing.T) {
	l := lend(t, -1)
	c := l.connect(t, "2026-07-28", nil)
	for command, want := range map[string]string{"ls": "allow", "rm -rf /": "deny", "rm a.txt": "ask"} {
		text, r := use(t, c, judgeName, map[string]any{"command": command})
		object, _ := r.StructuredContent.(map[string]any)
		if r.IsError || fmt.Sprint(object["decision"]) != want {
			t.Errorf("%s: %s", command, text)
		}
	}
	if _, err := os.Stat(filepath.Join(l.root, "a.txt")); err != nil {
		t.Error("a judged command ran")
	}
}

func TestResources(t *testing.T) {
	l := lend(t, -1)
	c := l.connect(t, "2025-11-25", nil)
	use(t, c, "read_file", map[string]any{"path": "a.txt"})
	r, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: journalURI})
	if err != nil || !strings.Contains(r.Contents[0].Text, `"read_file"`) {
		t.Errorf("the journal: %v, %v", r, err)
	}
	if _, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: outputPrefix + "../../etc/passwd"}); err == nil {
		t.Error("a resource leads out of the workspace")
	}
}

// TestWhoMayUseTheServerOverHTTP sends requests with and without the token, by other names and from other pages.
func TestWhoMayUseTheServerOverHTTP(t *testing.T) {
	l := lend(t, -1)
	web := httptest.NewServer(l.Handler(HTTP{Token: "secret", Hosts: []string{"rein.example"}, Origins: []string{"https://good.example"}}))
	defer web.Close()
	rows := []struct {
		name, host, origin, token string
		want                      int
	}{
		{"all in order", "", "", "secret", 200},
		{"a page that is named", "", "https://good.example", "secret", 200},
		{"another name that is named", "rein.example", "", "secret", 200},
		{"no token", "", "", "", 401},
		{"a wrong token", "", "", "secrets", 401},
		{"another page", "", "https://evil.example", "secret", 403},
		{"DNS rebinding", "evil.example", "", "secret", 403},
		{"a page without an origin", "", "null", "secret", 403},
	}
	for _, row := range rows {
		body := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
		r, _ := http.NewRequest("POST", web.URL, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if row.host != "" {
			r.Host = row.host
		}
		if row.origin != "" {
			r.Header.Set("Origin", row.origin)
		}
		if row.token != "" {
			r.Header.Set("Authorization", "Bearer "+row.token)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != row.want {
			t.Errorf("%s: %d, want %d", row.name, answer.StatusCode, row.want)
		}
	}
	if status, _ := (HTTP{}).refuse(httptest.NewRequest("POST", "http://localhost/", nil)); status != 401 {
		t.Errorf("without a token set: %d", status)
	}
}

// bearer adds the token.
type bearer struct{ token string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(r)
}

// TestApprovalsOverHTTP asks through the client with and without sessions of the protocol.
func TestApprovalsOverHTTP(t *testing.T) {
	for _, version := range versions {
		l := lend(t, -1)
		web := httptest.NewServer(l.Handler(HTTP{Token: "secret"}))
		asked := 0
		client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, &sdk.ClientOptions{ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			asked++
			return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"answer": once}}, nil
		}})
		c, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: web.URL, HTTPClient: &http.Client{Transport: bearer{"secret"}}}, &sdk.ClientSessionOptions{ProtocolVersion: version})
		if err != nil {
			t.Fatal(err)
		}
		if got := c.InitializeResult().ProtocolVersion; got != version {
			t.Errorf("asked for %s, got %s", version, got)
		}
		if text, r := use(t, c, "bash", map[string]any{"command": "rm a.txt"}); r.IsError || asked != 1 {
			t.Errorf("%s: asked %d times: %s", version, asked, text)
		}
		c.Close()
		web.Close()
	}
}

// TestDocumentsKeepTheirKindAndAddress: a client can play audio, and knows where a document came from.
func TestDocumentsKeepTheirKindAndAddress(t *testing.T) {
	r := result(tool.Result{ID: "1", Detail: json.RawMessage(`{"diff":"+1"}`), Parts: []tool.Part{
		{Kind: tool.DocumentPart, MediaType: "audio/wav", Data: []byte("RIFF")},
		{Kind: tool.DocumentPart, MediaType: "application/pdf", Data: []byte("%PDF"), URI: "file:///a.pdf"},
		{Kind: tool.DocumentPart, MediaType: "application/pdf", Data: []byte("%PDF")},
	}}, false)
	if d, ok := r.Meta[detailKey].(map[string]any); !ok || d["diff"] != "+1" || r.StructuredContent != nil {
		t.Errorf("the detail of a tool of rein: %v, %v", r.Meta, r.StructuredContent)
	}
	if a, ok := r.Content[0].(*sdk.AudioContent); !ok || a.MIMEType != "audio/wav" || string(a.Data) != "RIFF" {
		t.Errorf("audio: %#v", r.Content[0])
	}
	for i, want := range map[int]string{1: "file:///a.pdf", 2: "rein://document/1"} {
		if e, ok := r.Content[i].(*sdk.EmbeddedResource); !ok || e.Resource.URI != want {
			t.Errorf("document: %#v, want %s", r.Content[i], want)
		}
	}
}

// The limits of a session count the calls of clients, all together.
func TestCallsCountInTheBudget(t *testing.T) {
	l := lendWith(t, -1, map[string]string{"settings.json": `{"limits": {"session": {"calls": 2}}}`})
	one, two := l.connect(t, "2025-11-25", nil), l.connect(t, "2026-07-28", nil)
	for i, client := range []*sdk.ClientSession{one, two, one, two} {
		r, err := client.CallTool(t.Context(), &sdk.CallToolParams{Name: "read_file", Arguments: map[string]any{"path": "a.txt"}})
		if err != nil {
			t.Fatal(err)
		}
		text := r.Content[0].(*sdk.TextContent).Text
		if over := strings.Contains(text, "the budget for this session is used up: 2 of 2 calls"); over != (i >= 2) || r.IsError != over {
			t.Errorf("call %d: %q, %v", i+1, text, r.IsError)
		}
	}
}

// A handler that panics fails alone: the server and its other clients continue.
func TestAPanicIsAnError(t *testing.T) {
	l := lend(t, -1)
	l.sdk.AddTool(&sdk.Tool{Name: "broken", InputSchema: map[string]any{"type": "object"}}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		panic("sk-secret-0123456789")
	})
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		client := l.connect(t, version, nil)
		_, err := client.CallTool(t.Context(), &sdk.CallToolParams{Name: "broken"})
		if err == nil || !strings.Contains(err.Error(), "tools/call failed inside of rein") || strings.Contains(err.Error(), "sk-secret") {
			t.Errorf("%s: %v", version, err)
		}
		if _, err := client.CallTool(t.Context(), &sdk.CallToolParams{Name: "read_file", Arguments: map[string]any{"path": "a.txt"}}); err != nil {
			t.Errorf("%s, afterwards: %v", version, err)
		}
	}
}

// A call belongs to the trace of the client, and its program to the call.
func TestATraceGoesThroughACall(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
	l := lendWith(t, -1, map[string]string{"settings.json": `{"permissions":{"allow":["bash"]}}`})
	c := l.connect(t, "", nil)
	r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "bash", Arguments: map[string]any{"command": "echo $TRACEPARENT"},
		Meta: sdk.Meta{"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}})
	if err != nil {
		t.Fatal(err)
	}
	text := r.Content[0].(*sdk.TextContent).Text
	if !strings.HasPrefix(text, "00-0af7651916cd43dd8448eb211c80319c-") || strings.Contains(text, "b7ad6b7169203331") {
		t.Errorf("%q", text)
	}
}

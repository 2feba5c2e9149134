package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"rein/app/client"
	"rein/app/server"
	"rein/app/server/api"
	"rein/app/settings"
	"rein/lab/servertest"
)

const serverAsksOnce = `turns:
  - text: I append a line.
    calls: [{name: bash, args: {command: "git push origin main; echo x >> done.txt"}}]
  - text: All good.
  - text: Second answer.
`

func clientOf(s servertest.Server) *client.Client { return &client.Client{URL: s.URL, Key: s.Key} }

// shown is what a command has written.
type shown struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *shown) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *shown) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// until waits for a text.
func (s *shown) until(t *testing.T, text string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if strings.Contains(s.String(), text) {
			return
		}
	}
	t.Errorf("%q was never shown:\n%s", text, s)
}

func run(t *testing.T, cmd *cobra.Command, in io.Reader, args ...string) (*shown, <-chan error) {
	t.Helper()
	out, done := &shown{}, make(chan error, 1)
	cmd.SetArgs(args)
	cmd.SetIn(in)
	cmd.SetOut(out)
	cmd.SetErr(out)
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	go func() { done <- cmd.ExecuteContext(t.Context()) }()
	return out, done
}

// A person begins a session from a terminal, approves its call, and sees the answer.
func TestATerminalFollowsAndAnswers(t *testing.T) {
	s := servertest.Start(t, serverAsksOnce, nil)
	in, keys := io.Pipe()
	out, done := run(t, newAttach(), in, s.URL, "--token-file", s.KeyFile)
	out.until(t, "Your first message")
	io.WriteString(keys, "go please\n")
	out.until(t, "request 1 needs an answer")
	out.until(t, "git push origin main")
	io.WriteString(keys, "/n 7\n")
	out.until(t, "which request?")
	io.WriteString(keys, "/y\n")
	out.until(t, "All good.")
	if _, err := os.Stat(filepath.Join(s.Dir, "done.txt")); err != nil {
		t.Error(err)
	}
	io.WriteString(keys, "again\n")
	keys.Close() // the command waits for the end of the turn
	if err := <-done; err != nil {
		t.Error(err)
	}
	if text := out.String(); !strings.Contains(text, "Second answer.") || strings.Count(text, "All good.") != 1 {
		t.Error(text)
	}
	all, err := clientOf(s).Sessions(t.Context())
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	out, done = run(t, newAttach(), strings.NewReader("/quit\n"), s.URL, all[0].ID, "--token-file", s.KeyFile)
	if err := <-done; err != nil || !strings.Contains(out.String(), "Second answer.") {
		t.Error(err, out)
	}
}

// A person does all that a session needs without the page: answers a question, looks at the changes and takes one back, uploads
// a file, changes the mode, comes back.
func TestATerminalNeedsNoPage(t *testing.T) {
	s := servertest.Start(t, `turns:
  - calls: [{name: write_file, args: {path: a.txt, content: "two\n"}}]
  - calls: [{name: ask_user, args: {questions: [{question: "Which one?", choices: [{label: red}, {label: blue}]}]}}]
  - expect: {contains: blue}
    text: Blue it is.
  - expect: {contains: words of the file}
    text: Read.
`, nil)
	in, keys := io.Pipe()
	out, done := run(t, newAttach(), in, s.URL, "--token-file", s.KeyFile)
	for _, step := range []struct{ line, shows string }{
		{"/diff", "there is no session yet"},
		{"go please", "/a 1 ANSWER answers"},
		{"/y", "it is a question"},
		{"/a 1", "the answer is missing"},
		{"/a 1 2", "Blue it is."},
		{"/diff", "a.txt: created +1 -0\n  @@"},
		{"/undo yes", "/undo shows first"},
		{"/undo", "/undo yes does this"},
		{"/undo yes", "that is undone"},
		{"/mode plan", "mode plan"},
		{"/file " + s.KeyFile + ".txt", "no such file"},
		{"/file " + note(t), "notes.txt (text/plain, 18 bytes) goes with the next message"},
		{"read it", "Read."},
		{"/stop", "nothing is running"},
		{"/resume", "nothing to continue"},
		{"/quit", "Come back with: rein attach " + s.URL},
	} {
		io.WriteString(keys, step.line+"\n")
		out.until(t, step.shows)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(s.Dir, "a.txt")); err == nil {
		t.Error("the file is still there")
	}
	all, err := clientOf(s).Sessions(t.Context())
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	id := all[0].ID
	out, done = run(t, newAttach(), strings.NewReader("/quit\n"), s.URL, id[len(id)-5:], "--token-file", s.KeyFile)
	if err := <-done; err != nil || !strings.Contains(out.String(), "session "+id) {
		t.Error(err, out)
	}
	if _, done = run(t, newAttach(), strings.NewReader("/quit\n"), s.URL, "nothing", "--token-file", s.KeyFile); exitCode(<-done) != exitInput {
		t.Error("there is a session nothing")
	}
}

// note makes a file for an upload.
func note(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(file, []byte("words of the file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// A server does a task of rein run; another client approves its call.
func TestAServerDoesATask(t *testing.T) {
	s := servertest.Start(t, serverAsksOnce, nil)
	out, done := run(t, newRun(), nil, "--server", s.URL, "--token-file", s.KeyFile, "go")
	out.until(t, "waits for an approval")
	c := clientOf(s)
	for all, err := range c.Requests(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if len(all.Requests.Requests) > 0 {
			r := all.Requests.Requests[0]
			if _, err := c.Answer(t.Context(), r.Session, r.Call, api.Answer{Choice: "approved", Hash: r.Hash}); err != nil {
				t.Error(err)
			}
			break
		}
	}
	if err := <-done; err != nil || !strings.HasSuffix(out.String(), "All good.\n") {
		t.Error(err, out)
	}
	all, err := c.Sessions(t.Context())
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	out, done = run(t, newRun(), nil, "--server", s.URL, "--token-file", s.KeyFile, "--resume", all[0].ID, "go on")
	if err := <-done; err != nil || !strings.HasSuffix(out.String(), "Second answer.\n") || strings.Contains(out.String(), "All good.") {
		t.Error(err, out)
	}
	_, done = run(t, newRun(), nil, "--server", s.URL, "--token-file", s.KeyFile, "--budget", "3", "go")
	if err := <-done; exitCode(err) != exitUsage {
		t.Error(err)
	}
}

// A key goes to nobody who could read or keep it.
func TestWhereAKeyGoes(t *testing.T) {
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(serverKey, "")
	if want := server.KeyFile(server.DefaultDir(settings.Dirs{})); ownersKey() != want {
		t.Errorf("the owner's key is looked for at %s, the server keeps it at %s", ownersKey(), want)
	}
	for _, row := range []struct {
		name, url string
		server    signInFlags
		code      int
	}{
		{"loopback", "http://127.0.0.1:1", signInFlags{KeyFile: key}, 0},
		{"without a scheme", "localhost:1", signInFlags{KeyFile: key}, 0},
		{"TLS", "https://example.org", signInFlags{KeyFile: key}, 0},
		{"another machine without TLS", "http://example.org", signInFlags{KeyFile: key}, exitUsage},
		{"accepted", "http://example.org", signInFlags{KeyFile: key, Insecure: true}, 0},
		{"another machine never gets this machine's key", "https://example.org", signInFlags{}, exitAuth},
		{"a browser's link", "http://127.0.0.1:1/#k=x", signInFlags{KeyFile: key}, exitUsage},
		{"a name that only looks like loopback", "http://127.0.0.1.example.org", signInFlags{KeyFile: key}, exitUsage},
		{"no address", "ftp://x", signInFlags{KeyFile: key}, exitUsage},
	} {
		if _, err := row.server.client(row.url); exitCode(err) != row.code {
			t.Errorf("%s: %v", row.name, err)
		}
	}
}

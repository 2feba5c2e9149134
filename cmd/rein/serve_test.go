package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"rein/app/server"
	"rein/app/server/api"
)

// asServer makes the test program the command rein serve, as a process that a test can kill.
const asServer = "REIN_TEST_SERVE"

// serveInstead makes this process a server, if a test started it as one.
func serveInstead() {
	if os.Getenv(asServer) == "" {
		return
	}
	ctx, stop := endedBy(context.Background(), syscall.SIGTERM, syscall.Signal(1)) // as the program does; 1 is a hang-up
	code := execute(ctx, newServe(), os.Args[1:])
	stop()
	os.Exit(code)
}

// serverProcess is a server that runs in a process of its own.
type serverProcess struct {
	*testing.T
	cmd    *exec.Cmd
	ready  server.Ready
	errors *processLines
}

// processLines collects what a process prints.
type processLines struct{ all chan string }

// Write takes a text.
func (l *processLines) Write(text []byte) (int, error) {
	l.all <- string(text)
	return len(text), nil
}

// serveIn starts a server in a directory with a home and a workspace.
func serveIn(t *testing.T, root string) *serverProcess {
	t.Helper()
	p, err := serveAt(t, root, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// errTaken means that another program has the address.
var errTaken = errors.New("the address is taken")

// serveAt starts a server at an address that a former one had, or gives errTaken.
func serveAt(t *testing.T, root, address string, more ...string) (*serverProcess, error) {
	t.Helper()
	p := &serverProcess{T: t, errors: &processLines{make(chan string, 100)}}
	p.cmd = exec.CommandContext(t.Context(), os.Args[0], append(more, "--listen", address, "--json", "--sandbox", "off", "--model", "script/"+filepath.Join(root, "script.yaml"), "--cwd", filepath.Join(root, "ws"))...)
	p.cmd.Env = append(os.Environ(), asServer+"=1", "REIN_HOME="+filepath.Join(root, "home"), "HOME="+root)
	p.cmd.Stderr = p.errors
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err == nil {
		err = json.Unmarshal([]byte(line), &p.ready)
	}
	if err == nil && p.ready.URL != "" {
		return p, nil
	}
	if strings.Contains(line, "address already in use") || strings.Contains(line, "Only one usage of each socket address") {
		return nil, errTaken
	}
	return nil, fmt.Errorf("the server has not started: %v: %q", err, line)
}

// Behind a proxy with TLS, the link is that of the proxy.
func TestTheLinkBehindAProxy(t *testing.T) {
	root := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(root, "ws"), 0o700), os.WriteFile(filepath.Join(root, "script.yaml"), []byte("turns: [{text: hi}]"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for more, want := range map[string]string{"--trust-proxy --host rein.example.org": "https://rein.example.org/", "--host rein.example.org": "http://rein.example.org/", "--trust-proxy": "http://127.0.0.1:"} {
		p, err := serveAt(t, root, "127.0.0.1:0", strings.Fields(more)...)
		if err != nil || !strings.HasPrefix(p.ready.Link, want) {
			t.Errorf("%s: %v, %+v", more, err, p.ready)
		}
		p.kill()
	}
}

// The test of the killed server begins again when another program took the port, and only then.
func TestATakenPortIsNoticed(t *testing.T) {
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	root := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(root, "ws"), 0o700), os.WriteFile(filepath.Join(root, "script.yaml"), []byte("turns: [{text: hi}]"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := serveAt(t, root, other.Addr().String()); !errors.Is(err, errTaken) {
		t.Errorf("a taken port: %v", err)
	}
	if _, err := serveAt(t, root, "no address"); err == nil || errors.Is(err, errTaken) {
		t.Errorf("another fault: %v", err)
	}
}

// kill ends the process at once, as kill -9 does.
func (p *serverProcess) kill() {
	_ = p.cmd.Process.Kill() // it may have ended
	_ = p.cmd.Wait()
}

// signedInPage is a browser with the page: it has the cookie of a sign-in, and no key.
type signedInPage struct {
	*testing.T
	client *http.Client
	url    string
}

// sign opens the link that the server printed, as the page does: it sends the code that stands after the #.
func sign(p *serverProcess) *signedInPage {
	p.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		p.Fatal(err)
	}
	b := &signedInPage{T: p.T, client: &http.Client{Jar: jar}, url: strings.TrimRight(p.ready.URL, "/")}
	_, code, _ := strings.Cut(p.ready.Link, "#k=")
	b.send("POST", "/v1/sign-in", map[string]string{"key": code}, nil)
	return b
}

func (b *signedInPage) request(method, path string, in any) *http.Request {
	b.Helper()
	text, err := json.Marshal(in)
	if err != nil {
		b.Fatal(err)
	}
	r, err := http.NewRequestWithContext(b.Context(), method, b.url+path, bytes.NewReader(text))
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Origin", b.url)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return r
}

// send sends a request that must succeed.
func (b *signedInPage) send(method, path string, in, out any) {
	b.Helper()
	answer, err := b.client.Do(b.request(method, path, in))
	if err != nil {
		b.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode >= 300 {
		err = fmt.Errorf("%s %s: %d %s", method, path, answer.StatusCode, text)
	}
	if err == nil && out != nil {
		err = json.Unmarshal(text, out)
	}
	if err != nil {
		b.Fatal(err)
	}
}

// follow reads the event stream, from the cursor of a former one, until take has what it waits for. It returns the new cursor.
func (b *signedInPage) follow(watch, cursor string, take func(name, data string) bool) string {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), time.Minute)
	defer cancel()
	r := b.request("GET", "/v1/events?watch="+url.QueryEscape(watch), nil).WithContext(ctx)
	if cursor != "" {
		r.Header.Set("Last-Event-ID", cursor)
	}
	answer, err := b.client.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	defer answer.Body.Close()
	name, data := "", ""
	in := bufio.NewScanner(answer.Body)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		key, value, _ := strings.Cut(in.Text(), ": ")
		switch key {
		case "id":
			cursor = value
		case "event":
			name = value
		case "data":
			data = value
		case "": // the message is whole
			if take(name, data) {
				return cursor
			}
		}
	}
	b.Fatalf("the stream has ended: %v", in.Err())
	return ""
}

// waits waits until the inbox of the page shows a request.
func (b *signedInPage) waits() (r api.Request) {
	b.Helper()
	b.follow("inbox", "", func(name, data string) bool {
		var w api.WorkspaceRequests
		if name != "inbox" {
			return false
		}
		if err := json.Unmarshal([]byte(data), &w); err != nil {
			b.Fatal(err)
		}
		for _, r = range w.Requests.Requests {
			return true
		}
		return false
	})
	return r
}

// The whole way, without a browser program: the page sends a message over HTTP, the model's call reaches the guard, the page shows
// the request, the server is killed and started again, the same page shows the same request, its answer continues the pending
// call, once, and the page shows the result. web/e2e does the same in Chromium.
func TestTheWholeWayOverAKilledServer(t *testing.T) {
	t.Parallel()
	const attempts = 5 // another program may take the port while no server has it
	for range attempts {
		err := overAKilledServer(t)
		if err == nil {
			return
		}
		if !errors.Is(err, errTaken) {
			t.Fatal(err)
		}
	}
	t.Fatalf("%d times another program took the port of the killed server", attempts)
}

func overAKilledServer(t *testing.T) error {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{"ws/a.txt": "a\n", "script.yaml": `turns:
  - text: I append a line.
    calls: [{name: bash, args: {command: "git push origin main; echo x >> done.txt; echo it ran"}}]
  - expect: {contains: it ran}
    text: All good.
`} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := serveIn(t, root)
	b := sign(p)
	var s api.Session
	b.send("POST", "/v1/sessions", api.NewSession{Text: "go"}, &s)
	before := b.waits()
	cursor := b.follow("s:"+s.ID, "", func(name, data string) bool {
		return name == "event" && strings.Contains(data, `"kind":"approval_requested"`)
	})
	p.kill()
	if _, err := os.Stat(filepath.Join(root, "ws", "done.txt")); err == nil {
		t.Fatal("the call ran without an answer")
	}

	if _, err := serveAt(t, root, strings.Trim(strings.TrimPrefix(p.ready.URL, "http://"), "/")); err != nil {
		return err
	}
	after := b.waits() // the cookie still counts
	if after.Hash != before.Hash || after.Root != s.ID {
		t.Fatalf("another request: %+v, then %+v", before, after)
	}
	var got api.Answered
	b.send("POST", "/v1/inbox/"+after.Session+"/"+after.Call, api.Answer{Choice: "approved", Hash: after.Hash}, &got)
	if !got.Mine || !got.Approved {
		t.Errorf("the answer does not count: %+v", got)
	}
	kinds, last := "", int64(0)
	b.follow("s:"+s.ID, cursor, func(name, data string) bool {
		var e struct {
			Kind string
			Seq  int64
		}
		if name != "event" || json.Unmarshal([]byte(data), &e) != nil {
			return false
		}
		if e.Seq > 0 && e.Seq <= last {
			t.Errorf("event %d comes after %d", e.Seq, last)
		}
		last = max(last, e.Seq)
		if strings.Contains("granted replied response stopped", e.Kind) {
			kinds += e.Kind + " "
		}
		return e.Kind == "stopped"
	})
	if kinds != "granted replied response stopped " {
		t.Errorf("the page was shown %q after the restart", kinds)
	}
	if text, err := os.ReadFile(filepath.Join(root, "ws", "done.txt")); string(text) != "x\n" {
		t.Errorf("the call did %q, %v", text, err)
	}
	return nil
}

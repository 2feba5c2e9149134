//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rein/kit/sandbox"
)

// accessTest is a machine with a workspace, a home that does not lie in scratch space, and another project in it.
type accessTest struct {
	t                     *testing.T
	home, work, other, me string   // me is REIN_HOME
	env                   []string // what rein has in its environment besides
}

func newAccessTest(t *testing.T) *accessTest {
	t.Helper()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(here, "/tmp/") || strings.HasPrefix(here, "/var/tmp/") {
		if here, err = os.UserHomeDir(); err != nil {
			t.Fatal(err)
		}
	}
	home, err := os.MkdirTemp(here, ".rein-test-home-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	m := &accessTest{t: t, home: home, work: filepath.Join(home, "work"), other: filepath.Join(home, "other"), me: filepath.Join(home, "rein")}
	for name, text := range map[string]string{m.work + "/a": "a", m.other + "/old": "old text", home + "/.ssh/id_rsa": "a key", m.work + "/.env": "A=closed-value\n"} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if m.backend() == sandbox.BackendNone {
		t.Skip("no sandbox here, so there is no access to grant")
	}
	return m
}

// backend is the best one here.
func (m *accessTest) backend() sandbox.Backend {
	m.t.Helper()
	box, err := sandbox.New(sandbox.Policy{Workspace: m.work, Home: m.home})
	if err != nil {
		m.t.Fatal(err)
	}
	defer box.Close()
	backend, err := box.Backend(m.t.Context())
	if err != nil {
		m.t.Fatal(err)
	}
	return backend
}

// put writes a file below the home.
func (m *accessTest) put(name, text string) {
	m.t.Helper()
	name = filepath.Join(m.home, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
		m.t.Fatal(err)
	}
}

// requestAccess is the call that opens the other project.
func (m *accessTest) requestAccess(how string) string {
	return fmt.Sprintf(`request_access {"%s": "%s", "why": "the task\nneeds it"}`, how, m.other)
}

// scripted writes a model that makes these calls, one a turn, each "tool {json}".
func (m *accessTest) scripted(calls ...string) string {
	m.t.Helper()
	var b strings.Builder
	b.WriteString("turns:\n")
	for _, c := range calls {
		name, args, _ := strings.Cut(c, " ")
		fmt.Fprintf(&b, "  - calls: [{name: %s, args: %s}]\n", name, args)
	}
	b.WriteString("  - text: Done.\n")
	name := filepath.Join(m.t.TempDir(), "script.yaml")
	if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
		m.t.Fatal(err)
	}
	return name
}

// command is rein in this machine.
func (m *accessTest) command(args ...string) *exec.Cmd {
	cmd := exec.Command("rein", args...)
	cmd.Dir = m.work
	cmd.Env = slices.Concat(os.Environ(), []string{"HOME=" + m.home, "REIN_HOME=" + m.me, "TERM=dumb"}, m.env)
	return cmd
}

// run runs rein and returns the results of the calls in their order, and its exit code.
func (m *accessTest) run(args ...string) (results []string, code int, errs string) {
	m.t.Helper()
	cmd := m.command(args...)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			m.t.Fatal(err)
		}
		code = exit.ExitCode()
	}
	for line := range strings.Lines(out.String()) {
		var e struct {
			Type    string
			Message struct{ Content json.RawMessage }
		}
		var parts []struct{ Type, Content string }
		if json.Unmarshal([]byte(line), &e) != nil || e.Type != "user" || json.Unmarshal(e.Message.Content, &parts) != nil {
			continue
		}
		for _, p := range parts {
			if p.Type == "tool_result" {
				results = append(results, p.Content)
			}
		}
	}
	return results, code, stderr.String() + out.String()
}

// answer approves the pending request of the newest session.
func (m *accessTest) answer() (session string) {
	m.t.Helper()
	out, err := m.command("sessions", "--json").Output()
	if err != nil {
		m.t.Fatal(err)
	}
	var s struct{ ID string }
	if err := json.NewDecoder(bytes.NewReader(out)).Decode(&s); err != nil {
		m.t.Fatalf("%v in %s", err, out)
	}
	waits, err := m.command("approve", s.ID).Output()
	if err != nil {
		m.t.Fatal(err)
	}
	call, _, _ := strings.Cut(string(waits), "\t")
	if out, err := m.command("approve", s.ID, call).CombinedOutput(); err != nil {
		m.t.Fatalf("%v: %s", err, out)
	}
	return s.ID
}

// suspended runs a script until a request suspends the session, approves it, and returns the results before and after.
func (m *accessTest) suspended(options []string, calls ...string) (before, after []string) {
	m.t.Helper()
	script := "script/" + m.scripted(calls...)
	options = append(options, "--model", script, "--output-format", "stream-json", "--suspend")
	before, code, errs := m.run(append(append([]string{"run"}, options...), "go")...)
	if code != exitWaiting {
		m.t.Fatalf("ended with %d: %s", code, errs)
	}
	after, code, errs = m.run(append([]string{"run", "--resume", m.answer()}, options...)...)
	if code != 0 {
		m.t.Fatalf("ended with %d: %s", code, errs)
	}
	return before, after
}

const fails, works = "[exit code 2 ", "[exit code 0 "

// expect compares results, in order, with what each must hold.
func (m *accessTest) expect(results []string, want ...string) {
	m.t.Helper()
	if len(results) != len(want) {
		m.t.Fatalf("%d results, want %d: %q", len(results), len(want), results)
	}
	for i, w := range want {
		if !strings.Contains(results[i], w) {
			m.t.Errorf("result %d: want %q in %s", i+1, w, results[i])
		}
	}
}

func TestBlockedAskedGrantedOnceAndBlockedAgain(t *testing.T) {
	t.Parallel()
	m := newAccessTest(t)
	m.put("work/add.sh", "echo more >> ../other/new")
	const add = `bash {"command": "sh add.sh"}`
	before, after := m.suspended(nil, add, m.requestAccess("write"), add, add)
	m.expect(before, `with this call: request_access {"write":"`+m.other+`","why":"…"}]`)
	m.expect(after, "Granted: write access to "+m.other+", for the next command", works, fails)
	if text, err := os.ReadFile(m.other + "/new"); string(text) != "more\n" {
		t.Errorf("%q %v", text, err)
	}
}

func TestNobodyThereMeansClosed(t *testing.T) {
	t.Parallel()
	m := newAccessTest(t)
	m.put("work/add.sh", "echo more >> ../other/new")
	for _, mode := range []string{"supervised", "full"} {
		script := "script/" + m.scripted(m.requestAccess("write"), `bash {"command": "sh add.sh"}`)
		results, code, errs := m.run("run", "--mode", mode, "--model", script, "--output-format", "stream-json", "go")
		m.expect(results, "grants write access to "+m.other+", and nobody is there to approve it", fails)
		if code != exitDenied || !strings.Contains(errs, `"permission_denials":[{"tool_name":"request_access"`) {
			t.Errorf("in %s: ended with %d: %s", mode, code, errs)
		}
	}
}

func TestWhatIsNeverOpened(t *testing.T) {
	t.Parallel()
	m := newAccessTest(t)
	for args, want := range map[string]string{
		`{"read": "~/.ssh", "why": "x"}`:                            "holds credentials",
		`{"read": "` + m.home + `", "why": "x"}`:                    "contains files of the program that runs the sandbox",
		`{"write": "` + m.me + `", "why": "x"}`:                     "contains files of the program that runs the sandbox",
		`{"read": "` + m.me + `/config", "why": "x"}`:               "contains files of the program that runs the sandbox",
		`{"read": "/proc/1", "why": "x"}`:                           "the system's own",
		`{"write": "/etc", "why": "x"}`:                             "contains files of the program that runs the sandbox",
		`{"host": "169.254.169.254", "why": "x"}`:                   "cloud metadata",
		`{"host": "http://metadata.google.internal/x", "why": "x"}`: "cloud metadata",
		`{"host": "0x7f.1", "why": "x"}`:                            "odd spelling",
		`{"host": "*.example.com", "why": "x"}`:                     "cannot be opened",
		`{"host": "example.com", "read": "/srv", "why": "x"}`:       "exactly one",
		`{"why": "x"}`: "exactly one",
		`{"write": "` + m.other + `/old", "why": "x"}`:                     "is a file",
		`{"read": "` + m.other + `/none", "why": "x"}`:                     "does not exist",
		`{"host": "example.com"}`:                                          "why",
		`{"host": "example.com", "why": "x", "approved": true}`:            "approved",
		`{"read": "` + m.work + `", "why": "x"}`:                           "Nothing to do",
		`{"write": "` + m.work + `/../work/sub/..", "why": "x"}`:           "Nothing to do",
		`{"host": "denied.example.com", "why": "x"}`:                       "denied by the rule",
		`{"host": "example.com", "send": true, "why": "x", "for": "ever"}`: "for",
	} {
		m.put("rein/config/settings.json", `{"network": {"deny": ["denied.example.com"]}, "permissions": {"allow": ["request_access"]}}`)
		cmd := m.command("call", "--mode", "full", "--allow", "request_access", "request_access", args)
		out, _ := cmd.CombinedOutput()
		if !strings.Contains(string(out), want) || strings.Contains(string(out), "Opened") {
			t.Errorf("%s: want %q in %s", args, want, out)
		}
	}
	if out, _ := m.command("call", "--mode", "read-only", "request_access", `{"host": "example.com", "why": "x"}`).CombinedOutput(); !strings.Contains(string(out), "Denied") {
		t.Errorf("in read-only mode: %s", out)
	}
}

func TestFileToolsAreOpenedForOneCall(t *testing.T) {
	t.Parallel()
	m := newAccessTest(t)
	read := fmt.Sprintf(`read_file {"path": "%s/old"}`, m.other)
	write := fmt.Sprintf(`write_file {"path": "%s/new", "content": "x"}`, m.other)
	_, after := m.suspended([]string{"--mode", "full"}, m.requestAccess("read"), read, read)
	m.expect(after, "Granted: read access to "+m.other, "old text", "request access with this call: request_access")
	_, after = m.suspended([]string{"--mode", "full"}, m.requestAccess("write"), `list_dir {"path": "."}`, write, `bash {"command": "cat ../other/new"}`)
	m.expect(after, "Granted: write access to "+m.other, "a", "new", "No such file")
	script := "script/" + m.scripted(read)
	results, _, _ := m.run("run", "--mode", "full", "--model", script, "--output-format", "stream-json", "go")
	m.expect(results, "request access with this call: request_access")
}

func TestAClosedFileOfTheWorkspaceIsOpenedByItsName(t *testing.T) {
	t.Parallel()
	m := newAccessTest(t)
	if box := m.backend(); box == sandbox.BackendLandlock {
		t.Skip("this sandbox backend does not hide files of the workspace")
	}
	m.put("work/show.sh", "cut -c1-8 .env; echo x >> .env || exit 2")
	_, after := m.suspended(nil, `request_access {"read": ".env", "why": "x"}`, `bash {"command": "sh show.sh"}`)
	m.expect(after, "Granted: read access to "+m.work+"/.env", "A=closed")
	if !strings.Contains(after[1], fails) {
		t.Errorf("it was written: %s", after[1])
	}
}

// server is a page of this machine, and a script that gets it as programs do, with a method.
func (m *accessTest) server() (port string) {
	m.t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, r.Method, "was answered") }))
	m.t.Cleanup(s.Close)
	_, port, _ = strings.Cut(strings.TrimPrefix(s.URL, "http://"), ":")
	m.put("work/get.sh", `exec 3<>/dev/tcp/127.0.0.1/3128 && printf '%s http://host.rein.internal:`+port+`/ HTTP/1.0\r\n\r\n' $1 >&3 && grep answered <&3 || exit 2`)
	return port
}

func TestAHostIsOpenedForOneCommand(t *testing.T) {
	t.Parallel()
	m := newAccessTest(t)
	if backend := m.backend(); backend == sandbox.BackendLandlock {
		t.Skip("this sandbox backend has no network for programs")
	}
	port := m.server()
	const get, post = `bash {"command": "bash get.sh GET"}`, `bash {"command": "bash get.sh POST"}`
	before, after := m.suspended(nil, get, fmt.Sprintf(`request_access {"host": "localhost:%s", "why": "x"}`, port), get, get)
	m.expect(before, `request access with this call: request_access {"host":"localhost:`+port+`","why":"…"}`)
	m.expect(after, "http://host.rein.internal:"+port+"/", "GET was answered", fails)
	_, after = m.suspended(nil, fmt.Sprintf(`request_access {"host": "host.rein.internal:%s", "why": "x"}`, port), post)
	m.expect(after, "Granted: network access to localhost:"+port, fails)
	_, after = m.suspended(nil, fmt.Sprintf(`request_access {"host": "localhost:%s", "send": true, "why": "x"}`, port), post)
	m.expect(after, "with sending", "POST was answered")
}

func TestAHostIsOpenedForOneRequest(t *testing.T) {
	t.Parallel()
	m := newAccessTest(t)
	port := m.server()
	get := fmt.Sprintf(`http_request {"url": "http://localhost:%s/"}`, port)
	before, after := m.suspended([]string{"--mode", "full"}, get, fmt.Sprintf(`request_access {"host": "localhost:%s", "why": "x"}`, port), get, get)
	m.expect(before, `request access with this call: request_access {"host":"localhost:`+port)
	m.expect(after, "Granted: network access", "GET was answered", "request access with this call")
}

func TestAProjectCannotOpenTheSandbox(t *testing.T) {
	t.Parallel()
	m := newAccessTest(t)
	m.put("work/add.sh", "echo more >> ../other/new")
	for _, name := range []string{"settings.json", "settings.local.json"} {
		m.put("work/.rein/"+name, fmt.Sprintf(`{"files": {"write": [%q]}, "permissions": {"allow": [{"rule": "request_access", "risk": "high"}]}}`, m.other))
	}
	script := "script/" + m.scripted(m.requestAccess("write"), `bash {"command": "sh add.sh"}`)
	results, _, errs := m.run("run", "--mode", "full", "--model", script, "--output-format", "stream-json", "go")
	m.expect(results, "nobody is there", fails)
	if strings.Count(errs, `"files" is ignored in a project's settings`) != 2 {
		t.Error(errs)
	}
}

// atTerminal runs a script with a person there.
func (m *accessTest) atTerminal(calls ...string) *ptySession {
	return onConsole(m.t, m.command("run", "--verbose", "--model", "script/"+m.scripted(calls...), "go"))
}

// answers types an answer when the terminal takes one.
func (c *ptySession) answers(key string) {
	c.t.Helper()
	c.expect("Run it?")
	c.typed(key + "\r")
}

func TestALastingAnswerIsKeptWhereItSays(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ key, kept string }{{"s", ""}, {"p", "projects"}, {"u", "settings.json"}} {
		t.Run(row.key, func(t *testing.T) {
			t.Parallel()
			m := newAccessTest(t)
			m.put("work/add.sh", "echo more >> ../other/new")
			const add = `bash {"command": "sh add.sh"}`
			c := m.atTerminal(m.requestAccess("write"), add, add, m.requestAccess("write"), fmt.Sprintf(`write_file {"path": "%s/file", "content": "x"}`, m.other))
			c.expect("opens    write access to " + m.other)
			c.expect("what for the task needs it")
			c.expect("once     opens it for the next command")
			c.expect("this project (kept in " + filepath.Join(m.me, "config", "projects"))
			c.answers("a")
			c.expect("For how long?")
			c.typed(row.key + "\r")
			c.expect("you already have write access to " + m.other)
			c.expect("exit code 0")
			c.expect("exit code 0")
			c.expect("you already have")
			c.expect("Done.")
			if code := c.exit(); code != 0 {
				t.Errorf("ended with %d; the screen:\n%s", code, c.screen())
			}
			if _, err := os.Stat(m.other + "/file"); err != nil {
				t.Error(err)
			}
			m.keptIn(row.kept)
			script := "script/" + m.scripted(add)
			results, _, _ := m.run("run", "--model", script, "--output-format", "stream-json", "go")
			m.expect(results, map[bool]string{true: works, false: fails}[row.kept != ""])
			m.put("elsewhere/add.sh", "echo more >> ../other/new")
			results, _, _ = m.run("run", "--cwd", m.home+"/elsewhere", "--model", script, "--output-format", "stream-json", "go")
			m.expect(results, map[bool]string{true: works, false: fails}[row.key == "u"])
		})
	}
}

// keptIn checks which settings file holds the opening; "" is none.
func (m *accessTest) keptIn(name string) {
	m.t.Helper()
	files, _ := filepath.Glob(filepath.Join(m.me, "config", "projects", "*.json"))
	for _, file := range append(files, filepath.Join(m.me, "config", "settings.json")) {
		text, _ := os.ReadFile(file)
		holds := strings.Contains(string(text), `"files"`) && strings.Contains(string(text), m.other)
		if holds != (name != "" && strings.Contains(file, name)) {
			m.t.Errorf("%s: %s", file, text)
		}
	}
}

func TestARefusalWithWordsOpensNothing(t *testing.T) {
	t.Parallel()
	m := newAccessTest(t)
	m.put("work/add.sh", "echo more >> ../other/new")
	c := m.atTerminal(m.requestAccess("write"), `bash {"command": "sh add.sh"}`)
	c.answers("t")
	c.expect("Tell the model:")
	c.typed("work here\r")
	c.expect("The user denied this call: work here")
	c.expect("exit code 2")
	c.expect("Done.")
	c.exit()
}

//go:build unix

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"rein/event"
	"rein/journal"
	"rein/kit/script"
	"rein/lab/modelserver"
)

// manyLives is one session that continues in many processes, most of which are killed. Its model is served in all four
// protocols by a server that is as strict as the providers, and that refuses what is longer than the window.
type manyLives struct {
	*lives
	server *httptest.Server
	window int // tokens
	output int // bytes that each command prints
	turns  int // requests for each message
	random *rand.Rand

	mu        sync.Mutex
	running   *exec.Cmd
	plan      func(isSummary bool) moment // where in a request its process is killed; nil: nowhere
	next      moment                      // where in the next one, whatever the plan says
	left      int                         // turns of this message
	asked     int                         // requests in all, but for summaries
	summaries int
	calls     []string // the marks that commands were given
	faults    []string // requests that broke a rule
	length    int      // tokens of the last request
	longest   int      // of all
	hits      map[moment]int
	states    map[string]int // in how many of the kills the session was in a state
	answers   int            // to approval requests
	messages  []string       // each as it was when its message was sent: the state of the files
	kills     int
}

// moment is where in a request a process is killed.
type moment string

// The moments. The delay after an answer is random, and short: the process has it, and records what follows from it.
const (
	never         moment = ""
	beforeAnswer  moment = "before the answer"
	afterAnswer   moment = "after the answer"
	summaryAsked  moment = "while the summary is awaited"
	summaryHalf   moment = "in the middle of the summary"
	summaryGiven  moment = "after the summary"
	compactedSoon moment = "at the request after the summary"
)

func newManyLives(t *testing.T, window, output, turns int) *manyLives {
	t.Helper()
	l := &manyLives{lives: newLives(t), window: window, output: output, turns: turns, random: rand.New(rand.NewPCG(1, 2)), hits: map[moment]int{}, states: map[string]int{}}
	m := &modelserver.Server{Lax: true, Batch: true, Next: l.answer}
	l.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { l.serve(m, w, r) }))
	t.Cleanup(l.server.Close)
	facts := fmt.Sprintf(`{"limit": {"context": %d, "output": 2000}}`, window)
	settings := fmt.Sprintf(`{"permissions": {"ask": ["bash(sh tools/ask.sh)"]}, "models": {"openai/m": %[1]s, "openai-responses/m": %[1]s, "anthropic/m": %[1]s, "gemini/m": %[1]s}, "loops": {"same": {"note": -1, "ask": -1}, "pingPong": {"note": -1, "ask": -1}, "idle": {"note": -1, "ask": -1}, "failures": {"note": -1, "ask": -1}, "stop": -1}}`, facts)
	for name, text := range map[string]string{"home/config/settings.json": settings, "work/.gitignore": "marks\n", "work/base.txt": "base\n"} {
		name = filepath.Join(l.dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range txtar.Parse([]byte(tools)).Files {
		name := filepath.Join(l.work, "tools", f.Name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, f.Data, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// tokens counts a request as the provider does, which rein learns from the usage that it reports.
func tokens(body []byte) int { return len(body) * 10 / 34 }

// serve checks the length of a request, has it answered, and kills the process that sent it where it is due.
func (l *manyLives) serve(m http.Handler, w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	isSummary := bytes.Contains(body[max(len(body)-60_000, 0):], []byte("Older messages of this conversation will be left out"))
	l.mu.Lock()
	l.length = tokens(body)
	if l.longest = max(l.longest, l.length); l.length > l.window {
		l.faults = append(l.faults, fmt.Sprintf("a request has %d tokens", l.length))
	}
	if isSummary {
		l.summaries++
	}
	at := l.next
	if l.next = never; at == never && l.plan != nil && l.running != nil {
		if at = l.plan(isSummary); at != never {
			l.hits[at]++
		}
	}
	if at == compactedSoon {
		at, l.next = never, beforeAnswer
	}
	due := at != never
	wait := time.Duration(l.random.IntN([]int{8_000, 80_000}[l.random.IntN(2)])) * time.Microsecond // before its calls begin, or in them
	l.mu.Unlock()
	r.Body = io.NopCloser(bytes.NewReader(body))
	answer := httptest.NewRecorder()
	if due && (at == beforeAnswer || at == summaryAsked) {
		l.kill()
		return
	}
	m.ServeHTTP(answer, r)
	if answer.Code != http.StatusOK {
		l.mu.Lock()
		l.faults = append(l.faults, answer.Body.String())
		l.mu.Unlock()
	}
	w.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
	w.WriteHeader(answer.Code)
	text := answer.Body.Bytes()
	if due && at == summaryHalf {
		text = text[:len(text)/2]
	}
	w.Write(text)
	w.(http.Flusher).Flush()
	if due {
		if at != summaryHalf {
			time.Sleep(wait) // the other process continues meanwhile: there is no fake clock for it
		}
		l.kill()
	}
}

// kill ends the process that is at work, as a loss of power would.
func (l *manyLives) kill() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.running != nil {
		syscall.Kill(-l.running.Process.Pid, syscall.SIGKILL)
		l.running = nil
		l.kills++
	}
}

// journal returns the path of the session's journal, and "" while there is none. Its sub-agents have others.
func (l *manyLives) journal() string {
	all, _ := filepath.Glob(filepath.Join(l.dir, "home", "*", "long", journal.FileName)) // the pattern is a good one
	if len(all) == 0 {
		return ""
	}
	return all[0]
}

// noteState finds out in which state a process was killed.
func (l *manyLives) noteState() {
	text, err := os.ReadFile(l.journal())
	if err != nil {
		return // killed before there was one
	}
	open, asked, subs := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for line := range bytes.Lines(text[max(len(text)-300_000, 0):]) {
		var e event.Event
		if json.Unmarshal(line, &e) != nil || e.Call == nil {
			continue
		}
		switch e.Kind {
		case event.Called:
			open[e.Call.ID] = true
		case event.ApprovalRequested:
			asked[e.Call.ID] = true
		case event.Granted, event.Refused:
			delete(asked, e.Call.ID)
		case event.SubAgentStarted:
			subs[e.Call.ID] = true
		case event.SubAgentStopped:
			delete(subs, e.Call.ID)
		case event.Replied:
			delete(open, e.Call.ID)
			delete(asked, e.Call.ID)
		}
	}
	for state, is := range map[string]bool{"calls at work": len(open) > 0, "several calls at work": len(open) > 1, "an approval request pending": len(asked) > 0, "a sub-agent at work": len(subs) > 0} {
		if is {
			l.states[state]++
		}
	}
}

// answer is the model: it changes files in each answer, and ends after so many.
func (l *manyLives) answer(asked script.Asked) *script.Turn {
	l.mu.Lock()
	defer l.mu.Unlock()
	usage := script.Usage{Input: int64(l.length)}
	if n := len(asked.Heard); n > 0 && strings.HasPrefix(asked.Heard[n-1].Text, "Older messages of this conversation") {
		return &script.Turn{Text: "Task: keep the files changing. Decisions: none. Found: nothing. State: it goes on. Next: the next change.", Usage: usage}
	}
	if strings.HasPrefix(asked.First, "sub-task") {
		return l.subAgent(asked.Turn, usage)
	}
	if l.asked++; !strings.Contains(asked.First, "the port is 48231") {
		l.faults = append(l.faults, "a request does not have the fact of the first message")
	}
	if l.left--; l.left < 0 {
		return &script.Turn{Text: fmt.Sprintf("Message %d is done.", len(l.messages)), Usage: usage}
	}
	n := len(l.calls)
	turn := &script.Turn{Think: "what next?", Text: "I go on.", Usage: usage}
	for range 1 + n%2 {
		turn.Calls = append(turn.Calls, l.marked(fmt.Sprintf("%s; seq 1000000 | head -c %d", l.change(len(l.calls)+1), l.output)))
	}
	if n%7 == 3 {
		args, _ := json.Marshal(map[string]string{"task": fmt.Sprint("sub-task ", n)})
		turn.Calls = append(turn.Calls, script.Call{ID: fmt.Sprintf("call_s%d", n), Name: "agent", Args: script.Arguments(args)})
	}
	if n%8 == 4 { // somebody has to approve it
		turn.Calls = append(turn.Calls, l.marked("sh tools/ask.sh"))
	}
	if n%5 == 0 {
		args, _ := json.Marshal(map[string]string{"path": fmt.Sprintf("written/%d.txt", n), "content": strings.Repeat(fmt.Sprintln("line", n), 10)})
		turn.Calls = append(turn.Calls, script.Call{ID: fmt.Sprintf("call_w%d", n), Name: "write_file", Args: script.Arguments(args)})
	}
	return turn
}

// marked is a call of a command that leaves a mark of its own.
func (l *manyLives) marked(command string) script.Call {
	mark := fmt.Sprintf("m%d", len(l.calls))
	l.calls = append(l.calls, mark)
	args, _ := json.Marshal(map[string]string{"command": fmt.Sprintf("echo %s >> marks; %s", mark, command)})
	return script.Call{ID: "call_" + mark, Name: "bash", Args: script.Arguments(args)}
}

// subAgent is the model of a sub-agent, which changes files too.
func (l *manyLives) subAgent(turn int, usage script.Usage) *script.Turn {
	if turn >= 2 {
		return &script.Turn{Text: "It is changed.", Usage: usage}
	}
	return &script.Turn{Text: "I change it.", Usage: usage, Calls: []script.Call{l.marked(l.change(len(l.calls) + 1)), l.marked("true")}}
}

// change is what the n-th command does to the files. It may fail: that is part of a session too.
func (l *manyLives) change(n int) string {
	all := []string{
		"echo #n >> f#a",
		"mkdir -p d#a/e#b; echo #n > d#a/e#b/new; chmod 6#c0 d#a/e#b/new",
		"rm -rf d#a",
		"mv f#a g#b",
		"ln -sfn f#a link#b; rm -f g#a",
		"head -c 9000 /dev/urandom > bin#a",
		"rm -f f#a bin#b; mkdir -p f#a; touch f#a/x",
		"git init -q . 2>/dev/null; git add -A; git -c user.name=a -c user.email=a@b commit -qm c#n",
		"sh tools/reset.sh; echo #n > g#a",
		"sh tools/stash.sh; git checkout -qB b#a",
		"sh tools/clean.sh; chmod 7#c5 base.txt",
		"sh tools/prune.sh; echo #n > f#b",
		"git -c user.name=a -c user.email=a@b commit -qam d#n",
		"sh tools/wipe.sh; echo #n > f#a",
	}
	number := func(n int) string { return strconv.Itoa(l.random.IntN(n)) }
	return strings.NewReplacer("#a", number(12), "#b", number(12), "#c", number(7), "#n", strconv.Itoa(n)).Replace(all[n%len(all)])
}

// tools are what the guard would ask about on a command line: they lose work that is not committed, and git's objects.
const tools = `
-- reset.sh --
git reset -q --hard HEAD~1
-- stash.sh --
git -c user.name=a -c user.email=a@b stash -q
-- clean.sh --
git clean -fdq
-- prune.sh --
git reflog expire --expire=now --all; git gc -q --prune=now
-- wipe.sh --
rm -rf .git
-- ask.sh --
echo asked >> asked
`

// life runs one process. It reports how it ended: done means that the message was answered.
func (l *manyLives) life(prompt string) (done bool) {
	l.t.Helper()
	protocol := []string{"openai", "anthropic", "gemini", "openai-responses"}[(l.kills/40)%4]
	args := []string{"run", "-q", "-p", "--mode", "full", "--model", protocol + "/m", "--max-turns", "100000", "--suspend"}
	if l.journal() == "" {
		args = append(args, "--session-id", "long")
	} else {
		args = append(args, "--resume", "long")
	}
	if prompt != "" {
		args = append(args, prompt)
	}
	cmd := l.command(args...)
	cmd.Env = append(cmd.Env, "OPENAI_API_KEY=k", "ANTHROPIC_API_KEY=k", "GEMINI_API_KEY=k",
		"OPENAI_BASE_URL="+l.server.URL+"/v1", "ANTHROPIC_BASE_URL="+l.server.URL, "GOOGLE_GEMINI_BASE_URL="+l.server.URL)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	l.mu.Lock()
	err := cmd.Start()
	l.running, l.next = cmd, never
	kills := l.kills
	l.mu.Unlock()
	if err != nil {
		l.t.Fatal(err)
	}
	watch := time.AfterFunc(2*time.Minute, func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	err = cmd.Wait()
	if !watch.Stop() {
		l.t.Fatalf("it hangs: %s", &out)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running = nil
	if os.Getenv("DEBUG") != "" {
		l.t.Logf("%q %s: %v %s", prompt, args, err, tail(out.String()))
	}
	exit, failed := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil, failed && exit.ExitCode() == exitDenied:
		return true
	case failed && l.kills > kills:
		l.noteState()
		return false
	case failed && exit.ExitCode() == exitWaiting:
		l.decide()
		return false
	case failed && exit.ExitCode() == exitUsage && strings.Contains(out.String(), "nothing to do"):
		return true // it had been answered when it was killed
	}
	l.t.Fatalf("life after %d kills: %v: %s", l.kills, err, tail(out.String()))
	return false
}

// decide approves every second call that waits, and denies the others.
func (l *manyLives) decide() {
	l.t.Helper()
	out, code := l.run("approve", "long")
	if code != 0 {
		l.t.Fatalf("approve ended with %d: %s", code, out)
	}
	for line := range strings.Lines(out) {
		call, _, waits := strings.Cut(line, "\tbash\t")
		if !waits {
			continue
		}
		args := []string{"approve", "long", call}
		if l.answers++; l.answers%2 == 0 {
			args = append(args, "--no", "--words", "not that")
		}
		if out, code := l.run(args...); code != 0 {
			l.t.Fatalf("%q ended with %d: %s", args, code, out)
		}
	}
}

func tail(s string) string { return s[max(len(s)-2_000, 0):] }

// send sends a message, and lets the session live until it is answered.
func (l *manyLives) send() {
	l.t.Helper()
	l.messages = append(l.messages, l.files())
	text := fmt.Sprintf("message %d: go on", len(l.messages))
	if len(l.messages) == 1 {
		text = "message 1: the port is 48231"
	}
	l.mu.Lock()
	l.left = l.turns
	l.mu.Unlock()
	prompt := text
	for !l.life(prompt) {
		if recorded, err := os.ReadFile(l.journal()); err == nil && bytes.Contains(recorded, []byte(`"`+text+`"`)) {
			prompt = ""
		}
	}
}

// files describes all files but the marks and git's objects: a line for each, with mode and content.
func (l *manyLives) files() string {
	l.t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(l.work, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(l.work, name)
		if rel == ".git/objects" {
			return fs.SkipDir
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		var text []byte
		switch {
		case rel == "marks":
			return nil
		case info.Size() == 0 && (rel == ".git/info/attributes" || rel == ".git/config.worktree"):
			return nil // the sandbox makes what is missing of these again: undo counts it for nothing
		case info.Mode().IsRegular():
			text, err = os.ReadFile(name)
		case info.Mode()&fs.ModeSymlink != 0:
			var target string
			target, err = os.Readlink(name)
			text = []byte(target)
		}
		fmt.Fprintf(&b, "%s %v %x\n", rel, info.Mode(), sha256.Sum256(text))
		return err
	})
	if err != nil {
		l.t.Fatal(err)
	}
	return b.String()
}

// check finds out whether a call ran twice, or was answered as done and did not run, and whether a request broke a rule.
func (l *manyLives) check() {
	l.t.Helper()
	if len(l.faults) > 0 {
		l.t.Fatalf("%d requests broke a rule, first: %s", len(l.faults), tail(l.faults[0]))
	}
	text, err := os.ReadFile(filepath.Join(l.work, "marks"))
	if err != nil {
		l.t.Fatal(err)
	}
	ran := map[string]int{}
	for mark := range strings.Lines(string(text)) {
		ran[strings.TrimSpace(mark)]++
	}
	for mark, n := range ran {
		if n > 1 {
			l.t.Errorf("%s ran %d times", mark, n)
		}
	}
	done := l.done()
	for _, mark := range done {
		if ran[mark] == 0 {
			l.t.Errorf("%s has a result and did not run", mark)
		}
	}
	if len(done) == 0 {
		l.t.Error("no command succeeded")
	}
	if out, code := l.run("sessions", "doctor"); code != 0 {
		l.t.Errorf("doctor ended with %d: %s", code, out)
	}
}

// done returns the marks of the commands that succeeded, by the journal.
func (l *manyLives) done() (marks []string) {
	l.t.Helper()
	text, err := os.ReadFile(l.journal())
	if err != nil {
		l.t.Fatal(err)
	}
	of := map[string]string{} // the mark of each call
	for line := range bytes.Lines(text) {
		var e struct {
			Kind string
			Call struct {
				ID   string
				Args struct{ Command string }
			}
			Result struct{ Failed bool }
		}
		if json.Unmarshal(line, &e) != nil {
			continue
		}
		if mark, _, ok := strings.Cut(strings.TrimPrefix(e.Call.Args.Command, "echo "), " >> marks"); ok && e.Kind == "called" {
			of[e.Call.ID] = mark
		}
		if mark := of[e.Call.ID]; e.Kind == "replied" && !e.Result.Failed && mark != "" {
			marks = append(marks, mark)
		}
	}
	return marks
}

// numbers returns the numbers of the user's messages.
func (l *manyLives) numbers() (all []string) {
	l.t.Helper()
	out, code := l.run("sessions", "show", "long", "--messages", "--json")
	if code != 0 {
		l.t.Fatal(out)
	}
	for line := range strings.Lines(out) {
		var m struct {
			Seq  int64
			User bool
			Gone bool
			Text string
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			l.t.Fatalf("%v: %s", err, line)
		}
		if m.User && !m.Gone && strings.HasPrefix(m.Text, "message ") {
			all = append(all, strconv.FormatInt(m.Seq, 10))
		}
	}
	return all
}

// same compares the files with what they were at a message.
func (l *manyLives) same(message int, after string) {
	l.t.Helper()
	if now := l.files(); now != l.messages[message] {
		l.t.Fatalf("%s, the files at message %d differ:\n%s", after, message+1, difference(l.messages[message], now))
	}
}

func difference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	var out []string
	for _, line := range a {
		if !slices.Contains(b, line) {
			out = append(out, "-"+line)
		}
	}
	for _, line := range b {
		if !slices.Contains(a, line) {
			out = append(out, "+"+line)
		}
	}
	return strings.Join(out[:min(len(out), 20)], "\n")
}

// amount is a number from the environment.
func amount(t *testing.T, name string, usual int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s=%s: %v", name, text, err)
	}
	return n
}

// TestALongSession has a session of many turns that is killed again and again, and then goes back to each of its messages.
// REIN_TURNS=2000 REIN_KILLS=1000 is what docs/maintainers/performance.md has.
func TestALongSession(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	turns, kills := amount(t, "REIN_TURNS", 16), amount(t, "REIN_KILLS", 6)
	window, output, each := 128_000, 10_000, 5 // a longer journal makes each start slower, and shows nothing more
	if turns < 100 {
		window, output, each = 32_000, 16_000, 4
	}
	l := newManyLives(t, window, output, each)
	began := time.Now()
	l.plan = func(isSummary bool) moment {
		switch rest := turns - l.asked; {
		case l.kills >= kills:
			return never
		case isSummary: // they are few
			return []moment{summaryAsked, summaryHalf, summaryGiven, compactedSoon}[l.random.IntN(4)]
		case l.random.IntN(max(rest, 1)) >= kills-l.kills:
			return never
		}
		return []moment{beforeAnswer, afterAnswer, afterAnswer, afterAnswer, afterAnswer}[l.random.IntN(5)]
	}
	for l.asked < turns || l.kills < kills {
		l.send()
	}
	l.plan = nil
	end := l.files()
	l.check()
	repeatAll(t, filepath.Join(l.dir, "home"))
	info, err := os.Stat(l.journal())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d messages, %d requests, %d calls, %d summaries, %d kills %v, in them %v, %d approval requests answered, the longest request %d tokens, journal %d MB, %v", len(l.messages), l.asked, len(l.calls), l.summaries, l.kills, l.hits, l.states, l.answers, l.longest, info.Size()>>20, time.Since(began))
	numbers := l.numbers()
	if len(numbers) != len(l.messages) {
		t.Fatalf("%d messages are recorded, %d were sent", len(numbers), len(l.messages))
	}
	for range max(2, len(numbers)/20) { // at once to any message, and back
		i := l.random.IntN(len(numbers))
		if out, code := l.run("undo", "--session", "long", "--message", numbers[i]); code != 0 && !strings.Contains(out, "nothing to take back") {
			t.Fatalf("undo ended with %d: %s", code, tail(out))
		} else if code == 0 {
			l.same(i, "at once")
			if out, code := l.run("redo", "--session", "long"); code != 0 {
				t.Fatalf("redo ended with %d: %s", code, tail(out))
			}
		}
		if now := l.files(); now != end {
			t.Fatalf("after a redo the files differ:\n%s", difference(end, now))
		}
	}
	for i, number := range slices.Backward(numbers) { // to each message, one after the other
		if out, code := l.run("sessions", "rewind", "long", number, "--what", "both"); code != 0 {
			t.Fatalf("rewind to message %d ended with %d: %s", i+1, code, tail(out))
		}
		l.same(i, "step by step")
		if i == len(numbers)/2 {
			l.fsck()
			if !l.life("message in the middle: the port is 48231") {
				t.Fatal("it does not go on")
			}
			if len(l.faults) > 0 {
				t.Fatalf("a request broke a rule: %s", l.faults[0])
			}
		}
	}
	t.Logf("with all rewinds %v", time.Since(began))
}

// fsck has git check the repository.
func (l *manyLives) fsck() {
	l.t.Helper()
	cmd := exec.Command("git", "fsck", "--no-dangling")
	cmd.Dir = l.work
	if out, err := cmd.CombinedOutput(); err != nil && !strings.Contains(string(out), "not a git repository") {
		l.t.Errorf("git fsck: %v: %s", err, out)
	}
}

// TestKilledInsideACompaction kills a session at each step of a compaction: while the summary is awaited, in the middle of it,
// after it, while its event is written, and at the request after it. REIN_COMPACTIONS=1000 is what docs/maintainers/performance.md has.
func TestKilledInsideACompaction(t *testing.T) {
	t.Parallel()
	trials := amount(t, "REIN_COMPACTIONS", 5)
	l := newManyLives(t, 32_000, 16_000, 3)
	moments := []moment{summaryAsked, summaryHalf, summaryGiven, summaryGiven, compactedSoon}
	total := func() int {
		return l.hits[summaryAsked] + l.hits[summaryHalf] + l.hits[summaryGiven] + l.hits[compactedSoon]
	}
	l.plan = func(isSummary bool) moment {
		if !isSummary || total() >= trials {
			return never
		}
		return moments[total()%len(moments)]
	}
	for len(l.messages) < 20*trials && total() < trials {
		l.send()
	}
	l.check()
	if total() < trials {
		t.Errorf("only %d of %d trials: %v", total(), trials, l.hits)
	}
	if got := len(l.numbers()); got != len(l.messages) {
		t.Errorf("%d messages are recorded, %d were sent", got, len(l.messages))
	}
	t.Logf("%d messages, %d requests, %d summaries, killed %v", len(l.messages), l.asked, l.summaries, l.hits)
}

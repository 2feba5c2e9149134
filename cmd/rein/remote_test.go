package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"rein/app/client"
	"rein/app/harness"
	"rein/app/server"
	"rein/app/server/api"
	"rein/app/session"
	"rein/event"
	"rein/guard"
	"rein/lab/servertest"
	"rein/tool"
)

// watcher is a front end that keeps what it is shown. answer answers the requests; nil: nobody does.
type watcher struct {
	answer func(*harness.Request) guard.Answer

	mu     sync.Mutex
	lines  []string // of the program
	events []event.Event
	asked  []*harness.Request
	closed []string // why requests were closed
	joined chan struct{}
}

func (w *watcher) Ask(ctx context.Context, r *harness.Request) (guard.Answer, error) {
	w.mu.Lock()
	w.asked = append(w.asked, r)
	w.mu.Unlock()
	if w.answer != nil {
		if a := w.answer(r); a.Choice != guard.Abstain {
			return r.Claim(a)
		}
	}
	<-ctx.Done()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = append(w.closed, context.Cause(ctx).Error())
	return guard.Answer{Choice: guard.Abstain}, nil
}

func (w *watcher) Warn(line string) { w.add(func() { w.lines = append(w.lines, line) }) }

func (w *watcher) Offline(string) {}

func (w *watcher) Back(message string) { w.Warn("back: " + message) }

func (w *watcher) Moved(session.Session, []event.Event, string) {}

func (w *watcher) Happened(e event.Event) { w.add(func() { w.events = append(w.events, e) }) }

func (w *watcher) Joined() { w.joined <- struct{}{} }

func (w *watcher) add(do func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	do()
}

// until waits until something holds.
func (w *watcher) until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		w.mu.Lock()
		done := ok()
		w.mu.Unlock()
		if done {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("never: %s; lines %q, closed %q", what, w.lines, w.closed)
		}
	}
}

// openRemote opens a session of a server for a watcher; id "" begins one.
func openRemote(t *testing.T, c *client.Client, w *watcher, id string) *remoteSession {
	t.Helper()
	w.joined = make(chan struct{}, 100)
	f, err := newRemotePlace(t.Context(), c, w, api.NewSession{})
	if err != nil {
		t.Fatal(err)
	}
	var s session.Session
	if id == "" {
		s, err = f.Start(t.Context())
	} else {
		s, err = f.Open(t.Context(), id)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	return s.(*remoteSession)
}

// pastOf returns the messages, the calls and the results that a session shows when it is opened.
func pastOf(t *testing.T, s *remoteSession) (all []string) {
	t.Helper()
	p, err := s.Past()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range p.Events {
		switch e.Kind {
		case event.Prompted, event.Responded:
			all = append(all, string(e.Kind)+" "+e.Text)
		case event.Called, event.Replied:
			all = append(all, string(e.Kind)+" "+e.Call.Name)
		}
	}
	return all
}

// all returns the recorded events of a turn in words, and the error that ended it.
func all(events iter.Seq2[event.Event, error]) (kinds []string, failed error) {
	for e, err := range events {
		if e.Seq > 0 && e.Kind != event.Audit && e.Kind != event.Started {
			kinds = append(kinds, string(e.Kind))
		}
		failed = err
	}
	return kinds, failed
}

func approves(*harness.Request) guard.Answer {
	return guard.Answer{Choice: guard.Approved, By: guard.ByPerson(""), From: "terminal"}
}

// The screen that sends a message shows the turn, and another one on the same session shows the same; both see the request, the
// first answer counts, and the other learns whose it was.
func TestTwoScreensOnOneSession(t *testing.T) {
	s := servertest.Start(t, serverAsksOnce, nil)
	release := make(chan struct{})
	one := &watcher{answer: func(r *harness.Request) guard.Answer {
		<-release
		return approves(r)
	}}
	two := &watcher{}
	first := openRemote(t, clientOf(s), one, "")
	second := openRemote(t, clientOf(s), two, first.ID())
	shown := make(chan []string, 1)
	go func() {
		<-two.joined
		kinds, _ := all(second.Resume(t.Context()))
		shown <- kinds
	}()
	go func() {
		two.until(t, "the request", func() bool { return len(two.asked) == 1 })
		close(release)
	}()
	kinds, err := all(first.Send(t.Context(), "go please", nil))
	if err != nil || kinds[0] != "prompt" || kinds[len(kinds)-1] != "stopped" || !slices.Contains(kinds, "granted") {
		t.Fatal(kinds, err)
	}
	if theirs := <-shown; !slices.Equal(theirs, kinds) {
		t.Errorf("one showed %q, the other %q", kinds, theirs)
	}
	two.until(t, "who answered", func() bool { return slices.Equal(two.closed, []string{"answered elsewhere: approved by user (api)"}) })
	r := two.asked[0]
	if r.Shown.Command != "git push origin main; echo x >> done.txt" || !slices.Contains(r.Shown.Programs, "git") || r.Shown.Hash != r.Hash || !r.HighRisk() { // it publishes
		t.Errorf("%+v", r.Shown)
	}
	if past := pastOf(t, openRemote(t, clientOf(s), &watcher{}, first.ID())); !slices.Equal(past, []string{"prompt go please", "response I append a line.", "called bash", "replied bash", "response All good."}) {
		t.Errorf("%q", past)
	}
	if first.Waiting() || second.Waiting() {
		t.Error("a turn is at work")
	}
}

// Who comes in the middle of a turn sees all of it, once, and leaves it at work.
func TestAScreenComesInTheMiddleAndLeaves(t *testing.T) {
	s := servertest.Start(t, "turns:\n  - text: First.\n  - calls: [{name: bash, args: {command: 'git push origin main'}}]\n  - text: Done.\n", nil)
	c := clientOf(s)
	began, err := c.Start(t.Context(), api.NewSession{Text: "one"})
	if err != nil {
		t.Fatal(err)
	}
	wait := &watcher{}
	wait.until(t, "the first answer", func() bool { now, err := c.Session(t.Context(), began.ID); return err == nil && now.State == api.Idle })
	if _, err := c.Send(t.Context(), began.ID, api.NewMessage{Text: "two"}); err != nil {
		t.Fatal(err)
	}
	wait.until(t, "the request", func() bool { r, err := c.Inbox(t.Context()); return err == nil && len(r.Requests) == 1 })
	w := &watcher{}
	far := openRemote(t, c, w, began.ID)
	<-w.joined // the turn has come, and waits for the screen
	if past := pastOf(t, far); !slices.Equal(past, []string{"prompt one", "response First."}) || !far.Waiting() {
		t.Fatalf("%q, waiting %v", past, far.Waiting())
	}
	leaving, leave := context.WithCancelCause(t.Context())
	defer leave(nil)
	var kinds []string
	for e := range far.Resume(leaving) {
		if kinds = append(kinds, string(e.Kind)+" "+e.Text); e.Kind == event.ApprovalRequested {
			leave(session.ErrLeaves)
		}
	}
	if kinds[0] != "prompt two" || slices.Index(kinds, "prompt one") >= 0 {
		t.Error(kinds)
	}
	if now, err := c.Session(t.Context(), began.ID); err != nil || now.State != api.Waiting {
		t.Errorf("the turn did not stay at work: %+v %v", now, err)
	}
	answers := &watcher{answer: approves}
	again := openRemote(t, c, answers, began.ID)
	if kinds, err := all(again.Resume(t.Context())); err != nil || kinds[len(kinds)-1] != "stopped" {
		t.Error(kinds, err)
	}
}

// A turn that is interrupted gives back the messages that wait. Its end comes from the server.
func TestAnInterruptedTurnOfAServer(t *testing.T) {
	s := servertest.Start(t, "turns:\n  - calls: [{name: bash, args: {command: sleep 600}}]\n  - text: Again.\n", nil)
	w := &watcher{}
	far := openRemote(t, clientOf(s), w, "")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var last event.Event
	for e, err := range far.Send(ctx, "go", nil) {
		if err != nil {
			t.Fatal(err)
		}
		if last = e; e.Kind != event.Granted {
			continue
		}
		if err := far.Queue("later", nil); err != nil {
			t.Fatal(err)
		}
		w.until(t, "the message in the queue", func() bool {
			now, err := clientOf(s).Session(t.Context(), far.ID())
			return err == nil && len(now.Queued) == 1
		})
		if all := far.Queued(); len(all) != 1 || all[0].Text != "later" || far.Unqueue(all[0].ID) {
			t.Errorf("%+v", all)
		}
		stop()
	}
	if last.Kind != event.Stopped || last.Stop != event.Cancelled {
		t.Fatalf("%+v", last)
	}
	w.until(t, "the message comes back", func() bool { all := far.Queued(); return len(all) == 1 && far.Unqueue(all[0].ID) })
	if kinds, err := all(far.Send(t.Context(), "/no command", nil)); err != nil || kinds[len(kinds)-1] != "stopped" {
		t.Error(kinds, err)
	}
	if past := pastOf(t, openRemote(t, clientOf(s), &watcher{}, far.ID())); past[len(past)-2] != "prompt /no command" {
		t.Errorf("%q", past)
	}
}

// Whoever stops a turn, each screen gets the messages back that its user wrote for the model, as soon as the turn is over; the model
// never gets them.
func TestMessagesOfAStoppedTurnComeBack(t *testing.T) {
	s := servertest.Start(t, "turns:\n  - calls: [{name: bash, args: {command: sleep 600}}]\n  - text: Again.\n", nil)
	w, other := &watcher{}, &watcher{}
	far := openRemote(t, clientOf(s), w, "")
	for e, err := range far.Send(t.Context(), "go", nil) {
		if err != nil || e.Kind != event.Granted {
			continue
		}
		if err := errors.Join(far.Steer("for the model", nil), far.Queue("for later", nil)); err != nil {
			t.Fatal(err)
		}
		w.until(t, "the messages in the server", func() bool {
			now, err := clientOf(s).Session(t.Context(), far.ID())
			return err == nil && len(now.Queued) == 2
		})
		second := openRemote(t, clientOf(s), other, far.ID())
		if err := second.place.client.Cancel(t.Context(), far.ID()); err != nil {
			t.Fatal(err)
		}
	}
	var back []string
	for _, q := range far.Queued() {
		if far.Unqueue(q.ID) {
			back = append(back, q.Text)
		}
	}
	if !slices.Equal(back, []string{"for the model", "for later"}) {
		t.Errorf("%q came back", back)
	}
	if _, err := all(far.Send(t.Context(), "again", nil)); err != nil {
		t.Fatal(err)
	}
	for _, m := range pastOf(t, openRemote(t, clientOf(s), &watcher{}, far.ID())) {
		if strings.Contains(m, "for the model") {
			t.Errorf("the model got %q", m)
		}
	}
}

// slowMessages is a connection on which the message "on its way" is slow, to the server or back from it, until a turn was stopped.
type slowMessages struct {
	back    bool
	stopped func() bool
}

func (c slowMessages) RoundTrip(r *http.Request) (*http.Response, error) {
	var text []byte
	if strings.HasSuffix(r.URL.Path, "/messages") {
		text, _ = io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(text))
	}
	slow := bytes.Contains(text, []byte("on its way"))
	if slow && !c.back {
		c.wait()
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if slow && c.back {
		c.wait()
	}
	return answer, err
}

func (c slowMessages) wait() {
	for end := time.Now().Add(time.Minute); !c.stopped() && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
	}
}

// A message that is on its way when a turn is stopped either comes back or reaches the model, not both.
func TestAMessageAtTheMomentOfAStop(t *testing.T) {
	for name, row := range map[string]struct{ answerIsLate, back bool }{
		"the server had it before the stop": {answerIsLate: true, back: true},
		"the server gets it after the stop": {},
	} {
		t.Run(name, func(t *testing.T) {
			s := servertest.Start(t, "turns:\n  - calls: [{name: bash, args: {command: sleep 600}}]\n  - text: Again.\n  - text: And again.\n", nil)
			id := ""
			slow := slowMessages{row.answerIsLate, func() bool {
				now, err := clientOf(s).Session(t.Context(), id)
				return err == nil && now.Stop == event.Cancelled
			}}
			w := &watcher{}
			far := openRemote(t, &client.Client{URL: s.URL, Key: s.Key, HTTP: &http.Client{Transport: slow}}, w, "")
			id = far.ID()
			for e, err := range far.Send(t.Context(), "go", nil) {
				if err != nil || e.Kind != event.Granted {
					continue
				}
				if err := far.Queue("on its way", nil); err != nil {
					t.Fatal(err)
				}
				if row.answerIsLate {
					w.until(t, "the message in the server", func() bool {
						now, err := clientOf(s).Session(t.Context(), id)
						return err == nil && len(now.Queued) == 1
					})
				}
				if err := clientOf(s).Cancel(t.Context(), id); err != nil {
					t.Fatal(err)
				}
			}
			back := slices.ContainsFunc(far.Queued(), func(q harness.Queued) bool { return far.Unqueue(q.ID) })
			if _, err := all(far.Send(t.Context(), "more", nil)); err != nil {
				t.Fatal(err)
			}
			got := func() bool {
				return slices.Contains(pastOf(t, openRemote(t, clientOf(s), &watcher{}, id)), "prompt on its way")
			}
			if !row.back { // it may arrive after the next message
				w.until(t, "the model gets it", got)
			}
			if back != row.back || got() == row.back {
				t.Errorf("came back: %v; the model got it: %v", back, got())
			}
		})
	}
}

// A viewer sees all and changes nothing: each attempt says why.
func TestAViewerOfASession(t *testing.T) {
	dir := ""
	s := servertest.Start(t, serverAsksOnce, func(o *server.Options, state string) {
		dir = filepath.Join(state, "server")
		o.Dir = dir
	})
	users, _, err := server.OpenUsers(dir, s.KeyFile)
	if err != nil {
		t.Fatal(err)
	}
	key, err := users.Add(server.User{Name: "vera", Role: server.RoleViewer})
	if err != nil {
		t.Fatal(err)
	}
	began, err := clientOf(s).Start(t.Context(), api.NewSession{Text: "go"})
	if err != nil {
		t.Fatal(err)
	}
	w := &watcher{answer: approves}
	far := openRemote(t, &client.Client{URL: s.URL, Key: key}, w, began.ID)
	w.until(t, "the request again", func() bool { return len(w.asked) > 1 })
	w.until(t, "why", func() bool {
		return slices.ContainsFunc(w.lines, func(l string) bool {
			return strings.Contains(l, "signed in as viewer") && strings.Contains(l, "approver")
		})
	})
	if err := far.Steer("stop that", nil); err != nil {
		t.Fatal(err)
	}
	w.until(t, "why not", func() bool {
		return slices.ContainsFunc(w.lines, func(l string) bool {
			return strings.HasPrefix(l, "the message was not sent") && strings.Contains(l, "operator")
		})
	})
	w.until(t, "the message in the line", func() bool { return slices.Contains(w.lines, "back: stop that") })
	if len(far.Queued()) != 0 {
		t.Error("a message that was refused waits")
	}
	if _, err := os.Stat(filepath.Join(s.Dir, "done.txt")); err == nil {
		t.Error("a viewer approved")
	}
}

// What the screen asks of a session and its place, the server has.
func TestWhatAScreenAsksOfAServer(t *testing.T) {
	s := servertest.Start(t, "turns:\n  - calls: [{name: write_file, args: {path: a.txt, content: \"one\\n\"}}]\n  - text: Written.\n  - expect: {contains: words of the file}\n    text: Read.\n", nil)
	w := &watcher{answer: approves}
	far := openRemote(t, clientOf(s), w, "")
	ctx, place := t.Context(), far.place
	if _, err := all(far.Send(ctx, "write", nil)); err != nil {
		t.Fatal(err)
	}
	changes, err := far.Changes(ctx)
	if err != nil || len(changes) != 1 || !changes[0].Created || changes[0].Path != "a.txt" {
		t.Errorf("%+v %v", changes, err)
	}
	plan, err := far.PlanUndo(ctx, session.Undoing{Last: 1})
	if err != nil || len(plan.Changes) != 1 {
		t.Fatalf("%+v %v", plan, err)
	}
	if _, err := plan.Do(ctx); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(s.Dir, "a.txt")); err == nil {
		t.Error("the file is still there")
	}
	if _, err := far.PlanUndo(ctx, session.Undoing{Last: 1}); err != session.ErrNothing {
		t.Error(err)
	}
	if _, err := all(far.Send(ctx, "read [file 1]", []tool.Part{{Kind: tool.DocumentPart, Name: "n.txt", Data: []byte("words of the file")}})); err != nil {
		t.Error(err)
	}
	if err := place.Rename(ctx, far.ID(), "my session"); err != nil {
		t.Error(err)
	}
	list, err := place.Sessions(ctx, "")
	if err != nil || len(list) != 1 || list[0].Name != "my session" {
		t.Errorf("%+v %v", list, err)
	}
	messages, err := place.Messages(ctx, far.ID())
	if err != nil || len(messages) != 5 || !messages[3].User {
		t.Fatalf("%+v %v", messages, err)
	}
	fork, err := place.Fork(ctx, far.ID())
	if err != nil || len(pastOf(t, fork.(*remoteSession))) != 7 {
		t.Errorf("%v", err)
	}
	back, err := place.Rewind(ctx, far.ID(), messages[3].Seq)
	if err != nil || len(pastOf(t, back.(*remoteSession))) != 5 {
		t.Fatalf("%+v %v", back, err)
	}
	defer back.Close(ctx)
	if err := back.SetMode("plan"); err != nil || back.How().Mode != "plan" {
		t.Error(err, back.How())
	}
	w.until(t, "the mode in the server", func() bool {
		now, err := place.client.Session(ctx, far.ID())
		return err == nil && now.Mode == "plan"
	})
	file := filepath.Join(t.TempDir(), "s.html")
	if err := place.Export(ctx, far.ID(), file, false); err != nil {
		t.Error(err)
	}
	if err := place.Export(ctx, far.ID(), filepath.Join(t.TempDir(), "s.pdf"), false); err == nil {
		t.Error("a PDF file is written")
	}
	notes := filepath.Join(t.TempDir(), "README.md")
	if err := os.WriteFile(notes, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := place.Export(ctx, far.ID(), notes, false); err == nil {
		t.Error("a file that was there is replaced")
	}
	if text, err := os.ReadFile(notes); err != nil || string(text) != "mine" {
		t.Errorf("%.100s %v", text, err)
	}
	if err := place.Export(ctx, far.ID(), notes, true); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(notes); err != nil || !strings.HasPrefix(string(text), "# ") {
		t.Errorf("%.100s %v", text, err)
	}
	if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), "<html") {
		t.Errorf("%.100s %v", text, err)
	}
	if err := place.KeepRules(ctx, "allow", []string{"bash(go test:*)", "bash("}, false); err == nil {
		t.Error("a rule that cannot be read is kept")
	}
	if err := place.KeepRules(ctx, "allow", []string{"bash(go test:*)"}, false); err != nil {
		t.Error(err)
	}
	rules, err := place.client.Rules(ctx, "")
	if err != nil || len(rules.Rules) != 1 || rules.Rules[0].Rule != "bash(go test:*)" {
		t.Errorf("%+v %v", rules.Rules, err)
	}
	commands := back.Commands()
	if names, err := back.Files(ctx, 0); err != nil || commands == nil {
		t.Fatal(names, err)
	}
	opened, err := place.Open(ctx, back.ID())
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close(ctx)
	for name, want := range map[string]error{commands[0].Name: session.ErrSendLine, "none": session.ErrNoCommand} {
		if _, _, err := opened.Expand(ctx, name, "", nil); err != want {
			t.Errorf("/%s: %v", name, err)
		}
	}
	_, noContext := back.Context()
	_, noCommand := back.RunCommand(ctx, "ls", nil)
	for _, err := range []error{noContext, noCommand} {
		if _, ok := errors.AsType[session.NotThere](err); !ok {
			t.Error(err)
		}
	}
}

// The output of a job of a server is read while it is looked at.
func TestAJobOfAServer(t *testing.T) {
	s := servertest.Start(t, "turns:\n  - calls: [{name: bash, args: {command: 'echo begins; sleep 600', background: true}}]\n  - text: Started.\n", nil)
	w := &watcher{answer: approves}
	far := openRemote(t, clientOf(s), w, "")
	if _, err := all(far.Send(t.Context(), "go", nil)); err != nil {
		t.Fatal(err)
	}
	w.until(t, "the job", func() bool { return len(far.Jobs()) == 1 })
	j := far.Jobs()[0]
	w.until(t, "its output", func() bool { out, _ := j.Tail(0); return strings.Contains(string(out), "begins") })
	j.Stop()
	w.until(t, "its end", func() bool { return j.Ended() && len(far.Jobs()) == 0 })
}

// A call that the person changes at the screen runs as it was changed, and never as the model wrote it.
func TestACallOfAServerIsChanged(t *testing.T) {
	s := servertest.Start(t, serverAsksOnce, nil)
	w := &watcher{answer: func(r *harness.Request) guard.Answer {
		a := approves(r)
		if strings.Contains(r.Shown.Command, "git push") { // the changed call may need an approval of its own
			a.Args = `{"command":"echo y > other.txt"}`
		}
		return a
	}}
	far := openRemote(t, clientOf(s), w, "")
	if _, err := all(far.Send(t.Context(), "go", nil)); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(s.Dir, "other.txt")); err != nil || string(text) != "y\n" {
		t.Errorf("%q %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(s.Dir, "done.txt")); err == nil {
		t.Error("the call ran as the model wrote it")
	}
}

// The whole of an output of which the result has only a part comes from the server.
func TestAWholeOutputOfAServer(t *testing.T) {
	s := servertest.Start(t, "turns:\n  - calls: [{name: bash, args: {command: seq 30000}}]\n  - text: Done.\n", nil)
	far := openRemote(t, clientOf(s), &watcher{answer: approves}, "")
	var r *tool.Result
	for e, err := range far.Send(t.Context(), "count", nil) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == event.Replied {
			r = e.Result
		}
	}
	if r == nil || r.Cut == nil || strings.Contains(r.Text, "\n15000\n") {
		t.Fatalf("%+v", r)
	}
	if out, err := far.WholeOutput(t.Context(), *r, 1<<20); err != nil || !strings.Contains(string(out), "\n15000\n15001\n") {
		t.Errorf("%d bytes, %v", len(out), err)
	}
	if out, err := far.WholeOutput(t.Context(), *r, 100); err != nil || len(out) != 100 {
		t.Errorf("%d bytes, %v", len(out), err)
	}
}

// A request of a sub-agent names it on each screen, and the answer of one screen takes it from the other at once.
func TestARequestOfASubAgentOnTwoScreens(t *testing.T) {
	s := servertest.Start(t, `
turns:
  - calls: [{name: agent, args: {task: publish it}}]
  - text: Done.
conversations:
  - when: publish
    turns:
      - calls: [{name: bash, args: {command: git push origin main}}]
      - text: Published.
`, nil)
	release := make(chan struct{})
	one := &watcher{answer: func(r *harness.Request) guard.Answer {
		<-release
		return approves(r)
	}}
	two := &watcher{}
	first := openRemote(t, clientOf(s), one, "")
	openRemote(t, clientOf(s), two, first.ID())
	go func() {
		two.until(t, "the request", func() bool { return len(two.asked) == 1 })
		close(release)
	}()
	if kinds, err := all(first.Send(t.Context(), "go please", nil)); err != nil || kinds[len(kinds)-1] != "stopped" {
		t.Fatal(kinds, err)
	}
	two.until(t, "who answered", func() bool { return slices.Equal(two.closed, []string{"answered elsewhere: approved by user (api)"}) })
	if r := two.asked[0]; r.Agent != "general: publish it" {
		t.Errorf("it is shown as one of %q", r.Agent)
	}
}

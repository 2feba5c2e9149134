package harness_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"rein/agent"
	"rein/event"
	"rein/guard"
	"rein/journal"
	"rein/kit/providers/anthropic"
	"rein/kit/providers/gemini"
	"rein/kit/providers/openai"
	"rein/kit/providers/wire"
	"rein/kit/script"
	"rein/lab/modelserver"
	"rein/model"
	"rein/tool"
	"rein/toolcall"
)

// story is the journal of a session with an image, thinking, parallel calls, a denied call, a rewind, and a call that waits
// for an approval.
func story(t testing.TB, dir string) []byte {
	t.Helper()
	f, _, err := journal.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	say := func(kind event.Kind, m *model.Message) event.Event {
		text, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		return event.Event{Kind: kind, Text: m.Text(), Message: text}
	}
	calls := func(ids ...string) *model.Message {
		m := &model.Message{Role: model.Assistant, From: "other/model", Parts: []model.Part{{Kind: model.ThinkingKind, Text: "hm", Signature: "s"}, model.Text("I look.")}}
		for _, id := range ids {
			m.Parts = append(m.Parts, model.Part{Kind: model.CallKind, ID: id, Name: "do", Args: `{}`})
		}
		return m
	}
	of := func(kind event.Kind, id string) event.Event {
		e := event.Event{Kind: kind, Call: &tool.Call{ID: id, Name: "do", Args: []byte("{}")}}
		switch kind {
		case event.Granted, event.ApprovalRequested:
			e.Grant = &event.Grant{By: "guard", Hash: "h"}
		case event.Replied:
			e.Result = &tool.Result{ID: id, Name: "do", Text: "did it"}
		case event.Refused:
			e.Answer = &event.Answer{Choice: "denied", By: "user"}
		}
		return e
	}
	err = f.Append(event.Event{Kind: event.Started, Start: &event.Start{Terms: event.Terms{Dir: "/w"}}},
		say(event.Prompted, model.UserParts(model.Text("look"), model.Image("image/png", []byte("\x89PNG\r\n\x1a\n")))), event.Event{Kind: event.Requested},
		say(event.Responded, calls("a00000001", "a00000002", "a00000003")), of(event.Called, "a00000001"), of(event.Called, "a00000002"), of(event.Called, "a00000003"),
		of(event.Granted, "a00000001"), of(event.Granted, "a00000002"), of(event.Replied, "a00000002"), of(event.Refused, "a00000003"), of(event.Replied, "a00000003"), of(event.Replied, "a00000001"),
		say(event.Responded, &model.Message{Role: model.Assistant, Parts: []model.Part{model.Text("Done.")}}), event.Event{Kind: event.Stopped, Stop: event.Done},
		say(event.Prompted, model.UserText("more")), say(event.Responded, calls("a00000004")), of(event.Called, "a00000004"), of(event.ApprovalRequested, "a00000004"),
		event.Event{Kind: event.Stopped, Stop: event.Waiting}, event.Event{Kind: event.Rewound, At: 16}, say(event.Prompted, model.UserText("other")), say(event.Responded, calls("a00000005", "a00000006")),
		of(event.Called, "a00000005"), of(event.ApprovalRequested, "a00000005"), of(event.Called, "a00000006"), of(event.Granted, "a00000006"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, journal.FileName))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// state is what a prefix of the journal loads as.
type state struct {
	text    []byte
	granted []string // calls that may have run
}

// TestEveryPrefixLoads kills the session at each byte of its journal: what is left loads, no call that may have run runs
// again, and each of the four protocols' servers takes the next request.
func TestEveryPrefixLoads(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	whole := story(t, dir)
	states := map[string]state{}
	name := filepath.Join(dir, journal.FileName)
	step := 1
	if testing.Short() {
		step = 8
	}
	for n := 0; n <= len(whole); n += step {
		if err := os.WriteFile(name, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		a := &agent.Agent{Model: nil}
		s, err := a.Load(agent.SessionOptions{ID: "s"}, journal.Read(name))
		if errors.Is(err, agent.ErrNoEvents) && !bytes.Contains(whole[:n], []byte("\n")) {
			continue
		}
		if err != nil {
			t.Fatalf("the first %d bytes: %v", n, err)
		}
		key, _ := json.Marshal(s.Messages())
		key = fmt.Append(key, s.Waiting(), len(s.Pending()))
		if _, ok := states[string(key)]; !ok {
			states[string(key)] = state{whole[:n], granted(t, name)}
		}
	}
	if len(states) < 8 {
		t.Fatalf("only %d states", len(states))
	}
	for _, p := range []struct {
		name string
		open func(wire.HTTP) model.Model
	}{
		{"chat", func(h wire.HTTP) model.Model { return &openai.Chat{HTTP: h} }},
		{"responses", func(h wire.HTTP) model.Model { return &openai.Responses{HTTP: h} }},
		{"messages", func(h wire.HTTP) model.Model { return &anthropic.Messages{HTTP: h} }},
		{"gemini", func(h wire.HTTP) model.Model { return &gemini.Gemini{HTTP: h} }},
		{"interactions", func(h wire.HTTP) model.Model { return &gemini.Interactions{HTTP: h} }},
	} {
		t.Run(p.name, func(t *testing.T) {
			srv := httptest.NewServer(&modelserver.Server{Lax: true, Script: &script.Script{Turns: []script.Turn{{Text: "Fine.", Repeat: 99}}}})
			transport := wire.NewTransport()
			defer srv.Close()
			defer transport.CloseIdleConnections()
			m := p.open(wire.HTTP{Who: model.Info{Provider: "test", Name: "scripted"}, Base: srv.URL, Key: "sk-0123456789abcdef", Transport: transport, Idle: 30 * time.Second})
			for _, st := range states {
				goesOn(t, m, st)
			}
		})
	}
}

// granted returns the calls of a journal that may have run.
func granted(t *testing.T, name string) (ids []string) {
	t.Helper()
	for e, err := range journal.Read(name) {
		if err == nil && e.Kind == event.Granted {
			ids = append(ids, e.Call.ID)
		}
	}
	return ids
}

// goesOn resumes a session from what is left of its journal, and sends the next message.
func goesOn(t *testing.T, m model.Model, st state) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "journal.jsonl")
	if err := os.WriteFile(name, st.text, 0o600); err != nil {
		t.Fatal(err)
	}
	do := tool.New("do", "Do it.", tool.Reads, func(context.Context, struct{}, *tool.Reply) error { return nil })
	tools, err := tool.NewSet(do)
	if err != nil {
		t.Fatal(err)
	}
	runner := &toolcall.Runner{Tools: tools, Guard: guard.Func(func(context.Context, guard.Case) guard.Verdict { return guard.Verdict{} }), Mode: guard.Full}
	a := &agent.Agent{Model: m, Calls: runner}
	s, err := a.Load(agent.SessionOptions{ID: "s"}, journal.Read(name))
	if err != nil {
		t.Fatal(err)
	}
	see := func(e event.Event, err error) {
		if err != nil {
			t.Errorf("after %d bytes: %v", len(st.text), err)
		}
		if e.Kind == event.Granted && slices.Contains(st.granted, e.Call.ID) {
			t.Errorf("after %d bytes the call %s runs again", len(st.text), e.Call.ID)
		}
		if e.Kind == event.Stopped && e.Stop != event.Done {
			t.Errorf("after %d bytes the session stops: %s %s (%.300s)", len(st.text), e.Stop, e.Text, tail(st.text))
		}
	}
	if s.Waiting() {
		for e, err := range s.Resume(t.Context()) {
			see(e, err)
		}
	}
	for e, err := range s.Send(t.Context(), model.Text("go on")) {
		see(e, err)
	}
}

func tail(text []byte) string {
	all := string(text)
	return all[strings.LastIndexByte(strings.TrimRight(all, "\n"), '\n')+1:]
}

// TestAnyJournal: any prefix of any journal, damaged in any way, loads or fails with an error that says so, and takes the next
// event. REIN_JOURNALS is how many are tried.
func TestAnyJournal(t *testing.T) {
	all := [][]byte{story(t, filepath.Join(t.TempDir(), "s"))}
	old, err := filepath.Glob(filepath.Join("..", "..", "journal", "testdata", "*", journal.FileName))
	if err != nil || len(old) == 0 {
		t.Fatal("no journals of earlier versions", err)
	}
	for _, name := range old {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, text)
	}
	trials := 150
	if n, err := strconv.Atoi(os.Getenv("REIN_JOURNALS")); err == nil {
		trials = n
	}
	r := rand.New(rand.NewPCG(uint64(trials), 1))
	for range trials {
		anyJournal(t, damaged(r, all[r.IntN(len(all))]))
	}
}

// damaged returns a prefix of a journal, of which some lines lost a field, got another one's, or have a wrong byte.
func damaged(r *rand.Rand, text []byte) []byte {
	lines := slices.Collect(bytes.Lines(text[:r.IntN(len(text)+1)]))
	for range r.IntN(4) {
		if len(lines) == 0 {
			break
		}
		i := r.IntN(len(lines))
		var fields, other map[string]json.RawMessage
		if json.Unmarshal(lines[i], &fields) != nil || json.Unmarshal(lines[r.IntN(len(lines))], &other) != nil {
			continue
		}
		name := slices.Sorted(maps.Keys(fields))[r.IntN(len(fields))]
		switch r.IntN(4) {
		case 0:
			delete(fields, name)
		case 1:
			fields[name] = json.RawMessage([]string{"null", "{}", "[]", "0", `""`, "-1", "1e99"}[r.IntN(7)])
		case 2:
			if value, ok := other[name]; ok {
				fields[name] = value
			}
		default:
			lines[i] = bytes.Clone(lines[i])
			lines[i][r.IntN(len(lines[i]))] ^= byte(1 << r.IntN(8))
			continue
		}
		line, _ := json.Marshal(fields)
		lines[i] = append(line, '\n')
	}
	return bytes.Join(lines, nil)
}

func anyJournal(t *testing.T, text []byte) {
	t.Helper()
	defer func() {
		if failed := recover(); failed != nil {
			t.Fatalf("%v\n%s\n%s", failed, text, debug.Stack())
		}
	}()
	dir := t.TempDir()
	name := filepath.Join(dir, journal.FileName)
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	a := &agent.Agent{Calls: &toolcall.Runner{Guard: guard.Func(func(context.Context, guard.Case) guard.Verdict { return guard.Verdict{} })}}
	if _, err := a.Load(agent.SessionOptions{ID: "s"}, journal.Read(name)); err != nil && !clear(err) && !errors.Is(err, agent.ErrNoEvents) {
		t.Fatalf("load: %v\n%s", err, text)
	}
	j, _, err := journal.Open(dir)
	if err != nil {
		if !clear(err) {
			t.Fatalf("open: %v\n%s", err, text)
		}
		return
	}
	if err := errors.Join(j.Append(event.Event{Kind: event.Prompted, Text: "and then"}), j.Close()); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var last event.Event
	for e, err := range journal.Read(name) {
		if err != nil && !clear(err) {
			t.Fatalf("read: %v\n%s", err, text)
		}
		last = e
	}
	if last.Text != "and then" {
		t.Fatalf("the new event is not the last one: %+v\n%s", last, text)
	}
}

// clear reports whether an error says that the journal is the reason.
func clear(err error) bool {
	return errors.Is(err, journal.ErrNewer) || errors.Is(err, journal.ErrTorn) || strings.Contains(err.Error(), "journal")
}

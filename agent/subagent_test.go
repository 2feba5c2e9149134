package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"rein/event"
	"rein/guard"
	"rein/journal"
	"rein/model"
	"rein/tool"
)

// store keeps the journals of sessions in a directory, as a program does.
type store struct {
	t    *testing.T
	root string
}

func newStore(t *testing.T) *store { return &store{t, t.TempDir()} }

func (s *store) open(id string) (event.Journal, error) {
	dir, err := journal.Dir(s.root, id)
	if err != nil {
		return nil, err
	}
	f, _, err := journal.Open(dir)
	return f, err
}

func (s *store) read(id string) iter.Seq2[event.Event, error] {
	return journal.Read(filepath.Join(s.root, id, journal.FileName))
}

// options are those of a session that is recorded here, with its sub-agents.
func (s *store) options(id string) SessionOptions {
	j, err := s.open(id)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { j.(*journal.File).Close() })
	return SessionOptions{ID: id, Journal: j, Child: s.open, Past: s.read}
}

// kinds returns the kinds of the recorded events of a session.
func (s *store) kinds(id string) (kinds []event.Kind) {
	for e, err := range s.read(id) {
		if err != nil {
			s.t.Fatal(err)
		}
		kinds = append(kinds, e.Kind)
	}
	return kinds
}

// task is a turn in which the model gives the sub-agent a task.
func task(id string) turn {
	return answer(model.StopCalls, model.Part{Kind: model.CallKind, ID: id, Name: "sub", Args: `{"task":"look"}`})
}

// pair is a team with one sub-agent, which has a model and calls of its own.
type pair struct{ *Agent }

type taskArgs struct {
	Task string `json:"task"`
}

func (taskArgs) Intent() tool.Intent { return tool.Intent{} }

func (p pair) Tools(s *Session) []*tool.Tool {
	return []*tool.Tool{tool.New("sub", "does a task", 0, func(ctx context.Context, in taskArgs, r *tool.Reply) error {
		reports, err := s.SubAgents().Serve(ctx, r.Call(), []event.SubAgent{{Agent: "sub", Task: in.Task, Isolation: "apart"}})
		if err != nil {
			return err
		}
		if reports[0].Failed() {
			return errors.New(reports[0].Text)
		}
		_, err = r.WriteString(reports[0].Text)
		return err
	})}
}

func (p pair) Narrow(context.Context, []string, string, event.SubAgent) (Narrowing, error) {
	return Narrowing{Model: p.Model, Mode: guard.Full}, nil
}

// join gives an agent the sub-agent child.
func join(a, child *Agent) {
	a.Team = pair{child}
	a.Place = func(context.Context, *Agent, string, event.SubAgent) (Place, error) {
		return Place{Calls: child.Calls}, nil
	}
}

// twice is a team with two tools of one name.
type twice struct{ pair }

func (t twice) Tools(s *Session) []*tool.Tool { return append(t.pair.Tools(s), t.pair.Tools(s)...) }

// family is a parent whose only tool is the sub-agent.
func family(t *testing.T, parent, child []turn) (p, c *fixture) {
	t.Helper()
	p, c = newFixture(t, parent...), newFixture(t, child...)
	join(&p.Agent, &c.Agent)
	return p, c
}

func TestASubAgentIsASessionOfItsOwn(t *testing.T) {
	p, c := family(t, []turn{task("1"), says("ready")}, []turn{calls("ask:h1"), says("the report")})
	var asked []guard.Case
	c.Calls.Approver = guard.ApproverFunc(func(_ context.Context, is guard.Case, _ guard.Verdict) (guard.Answer, error) {
		asked = append(asked, is)
		return guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")}, nil
	})
	st := newStore(t)
	var watched []event.Event
	o := st.options("parent")
	o.Watch = func(e event.Event) { watched = append(watched, e) }
	s := p.Start(o)
	var yielded []event.Event
	for e := range s.Send(t.Context(), model.Text("go")) {
		yielded = append(yielded, e)
	}
	if last := yielded[len(yielded)-1]; last.Stop != event.Done || last.Session != "parent" || last.Text != "ready" {
		t.Fatalf("got %+v", last)
	}
	if sent := p.model.asked[1].Messages[2].Parts[0].Text; sent != "the report" {
		t.Errorf("the model got %q", sent)
	}
	if !reflect.DeepEqual(watched, yielded) {
		t.Error("the watcher saw other events than the caller")
	}
	var child string
	own := 0
	for _, e := range yielded {
		if e.Kind == event.SubAgentStarted {
			child = e.Child
		}
		if e.Session != "parent" {
			own++
			if e.Session != child || e.Parent != "parent" || e.ParentCall != "1" {
				t.Errorf("%s has the session %q, parent %q, call %q", e.Kind, e.Session, e.Parent, e.ParentCall)
			}
		}
	}
	if recorded := st.kinds(child); len(recorded) == 0 || recorded[0] != event.Started || own < len(recorded) {
		t.Errorf("%d events of the sub-agent seen, recorded %v", own, recorded)
	}
	if len(asked) != 1 || asked[0].Depth != 1 || asked[0].Session != "parent" || asked[0].SubAgent != child {
		t.Errorf("approvals: %+v", asked)
	}
	if u := s.Usage(); u.Input != 40 || u.Output != 20 {
		t.Errorf("the usage of the parent is %+v", u)
	}
}

func TestTheBudgetHoldsForTheWholeTree(t *testing.T) {
	var endless []turn
	for i := range 100 {
		endless = append(endless, calls(fmt.Sprintf("do:%d", i)))
	}
	p, c := family(t, []turn{task("1"), says("it used its part")}, endless)
	p.Budget = 1000
	s := p.Start(SessionOptions{})
	_, last, err := drain(t, s.Send(t.Context(), model.Text("go")))
	if err != nil || last.Stop != event.Done || last.Text != "it used its part" {
		t.Errorf("got %s %q, %v", last.Stop, last.Text, err)
	}
	used := int64(15 * len(c.model.asked)) // 15 tokens for each request
	if used == 0 || used > (1000-15)/2 {
		t.Errorf("the sub-agent used %d tokens, its part is half of what was left", used)
	}
	if u := s.Usage(); u.Input+u.Output != used+30 {
		t.Errorf("used %+v", u)
	}
}

// TestBudgets ends a turn at each kind of limit, and continues with a larger one.
func TestBudgets(t *testing.T) {
	for name, limit := range map[string]Amount{
		"tokens": {Tokens: 40}, "money": {USD: 0.05}, "requests": {Requests: 2}, "calls": {Calls: 2}, "time": {Time: 50 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			var endless []turn
			for i := range 100 {
				endless = append(endless, func(r *model.Request) (model.Chunk, error) {
					if name == "time" {
						time.Sleep(20 * time.Millisecond)
					}
					c, err := calls(fmt.Sprintf("do:%d", i))(r)
					if r.Choice == "none" {
						c, err = says("my report")(r)
					}
					c.Usage.Cost = 0.02
					return c, err
				})
			}
			st := newStore(t)
			f := newFixture(t, endless...)
			f.Limits.Message = limit
			o := st.options("s")
			story, last, err := drain(t, f.Start(o).Send(t.Context(), model.Text("go")))
			if err != nil || last.Stop != event.Budget || len(f.model.asked) > 4 || !strings.Contains(story, "notice") && !strings.Contains(story, "hint") && name != "time" {
				t.Fatalf("%s: %+v, %v after %d requests", story, last, err, len(f.model.asked))
			}
			if name != "time" && last.Text != "my report" {
				t.Errorf("the last answer is %q", last.Text)
			}
			o.Journal.(*journal.File).Close()
			f = newFixture(t, says("ready"))
			s, err := f.Load(st.options("s"), st.read("s"))
			if err != nil {
				t.Fatal(err)
			}
			events := s.Send(t.Context(), model.Text("go on"))
			if s.Waiting() {
				events = s.Resume(t.Context())
			}
			if _, last, err := drain(t, events); err != nil || last.Stop != event.Done {
				t.Errorf("with a larger budget: %+v, %v", last, err)
			}
		})
	}
}

// TestTheLastRequestIsAReport: of the time too the user is warned at 80 %, and the last request that fits asks for a report. So does
// one that may pass the limit, because it is sent anyway.
func TestTheLastRequestIsAReport(t *testing.T) {
	for _, row := range []struct {
		limit    Amount
		requests int
		warning  string
	}{
		{Amount{Time: 155 * time.Second}, 15, "80 % of the time for this message are used: 2m10s of 2m35s"},
		{Amount{Time: 85 * time.Second}, 8, "80 % of the time for this message are used: 1m10s of 1m25s"},
		{Amount{USD: 0.05}, 2, "120 % of the budget for this message are used: 0.06 of 0.05 US dollars"},
		{Amount{USD: 0.1}, 3, "90 % of the budget for this message are used: 0.09 of 0.1 US dollars"},
		{Amount{Calls: 2}, 3, "100 % of the budget for this message are used: 2 of 2 calls"},
	} {
		synctest.Test(t, func(t *testing.T) {
			var endless []turn
			for i := range 20 {
				endless = append(endless, func(r *model.Request) (model.Chunk, error) {
					time.Sleep(10 * time.Second)
					c, err := calls(fmt.Sprintf("do:%d", i))(r)
					if r.Choice == "none" {
						c, err = says("my report")(r)
					}
					c.Usage.Cost = 0.03
					return c, err
				})
			}
			f := newFixture(t, endless...)
			f.Limits.Message = row.limit
			var warnings []string
			var last event.Event
			for e, err := range f.Start(SessionOptions{}).Send(t.Context(), model.Text("go")) {
				if err != nil {
					t.Fatal(err)
				}
				if last = e; e.Kind == event.Notice {
					warnings = append(warnings, e.Text)
				}
			}
			if last.Stop != event.Budget || last.Text != "my report" || len(f.model.asked) != row.requests {
				t.Errorf("%+v: %s %q after %d requests", row.limit, last.Stop, last.Text, len(f.model.asked))
			}
			if len(warnings) != 1 || warnings[0] != row.warning {
				t.Errorf("%+v: the warnings are %q", row.limit, warnings)
			}
		})
	}
}

// TestASubAgentThatWaitsSuspendsItsParent answers the request of a sub-agent in the same process, and in a new one.
func TestASubAgentThatWaitsSuspendsItsParent(t *testing.T) {
	for _, restart := range []bool{false, true} {
		t.Run(fmt.Sprint("restart ", restart), func(t *testing.T) {
			st := newStore(t)
			p, c := family(t, []turn{task("1"), says("ready")}, []turn{calls("do:h0"), calls("ask:h1", "do:h2"), says("the report")})
			later(c)
			o := st.options("parent")
			s := p.Start(o)
			_, last, err := drain(t, s.Send(t.Context(), model.Text("go")))
			if err != nil || last.Stop != event.Waiting || !s.Waiting() {
				t.Fatalf("got %s, %v", last.Stop, err)
			}
			if want := "/h1"; !strings.HasSuffix(last.Text, want) {
				t.Errorf("%q does not name the call that waits, %s", last.Text, want)
			}
			used := s.Usage()
			if restart {
				o.Journal.(*journal.File).Close()
				var c2 *fixture
				p, c2 = family(t, []turn{says("ready")}, []turn{says("the report")})
				c2.Calls.Approver = guard.ApproverFunc(func(context.Context, guard.Case, guard.Verdict) (guard.Answer, error) {
					return guard.Answer{}, errors.New("the approver must not be needed")
				})
				if s, err = p.Load(st.options("parent"), st.read("parent")); err != nil {
					t.Fatal(err)
				}
				if s.Usage() != used {
					t.Errorf("usage after the restart is %+v, was %+v", s.Usage(), used)
				}
				if n := c.ran.Load(); n != 2 {
					t.Errorf("%d calls ran before the restart", n)
				}
				c = c2
			}
			pending := s.Pending()
			if len(pending) != 1 || pending[0].Call.ID != "h1" || pending[0].Session == "parent" || pending[0].Depth != 1 || pending[0].Parent != "parent" {
				t.Fatalf("pending: %+v", pending)
			}
			if err := s.Answer(pending[0].ID, guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")}); err != nil {
				t.Fatal(err)
			}
			_, last, err = drain(t, s.Resume(t.Context()))
			if err != nil || last.Stop != event.Done || last.Text != "ready" {
				t.Fatalf("got %+v, %v", last, err)
			}
			want := int32(3)
			if restart {
				want = 1
			}
			if n := c.ran.Load(); n != want {
				t.Errorf("%d calls ran, want %d", n, want)
			}
			sent, _ := json.Marshal(p.model.asked[len(p.model.asked)-1].Messages)
			if strings.Count(string(sent), "the report") != 1 {
				t.Errorf("the model got %s", sent)
			}
			if u := s.Usage(); u.Input != 50 {
				t.Errorf("usage %+v", u)
			}
		})
	}
}

// TestASubAgentContinuesAfterACrash kills the program after each event of the sub-agent.
func TestASubAgentContinuesAfterACrash(t *testing.T) {
	for _, after := range []event.Kind{event.Started, event.Prompted, event.Requested, event.Responded, event.Called, event.Granted, event.Replied, event.Stopped} {
		t.Run(string(after), func(t *testing.T) {
			st := newStore(t)
			p, _ := family(t, []turn{task("1"), says("ready")}, []turn{calls("do:h1"), says("the report")})
			o := st.options("parent")
			dead := &cut{Journal: o.Journal}
			o.Journal = dead
			o.Child = func(id string) (event.Journal, error) {
				j, err := st.open(id)
				t.Cleanup(func() { j.(*journal.File).Close() })
				return &cut{Journal: j, after: after, also: dead}, err
			}
			drain(t, p.Start(o).Send(t.Context(), model.Text("go")))
			dead.Journal.(*journal.File).Close()

			p, c := family(t, []turn{says("ready")}, []turn{says("the report"), says("the report")})
			if after == event.Started || after == event.Prompted || after == event.Requested {
				p, c = family(t, []turn{says("ready")}, []turn{calls("do:h1"), says("the report")})
			}
			o = st.options("parent")
			o.Child = func(id string) (event.Journal, error) { return nil, nil } // the first program still holds the file
			s, err := p.Load(o, st.read("parent"))
			if err != nil {
				t.Fatal(err)
			}
			_, last, err := drain(t, s.Resume(t.Context()))
			if err != nil || last.Stop != event.Done {
				t.Fatalf("got %+v, %v", last, err)
			}
			sent, _ := json.Marshal(p.model.asked[0].Messages)
			if strings.Count(string(sent), "the report") != 1 {
				t.Errorf("the model got %s", sent)
			}
			runs := map[event.Kind]int32{event.Started: 1, event.Prompted: 1, event.Requested: 1, event.Responded: 1, event.Called: 1}[after]
			if n := c.ran.Load(); n != runs {
				t.Errorf("the call ran %d times after the crash, want %d", n, runs)
			}
		})
	}
}

func TestSubAgentsAreNotNestedForEver(t *testing.T) {
	a := newFixture(t)
	for range 20 {
		a.model.turns = append(a.model.turns, task("1"), says("ready"))
	}
	var all []turn
	for range 6 {
		all = append(all, task("1"))
	}
	for range 6 {
		all = append(all, says("ready"))
	}
	a.model.turns = all
	join(&a.Agent, &a.Agent)
	if _, last, err := drain(t, a.Start(SessionOptions{}).Send(t.Context(), model.Text("go"))); err != nil || last.Stop != event.Done {
		t.Errorf("got %+v, %v", last, err)
	}
	if n := len(a.model.asked); n != 11 { // 5 sessions that each call the next, one call that is denied and repeated, 5 answers
		t.Errorf("%d requests", n)
	}
}

func TestTwoSubAgentsOfOneNameAreAnError(t *testing.T) {
	p, c := family(t, nil, nil)
	p.Team = twice{pair{&c.Agent}}
	if _, last, err := drain(t, p.Start(SessionOptions{}).Send(t.Context(), model.Text("go"))); err == nil || last.Stop != event.Failed {
		t.Errorf("got %+v, %v", last, err)
	}
}

// TestTwoSessionsOfOneAgentShareNothing runs two sessions at once, and looks what is in their journals and what the guard
// remembers of each.
func TestTwoSessionsOfOneAgentShareNothing(t *testing.T) {
	st := newStore(t)
	seen := &witness{}
	sets, err := tool.NewSet(instrument("do", func(_ context.Context, r *tool.Reply) error { return nil }))
	if err != nil {
		t.Fatal(err)
	}
	f := newFixture(t)
	f.Calls.Tools, f.Calls.Observer = sets, seen
	f.Model = &perSession{}
	var all sync.WaitGroup
	for _, id := range []string{"a", "b"} {
		o := st.options(id)
		all.Go(func() {
			for range f.Start(o).Send(context.Background(), model.Text("go")) {
			}
		})
	}
	all.Wait()
	for _, id := range []string{"a", "b"} {
		n := 0
		for e, err := range st.read(id) {
			if err != nil || e.Session != id || e.Seq != int64(n+1) {
				t.Fatalf("journal of %s: %+v, %v", id, e, err)
			}
			n++
		}
		if ran := seen.ran[id]; n < 30 || ran != 10 {
			t.Errorf("%s: %d events, %d calls seen by the observer", id, n, ran)
		}
	}
	if one, other := f.Start(SessionOptions{}), f.Start(SessionOptions{}); one.ID() == other.ID() || one.ID() == "" {
		t.Errorf("two sessions have the ids %q and %q", one.ID(), other.ID())
	}
}

// perSession is a model that calls "do" ten times in each session.
type perSession struct{}

func (*perSession) Info() model.Info { return model.Info{Provider: "script", Name: "per session"} }

func (*perSession) Stream(_ context.Context, r *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		n := len(r.Messages)
		c, err := says("ready")(r)
		if n < 20 {
			c, err = calls(fmt.Sprintf("do:%d", n))(r)
		}
		yield(c, err)
	}
}

// witness is an observer that counts.
type witness struct {
	mu       sync.Mutex
	ran      map[string]int
	prompted []string
	answers  []string
}

func (w *witness) Prompted(session string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.prompted = append(w.prompted, session)
}

func (w *witness) Granted(c guard.Case, a guard.Answer) { w.note("granted", c, a) }
func (w *witness) Refused(c guard.Case, a guard.Answer) { w.note("refused", c, a) }

func (w *witness) note(what string, c guard.Case, a guard.Answer) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answers = append(w.answers, fmt.Sprint(what, " ", c.Session, " ", c.Call.ID, " ", c.Call.Name, " ", a.By, " ", a.Words))
}

func (w *witness) Ran(c guard.Case, r tool.Result) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ran == nil {
		w.ran = map[string]int{}
	}
	w.ran[c.Session]++
	return ""
}

package toolcall

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"rein/event"
	"rein/guard"
	"rein/journal"
	"rein/schema"
	"rein/tool"
)

// pathArgs are the arguments of the tools in these tests.
type pathArgs struct {
	Path string `json:"path" jsonschema:"a file"`
}

func named(name string, effect tool.Effect, intent func(pathArgs) tool.Intent, run func(context.Context, pathArgs, *tool.Reply) error) *tool.Tool {
	t := tool.New(name, name+" for tests", effect, run)
	t.Intent = func(args json.RawMessage) (tool.Intent, error) {
		var in pathArgs
		err := json.Unmarshal(args, &in)
		return intent(in), err
	}
	return t
}

func reads(in pathArgs) tool.Intent    { return tool.Intent{Reads: []string{in.Path}} }
func writes(in pathArgs) tool.Intent   { return tool.Intent{Writes: []string{in.Path}} }
func commands(in pathArgs) tool.Intent { return tool.Intent{Command: in.Path} }
func nothing(pathArgs) tool.Intent     { return tool.Intent{} }

// knowsLook knows that the program look writes nothing.
func knowsLook(i tool.Intent) tool.Intent {
	i.Unknown = i.Unknown && !strings.HasPrefix(i.Command, "look ")
	return i
}

func says(text string) func(context.Context, pathArgs, *tool.Reply) error {
	return func(_ context.Context, _ pathArgs, r *tool.Reply) error {
		_, err := r.WriteString(text)
		return err
	}
}

var allowAll = guard.Func(func(context.Context, guard.Case) guard.Verdict { return guard.Verdict{} })

func always(d guard.Decision) guard.Guard {
	return guard.Func(func(context.Context, guard.Case) guard.Verdict {
		return guard.Verdict{Decision: d, Reason: "it is a test"}
	})
}

func set(t testing.TB, tools ...*tool.Tool) tool.Set {
	t.Helper()
	s, err := tool.NewSet(tools...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func call(id, name, path string) tool.Call {
	args, _ := json.Marshal(pathArgs{path})
	return tool.Call{ID: id, Name: name, Args: args}
}

// memory is a journal for tests; fail makes it die at that kind.
type memory struct {
	mu     sync.Mutex
	events []event.Event
	fail   event.Kind
}

var errDisk = errors.New("disk full")

func (m *memory) Append(events ...event.Event) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range events {
		if e.Kind == m.fail {
			return errDisk
		}
		m.events = append(m.events, e)
	}
	return nil
}

func (m *memory) story() string {
	var b strings.Builder
	for _, e := range m.events {
		fmt.Fprintf(&b, "%s %s;", e.Kind, e.Call.ID)
	}
	return b.String()
}

func TestRefusalsBeforeAnythingRuns(t *testing.T) {
	ran := false
	spy := named("write_file", tool.Writes, writes, func(context.Context, pathArgs, *tool.Reply) error { ran = true; return nil })
	rows := []struct {
		rule string
		call tool.Call
		kind tool.Kind
		says []string
	}{
		{"an unknown tool is told the nearest name", call("1", "write_fle", "a"), tool.UnknownTool, []string{`"write_fle"`, "write_file"}},
		{"arguments that are no JSON", tool.Call{Name: "write_file", Args: json.RawMessage(`{{{`)}, tool.BadArguments, nil},
		{"arguments that are no object", tool.Call{Name: "write_file", Args: json.RawMessage(`[1]`)}, tool.BadArguments, nil},
		{"a key twice", tool.Call{Name: "write_file", Args: json.RawMessage(`{"path":"a","path":"b"}`)}, tool.BadArguments, []string{"path"}},
		{"a missing argument is named", tool.Call{Name: "write_file", Args: json.RawMessage(`{}`)}, tool.BadArguments, []string{"path"}},
		{"no arguments are {} and not silently enough", tool.Call{Name: "write_file"}, tool.BadArguments, []string{"path"}},
		{"an unknown argument is told the nearest name", tool.Call{Name: "write_file", Args: json.RawMessage(`{"path":"a","pahts":1}`)}, tool.BadArguments, []string{"pahts", "path"}},
		{"more than 1 MiB", tool.Call{Name: "write_file", Args: json.RawMessage(`{"path":"` + strings.Repeat("x", 1<<20) + `"}`)}, tool.TooLarge, []string{"1048587 bytes", "at most 1048576"}},
		{"cut off by the length limit", tool.Call{Name: "write_file", Args: json.RawMessage(`{"path":"a"}`), Truncated: true}, tool.BadArguments, []string{"cut off"}},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			r := Runner{Tools: set(t, spy), Guard: allowAll}
			results, err := r.Run(t.Context(), Session{}, []tool.Call{row.call})
			if err != nil || !results[0].Failed || results[0].Kind != row.kind {
				t.Fatalf("got %+v, %v", results[0], err)
			}
			for _, s := range row.says {
				if !strings.Contains(results[0].Text, s) {
					t.Errorf("%q does not say %q", results[0].Text, s)
				}
			}
		})
	}
	if ran {
		t.Error("the tool ran")
	}
}

func TestWhatWasMendedIsTold(t *testing.T) {
	var got string
	spy := named("read", tool.Reads, reads, func(_ context.Context, in pathArgs, _ *tool.Reply) error { got = in.Path; return nil })
	r := Runner{Mode: guard.Full, Tools: set(t, spy), Guard: allowAll}
	for _, args := range []string{`{'path': 'a.go',}`, `"{\"path\":\"a.go\"}"`} {
		got = ""
		results, err := r.Run(t.Context(), Session{}, []tool.Call{{ID: "1", Name: "read", Args: json.RawMessage(args)}})
		if err != nil || results[0].Failed || got != "a.go" || len(results[0].Notes) == 0 || !strings.HasPrefix(results[0].Text, "[note: ") {
			t.Errorf("%s: %q, %+v, %v", args, got, results[0], err)
		}
	}
}

func TestWhoSaysYes(t *testing.T) {
	answers := func(a guard.Answer, err error) guard.Approver {
		return guard.ApproverFunc(func(context.Context, guard.Case, guard.Verdict) (guard.Answer, error) { return a, err })
	}
	rows := []struct {
		rule     string
		guard    guard.Guard
		approver guard.Approver
		runs     bool
		says     string
	}{
		{"the zero runner runs nothing", nil, nil, false, "nobody is there"},
		{"allowed runs without asking", allowAll, nil, true, ""},
		{"ask and nobody there", always(guard.Ask), nil, false, "nobody is there"},
		{"ask and yes", always(guard.Ask), answers(guard.Answer{Choice: guard.Approved, By: "user"}, nil), true, ""},
		{"ask and no with words", always(guard.Ask), answers(guard.Answer{Words: "use make"}, nil), false, "use make"},
		{"ask and no", always(guard.Ask), answers(guard.Answer{}, nil), false, "denied this call"},
		{"an approver's error is a no", always(guard.Ask), answers(guard.Answer{Choice: guard.Approved}, errors.New("terminal closed")), false, "terminal closed"},
		{"an approver's panic is a no", always(guard.Ask), guard.ApproverFunc(func(context.Context, guard.Case, guard.Verdict) (guard.Answer, error) { panic("x") }), false, "internal error"},
		{"nobody overrules a deny", always(guard.Deny), answers(guard.Answer{Choice: guard.Approved}, nil), false, "Denied"},
		{"a panicking guard asks", guard.All{Guards: []guard.Guard{guard.Func(func(context.Context, guard.Case) guard.Verdict { panic("x") })}}, nil, false, "nobody is there"},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			r := Runner{Mode: guard.Full, Tools: set(t, named("x", tool.Writes, writes, says("ran"))), Guard: row.guard, Approver: row.approver}
			results, err := r.Run(t.Context(), Session{}, []tool.Call{call("1", "x", "a")})
			if err != nil || results[0].Failed == row.runs || !strings.Contains(results[0].Text, row.says) {
				t.Errorf("got %+v, %v", results[0], err)
			}
			want := tool.Denied
			if strings.Contains(row.says, "nobody") {
				want = tool.Unapproved
			}
			if !row.runs && results[0].Kind != want {
				t.Errorf("kind %q, want %q", results[0].Kind, want)
			}
		})
	}
}

func TestOrder(t *testing.T) {
	rows := []struct {
		rule  string
		calls []tool.Call
		took  time.Duration // each call takes a second
	}{
		{"reads overlap", []tool.Call{call("1", "read", "a"), call("2", "read", "a"), call("3", "read", ".")}, 1},
		{"a write and an edit of a file keep their order", []tool.Call{call("1", "write", "a"), call("2", "write", "a")}, 2},
		{"the same file in another spelling", []tool.Call{call("1", "write", "./x/../a"), call("2", "read", "a")}, 2},
		{"a directory above collides", []tool.Call{call("1", "write", "d/a"), call("2", "read", "d")}, 2},
		{"the workspace is above all", []tool.Call{call("1", "write", "d/a"), call("2", "read", ".")}, 2},
		{"a name that only begins the same does not collide", []tool.Call{call("1", "write", "da"), call("2", "write", "d")}, 1},
		{"writes of different files overlap", []tool.Call{call("1", "write", "a"), call("2", "write", "b")}, 1},
		{"a command waits for a write", []tool.Call{call("1", "write", "a"), call("2", "bash", "ls")}, 2},
		{"a write waits for a command", []tool.Call{call("1", "bash", "ls"), call("2", "write", "a")}, 2},
		{"a read waits for a command", []tool.Call{call("1", "bash", "go generate"), call("2", "read", "a")}, 2},
		{"commands wait for each other", []tool.Call{call("1", "bash", "a"), call("2", "bash", "b")}, 2},
		{"commands known to write nothing overlap", []tool.Call{call("1", "look", "a"), call("2", "look", "b"), call("3", "read", "a")}, 1},
		{"a command known to write nothing waits for a write", []tool.Call{call("1", "write", "a"), call("2", "look", "b")}, 2},
		{"an empty intent waits for nobody", []tool.Call{call("1", "bash", "a"), call("2", "think", "b")}, 1},
		{"a chain of three", []tool.Call{call("1", "write", "a"), call("2", "bash", "x"), call("3", "read", "a")}, 3},
		{"twelve reads on eight slots", slices.Repeat([]tool.Call{call("1", "read", "a")}, 12), 2},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var order []string
				var mu sync.Mutex
				work := func(_ context.Context, in pathArgs, _ *tool.Reply) error {
					mu.Lock()
					order = append(order, in.Path)
					mu.Unlock()
					time.Sleep(time.Second)
					return nil
				}
				r := Runner{Mode: guard.Full, Guard: allowAll, Normalize: knowsLook, Tools: set(t,
					named("read", tool.Reads, reads, work), named("write", tool.Writes, writes, work),
					named("bash", tool.Runs, commands, work), named("think", 0, nothing, work),
					named("look", tool.Runs, func(in pathArgs) tool.Intent { return tool.Intent{Command: "look " + in.Path} }, work))}
				start := time.Now()
				results, err := r.Run(t.Context(), Session{}, row.calls)
				if took := time.Since(start); err != nil || took != row.took*time.Second {
					t.Errorf("took %v, want %d s; %v", took, row.took, err)
				}
				for i, res := range results {
					if res.ID != row.calls[i].ID || res.Failed {
						t.Errorf("result %d is %+v", i, res)
					}
				}
			})
		})
	}
}

func TestDeadlines(t *testing.T) {
	stuck := func(context.Context, pathArgs, *tool.Reply) error { time.Sleep(time.Hour); return nil }
	honest := func(ctx context.Context, _ pathArgs, r *tool.Reply) error {
		r.WriteString("half")
		<-ctx.Done()
		return ctx.Err()
	}
	rows := []struct {
		rule  string
		work  func(context.Context, pathArgs, *tool.Reply) error
		limit time.Duration // of the tool
		took  time.Duration
		says  string
		audit bool
	}{
		{"a tool that ignores its context is abandoned", stuck, 0, 60*time.Second + DefaultGrace, "longer than 1m0s", true},
		{"a tool's own limit", stuck, 3 * time.Second, 3*time.Second + DefaultGrace, "longer than 3s", true},
		{"a tool that minds its context keeps what it wrote", honest, time.Second, time.Second, "half\nError: Stopped", false},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				slow := named("slow", tool.Reads, reads, row.work)
				slow.Timeout = row.limit
				var running sync.WaitGroup
				j := &memory{}
				r := Runner{Mode: guard.Full, Tools: set(t, slow), Guard: allowAll, Running: &running}
				start := time.Now()
				results, err := r.Run(t.Context(), Session{Journal: j}, []tool.Call{call("1", "slow", "a")})
				if took := time.Since(start); err != nil || took != row.took {
					t.Errorf("took %v, want %v; %v", took, row.took, err)
				}
				if got := results[0]; got.Kind != tool.TimedOut || !strings.Contains(got.Text, row.says) {
					t.Errorf("got %+v", got)
				}
				if strings.Contains(j.story(), "audit") != row.audit {
					t.Errorf("journal: %s", j.story())
				}
				running.Wait()
			})
		})
	}
}

func TestCancelGivesEveryCallAResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stuck := func(context.Context, pathArgs, *tool.Reply) error { time.Sleep(time.Hour); return nil }
		var running sync.WaitGroup
		j := &memory{}
		r := Runner{Mode: guard.Full, Tools: set(t, named("write", tool.Writes, writes, stuck)), Guard: allowAll, Running: &running}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		start := time.Now()
		results, err := r.Run(ctx, Session{Journal: j}, []tool.Call{call("1", "write", "a"), call("2", "write", "a"), call("3", "write", "b")})
		if took := time.Since(start) - time.Second; err != nil || took > 200*time.Millisecond {
			t.Errorf("returned %v after the cancel; %v", took, err)
		}
		for _, res := range results {
			if res.Kind != tool.Cancelled || res.ID == "" {
				t.Errorf("got %+v", res)
			}
		}
		if n := strings.Count(j.story(), "replied"); n != 3 {
			t.Errorf("%d replies in the journal: %s", n, j.story())
		}
		running.Wait()
	})
}

func TestPanicsStayInside(t *testing.T) {
	rows := map[string]*tool.Tool{
		"in Run":    named("x", tool.Reads, reads, func(context.Context, pathArgs, *tool.Reply) error { panic("secret stack") }),
		"in Intent": named("x", tool.Reads, func(pathArgs) tool.Intent { panic("secret stack") }, says("")),
	}
	for rule, broken := range rows {
		t.Run(rule, func(t *testing.T) {
			r := Runner{Mode: guard.Full, Tools: set(t, broken), Guard: allowAll}
			results, err := r.Run(t.Context(), Session{}, []tool.Call{call("1", "x", "a")})
			if err != nil || results[0].Kind != tool.Panicked || strings.Contains(results[0].Text, "secret") {
				t.Errorf("got %+v, %v", results[0], err)
			}
		})
	}
}

// TestNoWordOfAModelEndsTheJournal records calls that are no JSON, nested too deep, or no UTF-8.
func TestNoWordOfAModelEndsTheJournal(t *testing.T) {
	for _, args := range []string{"{{{", "\xff\xfe", `{"path":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + "}", "null", "", `"text"`, "{} {}"} {
		j, _, err := journal.Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		r := Runner{Mode: guard.Full, Tools: set(t, named("x", tool.Reads, reads, says("ran"))), Guard: allowAll}
		for _, name := range []string{"x", "nope\xff"} {
			results, err := r.Run(t.Context(), Session{Journal: j}, []tool.Call{{ID: "1", Name: name, Args: json.RawMessage(args)}})
			if err != nil || !results[0].Failed {
				t.Errorf("%.40q: %+v, %v", args, results[0], err)
			}
		}
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestErrorsAreBoundedToo(t *testing.T) {
	huge := named("x", tool.Reads, reads, func(context.Context, pathArgs, *tool.Reply) error {
		return errors.New("\x00\xff" + strings.Repeat("long ", 1<<20))
	})
	r := Runner{Mode: guard.Full, Tools: set(t, huge), Guard: allowAll}
	results, err := r.Run(t.Context(), Session{}, []tool.Call{call("1", "x", "a")})
	if text := results[0].Text; err != nil || len(text) > mostError+100 || !utf8.ValidString(text) || strings.Contains(text, "\x00") || !strings.Contains(text, "more]") {
		t.Errorf("%d bytes, %.60q, %v", len(text), text, err)
	}
}

func TestJournalIsWrittenBeforeTheEffect(t *testing.T) {
	j := &memory{}
	var atRun string
	spy := named("x", tool.Writes, writes, func(context.Context, pathArgs, *tool.Reply) error { atRun = j.story(); return nil })
	r := Runner{Mode: guard.Full, Tools: set(t, spy), Guard: allowAll}
	if _, err := r.Run(t.Context(), Session{Journal: j}, []tool.Call{call("1", "x", "a"), call("2", "nope", "")}); err != nil {
		t.Fatal(err)
	}
	if want := "called 1;called 2;replied 2;granted 1;"; atRun != want {
		t.Errorf("when it ran the journal was %q, want %q", atRun, want)
	}
	if want := "called 1;called 2;replied 2;granted 1;replied 1;"; j.story() != want {
		t.Errorf("at the end it was %q, want %q", j.story(), want)
	}
}

func TestADeadJournalStopsEverything(t *testing.T) {
	for _, kind := range []event.Kind{event.Called, event.ApprovalRequested, event.Granted} {
		for _, d := range []guard.Decision{guard.Allow, guard.Ask} {
			if d == guard.Allow && kind == event.ApprovalRequested {
				continue
			}
			t.Run(fmt.Sprint(kind, " when the guard says ", d), func(t *testing.T) {
				var ran atomic.Int32
				spy := named("x", tool.Writes, writes, func(context.Context, pathArgs, *tool.Reply) error { ran.Add(1); return nil })
				yes := guard.ApproverFunc(func(context.Context, guard.Case, guard.Verdict) (guard.Answer, error) {
					return guard.Answer{Choice: guard.Approved}, nil
				})
				r := Runner{Mode: guard.Full, Tools: set(t, spy), Guard: always(d), Approver: yes}
				_, err := r.Run(t.Context(), Session{Journal: &memory{fail: kind}}, []tool.Call{call("1", "x", "a"), call("2", "x", "b")})
				if !errors.Is(err, errDisk) || ran.Load() != 0 {
					t.Errorf("%d calls ran; %v", ran.Load(), err)
				}
			})
		}
	}
}

func TestLaterParksOneCallAndFinishesTheRest(t *testing.T) {
	j := &memory{}
	later := guard.ApproverFunc(func(_ context.Context, c guard.Case, _ guard.Verdict) (guard.Answer, error) {
		if c.Call.ID == "1" {
			return guard.Answer{Choice: guard.Later}, nil
		}
		return guard.Answer{Choice: guard.Approved, By: "user"}, nil
	})
	r := Runner{Mode: guard.Full, Tools: set(t, named("x", tool.Writes, writes, says("ran"))), Guard: always(guard.Ask), Approver: later}
	results, err := r.Run(t.Context(), Session{Journal: j}, []tool.Call{call("1", "x", "a"), call("2", "x", "b")})
	pending, ok := errors.AsType[*Pending](err)
	if !ok || !slices.Equal(pending.Calls, []string{"1"}) {
		t.Fatalf("got %v", err)
	}
	if results[0].Kind != tool.Waiting || results[1].Text != "ran" {
		t.Errorf("got %+v", results)
	}
	if strings.Contains(j.story(), "granted 1") || strings.Contains(j.story(), "replied 1") || !strings.Contains(j.story(), "approval_requested 1") {
		t.Errorf("journal: %s", j.story())
	}
}

func TestAroundSeesWhatRuns(t *testing.T) {
	var seen []string
	around := func(g Granted) func(error) {
		seen = append(seen, "begin "+g.Call().Name+" "+g.Intent().Writes[0])
		copy(g.Call().Args, "{}")
		g.Intent().Writes[0] = "changed"
		return func(err error) { seen = append(seen, fmt.Sprint("end ", err)) }
	}
	for _, g := range []guard.Guard{allowAll, always(guard.Deny)} {
		r := Runner{Mode: guard.Full, Tools: set(t, named("x", tool.Writes, writes, says("ran"))), Guard: g, Around: around}
		results, err := r.Run(t.Context(), Session{}, []tool.Call{call("1", "x", "a")})
		if err != nil {
			t.Fatal(err)
		}
		if results[0].Kind != tool.Denied && results[0].Text != "ran" {
			t.Errorf("got %+v", results[0])
		}
	}
	if !slices.Equal(seen, []string{"begin x a", "end <nil>"}) {
		t.Errorf("Around saw %v", seen)
	}
}

func TestAPanicInAroundChangesNothing(t *testing.T) {
	for name, around := range map[string]Around{
		"at the begin": func(Granted) func(error) { panic("x") },
		"at the end":   func(Granted) func(error) { return func(error) { panic("x") } },
		"nil":          func(Granted) func(error) { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			r := Runner{Mode: guard.Full, Tools: set(t, named("x", tool.Writes, writes, says("ran"))), Guard: allowAll, Around: around}
			if results, err := r.Run(t.Context(), Session{}, []tool.Call{call("1", "x", "a")}); err != nil || results[0].Text != "ran" {
				t.Errorf("got %+v, %v", results, err)
			}
		})
	}
}

func TestAGrantIsBoundToWhatRuns(t *testing.T) {
	j := &memory{}
	r := Runner{Mode: guard.Full, Tools: set(t, named("x", tool.Writes, writes, says("ran"))), Guard: allowAll, Root: "/w", RootID: "1:2", Epoch: "e"}
	if _, err := r.Run(t.Context(), Session{ID: "s", Journal: j}, []tool.Call{call("1", "x", "a")}); err != nil {
		t.Fatal(err)
	}
	want := guard.Binding{Session: "s", Call: "1", Tool: "x", Args: call("1", "x", "a").Args, Root: "/w", RootID: "1:2", Epoch: "e"}.Hash()
	if got := j.events[1].Grant; got == nil || got.Hash != want || got.By != "guard" {
		t.Errorf("got %+v", got)
	}
}

func empty(b testing.TB) *tool.Tool {
	s, err := schema.Parse([]byte(`{"type":"object","properties":{},"additionalProperties":false}`))
	if err != nil {
		b.Fatal(err)
	}
	return &tool.Tool{Name: "empty", Input: s,
		Intent: func(json.RawMessage) (tool.Intent, error) { return tool.Intent{}, nil },
		Run:    func(context.Context, json.RawMessage, *tool.Reply) error { return nil }}
}

func BenchmarkSpine(b *testing.B) {
	r := Runner{Mode: guard.Full, Tools: set(b, empty(b)), Guard: guard.All{Guards: []guard.Guard{allowAll}}}
	calls := []tool.Call{{ID: "1", Name: "empty", Args: json.RawMessage("{}")}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Run(b.Context(), Session{}, calls); err != nil {
			b.Fatal(err)
		}
	}
}

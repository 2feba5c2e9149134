package toolcall

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"rein/event"
	"rein/guard"
	"rein/tool"
)

// answering is an approver that gives these answers in turn.
type answering struct {
	answers []guard.Answer
	errs    []error
	asked   int
}

func (a *answering) Approve(context.Context, guard.Case, guard.Verdict) (guard.Answer, error) {
	i := a.asked
	a.asked++
	if i < len(a.errs) && a.errs[i] != nil {
		return guard.Answer{}, a.errs[i]
	}
	return a.answers[min(i, len(a.answers)-1)], nil
}

// asks runs one call that needs an approval.
func asks(t *testing.T, epoch string, a guard.Approver, earlier map[string]Earlier) (*memory, tool.Result, error) {
	t.Helper()
	j := &memory{}
	r := Runner{Mode: guard.Full, Epoch: epoch, Tools: set(t, named("x", tool.Writes, writes, says("ran"))), Guard: always(guard.Ask), Approver: a}
	results, err := r.Run(t.Context(), Scope{ID: "s", Journal: j, Earlier: earlier}, []tool.Call{call("1", "x", "a")})
	return j, results[0], err
}

func TestTheAnswerIsRecordedAsData(t *testing.T) {
	full := guard.Answer{Choice: guard.Approved, By: guard.ByPerson(""), From: "page", Scope: guard.ForSession}
	chosen := guard.Answer{Choice: guard.Approved, By: guard.ByPerson(""), Chosen: &tool.Chosen{Answers: []tool.Answer{{Text: "blue"}}}}
	no := guard.Answer{By: guard.ByPerson(""), From: "terminal", Words: "use make: it is faster"}
	rows := map[string]struct {
		approver guard.Approver
		kind     event.Kind
		want     event.Answer
		result   tool.Kind
	}{
		"approved": {&answering{answers: []guard.Answer{full}}, event.Granted, event.Answer{Choice: "approved", By: "user", From: "page", Scope: "session"}, ""},
		"chosen":   {&answering{answers: []guard.Answer{chosen}}, event.Granted, event.Answer{Choice: "approved", By: "user", Chosen: chosen.Chosen}, ""},
		"denied":   {&answering{answers: []guard.Answer{no}}, event.Refused, event.Answer{Choice: "denied", By: "user", From: "terminal", Words: "use make: it is faster"}, tool.Denied},
		"nobody":   {nil, event.Refused, event.Answer{Choice: "denied", By: "nobody"}, tool.Unapproved},
		"an error": {&answering{errs: []error{errors.New("no terminal")}}, event.Refused, event.Answer{Choice: "denied", By: "error", Words: "no terminal"}, tool.Denied},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			j, r, err := asks(t, "e", row.approver, nil)
			if err != nil || r.Kind != row.result {
				t.Fatalf("got %+v, %v", r, err)
			}
			for _, e := range j.events {
				if e.Kind == row.kind {
					if e.Answer == nil || !reflect.DeepEqual(*e.Answer, row.want) {
						t.Errorf("recorded %+v, want %+v", e.Answer, row.want)
					}
					return
				}
			}
			t.Errorf("no %s in %s", row.kind, kinds(j.events))
		})
	}
	r := Runner{Mode: guard.Full, Tools: set(t, named("x", tool.Writes, writes, says("ran"))), Guard: allowAll}
	j := &memory{}
	if _, err := r.Run(t.Context(), Scope{Journal: j}, []tool.Call{call("1", "x", "a")}); err != nil || j.events[1].Answer != nil {
		t.Errorf("what the guards allow has an answer: %+v, %v", j.events[1], err)
	}
}

func TestAnEarlierAnswerIsBoundToTheHash(t *testing.T) {
	hash := guard.Binding{Session: "s", Call: "1", Tool: "x", Args: call("1", "x", "a").Args, Mode: guard.Full, Rules: guard.Fingerprint(always(guard.Ask)), Epoch: "e"}.Hash()
	yes, no := &guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")}, &guard.Answer{By: guard.ByPerson("")}
	later := guard.Answer{Choice: guard.Later}
	rows := map[string]struct {
		epoch   string
		earlier Earlier
		asked   int
		story   string
	}{
		"approved before":                   {"e", Earlier{Hash: hash, Answer: yes}, 0, "called granted replied"},
		"denied before":                     {"e", Earlier{Hash: hash, Answer: no}, 0, "called refused replied"},
		"nobody has answered":               {"e", Earlier{Hash: hash, Answer: nil}, 1, "called approval_requested"},
		"approved, then the rules changed":  {"new", Earlier{Hash: hash, Answer: yes}, 1, "called approval_void approval_requested"},
		"requested, then the rules changed": {"new", Earlier{Hash: hash, Answer: nil}, 1, "called approval_void approval_requested"},
		"an approval of something else":     {"e", Earlier{Hash: "other", Answer: yes}, 1, "called approval_void approval_requested"},
		"an approval without a hash":        {"e", Earlier{Hash: "", Answer: yes}, 1, "called approval_void approval_requested"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			a := &answering{answers: []guard.Answer{later}}
			j, _, _ := asks(t, row.epoch, a, map[string]Earlier{"1": row.earlier})
			if got := kinds(j.events); got != row.story || a.asked != row.asked {
				t.Errorf("asked %d times, recorded %q", a.asked, got)
			}
			for _, e := range j.events {
				if e.Kind == event.ApprovalVoid && (e.Reason != event.RulesChanged || e.Text == "" || e.Call.ID != "1") {
					t.Errorf("the void request does not say why: %+v", e)
				}
			}
		})
	}
}

func TestARequestIsVoidWhenItsFilesChange(t *testing.T) {
	a := &answering{errs: []error{guard.ErrFilesChanged, guard.ErrFilesChanged}, answers: []guard.Answer{{Choice: guard.Approved, By: guard.ByPerson("")}}}
	j, r, err := asks(t, "e", a, nil)
	if err != nil || r.Text != "ran" || a.asked != 3 {
		t.Errorf("asked %d times: %+v, %v", a.asked, r, err)
	}
	if got, want := kinds(j.events), "called approval_requested approval_void approval_requested approval_void approval_requested granted replied"; got != want {
		t.Errorf("recorded %q", got)
	}
	if e := j.events[2]; e.Reason != event.FilesChanged {
		t.Errorf("the reason is %q", e.Reason)
	}
	if got, want := j.events[5].Verdict.Reason, filesChanged+"it is a test"; got != want {
		t.Errorf("the repeated request says %q", got)
	}
}

func TestACancelledRequestIsVoid(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	waits := guard.ApproverFunc(func(ctx context.Context, _ guard.Case, _ guard.Verdict) (guard.Answer, error) {
		cancel()
		<-ctx.Done()
		return guard.Answer{}, context.Cause(ctx)
	})
	j := &memory{}
	r := Runner{Mode: guard.Full, Tools: set(t, named("x", tool.Writes, writes, says("ran"))), Guard: always(guard.Ask), Approver: waits}
	results, err := r.Run(ctx, Scope{Journal: j}, []tool.Call{call("1", "x", "a")})
	if err != nil || results[0].Kind != tool.Cancelled {
		t.Errorf("got %+v, %v", results[0], err)
	}
	if got := kinds(j.events); got != "called approval_requested approval_void replied" || j.events[2].Reason != event.WasCancelled {
		t.Errorf("recorded %q, %q", got, j.events[2].Reason)
	}
}

// TestAToolMayWait has a tool that waits for an approval itself, as a sub-agent does.
func TestAToolMayWait(t *testing.T) {
	j := &memory{}
	waits := named("x", 0, nothing, func(context.Context, pathArgs, *tool.Reply) error {
		return &tool.Error{Kind: tool.Waiting, Text: "later"}
	})
	r := Runner{Mode: guard.Full, Tools: set(t, waits, named("y", 0, nothing, says("ran"))), Guard: allowAll}
	results, err := r.Run(t.Context(), Scope{Journal: j}, []tool.Call{call("1", "x", "a"), call("2", "y", "a")})
	pending, ok := errors.AsType[*Pending](err)
	if !ok || len(pending.Calls) != 1 || results[0].Kind != tool.Waiting || results[1].Text != "ran" {
		t.Errorf("got %+v, %v", results, err)
	}
	if strings.Contains(j.story(), "replied 1") {
		t.Errorf("recorded %s", j.story())
	}
}

func TestWhoApproves(t *testing.T) {
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
		{"what is allowed runs without an approval", allowAll, nil, true, ""},
		{"Ask, and there is no approver", always(guard.Ask), nil, false, "nobody is there"},
		{"Ask, and approved", always(guard.Ask), answers(guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")}, nil), true, ""},
		{"Ask, and denied with words", always(guard.Ask), answers(guard.Answer{Words: "use make"}, nil), false, "use make"},
		{"Ask, and denied", always(guard.Ask), answers(guard.Answer{}, nil), false, "denied this call"},
		{"an approver's error denies", always(guard.Ask), answers(guard.Answer{Choice: guard.Approved}, errors.New("terminal closed")), false, "terminal closed"},
		{"an approver's panic denies", always(guard.Ask), guard.ApproverFunc(func(context.Context, guard.Case, guard.Verdict) (guard.Answer, error) { panic("x") }), false, "internal error"},
		{"no approver overrules Deny", always(guard.Deny), answers(guard.Answer{Choice: guard.Approved}, nil), false, "Denied"},
		{"a panicking guard asks", guard.All{Guards: []guard.Guard{guard.Func(func(context.Context, guard.Case) guard.Verdict { panic("x") })}}, nil, false, "nobody is there"},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			r := Runner{Mode: guard.Full, Tools: set(t, named("x", tool.Writes, writes, says("ran"))), Guard: row.guard, Approver: row.approver}
			results, err := r.Run(t.Context(), Scope{}, []tool.Call{call("1", "x", "a")})
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

func TestLaterLeavesOneCallPending(t *testing.T) {
	j := &memory{}
	later := guard.ApproverFunc(func(_ context.Context, c guard.Case, _ guard.Verdict) (guard.Answer, error) {
		if c.Call.ID == "1" {
			return guard.Answer{Choice: guard.Later}, nil
		}
		return guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")}, nil
	})
	r := Runner{Mode: guard.Full, Tools: set(t, named("x", tool.Writes, writes, says("ran"))), Guard: always(guard.Ask), Approver: later}
	results, err := r.Run(t.Context(), Scope{Journal: j}, []tool.Call{call("1", "x", "a"), call("2", "x", "b")})
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

// TestTheModelReadsWhoDenied: only a person is called the user.
func TestTheModelReadsWhoDenied(t *testing.T) {
	call, questions := tool.Intent{}, tool.Intent{Questions: &tool.Questions{}}
	for _, row := range []struct {
		intent tool.Intent
		by     guard.Who
		words  string
		want   string
	}{
		{call, guard.ByPerson(""), "not today", "The user denied this call: not today"},
		{call, guard.ByPerson("Mei"), "", "The user denied this call."},
		{call, guard.ByDeadline(), "nobody answered within 10m0s", "This call was not approved: nobody answered within 10m0s"},
		{call, guard.ByHook("lint"), "run gofmt first", "This call was not approved: run gofmt first"},
		{questions, guard.ByPerson(""), "not now", "The user does not want to answer: not now"},
		{questions, guard.ByDeadline(), "nobody answered within 1m0s", "The questions were not answered: nobody answered within 1m0s"},
	} {
		if got := refusedError(&judged{valid: &valid{intent: row.intent}}, guard.Answer{By: row.by, Words: row.words}); got.Text != row.want {
			t.Errorf("%s: got %q, want %q", row.by, got.Text, row.want)
		}
	}
}

// keeping is an approver that keeps requests before the journal has them.
type keeping struct {
	answering
	j       *memory
	before  string // what was recorded when it kept the request
	has     guard.Answer
	failing error
}

func (k *keeping) Store(context.Context, guard.Case, guard.Verdict) (guard.Answer, error) {
	k.before = kinds(k.j.events)
	return k.has, k.failing
}

// A request is kept before it is recorded, so that who sees it recorded finds it. Where the answer is there already, nobody is asked.
func TestARequestIsKeptBeforeItIsRecorded(t *testing.T) {
	yes := guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")}
	for name, row := range map[string]struct {
		has     guard.Answer
		failing error
		asked   int
		ran     bool
	}{
		"nobody has answered":   {guard.Answer{Choice: guard.Abstain}, nil, 1, true},
		"somebody has answered": {yes, nil, 0, true},
		"it cannot be kept":     {guard.Answer{}, errors.New("no space"), 0, false},
	} {
		k := &keeping{answering: answering{answers: []guard.Answer{yes}}, j: &memory{}, has: row.has, failing: row.failing}
		r := Runner{Mode: guard.Full, Tools: set(t, named("x", tool.Writes, writes, says("ran"))), Guard: always(guard.Ask), Approver: k}
		results, err := r.Run(t.Context(), Scope{ID: "s", Journal: k.j}, []tool.Call{call("1", "x", "a")})
		if err != nil || k.asked != row.asked || results[0].Failed == row.ran {
			t.Errorf("%s: asked %d times, %+v, %v", name, k.asked, results[0], err)
		}
		if story := kinds(k.j.events); k.before != "called" || !strings.HasPrefix(story, "called approval_requested ") {
			t.Errorf("%s: it was kept after %q, and the whole is %q", name, k.before, story)
		}
	}
}

// asksOrDenies denies in the mode plan what is left to it.
type asksOrDenies struct{}

func (asksOrDenies) Judge(_ context.Context, c guard.Case) guard.Verdict {
	if c.Mode == guard.Plan {
		return guard.Verdict{Decision: guard.Deny}
	}
	return guard.Verdict{Decision: guard.Ask}
}

// TestAModeThatIsStricterNow: the user makes the mode stricter while the request waits, and approves it then.
func TestAModeThatIsStricterNow(t *testing.T) {
	for name, row := range map[string]struct {
		mode guard.Mode
		ran  bool
	}{"read-only": {guard.ReadOnly, false}, "plan, a file": {guard.Plan, false}, "ask": {guard.Asking, true}, "full": {guard.Full, true}} {
		mode := guard.Supervised
		yes := guard.ApproverFunc(func(context.Context, guard.Case, guard.Verdict) (guard.Answer, error) {
			mode = row.mode
			return guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")}, nil
		})
		j := &memory{}
		r := Runner{Now: func() (guard.Mode, string) { return mode, "" }, Tools: set(t, named("x", tool.Writes, writes, says("ran"))), Guard: asksOrDenies{}, Approver: yes}
		results, err := r.Run(t.Context(), Scope{ID: "s", Journal: j}, []tool.Call{call("1", "x", "a")})
		if err != nil || results[0].Failed == row.ran || !row.ran && !strings.Contains(results[0].Text, "stricter") {
			t.Errorf("%s: %+v, %v", name, results[0], err)
		}
	}
}

// TestNobodyWasAsked: where all approvers abstain, the model does not read that the user denied anything.
func TestNobodyWasAsked(t *testing.T) {
	for name, a := range map[string]guard.Approver{"no approvers": guard.Anyone{}, "one abstains": &answering{answers: []guard.Answer{{Choice: guard.Abstain}}}} {
		j, r, err := asks(t, "e", a, nil)
		if err != nil || r.Kind != tool.Unapproved || strings.Contains(r.Text, "user denied") || !strings.Contains(r.Text, "nobody is there") || j.events[2].Answer.By != "nobody" {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}

// TestAGrantRunsOnce gives Execute the same grant twice.
func TestAGrantRunsOnce(t *testing.T) {
	ran := 0
	x := named("x", tool.Writes, writes, func(context.Context, pathArgs, *tool.Reply) error { ran++; return nil })
	r := Runner{Mode: guard.Full, Tools: set(t, x), Guard: allowAll}
	plan, err := r.Plan(t.Context(), Scope{ID: "s"}, []tool.Call{call("1", "x", "a")})
	if err != nil {
		t.Fatal(err)
	}
	results, err := r.Execute(t.Context(), Scope{ID: "s"}, []Grant{plan[0].Grant(nil), plan[0].Grant(nil)})
	if err != nil || ran != 1 || results[0].Failed || results[1].Kind != tool.Denied {
		t.Errorf("ran %d times: %+v, %v", ran, results, err)
	}
}

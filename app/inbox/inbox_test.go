package inbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"rein/guard"
	"rein/tool"
)

// asked stores the request of a case, as a session does before it shows it.
func asked(t *testing.T, in *Inbox, c guard.Case) Request {
	t.Helper()
	r := Request{Session: c.Session, Call: c.Call.ID, Tool: c.Call.Name, Args: c.Call.Args, Time: time.Now(), Hash: c.Binding().Hash(), Epoch: c.Epoch, Root: c.RootID}
	if err := in.Put(r); err != nil {
		t.Fatal(err)
	}
	return r
}

func caseOf(id string) guard.Case {
	return guard.Case{Session: "s", Call: tool.Call{ID: id, Name: "bash", Args: json.RawMessage(`{"command":"ls"}`)}, Root: "/w", RootID: "1:2", Epoch: "e"}
}

var approve = guard.Answer{Choice: guard.Approved, By: guard.ByPerson(""), From: "test"}

func TestARequestIsStoredUntilItIsAnswered(t *testing.T) {
	in := New(t.TempDir())
	if all, err := in.Pending(); len(all) != 0 || err != nil {
		t.Fatalf("an empty inbox holds %v, %v", all, err)
	}
	first, second := asked(t, in, caseOf("1")), asked(t, in, caseOf("2"))
	again := New(in.dir) // another process
	all, err := again.Pending()
	if err != nil || len(all) != 2 || all[0].Call != "1" || all[1].Call != "2" {
		t.Fatalf("got %+v, %v", all, err)
	}
	if _, err := again.Answer("s", "1", first.Hash, approve); err != nil {
		t.Fatal(err)
	}
	if all, _ := in.Pending(); len(all) != 1 || all[0].Call != "2" {
		t.Errorf("after an answer: %+v", all)
	}
	if a, err := in.Take(caseOf("1")); err != nil || a != approve {
		t.Errorf("the session takes %+v, %v", a, err)
	}
	if a, _ := in.Take(caseOf("1")); a.Choice != guard.Abstain {
		t.Errorf("an answer counted twice: %+v", a)
	}
	if all, _ := in.Pending(); len(all) != 1 || all[0].Call != "2" {
		t.Errorf("after the session has taken the answer: %+v", all)
	}
	if _, err := in.Claim(caseOf("2"), approve); err != nil {
		t.Fatal(err)
	}
	if all, _ := in.Pending(); len(all) != 0 {
		t.Errorf("after an answer at the session's own terminal: %+v", all)
	}
	if err := errors.Join(in.Remove("s", "1"), in.Remove("s", second.Call), in.Remove("s", "nothing")); err != nil {
		t.Fatal(err)
	}
	if all, _ := in.Pending(); len(all) != 0 {
		t.Errorf("after removal: %+v", all)
	}
}

// An answer that a killed process had taken counts in the next one, until the journal has what became of it.
func TestAnAnswerCountsUntilItIsRecorded(t *testing.T) {
	for name, answer := range map[string]func(*Inbox, Request) error{
		"of another client": func(in *Inbox, r Request) error { _, err := in.Answer("s", "1", r.Hash, approve); return err },
		"of the terminal":   func(in *Inbox, _ Request) error { _, err := in.Claim(caseOf("1"), approve); return err },
	} {
		first := New(t.TempDir())
		if err := answer(first, asked(t, first, caseOf("1"))); err != nil {
			t.Fatal(name, err)
		}
		if a, err := first.Take(caseOf("1")); (a == approve) != (name == "of another client") || err != nil {
			t.Errorf("%s: the first process takes %+v, %v", name, a, err)
		}
		second := New(first.dir)
		if all, err := second.Unrecorded(); len(all) != 1 || err != nil {
			t.Errorf("%s: %d requests are answered and not recorded, %v", name, len(all), err)
		}
		if a, void, err := second.Begin(caseOf("1")); a != approve || void != "" || err != nil {
			t.Errorf("%s: the second process takes %+v, %q, %v", name, a, void, err)
		}
		if a, _, _ := second.Begin(caseOf("1")); a.Choice != guard.Abstain {
			t.Errorf("%s: it counts twice in a process", name)
		}
		third := New(first.dir)
		asked(t, third, caseOf("1"))
		if err := errors.Join(answer(third, asked(t, third, caseOf("1"))), third.Settle("s", "1")); err != nil {
			t.Fatal(name, err)
		}
		last := New(first.dir)
		if a, void, err := last.Begin(caseOf("1")); a.Choice != guard.Abstain || void != "" || err != nil {
			t.Errorf("%s: after it was recorded: %+v, %q, %v", name, a, void, err)
		}
		if all, _ := last.Unrecorded(); len(all) != 0 {
			t.Errorf("%s: %d are left", name, len(all))
		}
	}
}

func TestWhatCannotBeAnswered(t *testing.T) {
	in := New(t.TempDir())
	r := asked(t, in, caseOf("1"))
	if _, err := in.Answer("s", "1", "another hash", approve); !errors.Is(err, ErrChanged) {
		t.Errorf("another hash: %v", err)
	}
	if _, err := in.Answer("s", "2", r.Hash, approve); !errors.Is(err, ErrNotPending) {
		t.Errorf("no such call: %v", err)
	}
	if _, err := in.Answer("../s", "1", r.Hash, approve); !errors.Is(err, ErrNotPending) {
		t.Errorf("a path instead of an id: %v", err)
	}
	no := guard.Answer{Choice: guard.Denied, By: guard.ByPerson(""), Words: "not now"}
	if _, err := in.Answer("s", "1", r.Hash, no); err != nil {
		t.Fatal(err)
	}
	if first, err := in.Answer("s", "1", r.Hash, approve); !errors.Is(err, ErrAnswered) || first.Guard() != no {
		t.Errorf("a second answer: %+v, %v", first, err)
	}
	if first, err := in.Answer("s", "1", "", approve); !errors.Is(err, ErrAnswered) || first.Guard() != no {
		t.Errorf("an answer of one who has not seen it, after the first: %+v, %v", first, err)
	}
	if err := in.Put(Request{Session: "s", Call: "../../x"}); err == nil {
		t.Error("a path was taken for a call's id")
	}
}

func TestAnAnswerToSomethingElseIsVoid(t *testing.T) {
	for rule, change := range map[string]struct {
		to  func(*guard.Case)
		why string
	}{
		"other rules":         {func(c *guard.Case) { c.Epoch = "f" }, "the rules, the mode or the sandbox settings have changed since the request was shown"},
		"another directory":   {func(c *guard.Case) { c.RootID = "1:3" }, "another directory is now at the path of the workspace"},
		"another command":     {func(c *guard.Case) { c.Call.Args = json.RawMessage(`{"command":"rm x"}`) }, "the call is not the one that was answered"},
		"nothing has changed": {func(*guard.Case) {}, ""},
	} {
		t.Run(rule, func(t *testing.T) {
			in := New(t.TempDir())
			c := caseOf("1")
			r := asked(t, in, c)
			if _, err := in.Answer("s", "1", r.Hash, approve); err != nil {
				t.Fatal(err)
			}
			change.to(&c)
			a, why, err := in.Begin(c)
			if err != nil || why != change.why || (a.Choice == guard.Approved) != (change.why == "") {
				t.Errorf("got %+v, %q, %v", a, why, err)
			}
			if a, why, _ := in.Begin(c); a.Choice != guard.Abstain || why != "" {
				t.Errorf("the second time: %+v, %q", a, why)
			}
		})
	}
}

// TestADenialCountsUnderOtherRules: with its words, for the call that was shown.
func TestADenialCountsUnderOtherRules(t *testing.T) {
	for args, counts := range map[string]bool{"": true, `{"command":"rm x"}`: false} {
		in := New(t.TempDir())
		c := caseOf("1")
		no := guard.Answer{Choice: guard.Denied, By: guard.ByPerson(""), Words: "use the copy"}
		if _, err := in.Answer("s", "1", asked(t, in, c).Hash, no); err != nil {
			t.Fatal(err)
		}
		if c.Epoch = "f"; args != "" {
			c.Call.Args = json.RawMessage(args)
		}
		if a, void, err := in.Begin(c); err != nil || (a == no) != counts || (void == "") != counts {
			t.Errorf("%s: %+v, %q, %v", args, a, void, err)
		}
	}
}

// TestAnAnswerAtTheBeginningIsNotLost answers a request while the session looks, again and again, for an answer that was left.
func TestAnAnswerAtTheBeginningIsNotLost(t *testing.T) {
	in := New(t.TempDir())
	for i := range 100 {
		c := caseOf(fmt.Sprint(i))
		r := asked(t, in, c)
		left := make(chan error, 1)
		go func() {
			_, err := in.Answer("s", c.Call.ID, r.Hash, approve)
			left <- err
		}()
		var looks int
		for answer, after := (guard.Answer{}), false; answer != approve; looks++ {
			a, void, err := in.Begin(c)
			if err != nil || void != "" || after && a != approve {
				t.Fatalf("request %d, look %d: %+v, %q, %v", i, looks, a, void, err)
			}
			select {
			case err := <-left:
				if after = true; err != nil {
					t.Fatal(err)
				}
			default:
			}
			answer = a
		}
	}
}

// TestExactlyOneOfTwoClientsWins lets a client of this process and another one answer at the same instant, often.
func TestExactlyOneOfTwoClientsWins(t *testing.T) {
	in := New(t.TempDir())
	won := map[bool]int{}
	for i := range 100 {
		c := caseOf(fmt.Sprint(i))
		r := asked(t, in, c)
		var here, seen guard.Answer
		var there, err, seenErr error
		var both sync.WaitGroup
		both.Go(func() { here, err = in.Claim(c, guard.Answer{Choice: guard.Denied, By: guard.ByPerson("")}) })
		both.Go(func() { _, there = in.Answer("s", c.Call.ID, r.Hash, approve) })
		both.Go(func() { seen, seenErr = in.Take(c) })
		both.Wait()
		if err != nil || seenErr != nil {
			t.Fatal(err, seenErr)
		}
		if (here.Choice == guard.Approved) != (there == nil) {
			t.Fatalf("the terminal takes %v, the other client gets %v", here, there)
		}
		if seen.Choice != guard.Abstain && seen != here {
			t.Fatalf("the session takes %v, and the terminal %v", seen, here)
		}
		won[there == nil]++
	}
	if len(won) < 2 {
		t.Logf("one client was always first: %v", won)
	}
}

func TestAWatcherSeesChangesOfThisProcessAtOnce(t *testing.T) {
	in := New(t.TempDir())
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	seen := 0
	for range in.Watch(ctx) {
		switch seen++; seen {
		case 1:
			asked(t, in, caseOf("1"))
		case 2:
			if all, err := in.Pending(); err != nil || len(all) != 1 {
				t.Errorf("got %v, %v", all, err)
			}
			cancel()
		}
	}
	if seen < 2 {
		t.Errorf("saw %d changes", seen)
	}
}

func TestAWatcherLooksForChangesOfOtherProcesses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, began := New(t.TempDir()), time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		looks := 0
		for range in.Watch(ctx) {
			looks++
		}
		if took := time.Since(began); looks < 60 || looks > 61 || took != time.Minute {
			t.Errorf("%d looks in %v, want one a second: what changes has a mark", looks, took)
		}
	})
}

func TestADamagedRequestDoesNotHideTheOthers(t *testing.T) {
	in := New(t.TempDir())
	asked(t, in, caseOf("1"))
	asked(t, in, caseOf("2"))
	if err := os.WriteFile(filepath.Join(in.dir, "s", "requests", "1.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if all, err := in.Pending(); len(all) != 1 || all[0].Call != "2" || err == nil {
		t.Errorf("got %+v, %v", all, err)
	}
}

// A watcher sees the change of another process by its mark, long before it looks at everything.
func TestAWatcherSeesChangesOfOtherProcessesSoon(t *testing.T) {
	here := New(t.TempDir())
	there := New(here.dir)
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		begun := time.Now()
		for range here.Watch(ctx) {
			if since := time.Since(begun); since == 0 {
				asked(t, there, caseOf("1"))
			} else if cancel(); since > MarkInterval {
				t.Errorf("the change was seen after %s", since)
			}
		}
	})
	if here.unfollow != nil {
		t.Error("it looks at other processes although nobody watches")
	}
}

// The first choices answer all questions, those without choices too.
func TestTheFirstChoicesFit(t *testing.T) {
	q := &tool.Questions{List: []tool.Question{{Text: "which?", Choices: []tool.Choice{{Label: "a"}, {Label: "b"}}}, {Text: "why?", Free: true}}}
	got := firstChoices(q)
	if err := q.Check(got); err != nil || got.Answers[0].Choices[0] != "a" || !got.Default {
		t.Errorf("%+v, %v", got, err)
	}
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"rein/app/harness"
	"rein/guard"
	"rein/tool"
)

// slowTypist is a person who presses each key after a pause, and then only waits; \x00 is a second more.
type slowTypist struct {
	keys  string
	pause time.Duration
}

func (p *slowTypist) Key(ctx context.Context) (byte, error) {
	if p.keys == "" {
		<-ctx.Done()
		return 0, context.Cause(ctx)
	}
	wait := p.pause
	if p.keys[0] == 0 {
		wait += time.Second
	}
	select {
	case <-time.After(wait):
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	}
	key := p.keys[0]
	p.keys = p.keys[1:]
	if key == 0 {
		return p.Key(ctx)
	}
	return key, nil
}

func (p *slowTypist) Close() error { return nil }

// table is a terminal that shows several requests at once.
type table struct {
	*approvalTerminal
	out   bytes.Buffer
	calls []string // "name text"; one that starts with '!' has a high risk

	edit func(*terminalRequest) // changes a request before it is shown; may be nil
}

func newTable(person keySource, calls ...string) *table {
	b := &table{calls: calls}
	b.approvalTerminal = &approvalTerminal{out: &b.out, keys: func() (keySource, error) { return person, nil }}
	return b
}

// ask makes all requests and returns the answers, in the order of the calls: "y", "n", or "-" with an error.
func (b *table) ask(ctxs ...context.Context) string {
	answers := make([]string, len(b.calls))
	var asked sync.WaitGroup
	for i, call := range b.calls {
		name, args, _ := strings.Cut(strings.TrimPrefix(call, "!"), " ")
		c := guard.Case{Call: tool.Call{ID: fmt.Sprint(i), Name: name, Args: quotedLines(args)}, Together: len(b.calls)}
		v := guard.Verdict{Decision: guard.Ask, Severity: guard.Low}
		if call[0] == '!' {
			v.Severity = guard.High
		}
		asked.Go(func() {
			time.Sleep(time.Duration(i) * time.Millisecond) // they come one after the other
			a, err := b.Ask(ctxs[min(i, len(ctxs)-1)], b.request(c, v))
			switch {
			case err != nil:
				answers[i] = "-"
			case a.Choice == guard.Approved:
				answers[i] = "y"
			default:
				answers[i] = "n"
			}
		})
	}
	asked.Wait()
	return strings.Join(answers, "")
}

func (b *table) request(c guard.Case, v guard.Verdict) *terminalRequest {
	r := &terminalRequest{Case: c, Alone: v.Severity > guard.Low}
	r.Lines = []string{c.Call.Name + " " + string(c.Call.Args)}
	if b.edit != nil {
		b.edit(r)
	}
	return r
}

func TestQuestionsOfOneTurnAreAnsweredTogether(t *testing.T) {
	three := []string{"bash a", "bash b", "bash c"}
	rows := []struct {
		rule    string
		calls   []string
		keys    string
		want    string
		screens int
	}{
		{"y answers all", three, "y\r", "yyy", 1},
		{"n answers all", three, "n\r", "nnn", 1},
		{"Ctrl-D is no to all", three, "\x04", "nnn", 1},
		{"o asks one by one", three, "o\ry\rn\ry\r", "yny", 4},
		{"numbers approve those, and the terminal shows the rest again", three, "1 3\rn\r", "yny", 2},
		{"numbers with commas, twice the same", three, "3,3\ry\r", "yyy", 2},
		{"a wrong number answers nothing", three, "14\rn\r", "nnn", 1},
		{"an erased number answers nothing", three, "1\x7f\rn\r", "nnn", 1},
		{"other keys are no answer", three, "xt\raw\ry\r", "yyy", 1},
		{"one call looks as it always did", []string{"bash a"}, "y\r", "y", 1},
		{"approval-14 a high-risk one is never among them", []string{"bash a", "!bash b", "bash c"}, "y\rn\r", "yny", 2},
		{"two high-risk ones are asked one by one", []string{"!bash a", "!bash b"}, "y\rn\r", "yn", 2},
		{"the only harmless one is shown by itself", []string{"!bash a", "bash b"}, "n\ry\r", "ny", 2},
		{"approval-14 equal calls are one entry", []string{"bash a", "bash a", "bash b", "bash a"}, "1\rn\r", "yyny", 2},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newTable(&slowTypist{row.keys, time.Second}, row.calls...)
				if got := b.ask(t.Context()); got != row.want {
					t.Errorf("got %s, want %s", got, row.want)
				}
				if n := strings.Count(b.out.String(), "Run it?") + strings.Count(b.out.String(), "\n? 1 of "); n != row.screens {
					t.Errorf("%d screens:\n%s", n, b.out.String())
				}
			})
		})
	}
}

// What others would see, a deletion and a question are no part of a list, whatever their severity.
func TestWhatPublishesIsNoPartOfAList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTable(&slowTypist{"y\rn\r", time.Second})
		var asked sync.WaitGroup
		answers := make([]guard.Choice, 3)
		for i, shown := range []guard.Request{{Tool: "bash", Command: "curl a", Rules: []string{"shell.network"}}, {Tool: "bash", Command: "curl b", Rules: []string{"shell.network"}}, {Tool: "bash", Command: "git push", Rules: []string{"shell.publish"}}} {
			r := &harness.Request{Case: guard.Case{Call: tool.Call{ID: fmt.Sprint(i), Name: "bash"}, Together: 3}, Verdict: guard.Verdict{Severity: guard.Low}}
			r.Shown, r.Lines = shown, []string{shown.Command}
			asked.Go(func() {
				time.Sleep(time.Duration(i) * time.Millisecond)
				a, _ := person{b.approvalTerminal}.Ask(t.Context(), r)
				answers[i] = a.Choice
			})
		}
		asked.Wait()
		if !slices.Equal(answers, []guard.Choice{guard.Approved, guard.Approved, guard.Denied}) {
			t.Errorf("%v:\n%s", answers, b.out.String())
		}
	})
}

func TestWhatIsTypedWhileAListAppearsIsNoAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTable(&slowTypist{"yyn\r\x00n\r", 120 * time.Millisecond}, "bash a", "bash b")
		if got := b.ask(t.Context()); got != "nn" {
			t.Errorf("got %s", got)
		}
	})
}

func TestTheEndOfInputIsNoToAllOfAList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if got := newTable(&typist{}, "bash a", "bash b", "!bash c").ask(t.Context()); got != "---" {
			t.Errorf("got %s", got)
		}
	})
}

func TestAListShowsEachQuestionWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		long := strings.Repeat("x", 10_000) + " rm -rf y"
		b := newTable(&slowTypist{"n\r", time.Second}, "bash "+long, "bash b", "bash b", "!bash risky")
		b.screens("n\r", "n\r")
		b.ask(t.Context())
		for _, want := range []string{"? 1 of 2 · bash", long, "? 2 of 2 · the same 2 times · bash", "1 more: asked one by one after this"} {
			if !strings.Contains(b.out.String(), want) {
				t.Errorf("%.60q is not shown", want)
			}
		}
		if list, _, _ := strings.Cut(b.out.String(), "Run them?"); strings.Contains(list, "risky\"") {
			t.Error("the high-risk one is in the list")
		}
	})
}

// screens gives the keys for one screen after the other.
func (b *table) screens(keysOf ...string) {
	b.keys = func() (keySource, error) {
		k := &slowTypist{keysOf[0], time.Second}
		keysOf = keysOf[1:]
		return k, nil
	}
}

func TestAQuestionIsTakenAwayWhenItIsAnsweredElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTable(nil, "bash a", "bash b", "bash c")
		b.screens("", "y\r")
		first, answered := context.WithCancelCause(t.Context())
		go func() {
			time.Sleep(time.Minute)
			answered(guard.Answered{Answer: guard.Answer{Choice: guard.Approved, By: guard.ByPerson(""), From: "rein approve"}})
		}()
		if got := b.ask(first, t.Context()); got != "-yy" {
			t.Errorf("got %s", got)
		}
		out := b.out.String()
		if !strings.Contains(out, "answered elsewhere: approved by user (rein approve)") || strings.Count(out, "? 2 of 3") != 1 || strings.Count(out, "? 2 of 2") != 1 {
			t.Errorf("shown:\n%s", out)
		}
	})
}

func TestTheListClosesWhenTheRequestThatShowedItIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTable(nil, "!bash a", "bash b", "bash c") // the first one shows a list that does not contain it
		b.screens("", "y\r")
		first, answered := context.WithCancelCause(t.Context())
		go func() {
			time.Sleep(time.Minute)
			answered(guard.Answered{Answer: guard.Answer{Choice: guard.Approved, By: guard.ByPerson(""), From: "rein approve"}})
		}()
		if got := b.ask(first, t.Context()); got != "-yy" {
			t.Errorf("got %s", got)
		}
	})
}

func TestALastingAnswerAnswersThoseThatWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTable(nil, `bash npm a`, `bash npm b`, `bash rm x`, `!bash npm c`)
		b.screens("o\r", "a\rs\r", "n\r", "n\r")
		kept := false
		b.edit = func(r *terminalRequest) {
			r.Scopes = []terminalScope{{Scope: guard.ForSession, Text: "for this session"}}
			r.Claim = func(a guard.Answer) (guard.Answer, error) {
				kept = kept || a.Scope == guard.ForSession
				return a, nil
			}
			r.Covered = func(context.Context) (guard.Answer, error) {
				if kept && r.Case.Call.Name == "bash" && !r.Alone && strings.Contains(string(r.Case.Call.Args), "npm") {
					return guard.Answer{Choice: guard.Approved, By: guard.ByRule("bash(npm:*)")}, nil
				}
				return guard.Answer{Choice: guard.Abstain}, nil
			}
		}
		if got := b.ask(t.Context()); got != "yynn" || strings.Count(b.out.String(), "npm b") != 1 {
			t.Errorf("got %s:\n%s", got, b.out.String())
		}
	})
}

func TestWhoIsTooLateIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		other := guard.Answer{Choice: guard.Denied, By: guard.ByPerson(""), From: "rein approve", Words: "never"}
		b := newTable(&slowTypist{"y\r", time.Second}, "bash a")
		b.edit = func(r *terminalRequest) { r.Claim = func(guard.Answer) (guard.Answer, error) { return other, nil } }
		if got := b.ask(t.Context()); got != "n" || !strings.Contains(b.out.String(), "too late, it was answered elsewhere: denied by user (rein approve): never") {
			t.Errorf("got %s:\n%s", got, b.out.String())
		}
		b = newTable(&slowTypist{"y\r", time.Second}, "bash a")
		b.edit = func(r *terminalRequest) {
			r.Claim = func(guard.Answer) (guard.Answer, error) { return guard.Answer{}, errors.New("disk full") }
		}
		if got := b.ask(t.Context()); got != "-" {
			t.Errorf("an answer that could not be recorded counts: %s", got)
		}
	})
}

func TestNothingIsWrittenIntoAQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTable(&slowTypist{"y\rn\r", time.Minute}, "!bash a", "!bash b")
		screen := b.Over(&b.out)
		fmt.Fprintln(screen, "before")
		go func() {
			time.Sleep(30 * time.Second)
			fmt.Fprintln(screen, "first")
			fmt.Fprintln(screen, "and more")
			time.Sleep(2 * time.Minute)
			fmt.Fprintln(screen, "second")
		}()
		b.ask(t.Context())
		fmt.Fprintln(screen, "after")
		order := []string{"before", `"a"`, "Enter: y", "first\nand more", `"b"`, "Enter: n", "second", "after"}
		rest := b.out.String()
		for _, want := range order {
			_, after, found := strings.Cut(rest, want)
			if !found {
				t.Errorf("%q is not shown in its place:\n%s", want, b.out.String())
			}
			rest = after
		}
	})
}

// quotedLines is a text as JSON.
func quotedLines(s string) []byte {
	text, _ := json.Marshal(s) // a string always has a form
	return text
}

package guards

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"rein/guard"
	"rein/tool"
)

// did is a call of a script: what it writes, its result, and how it failed.
type did struct {
	tool, args, result string
	kind               tool.Kind
	reads              bool
}

func (d did) is(n int) guard.Case {
	c := guard.Case{Session: "s", Call: tool.Call{ID: fmt.Sprint(n), Name: d.tool, Args: json.RawMessage(fmt.Sprintf("{%q:1}", d.args))}}
	if !d.reads {
		c.Intent.Unknown = true
	}
	return c
}

// plays returns for each call n, a or S: it ran with a note, an approval was requested, or the turn was ended. Else it returns a dot.
// Nobody approves.
func plays(t *testing.T, l *Loops, calls ...did) string {
	t.Helper()
	var b strings.Builder
	for i, d := range calls {
		c := d.is(i)
		switch v := l.Judge(t.Context(), c); {
		case v.Stop:
			b.WriteString("S")
		case v.Decision == guard.Ask:
			b.WriteString("a")
		case l.Ran(c, tool.Result{Text: d.result, Failed: d.kind != "", Kind: d.kind}) != "":
			b.WriteString("n")
		default:
			b.WriteString(".")
		}
	}
	return b.String()
}

func times(n int, all ...did) (out []did) {
	for range n {
		out = append(out, all...)
	}
	return out
}

func TestLoops(t *testing.T) {
	a, b := did{tool: "read_file", args: "a", result: "A", reads: true}, did{tool: "read_file", args: "b", result: "B", reads: true}
	build := did{tool: "bash", args: "make", result: "ok"}
	var edits, fails, other, round []did
	for i := range 12 {
		edits = append(edits, did{tool: "edit_file", args: fmt.Sprint(i), result: fmt.Sprint("edited ", i)}, build)
		fails = append(fails, did{tool: "edit_file", args: fmt.Sprint(i), result: fmt.Sprint("not found ", i), kind: tool.NotFound})
		other = append(other, did{tool: "read_file", args: "log", result: fmt.Sprint(i), reads: true})
	}
	for i := range 6 {
		round = append(round, did{tool: "read_file", args: fmt.Sprint(i), result: "x", reads: true})
	}
	for name, row := range map[string]struct {
		calls []did
		want  string
	}{
		"the same call with the same result":         {times(10, a), "..nnaaaSSS"},
		"another result is no loop":                  {other, "............"},
		"two calls that take turns":                  {times(6, a, b), "...nnnaaaSSS"},
		"a build after each edit is no loop":         {edits, strings.Repeat("..", 12)},
		"the same edits back and forth":              {times(5, edits[0], edits[2]), "...n.naaaS"},
		"failures of calls that differ":              {fails, "...nnnnnnnnn"},
		"a success between failures is no loop":      {append(append(fails[:3:3], a), fails[3:6]...), "......."},
		"many calls without news":                    {append(times(3, round...), did{tool: "read_file", args: "new", result: "y", reads: true}), strings.Repeat(".", 15) + "naa."},
		"a call that waits between is counted apart": {[]did{a, a, b, a}, "...n"},
	} {
		if got := plays(t, &Loops{}, row.calls...); got != row.want {
			t.Errorf("%s: %s, want %s", name, got, row.want)
		}
	}
}

func TestALoopOfOneIsNotThatOfAnother(t *testing.T) {
	l, a := &Loops{}, did{tool: "x", args: "a", result: "A", reads: true}
	plays(t, l, times(4, a)...)
	c := a.is(9)
	if c.SubAgent = "child"; l.Judge(t.Context(), c).Decision != guard.Allow {
		t.Error("a sub-agent is asked for what another agent did")
	}
	if l.Judge(t.Context(), a.is(9)).Decision != guard.Ask {
		t.Error("the session itself is not asked")
	}
	if l.Prompted("s"); l.Judge(t.Context(), a.is(9)).Decision != guard.Allow {
		t.Error("a message of the user does not begin anew")
	}
}

// An approval by a person lets the calls continue: the turn ends only when nobody wants them.
func TestAnApprovedLoopGoesOn(t *testing.T) {
	l, a := &Loops{}, did{tool: "x", args: "a", result: "A"}
	plays(t, l, times(4, a)...)
	for i := range 20 {
		c := a.is(10 + i)
		if v := l.Judge(t.Context(), c); v.Decision != guard.Ask || v.Stop {
			t.Fatalf("%d: %+v", i, v)
		}
		l.Judge(t.Context(), c) // again, as after a resume
		l.Granted(c, guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")})
		l.Ran(c, tool.Result{Text: "A"})
	}
}

func TestLoopLimits(t *testing.T) {
	a := did{tool: "x", args: "a", result: "A"}
	for name, row := range map[string]struct {
		limits LoopLimits
		want   string
	}{
		"own numbers":      {LoopLimits{Same: Ladder{Note: 2, Ask: 3}, Stop: 1}, ".naSSS"},
		"never":            {LoopLimits{Same: Ladder{-1, -1}, Idle: Ladder{-1, -1}}, "......"},
		"it never stops":   {LoopLimits{Same: Ladder{-1, 2}, Stop: -1}, ".aaaaa"},
		"only the request": {LoopLimits{Same: Ladder{Note: -1}}, "....aa"},
	} {
		if got := plays(t, &Loops{Limits: row.limits}, times(6, a)...); got != row.want {
			t.Errorf("%s: %s, want %s", name, got, row.want)
		}
	}
}

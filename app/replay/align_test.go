package replay

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"rein/tool"
)

// runOf makes a run of lines: "user: …", "model: …", "end: …", or "TOOL ARGS" with "!" before a call that failed and "?" before one that
// was refused.
func runOf(lines ...string) *Run {
	r := &Run{Session: "s"}
	for i, line := range lines {
		s := &Step{Seq: int64(i + 1)}
		kind, text, _ := strings.Cut(line, ": ")
		switch kind {
		case "user", "model", "program":
			s.Kind, s.Text = StepKind(kind), text
		case "end":
			s.Kind, s.Text = StopStep, text
		default:
			name, args, _ := strings.Cut(strings.TrimLeft(line, "!?"), " ")
			s.Kind = CallStep
			s.Call = &Call{ID: fmt.Sprint(i), Name: name, Args: json.RawMessage(args), Decision: Allowed, Result: &tool.Result{Text: "ok", Failed: line[0] == '!'}}
			if line[0] == '?' {
				s.Call.Decision, s.Call.By = Refused, "user"
			}
		}
		r.Steps = append(r.Steps, s)
	}
	return r
}

// signs is an alignment as a row of signs.
func signs(d *Diff) string {
	var b strings.Builder
	for i := range d.Pairs {
		b.WriteString(d.Pairs[i].sign())
	}
	return b.String()
}

func TestCompare(t *testing.T) {
	rows := []struct {
		name                  string
		a, b                  []string
		signs                 string
		trajectory, decisions bool
	}{
		{"equal runs", []string{"user: go", "model: x", `bash {"command":"ls"}`, "end: done"}, []string{"user: go", "model: x", `bash {"command":"ls"}`, "end: done"}, "====", false, false},
		{"the order of arguments does not count", []string{`grep {"a":1,"b":2}`}, []string{`grep {"b":2, "a":1}`}, "=", false, false},
		{"large numbers are not rounded", []string{`f {"n":9007199254740993}`}, []string{`f {"n":9007199254740992}`}, "~", true, false},
		{"calls of one answer have no order", []string{"model: x", `a {"n":1}`, `b {"n":2}`}, []string{"model: x", `b {"n":2}`, `a {"n":1}`}, "===", false, false},
		{"a call more in the middle shifts nothing", []string{"model: x", `a {}`, "model: y", `b {}`, "model: z"}, []string{"model: x", `a {}`, "model: n", `n {}`, "model: y", `b {}`, "model: z"}, "==++===", true, false},
		{"a call at another place", []string{"model: x", `a {"n":1}`, "model: y", `b {"n":1}`, "end: done"}, []string{"model: x", `b {"n":1}`, "model: y", `a {"n":1}`, "end: done"}, "=>=>>=", true, false},
		{"an answer in other words", []string{"user: go", "model: I look.", "end: done"}, []string{"user: go", "model: Let me see.", "end: done"}, "=~=", false, false},
		{"another message of the user", []string{"user: go", "model: x"}, []string{"user: stop", "model: x"}, "~=", true, false},
		{"a call that failed", []string{`bash {"command":"go test"}`}, []string{`!bash {"command":"go test"}`}, "~", true, false},
		{"a call that a person refused", []string{`bash {"command":"go test"}`}, []string{`?bash {"command":"go test"}`}, "~", false, true},
		{"a part of a long argument", []string{`bash {"command":"go test ./... -run A"}`}, []string{`bash {"command":"go test ./... -run B"}`}, "~", true, false},
		{"another end", []string{"end: done"}, []string{"end: max_turns"}, "~", true, false},
		{"nothing and something", nil, []string{"user: go"}, "+", true, false},
		{"nothing", nil, nil, "", false, false},
	}
	for _, row := range rows {
		d := Compare(runOf(row.a...), runOf(row.b...))
		got := signs(d)
		if row.name == "a call at another place" {
			if strings.Count(got, ">") != 2 {
				t.Errorf("%s: got %s", row.name, got)
			}
		} else if got != row.signs {
			t.Errorf("%s: got %s, want %s", row.name, got, row.signs)
		}
		if d.Trajectory != row.trajectory || d.Decisions != row.decisions {
			t.Errorf("%s: trajectory %v, decisions %v", row.name, d.Trajectory, d.Decisions)
		}
	}
}

// TestCompareIsSymmetric: what A has more is what B lacks.
func TestCompareIsSymmetric(t *testing.T) {
	a := runOf("user: go", "model: x", `a {"n":1}`, "model: y", `b {"n":2}`, "end: done")
	b := runOf("user: go", "model: z", `b {"n":2}`, `c {"n":3}`, "end: done")
	forth, back := signs(Compare(a, b)), signs(Compare(b, a))
	if strings.Count(forth, "-") != strings.Count(back, "+") || strings.Count(forth, "+") != strings.Count(back, "-") {
		t.Errorf("got %s and %s", forth, back)
	}
}

// TestLongRunsAreCut: runs whose table of scores would be too large are cut at steps that both have once.
func TestLongRunsAreCut(t *testing.T) {
	var a, b []string
	for i := range 3000 {
		call := fmt.Sprintf(`bash {"command":"echo %d"}`, i)
		a = append(a, "model: a", call)
		b = append(b, "model: b", call)
	}
	a[2001], b[4001] = "x {}", "y {}"
	start := time.Now()
	d := Compare(runOf(a...), runOf(b...))
	if got := signs(d); strings.Count(got, "=") < 2990 || strings.Count(got, "-") > 10 {
		t.Errorf("got %d equal, %d only in A", strings.Count(got, "="), strings.Count(got, "-"))
	}
	t.Log(time.Since(start))
}

// TestWorkspacesOfTwoNames: two runs in two copies of a workspace name it in two ways.
func TestWorkspacesOfTwoNames(t *testing.T) {
	a, b := runOf(`read_file {"path":"/w/one/a.txt"}`), runOf(`read_file {"path":"/w/two/a.txt"}`)
	a.Dir, b.Dir = "/w/one", "/w/two"
	if d := Compare(a, b); !d.Equal(true) {
		t.Errorf("got %s", d.Summary())
	}
}

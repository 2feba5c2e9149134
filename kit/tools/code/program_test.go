package code

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"rein/kit/sandbox"
	"rein/tool"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == InterpreterArgument {
		InterpreterMain()
	}
	os.Exit(m.Run())
}

type programArgs struct {
	Path string `json:"path"`
	N    int    `json:"n,omitempty"`
}

// session answers calls as a session does, with the tools look and lose.
type calls struct {
	made  [][]string
	began func() // runs at each turn; nil does nothing
}

func (c *calls) tools(t *testing.T) tool.Set {
	run := func(context.Context, programArgs, *tool.Reply) error { return nil }
	set, err := tool.NewSet(tool.New("look", "for tests", tool.Reads, run), tool.New("lose", "for tests", tool.Reads, run), tool.New("odd-name", "for tests", tool.Reads, run))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func (c *calls) run(_ context.Context, all []tool.Call) ([]tool.Result, error) {
	var turn []string
	results := make([]tool.Result, len(all))
	for i, call := range all {
		turn = append(turn, call.Name+string(call.Args))
		results[i] = tool.Result{Text: "text of " + string(call.Args), Notes: []string{"a note"}, Detail: json.RawMessage(`{"n":3,"list":[1.5,null,true]}`)}
		switch {
		case call.Name == "lose":
			results[i] = tool.Result{Failed: true, Kind: tool.NotFound, Text: "no such file"}
		case strings.Contains(string(call.Args), "unknown"):
			results[i] = tool.Result{Failed: true, Kind: tool.BadArguments, Text: "unknown argument"}
		case strings.Contains(string(call.Args), "waits"):
			return nil, &tool.Error{Kind: tool.Waiting, Text: "A call waits."}
		}
	}
	c.made = append(c.made, turn)
	if c.began != nil {
		c.began()
	}
	return results, nil
}

// do runs a program and returns what it prints, or its error.
func do(t *testing.T, ctx context.Context, p Program, c *calls, code string) (text string, notes []string, err error) {
	t.Helper()
	r := tool.NewReply(tool.ReplyOptions{Tools: c.tools(t), Run: c.run})
	text0, _ := json.Marshal(runProgramArgs{code})
	err = p.Tool().Run(ctx, text0, r)
	text, _, notes, _ = r.Close()
	return text, notes, err
}

// failures are the lines about calls that failed.
func failures(n int) (text string) {
	for i := range n {
		text += fmt.Sprintf("[failed: lose {\"path\":\"%d\"}: no such file]\n", i)
	}
	return text
}

func TestPrograms(t *testing.T) {
	for _, row := range []struct{ name, code, want string }{
		{"print", `print("a", 1, [2])`, "a 1 [2]\n"},
		{"a call by name", `r = look(path="x"); print(r.ok, r.text, r.kind, r.notes)`, `True text of {"path":"x"}  ["a note"]` + "\n"},
		{"a call by position", `print(look("x", n=2).text)`, `text of {"path":"x","n":2}` + "\n"},
		{"a detail is data", `d = look("x").detail; print(d["n"] + 1, d["list"])`, "4 [1.5, None, True]\n"},
		{"a call that failed", `r = lose("x"); print(r.ok, r.kind, r.text)`, "False not_found no such file\n[failed: lose {\"path\":\"x\"}: no such file]\n"},
		{"calls that failed, and nobody looked", `x = [lose(str(i)) for i in range(12)]; look("y")`, failures(10) + "[failed, more calls: 2]\n"},
		{"a name that is no word", `print(call("odd-name", {"path": "y"}).text)`, `text of {"path":"y"}` + "\n"},
		{"a loop", "n = 0\nwhile n < 3:\n    n += 1\nprint(n)", "3\n"},
		{"many at once", `for r in parallel([("look", {"path": str(i)}) for i in range(3)]): print(r.text)`, `text of {"path":"0"}` + "\n" + `text of {"path":"1"}` + "\n" + `text of {"path":"2"}` + "\n"},
		{"nothing at once", `print(parallel([]))`, "[]\n"},
		{"functions", `print(sum([1, 2.5]), lines("a\nb\n"), find_all("x(.)", "xa xb"), find_all("(.)=(.)", "a=1"), replace_all("b+", "c", "abb"))`, `3.5 ["a", "b"] ["a", "b"] [("a", "1")] ac` + "\n"},
		{"json", `print(json.decode("[1]")[0], json.encode({"a": None}))`, `1 {"a":null}` + "\n"},
		{"big numbers keep their digits", `print(look("x", n=12345678901234567890).text)`, `text of {"path":"x","n":12345678901234567890}` + "\n"},
		{"any text", `print(look("\"\n\u00e4").text)`, `text of {"path":"\"\nä"}` + "\n"},
		{"nothing", `x = 1`, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			text, _, err := do(t, t.Context(), Program{}, &calls{}, row.code)
			if err != nil || text != row.want {
				t.Errorf("got %q, %v", text, err)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	for _, row := range []struct{ name, code, want string }{
		{"syntax", "print(", "program:1:7: "},
		{"an f-string", `x = 1` + "\n" + `print(f"{x}")`, `got string literal, want ',' (no f-strings: "%s" % x`},
		{"import", "import os", "no imports"},
		{"try", "try:\n  x = 1\nexcept:\n  pass", "no try"},
		{"class", "class A:\n  pass", "no classes"},
		{"annotations", "def f(x: int):\n  return x", "no annotations"},
		{"power", "print(2 ** 3)", "no **"},
		{"with", "with look('x') as f:\n  pass", "no with"},
		{"raise", `raise "x"`, "no raise"},
		{"is", "x = None\nif x is None: pass", "use =="},
		{"widths", `print("%5d" % 1)`, "no widths"},
		{"recursion", "def f(n):\n  return f(n)\nf(1)", "no recursion"},
		{"a name that is nothing", "print(looks)", "undefined: looks"},
		{"an attribute that is not there", `print(look("x").txt)`, "did you mean .text?"},
		{"a wrong argument ends the program", "x = 1\nlook(unknown=1)", "program:2:5: look: unknown argument"},
		{"too many positions", `look("a", "b")`, "arguments after path must be named"},
		{"two values", `look("a", path="b")`, `two values for "path"`},
		{"must", `must(lose("x"))`, "program:1:5: no such file"},
		{"fail", `fail("it does not fit")`, "it does not fit"},
		{"a file", `load("x.star", "y")`, "load"},
		{"parallel with functions", "parallel([lambda: 1])", `want ("tool", {"argument": value})`},
		{"parallel with too many", `parallel([("look", {"path": "x"})] * 101)`, "at most 100 calls at once"},
		{"no tool", `call("nothing")`, "there is no tool nothing"},
		{"itself", `program(code="1")`, "undefined: program"},
		{"a value that is no argument", `look(len)`, "an argument cannot be a builtin_function_or_method"},
		{"a list that holds itself", "a = []\na.append(a)\nlook(a)", "nested deeper than 50"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, _, err := do(t, t.Context(), Program{}, &calls{}, row.code)
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("got %v, want %q", err, row.want)
			}
		})
	}
}

// Each program would use all time or all memory. Each is ended with a clear error, in the sandbox and without one.
func TestBombs(t *testing.T) {
	if testing.Short() {
		t.Skip("it fills memory and computes for seconds")
	}
	box, err := sandbox.New(sandbox.Policy{Workspace: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close()
	for _, row := range []struct{ name, code, want string }{
		{"an endless loop", "while True: pass", "more than 10000000 steps"},
		{"a list of 10^9", "x = list(range(1000000000))", "more than 128 MiB"},
		{"a list by multiplication", "x = [0] * (1 << 27)", "more than 128 MiB|computed for more than"},
		{"doubling a text", "x = 'a'\nfor i in range(60): x = x + x", "more than 128 MiB"},
		{"a format", "x = '%s' * 100000 % tuple(['y' * 100000] * 100000)", "more than 128 MiB"},
		{"appending", "x = []\nwhile True: x.append('y' * 1000)", "more than 128 MiB"},
		{"a text of 2^29", "x = 'a' * (1 << 29)", "more than 128 MiB|computed for more than"},
		{"squares", "x = 3\nfor i in range(40): x = x * x", "computed for more than"},
		{"a shift", "x = 1 << (1 << 30)", "shift count too large"},
		{"a nest", "x = []\nfor i in range(40): x = [x, x]\nprint(str(x))", "more than"},
		{"printing without end", "while True: print('x' * 1000)", "printed more than"},
		{"calls without end", "while True: look('x')", "more than 500 calls"},
		{"deep brackets", "x = " + strings.Repeat("(", 60000), "excessive nesting"},
		{"a regular expression", `find_all("((a{100}){100}){100}", "a")`, "invalid repeat|too large"},
	} {
		t.Run(row.name, func(t *testing.T) {
			began := time.Now()
			p := Program{Box: box, Limits: ProgramLimits{Memory: 128 << 20, Time: 4 * time.Second}}
			if row.want == "more than 128 MiB" { // a busy machine needs longer to get there
				p.Limits.Time = 15 * time.Second
			}
			_, _, err := do(t, t.Context(), p, &calls{}, row.code)
			ok := false
			for _, w := range strings.Split(row.want, "|") {
				ok = ok || err != nil && strings.Contains(err.Error(), w)
			}
			if took := time.Since(began); !ok || took > 20*time.Second {
				t.Errorf("after %v: %v", took, err)
			}
		})
	}
}

// What a program prints is bounded, and the model gets its beginning and its end.
func TestPrintedTextIsBounded(t *testing.T) {
	c := &calls{}
	r := tool.NewReply(tool.ReplyOptions{Limit: mostText, Tools: c.tools(t), Run: c.run})
	code, _ := json.Marshal(runProgramArgs{"for i in range(100000): print('line', i)"})
	if err := (Program{}).Tool().Run(t.Context(), code, r); err != nil {
		t.Fatal(err)
	}
	text, cut, _, _ := r.Close()
	if len(text) > mostText+1000 || cut == nil || !strings.HasPrefix(text, "line 0\n") || !strings.Contains(text, "line 99999\n") {
		t.Errorf("%d bytes, %+v", len(text), cut)
	}
}

func TestCallsAreCounted(t *testing.T) {
	c := &calls{}
	_, notes, err := do(t, t.Context(), Program{Limits: ProgramLimits{Calls: 3}}, c, "for i in range(10): look(str(i))")
	if e := tool.AsError(err); e == nil || !strings.Contains(e.Text, "more than 3 calls") || !strings.Contains(e.Hint, "do not repeat") || len(c.made) != 3 || len(notes) != 1 {
		t.Errorf("%v, %v, %v", err, notes, c.made)
	}
}

func TestAWaitingCallSuspends(t *testing.T) {
	_, _, err := do(t, t.Context(), Program{}, &calls{}, `look("a"); look("waits"); print("never")`)
	if e := tool.AsError(err); e == nil || e.Kind != tool.Waiting {
		t.Errorf("got %v", err)
	}
}

// A cancelled program is over at once (within 200 ms on a quiet machine), whatever it does.
func TestProgramCancel(t *testing.T) {
	box, err := sandbox.New(sandbox.Policy{Workspace: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close()
	if err := box.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, code := range []string{"x = 3\nfor i in range(60): x = x * x", "while True: print('x')"} {
		ctx, cancel := context.WithCancel(t.Context())
		var cancelled time.Time
		c := &calls{began: func() { time.AfterFunc(200*time.Millisecond, func() { cancelled = time.Now(); cancel() }) }}
		_, _, err := do(t, ctx, Program{Box: box, Limits: ProgramLimits{Steps: 1 << 60}}, c, "look('up')\n"+code)
		if took := time.Since(cancelled); !errors.Is(err, context.Canceled) || took > 10*time.Second {
			t.Errorf("%v after the cancel: %v", took, err)
		}
	}
}

// The interpreter's process sees no file of the workspace, and an interpreter that dies is one clear error.
func TestAnInterpreterThatDies(t *testing.T) {
	for _, argv := range [][]string{{"/nonexistent/program"}, {"sh", "-c", "echo broken >&2; exit 3"}, {"sh", "-c", "printf 'AAAAAAAA'; sleep 0.1"}, {"sh", "-c", `printf '\0\0\0\002{}' ; sleep 0.1`}} {
		if _, _, err := do(t, t.Context(), Program{Interpreter: argv}, &calls{}, "print(1)"); err == nil {
			t.Errorf("%v: no error", argv)
		} else {
			t.Log(argv, err)
		}
	}
}

//go:build unix

package command

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"rein/kit/sandbox"
	"rein/lab/testkit"
	"rein/tool"
)

// callTool runs a tool as the runner would and returns its text.
func callTool(t *testing.T, tl *tool.Tool, args string) (string, error) {
	t.Helper()
	reply := tool.NewReply(tool.ReplyOptions{})
	err := tl.Run(t.Context(), json.RawMessage(args), reply)
	text, _, notes, _ := reply.Close()
	return strings.Join(append(notes, text), "\n"), err
}

func TestBashReportsOutputAndExitCode(t *testing.T) {
	dir := t.TempDir()
	bash := Shell{Box: sandbox.None{}, Dir: dir}.Bash()
	for name, row := range map[string]struct{ command, want string }{
		"no output is reported":       {"true", `^\(no output\)\n\[exit code 0 after [\d.]+m?s\]\n$`},
		"a failure is not an error":   {"echo no >&2; exit 3", `^no\n\[exit code 3 after [\d.]+m?s\]\n$`},
		"the last line is ended":      {"printf x", `^x\n\[exit code 0 after [\d.]+m?s\]\n$`},
		"streams keep their order":    {"echo 1; echo 2 >&2; echo 3", `^1\n2\n3\n\[`},
		"a signal is named":           {"kill -9 $$", `\[ended by signal 9 \(killed\) after`},
		"it starts in the workspace":  {"pwd", "^" + regexp.QuoteMeta(dir) + `\n`},
		"no startup file is read":     {"shopt -q login_shell; echo $?", `^1\n`},
		"a pager does not wait":       {"echo $PAGER $GIT_TERMINAL_PROMPT $CI $AI_AGENT", `^cat 0 1 rein\n`},
		"an embedded newline is kept": {"cat <<'EOF'\na\n  b\nEOF", `^a\n  b\n\[`},
	} {
		t.Run(name, func(t *testing.T) {
			args, _ := json.Marshal(map[string]any{"command": row.command})
			text, err := callTool(t, bash, string(args))
			if err != nil || !regexp.MustCompile(row.want).MatchString(text) {
				t.Errorf("got %q, %v; want %s", text, err, row.want)
			}
		})
	}
}

// leaver is a sandbox whose programs leave others running.
type leaver struct{ sandbox.None }

type leaving struct{ sandbox.Process }

func (l leaver) Start(ctx context.Context, spec sandbox.Spec) (sandbox.Process, error) {
	p, err := l.None.Start(ctx, spec)
	return leaving{p}, err
}

func (l leaving) Wait() (sandbox.Exit, error) {
	exit, err := l.Process.Wait()
	exit.Left = 2
	return exit, err
}

// TestWhatWasLeftRunningIsNamed: what ends with the shell that started it is no surprise.
func TestWhatWasLeftRunningIsNamed(t *testing.T) {
	for command, want := range map[string]bool{"echo started": true, "kill -9 $$": false} {
		text, err := callTool(t, Shell{Box: leaver{}, Dir: t.TempDir()}.Bash(), `{"command":"`+command+`"}`)
		if err != nil || strings.Contains(text, "was ended with it (processes: 2)") != want {
			t.Errorf("%s: %q, %v", command, text, err)
		}
		if left := commandDetail(t, Shell{Box: leaver{}, Dir: t.TempDir()}.Bash(), `{"command":"`+command+`"}`).Left; (left == 2) != want {
			t.Errorf("%s: %d programs are shown", command, left)
		}
	}
}

// commandDetail runs a tool and returns its detail.
func commandDetail(t *testing.T, tl *tool.Tool, args string) tool.CommandDetail {
	t.Helper()
	_, raw := testkit.Call(t, tl, args)
	d := tool.ParseDetail(raw)
	if d.Command == nil {
		t.Fatalf("no tool.CommandDetail in %s", raw)
	}
	return *d.Command
}

func TestBashDetail(t *testing.T) {
	dir := t.TempDir()
	bash := Shell{Box: blocking{}, Dir: dir}.Bash()
	for _, row := range []struct {
		rule, args string
		want       tool.CommandDetail
		failed     bool
	}{
		{"success", `{"command":"true"}`, tool.CommandDetail{Cwd: dir}, false},
		{"an exit code", `{"command":"exit 3"}`, tool.CommandDetail{Cwd: dir, ExitCode: 3}, true},
		{"a signal", `{"command":"kill -9 $$"}`, tool.CommandDetail{Cwd: dir, ExitCode: -1, Signal: "killed"}, true},
		{"a timeout", `{"command":"sleep 60","timeout":1}`, tool.CommandDetail{Cwd: dir, ExitCode: -1, Signal: "terminated", TimedOut: true}, true},
		{"the sandbox blocked something", `{"command":"echo blocked"}`, tool.CommandDetail{Cwd: dir, Blocked: []tool.Blocked{{Kind: "write", Target: "/etc/x", Certain: true}}}, false},
	} {
		got := commandDetail(t, bash, row.args)
		if got.Duration <= 0 {
			t.Errorf("%s: no duration", row.rule)
		}
		got.Duration = 0
		if !reflect.DeepEqual(got, row.want) || got.Failed() != row.failed {
			t.Errorf("%s: got %+v, failed %v; want %+v", row.rule, got, got.Failed(), row.want)
		}
	}
}

// blocking is a sandbox that claims to have blocked something where the output says so.
type blocking struct{ sandbox.None }

func (blocking) Explain(e sandbox.Evidence) []sandbox.Denial {
	if e.Output != "blocked\n" {
		return nil
	}
	return []sandbox.Denial{{Kind: sandbox.DeniedWrite, Target: "/etc/x", Certain: true}}
}

func TestTimeoutKeepsTheOutput(t *testing.T) {
	text, err := callTool(t, Shell{}.Bash(), `{"command":"echo begun; sleep 60","timeout":1}`)
	var e *tool.Error
	if !errors.As(err, &e) || e.Kind != tool.TimedOut || text != "begun\n" {
		t.Errorf("got %q, %v", text, err)
	}
}

func TestBashStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	_ = Shell{}.Bash().Run(ctx, json.RawMessage(`{"command":"trap '' TERM; while :; do sleep 60; done"}`), tool.NewReply(tool.ReplyOptions{}))
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestBashReportsWhyItDidNotStart(t *testing.T) {
	bash := Shell{Box: sandbox.None{}, Dir: "/nonexistent/place"}.Bash()
	text, err := callTool(t, bash, `{"command":"true"}`)
	if err == nil || !strings.Contains(err.Error(), "not started") {
		t.Errorf("got %q, %v", text, err)
	}
}

func TestBashIntentIsTheWholeCommand(t *testing.T) {
	intent, err := Shell{}.Bash().Intent(json.RawMessage(`{"command":"go test ./... && git push"}`))
	if err != nil || intent.Command != "go test ./... && git push" {
		t.Errorf("got %+v, %v", intent, err)
	}
}

// late is a sandbox that notes when it begins to start a program.
type late struct {
	sandbox.None
	began time.Time
}

func (l *late) Start(ctx context.Context, spec sandbox.Spec) (sandbox.Process, error) {
	l.began = time.Now()
	return l.None.Start(ctx, spec)
}

// TestWhatIsLostBeforeTheProgramRuns: what the sandbox tried to reach for a command, before that ran, is said of it.
func TestWhatIsLostBeforeTheProgramRuns(t *testing.T) {
	box := &late{}
	lost := func(since time.Time) (refused, unreachable []string) {
		if since.After(box.began) {
			return nil, nil
		}
		return nil, []string{"db.example: it does not answer"}
	}
	text, err := callTool(t, Shell{Box: box, Lost: lost, Dir: t.TempDir()}.Bash(), `{"command":"false"}`)
	if err != nil || !strings.Contains(text, "db.example") {
		t.Errorf("%q, %v", text, err)
	}
}

//go:build unix

package command

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"rein/sandbox"
	"rein/tool"
)

// callTool runs a tool as the runner would and gives its text.
func callTool(t *testing.T, tl *tool.Tool, args string) (string, error) {
	t.Helper()
	reply := tool.NewReply(tool.ReplyOptions{})
	err := tl.Run(t.Context(), json.RawMessage(args), reply)
	text, _, notes, _ := reply.Close()
	return strings.Join(append(notes, text), "\n"), err
}

func TestBashTellsOutputAndEnding(t *testing.T) {
	dir := t.TempDir()
	bash := Shell{Box: sandbox.None{}, Dir: dir}.Bash()
	for name, row := range map[string]struct{ command, want string }{
		"nothing printed is said":     {"true", `^\(no output\)\n\[exit code 0 after \d+m?s\]\n$`},
		"failure is an ordinary end":  {"echo no >&2; exit 3", `^no\n\[exit code 3 after [\d.]+m?s\]\n$`},
		"a cut line is ended":         {"printf x", `^x\n\[exit code 0 after [\d.]+m?s\]\n$`},
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

func TestBashTimeoutTellsWhatWasPrinted(t *testing.T) {
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

func TestBashSaysWhyItDidNotStart(t *testing.T) {
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

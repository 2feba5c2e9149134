package extend

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rein/tool"
)

// calls is a pipeline that answers with what it was asked.
func calls(_ context.Context, tool string, args any) (string, error) {
	text := fmt.Sprint(args)
	if strings.Contains(text, "denied") || strings.Contains(text, "missing") {
		return "", errors.New("denied: no")
	}
	return "[" + tool + " " + text + "]\n", nil
}

func TestArguments(t *testing.T) {
	for _, row := range []struct {
		name   string
		origin CommandOrigin
		names  []string
		text   string
		args   string
		want   string
	}{
		{"all, quotes kept", Own, nil, "do $ARGUMENTS now", `a "b c"`, `do a "b c" now`},
		{"ours counts from one", Own, nil, "$1-$2-$3", `a "b c"`, "a-b c-"},
		{"ours with $0 counts from zero", Own, nil, "$0-$1", "a b", "a-b"},
		{"ours with brackets counts from zero", Own, nil, "$ARGUMENTS[0]-$1", "a b", "a-b"},
		{"claude counts from zero", Claude, nil, "$0 $1", `a "b c" d`, "a b c"},
		{"claude: $1 is the second", Claude, nil, "$1", "a b", "b"},
		{"claude: a missing one stays", Claude, nil, "$0 $3", "a", "a $3"},
		{"claude: names", Claude, []string{"file", "line"}, "open $file at $line of $HOME", "x 3", "open x at 3 of $HOME"},
		{"opencode counts from one, the last takes the rest", OpenCode, nil, "$1: $2", "a b c d", "a: b c d"},
		{"opencode with one", OpenCode, nil, "fix $1", "a b", "fix a b"},
		{"codex counts from one", Codex, nil, "$1 $NAME $$1", "x NAME=y", "x y $1"},
		{"without a place they are added", Own, nil, "Review.", "the tests", "Review.\n\nARGUMENTS: the tests"},
		{"none", Own, nil, "Review $ARGUMENTS.", "", "Review ."},
		{"arguments are not looked at again", Own, nil, "$1 and $2", "$2 $ARGUMENTS", "$2 and $ARGUMENTS"},
		{"ten", Own, nil, "$10", "1 2 3 4 5 6 7 8 9 ten", "ten"},
	} {
		got, err := Template{Text: row.text, Origin: row.origin, Names: row.names}.Expand(t.Context(), row.args, calls)
		if err != nil || got != row.want {
			t.Errorf("%s: %q, want %q (%v)", row.name, got, row.want, err)
		}
	}
}

func TestCommandsAndFiles(t *testing.T) {
	for _, row := range []struct{ name, text, args, want string }{
		{"a command", "State:\n!`git status`\nand !`ls $1`.", "src", "State:\n[bash map[command:git status]]\nand [bash map[command:ls src]]."},
		{"a block", "```!\ngit log\ngit diff\n```\nnow", "", "[bash map[command:git log\ngit diff]]\nnow"},
		{"no command", "x!`a` and `!b`", "", "x!`a` and `!b`"},
		{"arguments bring no command", "say $ARGUMENTS", "!`rm x`", "say !`rm x`"},
		{"a file", "Look at @docs/a.md now.", "", "Look at @docs/a.md now.\n\n@docs/a.md:\n[read_file map[path:docs/a.md]]"},
		{"a file that is not there", "Look at @missing.md, me@x.org.", "", "Look at @missing.md, me@x.org."},
		{"arguments bring no file", "say $ARGUMENTS", "@docs/a.md", "say @docs/a.md"},
	} {
		got, err := Template{Text: row.text}.Expand(t.Context(), row.args, calls)
		if err != nil || got != row.want {
			t.Errorf("%s: %q, want %q (%v)", row.name, got, row.want, err)
		}
	}
	if got, err := (Template{Text: "a !`denied` b"}).Expand(t.Context(), "", calls); err == nil || got != "" {
		t.Errorf("a command that was denied: %q, %v", got, err)
	}
	exits := func(_ context.Context, _ string, args any) (string, error) {
		return "out\n[exit code " + args.(map[string]string)["command"] + " after 9ms]\n", nil
	}
	if got, err := (Template{Text: "a !`0` b"}).Expand(t.Context(), "", exits); err != nil || got != "a out b" {
		t.Errorf("exit code 0: %q, %v", got, err)
	}
	if got, err := (Template{Text: "a !`1` b"}).Expand(t.Context(), "", exits); err == nil || got != "" {
		t.Errorf("exit code 1: %q, %v", got, err)
	}
	if _, err := (Template{Text: strings.Repeat("!`a`\n", mostRuns+1)}).Expand(t.Context(), "", calls); err == nil {
		t.Error("there is no bound")
	}
}

func TestWhereCommandsAre(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	dir, _ = filepath.EvalSymlinks(dir)
	for name, text := range map[string]string{
		filepath.Join(home, ".claude/commands/review.md"):   "---\ndescription: of the user\n---\nx",
		filepath.Join(home, ".claude/commands/docs/new.md"): "# Write $0\nx ${CLAUDE_SESSION_ID}",
		filepath.Join(dir, ".claude/commands/review.md"):    "---\ndescription: of the project\nargument-hint: '[file]'\n---\n$1",
		filepath.Join(dir, ".rein/commands/own.md"):         "$1",
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	f := OpenFolder(filepath.Join(home, "answers"), dir, false)
	p := CommandPlaces{Folder: f, Workspace: dir, Session: "s1", User: []string{filepath.Join(home, ".claude/commands"), filepath.Join(home, "none")}}
	show := func() (all string) {
		for _, c := range FindCommands(p) {
			all += c.Name + " (" + c.From + ", " + c.About + c.Hint + ") "
		}
		return all
	}
	first := "commit (built in, commit what is ready, with a message in the style of the repository[what to commit]) docs:new (user, Write $0) " +
		"fix-ci (built in, find out why the checks of continuous integration fail, and repair it[log, job or link]) " +
		"init (built in, write a first AGENTS.md from the repository[what matters]) "
	if got, want := show(), first+"review (user, of the user) "; got != want {
		t.Errorf("without trust:\n%s\n%s", got, want)
	}
	if err := f.Accept(f.Found(dir, false)); err != nil {
		t.Fatal(err)
	}
	if got, want := show(), first+"own (project, $1) review (project, of the project[file]) "; got != want {
		t.Errorf("with trust:\n%s\n%s", got, want)
	}
	for _, c := range FindCommands(p) {
		got, err := c.Expand(t.Context(), "a b", calls)
		if want := map[string]string{"own": "a", "review": "a", "docs:new": "# Write a\nx s1"}[c.Name]; err != nil || want != "" && got != want {
			t.Errorf("%s: %q, %v", c.Name, got, err)
		}
	}
}

// A user whose command is denied reads that, and not what the model should do then.
func TestADeniedCommandOfTheUserHasNoAdvice(t *testing.T) {
	run := RunnerByUser(func(context.Context, []tool.Call) ([]tool.Result, error) {
		return []tool.Result{{Failed: true, Kind: tool.Denied, Text: "The user denied this call.\nAsk what they want instead."}}, nil
	})
	if _, err := run(t.Context(), "bash", nil); err == nil || err.Error() != "The user denied this call." {
		t.Errorf("%v", err)
	}
}

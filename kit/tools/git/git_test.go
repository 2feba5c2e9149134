package git

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rein/kit/sandbox"
	"rein/lab/testkit"
	"rein/tool"
)

// repository makes a repository with two commits and changes of each kind.
func repository(t *testing.T) Repository {
	t.Helper()
	if !Installed() {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	g := Repository{Dir: dir, Secret: func(path string) bool { return filepath.Base(path) == ".env" }, SecretNames: []string{".env"}}
	write(t, dir, "a.txt", "one\ntwo\n")
	write(t, dir, "old name.txt", strings.Repeat("some line\n", 20))
	write(t, dir, ".env", "KEY=first\n")
	git(t, dir, "init", "-q", "-b", "main")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-q", "-m", "the first commit")
	write(t, dir, "a.txt", "one\n2\nthree\n")
	git(t, dir, "commit", "-q", "-a", "-m", "count further\n\nWith a body.")
	return g
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	name = filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=Ada L", "-c", "user.email=ada@example.com"}, args...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// run is git, with what it prints.
func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %v: %v", args, err)
	}
	return string(out)
}

// call calls a tool of the repository.
func (g Repository) call(t *testing.T, name string, args ...any) string {
	t.Helper()
	for _, tl := range g.Tools() {
		if tl.Name == name {
			text, _ := testkit.Call(t, tl, testkit.Args(args...))
			return text
		}
	}
	t.Fatal("no tool " + name)
	return ""
}

func TestTools(t *testing.T) {
	g := repository(t)
	git(t, g.Dir, "mv", "old name.txt", "new\tname.txt")
	write(t, g.Dir, "a.txt", "one\n2\n3\n")
	write(t, g.Dir, ".env", "KEY=second\n")
	write(t, g.Dir, "sub/new.txt", "x\n")
	for _, row := range []struct {
		name, tool string
		args       []any
		want       []string
		not        []string
	}{
		{"status names each kind", "git_status", nil, []string{"branch main at ", "staged (1):\n  renamed old name.txt → new", "modified a.txt", "untracked (1):\n  sub/"}, nil},
		{"status of a path", "git_status", []any{"path", "a.txt"}, []string{"modified a.txt"}, []string{"untracked"}},
		{"status of a directory", "git_status", []any{"path", "sub"}, []string{"untracked (1):\n  sub/"}, []string{"a.txt"}},
		{"diff shows lines", "git_diff", nil, []string{"files: 1, +1 -1", "a.txt +1 -1", "-three\n+3"}, []string{"second"}},
		{"diff leaves secrets out", "git_diff", nil, nil, []string{"KEY", ".env"}},
		{"diff of a named secret file", "git_diff", []any{"path", ".env"}, []string{"+KEY=second"}, nil},
		{"diff of what is staged", "git_diff", []any{"staged", true}, []string{"old name.txt → new"}, []string{"a.txt"}},
		{"diff of revisions", "git_diff", []any{"rev", "HEAD~1..HEAD"}, []string{"-two\n+2\n+three"}, nil},
		{"numbers only", "git_diff", []any{"stat", true}, []string{"a.txt +1 -1"}, []string{"+3"}},
		{"log", "git_log", nil, []string{"Ada L  count further  (HEAD -> main)\n", "the first commit\n"}, []string{"body"}},
		{"log says that there is more", "git_log", []any{"limit", 1}, []string{"… more commits: skip=1"}, []string{"first commit"}},
		{"log skips", "git_log", []any{"skip", 1}, []string{"the first commit"}, []string{"further"}},
		{"log with all", "git_log", []any{"full", true, "stat", true, "path", "a.txt"}, []string{"    With a body.", "    +2 -1 a.txt"}, nil},
		{"log by message", "git_log", []any{"grep", "FIRST"}, []string{"the first commit"}, []string{"further"}},
		{"log by text", "git_log", []any{"search", "three"}, []string{"further"}, []string{"first commit"}},
		{"log finds nothing", "git_log", []any{"author", "nobody"}, []string{"no commits"}, nil},
		{"show", "git_show", nil, []string{"author Ada L <ada@example.com>", "With a body.", "files: 1, +2 -1", "+three"}, nil},
		{"show of the first commit", "git_show", []any{"rev", "HEAD~1"}, []string{"files: 2, +22 -0", "+some line"}, []string{"KEY", "parents"}},
		{"show of a file", "git_show", []any{"rev", "HEAD~1", "path", "a.txt", "file", true}, []string{"one\ntwo\n"}, []string{"author"}},
		{"blame", "git_blame", []any{"path", "a.txt"}, []string{"Ada L              1  one", "Not Committed      3  3"}, nil},
		{"blame of lines", "git_blame", []any{"path", "a.txt", "rev", "HEAD", "first", 2, "last", 2}, []string{"2  2"}, []string{"one"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			text := g.call(t, row.tool, row.args...)
			for _, w := range row.want {
				if !strings.Contains(text, w) {
					t.Errorf("%q is missing in\n%s", w, text)
				}
			}
			for _, w := range row.not {
				if strings.Contains(text, w) {
					t.Errorf("%q is in\n%s", w, text)
				}
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	g := repository(t)
	empty := t.TempDir()
	for _, row := range []struct {
		name, tool string
		args       []any
		want       string
	}{
		{"a revision that is an option", "git_log", []any{"rev", "--output=x"}, `bad_arguments: "--output=x" is not a revision`},
		{"an option for diff", "git_diff", []any{"rev", "--no-index"}, "bad_arguments"},
		{"no such revision", "git_show", []any{"rev", "nowhere"}, "not_found: "},
		{"a range to show", "git_show", []any{"rev", "A..B"}, "git_diff compares its ends"},
		{"a file by a revision", "git_show", []any{"rev", "HEAD:a.txt"}, `Send rev "HEAD", path "a.txt" and file true`},
		{"no such file", "git_blame", []any{"path", "nothing.txt"}, "no such path"},
		{"no repository", "git_status", []any{"path", empty}, "not_found: No git repository here."},
		{"lines in the wrong order", "git_blame", []any{"path", "a.txt", "first", 5, "last", 2}, "bad_arguments"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if text := g.call(t, row.tool, row.args...); !strings.Contains(text, row.want) {
				t.Errorf("got %q, want %q", text, row.want)
			}
		})
	}
}

// Each line is a way in which a repository makes git run a program. None of them may run, with every tool.
func TestRunsNoCode(t *testing.T) {
	for _, row := range []struct {
		name, config, attributes string
	}{
		{name: "hooks directory", config: "[core]\nhooksPath = %s"},
		{name: "file system monitor", config: "[core]\nfsmonitor = %s/run"},
		{name: "external diff", config: "[diff]\nexternal = %s/run"},
		{name: "driver of diffs", config: "[diff \"evil\"]\ncommand = %s/run", attributes: "* diff=evil"},
		{name: "text conversion", config: "[diff \"evil\"]\ntextconv = %s/run", attributes: "* diff=evil"},
		{name: "filter", config: "[filter \"evil\"]\nclean = %s/run\nsmudge = %[1]s/run\nrequired = true", attributes: "* filter=evil"},
		{name: "filter process", config: "[filter \"evil\"]\nprocess = %s/run", attributes: "* filter=evil"},
		{name: "filter with an odd name", config: "[filter \"e vil.x\"]\nclean = %s/run", attributes: "* filter=evil"},
		{name: "pager", config: "[core]\npager = %s/run\n[pager]\nlog = %[1]s/run\ndiff = %[1]s/run\nstatus = %[1]s/run"},
		{name: "alias", config: "[alias]\nstatus = !%s/run"},
		{name: "signatures", config: "[gpg]\nprogram = %s/run\n[log]\nshowSignature = true"},
		{name: "included settings", config: "[include]\npath = %s/more"},
		{name: "missing objects", config: "[core]\nrepositoryformatversion = 1\n[extensions]\npartialClone = origin\n[remote \"origin\"]\nurl = ssh://x/y\npromisor = true\n[core]\nsshCommand = %s/run"},
	} {
		t.Run(row.name, func(t *testing.T) {
			g := repository(t)
			dir := filepath.Join(t.TempDir(), "programs")
			ran := filepath.Join(dir, "ran")
			for _, name := range []string{"run", "post-index-change", "pre-commit"} {
				write(t, dir, name, "#!/bin/sh\necho \"$0 $*\" >> '"+ran+"'\ncat\n")
			}
			write(t, dir, "more", "[core]\nfsmonitor = "+dir+"/run\n[filter \"evil\"]\nclean = "+dir+"/run")
			f, err := os.OpenFile(filepath.Join(g.Dir, ".git", "config"), os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintln(f, "\n"+strings.ReplaceAll(strings.ReplaceAll(row.config, "%[1]s", dir), "%s", dir))
			f.Close()
			if row.attributes != "" {
				write(t, g.Dir, ".gitattributes", row.attributes+"\n")
			}
			write(t, g.Dir, "a.txt", "one\n2\n3\n")
			g.call(t, "git_status")
			g.call(t, "git_diff")
			g.call(t, "git_diff", "rev", "HEAD~1")
			g.call(t, "git_log", "stat", true, "search", "x")
			g.call(t, "git_show")
			g.call(t, "git_show", "rev", "HEAD", "path", "a.txt", "file", true)
			g.call(t, "git_show", "rev", "0123456789012345678901234567890123456789")
			for _, args := range [][]any{{"git_diff"}, {"git_show"}, {"git_blame", "path", "a.txt"}} { // they work without it
				if text := g.call(t, args[0].(string), args[1:]...); strings.Contains(text, "cannot run") {
					t.Errorf("%s: %s", args[0], text)
				}
			}
			if text, err := os.ReadFile(ran); err == nil {
				t.Errorf("a program of the repository ran: %s", text)
			}
		})
	}
	t.Run("a name that cannot be switched off", func(t *testing.T) {
		g := repository(t)
		f, _ := os.OpenFile(filepath.Join(g.Dir, ".git", "config"), os.O_APPEND|os.O_WRONLY, 0)
		fmt.Fprintf(f, "[filter \"a=b\"]\nclean = false\n")
		f.Close()
		if text := g.call(t, "git_status"); !strings.HasPrefix(text, "unsupported: ") {
			t.Error(text)
		}
	})
}

// Output is bounded in lines and in bytes, and says what is left out.
func TestBounds(t *testing.T) {
	g := repository(t)
	write(t, g.Dir, "a.txt", strings.Repeat("line\n", 100_000)+strings.Repeat("x", 100_000)+"\n")
	text := g.call(t, "git_diff")
	if len(text) > answerBytes+2000 || !strings.Contains(text, "name a path or a smaller range") {
		t.Errorf("%d bytes: …%s", len(text), text[len(text)-200:])
	}
	for i := range 2 * mostFiles {
		write(t, g.Dir, fmt.Sprintf("f%d", i), "")
	}
	if text := g.call(t, "git_status"); !strings.Contains(text, fmt.Sprintf("… %d more: name a path", mostFiles)) {
		t.Error(text)
	}
}

// In the real sandbox: the workspace is read-only for git, and its own files can be read.
func TestInTheSandbox(t *testing.T) {
	g := repository(t)
	box, err := sandbox.New(sandbox.Policy{Workspace: g.Dir})
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close()
	g.Box = box
	if text := g.call(t, "git_log"); !strings.Contains(text, "count further") {
		t.Error(text)
	}
	write(t, g.Dir, "a.txt", "other\n")
	if text := g.call(t, "git_status"); !strings.Contains(text, "modified a.txt") {
		t.Error(text)
	}
}

func TestIntent(t *testing.T) {
	for _, tl := range (Repository{}).Tools() {
		if tl.Effect != tool.Reads {
			t.Errorf("%s: %v", tl.Name, tl.Effect)
		}
		i, err := tl.Intent([]byte(`{"path":".env"}`))
		if err != nil || len(i.Reads) != 1 || i.Reads[0] != ".env" || i.Unknown {
			t.Errorf("%s: %+v %v", tl.Name, i, err)
		}
	}
}

// gitFails runs git and returns its error.
func gitFails(dir string, args ...string) error {
	cmd := exec.Command("git", append([]string{"-c", "user.name=Ada L", "-c", "user.email=ada@example.com"}, args...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null")
	return cmd.Run()
}

package extend

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tree writes files below a new directory and returns it.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		write(t, dir, name, text)
	}
	return dir
}

// opened returns a folder whose answers are kept below state.
func opened(state, dir string, always bool) *Folder {
	return OpenFolder(filepath.Join(state, filepath.Base(dir)+".json"), dir, always)
}

// write makes a file below a directory.
func write(t *testing.T, dir, name, text string) {
	t.Helper()
	writeFile(t, filepath.Join(dir, name), text)
}

func paths(items []TrustItem) (all []string) {
	for _, i := range items {
		all = append(all, i.key())
	}
	return all
}

func TestWhatAFolderWouldMakeASessionObey(t *testing.T) {
	dir := tree(t, map[string]string{
		".git/HEAD":                      "x",
		"AGENTS.md":                      "read @docs/style.md and `@docs/not.md` and @../outside.md and me@example.com",
		"docs/style.md":                  "see @more.md",
		"docs/more.md":                   "x",
		"docs/not.md":                    "x",
		"sub/deep/CLAUDE.md":             "nested",
		"node_modules/x/AGENTS.md":       "of a package",
		".hidden/AGENTS.md":              "x",
		".claude/settings.json":          `{"permissions":{}}`,
		".claude/settings.local.json":    `{"hooks":{}}`,
		".claude/agents/team/a.md":       "x",
		".agents/skills/s/SKILL.md":      "x",
		".agents/skills/s/scripts/do.sh": "x",
		".rein/commands/c.md":            "x",
		".mcp.json":                      "{}",
		".rein/mcp.json":                 "{}",
		"sub/.mcp.json":                  "{}",
	})
	f := opened(t.TempDir(), TopOfFolder(filepath.Join(dir, "sub")), false)
	if f.Dir() != dir {
		t.Fatalf("the folder is %s", f.Dir())
	}
	want := []string{"agent .claude/agents/team/a.md", "command .rein/commands/c.md", "hook .claude/settings.local.json",
		"instructions AGENTS.md", "instructions docs/more.md", "instructions docs/style.md", "instructions sub/deep/CLAUDE.md",
		"mcp .mcp.json", "mcp .rein/mcp.json", "mcp sub/.mcp.json", "skill .agents/skills/s"}
	if got := paths(f.Found(filepath.Join(dir, "sub"), true)); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := paths(f.Found(dir, false)); slices.Contains(got, "instructions sub/deep/CLAUDE.md") || slices.Contains(got, "mcp sub/.mcp.json") {
		t.Errorf("without nested ones: %v", got)
	}
}

func TestTrustIsBoundToTheContent(t *testing.T) {
	state, dir := t.TempDir(), tree(t, map[string]string{"AGENTS.md": "be kind", ".agents/skills/s/SKILL.md": "x", ".agents/skills/s/run.sh": "ls"})
	f := opened(state, dir, false)
	trusted := func(kind TrustKind, name, text string) bool {
		return opened(state, dir, false).Trusted(kind, name, []byte(text))
	}
	if trusted(TrustInstructions, "AGENTS.md", "be kind") {
		t.Error("nobody was asked")
	}
	if err := f.Accept(f.Found(dir, true)); err != nil {
		t.Fatal(err)
	}
	skill, err := f.Tree(".agents/skills/s")
	if err != nil || !trusted(TrustSkill, ".agents/skills/s", string(skill)) {
		t.Errorf("the skill is not trusted: %v", err)
	}
	for _, row := range []struct {
		name, text string
		kind       TrustKind
		want       bool
	}{
		{"AGENTS.md", "be kind", TrustInstructions, true},
		{"./AGENTS.md", "be kind", TrustInstructions, true},
		{filepath.Join(dir, "AGENTS.md"), "be kind", TrustInstructions, true},
		{"AGENTS.md", "be kind ", TrustInstructions, false},
		{"AGENTS.md", "be kind", TrustHook, false},
		{"CLAUDE.md", "be kind", TrustInstructions, false},
		{"../AGENTS.md", "be kind", TrustInstructions, false},
	} {
		if got := trusted(row.kind, row.name, row.text); got != row.want {
			t.Errorf("%s %q as %s: %v", row.name, row.text, row.kind, got)
		}
	}
	write(t, dir, ".agents/skills/s/run.sh", "rm -rf .")
	if again := f.New(f.Found(dir, true)); len(again) != 1 || again[0].Path != ".agents/skills/s" {
		t.Errorf("after a script has changed: %v", again)
	}
	if other := opened(state, tree(t, map[string]string{"AGENTS.md": "be kind"}), false); other.Trusted(TrustInstructions, "AGENTS.md", []byte("be kind")) {
		t.Error("another folder with the same file is trusted")
	}
	if copied := f.At(tree(t, map[string]string{"AGENTS.md": "be kind"})); !copied.Trusted(TrustInstructions, "AGENTS.md", []byte("be kind")) {
		t.Error("a copy of the folder is not trusted")
	}
}

func TestNobodyIsAskedTwice(t *testing.T) {
	state, dir := t.TempDir(), tree(t, map[string]string{"AGENTS.md": "be kind"})
	f := opened(state, dir, false)
	if err := f.Decline(f.Found(dir, true)); err != nil {
		t.Fatal(err)
	}
	f = opened(state, dir, false)
	if all := f.Found(dir, true); len(f.New(all)) != 0 || len(f.Untrusted(all)) != 1 || f.Trusted(TrustInstructions, "AGENTS.md", []byte("be kind")) {
		t.Errorf("declined: new %v, untrusted %v", f.New(all), f.Untrusted(all))
	}
	write(t, dir, "AGENTS.md", "be brief")
	if all := f.Found(dir, true); len(f.New(all)) != 1 {
		t.Error("a changed file is not asked about")
	}
	if err := f.Accept(f.Found(dir, true)); err != nil {
		t.Fatal(err)
	}
	if err := opened(state, dir, false).Forget(); err != nil {
		t.Fatal(err)
	}
	if opened(state, dir, false).Trusted(TrustInstructions, "AGENTS.md", []byte("be brief")) {
		t.Error("trusted after Forget")
	}
	if !opened(state, dir, true).Trusted(TrustHook, "any", []byte("thing")) {
		t.Error("a folder of the settings is not trusted")
	}
}

func TestAnswersThatCannotBeReadTrustNothing(t *testing.T) {
	state, dir := t.TempDir(), tree(t, map[string]string{"AGENTS.md": "be kind"})
	f := opened(state, dir, false)
	if err := f.Accept(f.Found(dir, true)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f.file, []byte("{broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	if opened(state, dir, false).Trusted(TrustInstructions, "AGENTS.md", []byte("be kind")) {
		t.Error("trusted by a broken file")
	}
}

func TestAFileOutsideIsNotRead(t *testing.T) {
	secret := filepath.Join(tree(t, map[string]string{"key": "secret"}), "key")
	dir := tree(t, map[string]string{"real.md": "x", ".agents/skills/s/SKILL.md": "x"})
	for link, to := range map[string]string{"AGENTS.md": secret, "CLAUDE.md": "real.md", ".agents/skills/s/key": secret} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skip(err)
		}
	}
	f := opened(t.TempDir(), dir, false)
	if text, err := f.Read("AGENTS.md"); err == nil {
		t.Errorf("read %q through a link", text)
	}
	if _, err := f.Tree(".agents/skills/s"); err == nil {
		t.Error("a skill with a link out of the folder has a tree")
	}
	if got := paths(f.Found(dir, true)); !slices.Equal(got, []string{"instructions CLAUDE.md"}) {
		t.Errorf("found %v", got)
	}
}

func TestImports(t *testing.T) {
	for text, want := range map[string][]string{
		"see @README.md, and @./docs/a.md.":           {"README.md", "./docs/a.md"},
		"@~/notes.md":                                 {"~/notes.md"},
		"mail me@example.com or @someone":             nil,
		"`@a.md` and ``x @b.md`` and @c.md":           {"c.md"},
		"```\n@a.md\n```\n@b.md":                      {"b.md"},
		"~~~ sh\n@a.md\n~~~\n- @b.md\n> @c.md":        {"b.md", "c.md"},
		"a lone ` backquote @a.md":                    {"a.md"},
		"@https://example.com/x @org/package (@d.md)": {"org/package", "d.md"},
		"@dir/with/ü.md\r\n@x.md":                     {"dir/with/ü.md", "x.md"},
	} {
		var got []string
		for _, i := range Imports(text) {
			got = append(got, i.Path)
			if text[i.Start:i.End] != "@"+i.Path {
				t.Errorf("%q: bytes %d to %d are %q", text, i.Start, i.End, text[i.Start:i.End])
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

package places

import (
	"slices"
	"strings"
	"testing"
)

var here = Context{
	Workspaces: []string{"/home/dev/project"},
	Home:       "/home/dev",
	Temp:       []string{"/home/dev/scratch-tmp"},
	Settings:   []string{"/srv/rein-state"},
}

func TestClassify(t *testing.T) {
	for _, row := range []struct {
		path string
		want Class
	}{
		{"main.go", Workspace},
		{"/home/dev/project", Workspace},
		{"a/../b/c.txt", Workspace},
		{"../other/main.go", Outside},
		{"/home/dev/project-two/x", Outside}, // a prefix of letters is not a parent
		{"/home/dev/notes.txt", Outside},
		{"~/x", Workspace}, // a tilde is a letter here: shells expand it before they ask
		{"/tmp/x", Temp},
		{"/tmp/../etc/passwd", Machine},
		{"/dev/null", Sink},
		{"/dev/sda", Device},
		{"/proc/sysrq-trigger", Device},
		{"/var/run/docker.sock", Socket},
		{"/usr/lib/x", System},
		{"/etc/os-release", System},
		{"/etc/passwd", Machine},
		{"/root/x", Machine},
		{"/root/.ssh/id_rsa", Secret},
		{"/home/other/.aws/credentials", Secret},
		{"/home/other/x", Machine},
		{"/etc/shadow-", Secret},
		{"/proc/1/environ", Secret},
		{"/proc/self/environ", Secret},
		{"/proc/cpuinfo", System},
		{"/proc/1/cmdline", Machine},
		{".git/hooks/pre-commit", Protected},
		{".GIT/hooks/pre-commit", Protected},
		{".git/./hooks//pre-push", Protected},
		{"sub/module/.git/config", Protected},
		{"x/../.git/hooks/a", Protected},
		{".gitignore", Workspace},
		{".hg/hgrc-not-shared", Protected},
		{"mise.local.toml", Protected},
		{".config/mise/config.toml", Protected},
		{"web/.pnpmfile.cjs", Protected},
		{".yarn/releases/yarn-4.cjs", Protected},
		{".yarn/cache/x.zip", Workspace},
		{"gradle/wrapper/gradle-wrapper.properties", Protected},
		{"gradle/libs.versions.toml", Workspace},
		{"src/sitecustomize.py", Protected},
		{"go.work", Protected},
		{"go.work.sum", Workspace},
		{".github/workflows/ci.yml", Protected},
		{".github/ISSUE_TEMPLATE.md", Workspace},
		{".env", Private},
		{"deploy/.env.production", Private},
		{".env.example", Workspace},
		{"server.pem", Private},
		{"id_ed25519.pub", Workspace},
		{".rein/settings.json", Settings},
		{"/home/dev/.config/rein/settings.json", Settings},
		{"/srv/rein-state/journal", Settings},
		{"/home/dev/.ssh/id_rsa", Secret},
		{"/home/dev/.ssh/id_rsa.pub", Outside},
		{"/home/dev/.bash_history", Secret},
		{"/home/dev/backup/old/.env", Secret},
		{"/home/dev/.bashrc", Startup},
		{"/home/dev/.gitconfig", Startup},
		{"/home/dev/go/pkg/mod/x", Tools},
		{"/home/dev/scratch-tmp/a", Outside}, // the home directory comes before a temporary directory in it
	} {
		if got := Classify(row.path, here); got != row.want {
			t.Errorf("Classify(%q) = %v, want %v", row.path, got, row.want)
		}
	}
}

func TestZeroContextKnowsNothing(t *testing.T) {
	if got := Classify("main.go", Context{}); got != Outside {
		t.Errorf("without a workspace everything is outside, got %v", got)
	}
}

func TestIsRoot(t *testing.T) {
	for path, want := range map[string]bool{
		"/": true, "/etc": true, "/home": true, "/home/dev": true, "/home/other": true, "/home/dev/project": true,
		"..": true, "../..": true, ".": true, "/tmp": false, "/etc/x": false, "build": false, "/home/dev/other": false,
	} {
		if got := IsRoot(path, here); got != want {
			t.Errorf("IsRoot(%q) = %v, want %v", path, got, want)
		}
	}
}

func TestMayMatch(t *testing.T) {
	for _, row := range []struct {
		glob string
		want Class
		ok   bool
	}{
		{"/home/dev/.s*/id_rsa", Secret, true},
		{"/etc/shad?w", Secret, true}, // the table's own pattern is shadow*
		{"/etc/sudo*", Secret, true},
		{".e?v", Private, true},
		{".g*t/hooks/x", Protected, true},
		{"*.go", Outside, false},
		{"*", Outside, false},
		{"src/*/x.txt", Outside, false},
	} {
		got, ok := MayMatch(row.glob, here)
		if ok != row.ok || (ok && got != row.want) {
			t.Errorf("MayMatch(%q) = %v, %v; want %v, %v", row.glob, got, ok, row.want, row.ok)
		}
	}
}

func TestProtectedNamesAreWholeNames(t *testing.T) {
	for _, name := range slices.Concat(ProtectedNames(), SecretNames()) {
		if strings.ContainsAny(name, "*?[") {
			t.Errorf("%q cannot be mounted over: it is a pattern", name)
		}
	}
	if !slices.Contains(ProtectedNames(), ".git/hooks") || !slices.Contains(SecretNames(), ".ssh") {
		t.Error("the sandbox misses .git/hooks or .ssh")
	}
}

func TestTablesAreLowerCase(t *testing.T) {
	for _, p := range slices.Concat(workspacePlaces, homePlaces, machinePlaces, secretNames) {
		if p.pattern != strings.ToLower(p.pattern) {
			t.Errorf("%q: names are compared in lower case, so the table must be", p.pattern)
		}
	}
}

func FuzzClassify(f *testing.F) {
	f.Add("a/../../b")
	f.Add("/home/dev/project/.git/config")
	f.Fuzz(func(t *testing.T, name string) {
		plain := Classify(name, here)
		if again := Classify(here.Abs(name), here); again != plain {
			t.Errorf("%q is %v, but its clean spelling is %v", name, plain, again)
		}
	})
}

// TestBesideTheWork: a workspace that lies in scratch space does not make what is beside it scratch.
func TestBesideTheWork(t *testing.T) {
	for name, want := range map[string]Class{
		"../notes": Outside, "/tmp/all": Outside, "/tmp/all/other/x": Outside, "a": Workspace, "/tmp/x": Temp, "/tmp/all2/x": Temp, "/var/tmp/x": Temp, "/scratch/x": Temp, "/scratch/a/x": Outside,
		"/tmp/flat2/x": Temp,
	} {
		if got := Classify(name, Context{Home: "/home/dev", Temp: []string{"/scratch"}, Workspaces: []string{"/tmp/all/project", "/tmp/flat", "/scratch/a/b/project"}}); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}

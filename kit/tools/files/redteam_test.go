package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAttacks are known attacks on the tools, one row each. The rows stay forever; docs/maintainers/attacks.md says where the
// others are.
func TestAttacks(t *testing.T) {
	for _, row := range []struct {
		name  string
		check func(*testing.T)
	}{
		{"path-14 other spellings of protected names", TestProtectedNamesHaveOneSpelling},
		{"path-17 a file that changed since it was read", TestChangeBySomeoneElse},
		{"path-19 searches that meet secrets", searches},
	} {
		t.Run(row.name, row.check)
	}
}

func searches(t *testing.T) {
	r := newRoom(t)
	for _, name := range []string{".env", ".env.local", "deploy/id_rsa", "deploy/server.pem", "a/b/credentials.json", ".netrc", "prod.tfstate"} {
		r.put(name, "CANARY secret\n")
	}
	r.put("main.go", "CANARY harmless\n")
	r.must(os.Symlink(r.outside, filepath.Join(r.dir, "link")))
	r.must(os.Symlink(filepath.Join(r.outside, "secret"), filepath.Join(r.dir, "notes.txt")))
	for _, call := range []string{args("pattern", "CANARY"), args("pattern", "CANARY", "glob", "**"), args("pattern", "CANARY", "glob", "*"), args("pattern", "CANARY", "ignored", true),
		args("pattern", "CANARY", "output_mode", "content", "context", 5), args("pattern", "CANARY", "path", "deploy"), args("pattern", ".*secret.*")} {
		if got := r.call("grep", call); strings.Contains(got, "CANARY secret") || strings.Contains(got, canary) {
			t.Errorf("grep %s shows %q", call, got)
		}
	}
	for _, call := range []string{args("pattern", "**"), args("pattern", "link/**"), args("pattern", "**/secret")} {
		if got := r.call("glob", call); strings.Contains(got, "link/secret") {
			t.Errorf("glob %s follows: %q", call, got)
		}
	}
	if got := r.call("list_dir", args("path", ".", "depth", 10)); strings.Contains(got, "link/secret") {
		t.Errorf("list_dir follows: %q", got)
	}
}

package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestOnlyOldDirectoriesOfSessionsAreSwept: one that was made a moment ago may be about to be locked.
func TestOnlyOldDirectoriesOfSessionsAreSwept(t *testing.T) {
	dir := t.TempDir()
	dead, fresh := filepath.Join(dir, sessionPrefix+"dead"), filepath.Join(dir, sessionPrefix+"fresh")
	before := time.Now().Add(-2 * youngest)
	if err := errors.Join(os.Mkdir(dead, 0o700), os.Mkdir(fresh, 0o700), os.Chtimes(dead, before, before)); err != nil {
		t.Fatal(err)
	}
	live, err := newPrivate(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer live.Close()
	if err := os.Chtimes(live.session, before, before); err != nil {
		t.Fatal(err)
	}
	sweepSessions(dir)
	for name, want := range map[string]bool{dead: false, fresh: true, live.session: true} {
		if _, err := os.Stat(name); (err == nil) != want {
			t.Errorf("%s: there is %v, want %v", name, !want, want)
		}
	}
}

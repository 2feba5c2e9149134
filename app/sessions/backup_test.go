package sessions

import (
	"archive/tar"
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"rein/app/internal/database"
	"rein/event"
	"rein/journal"
)

// partsBelow are the directories of a home, as REIN_HOME has them.
func partsBelow(home string) (all []Part) {
	for _, name := range []string{"config", "sessions", "state", "output"} {
		all = append(all, Part{name, filepath.Join(home, name)})
	}
	return all
}

// writeHome writes files below a directory.
func writeHome(t testing.TB, home string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(home, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
}

// readHome reads the files below a directory.
func readHome(t testing.TB, home string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS(home), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(home, name))
		all[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestBackupAndRestore: all that counts comes back, for the user alone; what only a process needs does not.
func TestBackupAndRestore(t *testing.T) {
	home, file := t.TempDir(), filepath.Join(t.TempDir(), "rein.tar.zst")
	kept := map[string]string{"config/settings.json": "{}", "config/skills/a/x.lock": "1", "sessions/one/journal.jsonl": "1\n", "sessions/one/blobs/b": "2",
		"state/undo/ws-1/seg-000001": "3", "state/server/users.json": "[]", "output/one/1": strings.Repeat("long", 1<<19)}
	left := map[string]string{"sessions/one/lock": "", "sessions/one/holder.json": "{}", "state/undo/ws-1/lock": "", "state/undo/ws-1/live-1-a": "",
		"state/evals/attempts/a": "cache", "private/ws/cache": "cache", "state/.rein-123": "half"}
	writeHome(t, home, kept)
	writeHome(t, home, left)
	if err := os.Chmod(filepath.Join(home, "config/skills/a/x.lock"), 0o755); err != nil {
		t.Fatal(err)
	}
	saved, err := Backup(t.Context(), file, partsBelow(home), "1.2.3", false)
	if err != nil || saved.Files != len(kept) {
		t.Fatalf("%+v, %v", saved, err)
	}
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if _, err := Backup(t.Context(), file, partsBelow(home), "", false); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over another file: %v", err)
	}
	if _, err := Backup(t.Context(), filepath.Join(home, "state", "x"), partsBelow(home), "", false); err == nil {
		t.Error("into what it saves: no error")
	}
	if c, err := CheckBackup(t.Context(), file, partsBelow(home)); err != nil || c.Files != len(kept) || c.Rein != "1.2.3" {
		t.Errorf("%+v, %v", c, err)
	}
	to := filepath.Join(t.TempDir(), "deep", "home")
	back, err := Restore(t.Context(), file, partsBelow(to), false)
	if err != nil || back.Files != len(kept) || len(back.Kept) != 0 {
		t.Fatalf("%+v, %v", back, err)
	}
	if got := readHome(t, to); fmt.Sprint(got) != fmt.Sprint(kept) {
		t.Errorf("restored are %d files, want %d", len(got), len(kept))
	}
	for name, mode := range map[string]fs.FileMode{"config/skills/a/x.lock": 0o700, "config/settings.json": 0o600, "config": 0o700, "state/server": 0o700} {
		if info, err := os.Stat(filepath.Join(to, name)); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}

// TestBackupNeedsItsDirectory: the error names the directory, not the unfinished file.
func TestBackupNeedsItsDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "absent")
	_, err := Backup(t.Context(), filepath.Join(dir, "b"), partsBelow(t.TempDir()), "", false)
	if failed, ok := errors.AsType[*fs.PathError](err); !ok || failed.Path != dir {
		t.Error(err)
	}
}

// TestRestoreKeepsWhatIsThere: nothing is replaced unless that is asked for, and then it is kept.
func TestRestoreKeepsWhatIsThere(t *testing.T) {
	home, file := t.TempDir(), filepath.Join(t.TempDir(), "b")
	writeHome(t, home, map[string]string{"config/settings.json": "old"})
	if _, err := Backup(t.Context(), file, partsBelow(home), "", false); err != nil {
		t.Fatal(err)
	}
	writeHome(t, home, map[string]string{"config/settings.json": "new", "sessions/one/journal.jsonl": "new"})
	if _, err := Restore(t.Context(), file, partsBelow(home), false); !errors.Is(err, ErrNotEmpty) {
		t.Fatalf("a home with files: %v", err)
	}
	s, err := Restore(t.Context(), file, partsBelow(home), true)
	if err != nil || len(s.Kept) != 2 {
		t.Fatalf("%+v, %v", s, err)
	}
	got := readHome(t, home)
	if got["config/settings.json"] != "old" || got["sessions/one/journal.jsonl"] != "" {
		t.Errorf("restored: %v", got)
	}
	if text, _ := os.ReadFile(filepath.Join(s.Kept[0], "settings.json")); string(text) != "new" || len(got) != 3 {
		t.Errorf("kept: %v", got)
	}
}

// TestRestoreRefusesAnOpenSession: a process that works there would go on in what was moved away.
func TestRestoreRefusesAnOpenSession(t *testing.T) {
	home, file := t.TempDir(), filepath.Join(t.TempDir(), "b")
	j, _, err := journal.Open(filepath.Join(home, "sessions", "one"))
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Append(message(event.Prompted, "user", "hello")); err != nil {
		t.Fatal(err)
	}
	if _, err := Backup(t.Context(), file, partsBelow(home), "", false); err != nil {
		t.Fatal("while a session is open:", err)
	}
	if _, err := Restore(t.Context(), file, partsBelow(home), true); !errors.Is(err, journal.ErrHeld) {
		t.Errorf("while a session is open: %v", err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Restore(t.Context(), file, partsBelow(home), true); err != nil {
		t.Error(err)
	}
}

// archive makes an archive of files, in pairs of name and text.
func archive(t testing.TB, pairs ...string) []byte {
	var out bytes.Buffer
	z, err := zstd.NewWriter(&out)
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(z)
	for i := 0; i < len(pairs); i += 2 {
		err = errors.Join(err, w.WriteHeader(&tar.Header{Name: pairs[i], Size: int64(len(pairs[i+1])), Mode: 0o600}))
		_, writeErr := io.WriteString(w, pairs[i+1])
		err = errors.Join(err, writeErr)
	}
	if err = errors.Join(err, w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestBadBackups: what is not whole, changed, newer or forged is refused, and nothing is left of it.
func TestBadBackups(t *testing.T) {
	const head, sum = `{"format":1,"rein":"1.0"}`, "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb  "
	whole := archive(t, "backup.json", head, "config/a", "a", "SHA256SUMS", sum+"config/a\n")
	for name, row := range map[string]struct {
		archive []byte
		want    error
		text    string
	}{
		"whole":           {whole, nil, ""},
		"cut off":         {whole[:len(whole)-20], ErrBadBackup, ""},
		"empty":           {nil, ErrBadBackup, ""},
		"something else":  {[]byte("PK\x03\x04 a zip of another program"), ErrBadBackup, ""},
		"without sums":    {archive(t, "backup.json", head, "config/a", "a"), ErrBadBackup, "unexpected EOF"},
		"changed content": {archive(t, "backup.json", head, "config/a", "b", "SHA256SUMS", sum+"config/a\n"), ErrBadBackup, "config/a is not what was saved"},
		"a file too few":  {archive(t, "backup.json", head, "SHA256SUMS", sum+"config/a\n"), ErrBadBackup, "missing"},
		"newer":           {archive(t, "backup.json", `{"format":2,"rein":"9.1"}`, "config/a", "a"), ErrNewerBackup, "use rein 9.1 or newer"},
		"leads out":       {archive(t, "backup.json", head, "config/../../a", "a", "SHA256SUMS", sum+"config/../../a\n"), ErrBadBackup, "no file of a part"},
		"absolute":        {archive(t, "backup.json", head, "config//a", "a", "SHA256SUMS", sum+"config//a\n"), ErrBadBackup, "no file of a part"},
		"unknown part":    {archive(t, "backup.json", head, "other/a", "a", "SHA256SUMS", sum+"other/a\n"), ErrBadBackup, "no part"},
	} {
		t.Run(name, func(t *testing.T) {
			file, home := filepath.Join(t.TempDir(), "b"), t.TempDir()
			if err := os.WriteFile(file, row.archive, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := Restore(t.Context(), file, partsBelow(home), false)
			if !errors.Is(err, row.want) || row.want != nil && !strings.Contains(err.Error(), row.text) {
				t.Errorf("%v, want %v %q", err, row.want, row.text)
			}
			left, _ := filepath.Glob(filepath.Join(home, "*"))
			if row.want != nil && len(left) != 0 {
				t.Errorf("left: %v", left)
			}
			used := t.TempDir()
			writeHome(t, used, map[string]string{"config/settings.json": "{}"})
			if _, err := Restore(t.Context(), file, partsBelow(used), false); row.want != nil && !errors.Is(err, row.want) {
				t.Errorf("where files are: %v, want %v", err, row.want)
			}
		})
	}
}

// TestBackupOfADatabaseInUse: a database is saved as it is between two transactions, with what its log has.
func TestBackupOfADatabaseInUse(t *testing.T) {
	home, file := t.TempDir(), filepath.Join(t.TempDir(), "b")
	at := func(home string) database.File {
		return database.File{Name: filepath.Join(home, "state", "memory.db"), Pragmas: []string{"busy_timeout(5000)", "journal_mode(wal)"}, Version: 1, Make: makeTwo}
	}
	db, err := at(home).Open()
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1) // so that the writer can end after the test failed
	go func() {
		for ctx.Err() == nil {
			tx, err := db.Begin()
			if err == nil {
				_, err = tx.Exec("UPDATE two SET n = n + 1 WHERE name = 'a'")
			}
			if err == nil {
				_, err = tx.Exec("UPDATE two SET n = n + 1 WHERE name = 'b'")
			}
			if err == nil {
				err = tx.Commit()
			}
			if err != nil {
				ended <- err
				return
			}
		}
		ended <- nil
	}()
	for range 10 {
		if s, err := Backup(t.Context(), file, partsBelow(home), "", true); err != nil || s.Files != 1 || len(s.Notes) != 0 {
			t.Fatalf("%+v, %v", s, err)
		}
		to := t.TempDir()
		if _, err := Restore(t.Context(), file, partsBelow(to), false); err != nil {
			t.Fatal(err)
		}
		restored, err := at(to).Open()
		if err != nil {
			t.Fatal(err)
		}
		var different, whole int
		err = restored.QueryRow("SELECT (SELECT n FROM two WHERE name='a') - (SELECT n FROM two WHERE name='b'), (SELECT count(*) FROM two)").Scan(&different, &whole)
		if err = errors.Join(err, restored.Close()); err != nil || different != 0 || whole != 2 {
			t.Errorf("half a transaction: %d, %d, %v", different, whole, err)
		}
		time.Sleep(time.Millisecond) // another connection: there is no fake clock here
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func makeTwo(tx *sql.Tx, _ int) error {
	_, err := tx.Exec("CREATE TABLE two (name TEXT, n INTEGER); INSERT INTO two VALUES ('a', 0), ('b', 0)")
	return err
}

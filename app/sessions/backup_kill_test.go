//go:build unix

package sessions

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestKilledBackup kills processes that save and restore with SIGKILL at random times. A file with the archive's name is always a
// whole archive, each directory is always the old one or the new one, and the next restore succeeds.
func TestKilledBackup(t *testing.T) {
	root := os.Getenv("KILLED_BACKUP")
	if root != "" {
		backupForEver(root)
	}
	root = t.TempDir()
	home := filepath.Join(root, "home")
	for n := range 15 {
		text := fmt.Sprint(n, " ", rand.Uint64())
		writeHome(t, home, map[string]string{fmt.Sprintf("sessions/s%d/journal.jsonl", n): text, fmt.Sprintf("state/f%d", n): text, fmt.Sprintf("config/c%d", n): text})
	}
	want := readHome(t, home)
	archives, restores := 0, 0
	for n := range 8 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilledBackup$")
		cmd.Env = append(os.Environ(), "KILLED_BACKUP="+root)
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(out, make([]byte, 1+rand.IntN(4))); err != nil { // a byte for each step that begins
			t.Fatalf("kill %d: the process did not begin: %v", n, err)
		}
		time.Sleep(time.Duration(rand.IntN(40_000)) * time.Microsecond) // another process: there is no fake clock here
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if _, err := os.Stat(filepath.Join(root, "b")); err == nil {
			archives++
			if s, err := CheckBackup(t.Context(), filepath.Join(root, "b"), partsBelow(root)); err != nil || s.Files != len(want) {
				t.Fatalf("kill %d: %+v, %v", n, s, err)
			}
		}
		for _, p := range partsBelow(filepath.Join(root, "to")) {
			all, err := os.ReadDir(p.Dir)
			switch {
			case err == nil && len(all) == 15:
				restores++
			case err == nil && len(all) != 0:
				t.Fatalf("kill %d: %s has %d of 15", n, p.Dir, len(all))
			}
		}
	}
	t.Logf("8 kills: %d times there was an archive, %d directories were restored", archives, restores)
	if _, err := Backup(t.Context(), filepath.Join(root, "b"), partsBelow(home), "", true); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(root, "to")
	if _, err := Restore(t.Context(), filepath.Join(root, "b"), partsBelow(to), true); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(to, "*.restoring-*")); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	for name, text := range want {
		if got, err := os.ReadFile(filepath.Join(to, name)); err != nil || string(got) != text {
			t.Fatalf("%s: %q, %v", name, got, err)
		}
	}
}

// backupForEver saves and restores until it is killed.
func backupForEver(root string) {
	ctx, file := context.Background(), filepath.Join(root, "b")
	for {
		fmt.Print(".")
		if _, err := Backup(ctx, file, partsBelow(filepath.Join(root, "home")), "", true); err != nil {
			panic(err)
		}
		fmt.Print(".")
		if _, err := Restore(ctx, file, partsBelow(filepath.Join(root, "to")), true); err != nil {
			panic(err)
		}
		old, _ := filepath.Glob(filepath.Join(root, "to", "*.before-*"))
		for _, dir := range old {
			if err := os.RemoveAll(dir); err != nil {
				panic(err)
			}
		}
	}
}

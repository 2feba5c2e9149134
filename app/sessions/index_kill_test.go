//go:build unix

package sessions

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"rein/event"
	"rein/journal"
	"rein/tool"
)

// TestKilled kills a process that writes a journal and the index with SIGKILL, again and again, at random times. After each
// kill the journal has everything that was on disk, and the index is right. KILLS is how often; figures are in
// docs/maintainers/performance/sessions.md.
func TestKilled(t *testing.T) {
	if root := os.Getenv("KILLED_ROOT"); root != "" {
		writeForEver(root)
	}
	kills := 20
	if n, err := strconv.Atoi(os.Getenv("KILLS")); err == nil {
		kills = n
	}
	root := t.TempDir()
	var synced int
	for n := range kills {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
		cmd.Env = append(os.Environ(), "KILLED_ROOT="+root)
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		var begun [1]byte
		if _, err := out.Read(begun[:]); err != nil {
			t.Fatalf("kill %d: the process did not begin: %v", n, err)
		}
		time.Sleep(time.Duration(rand.IntN(12_000)) * time.Microsecond) // another process: there is no fake clock here
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		synced = afterKill(t, root, n, synced)
	}
	t.Logf("%d kills, %d calls recorded", kills, synced)
}

// afterKill checks the journal and the index, and returns how many results are recorded.
func afterKill(t *testing.T, root string, n, before int) int {
	t.Helper()
	want, err := Summary(root, "one")
	if err != nil || want.Damaged > 0 || want.Bad != "" {
		t.Fatalf("kill %d: %+v, %v", n, want, err)
	}
	replied := 0
	seq := int64(0)
	for e, err := range journal.Read(filepath.Join(root, "one", journal.FileName)) {
		if errors.Is(err, journal.ErrTorn) {
			break
		}
		if err != nil || e.Seq != seq+1 {
			t.Fatalf("kill %d: event %d after %d, %v", n, e.Seq, seq, err)
		}
		if seq = e.Seq; e.Kind == event.Replied {
			replied++
		}
	}
	told, _ := os.ReadFile(filepath.Join(root, "told"))
	if len(told) > replied || replied < before {
		t.Fatalf("kill %d: %d results are recorded, and there were %d and %d", n, replied, before, len(told))
	}
	x := opened(t, root)
	defer x.Close()
	all, _, err := x.List(t.Context(), Filter{})
	if err != nil || len(all) != 1 || all[0].Calls != want.Calls || all[0].Bytes != want.Bytes {
		t.Fatalf("kill %d: the index has %+v, the journal %+v, %v", n, all, want, err)
	}
	if want.Calls > 0 {
		hits, err := x.Search(t.Context(), fmt.Sprint("word", want.Calls), Filter{})
		if err != nil || len(hits) != 1 {
			t.Fatalf("kill %d: the last call is not found: %v, %v", n, hits, err)
		}
	}
	return replied
}

// writeForEver records calls and lists the sessions. It notes each result in a file after it is recorded.
func writeForEver(root string) {
	f, _, err := journal.Open(filepath.Join(root, "one"))
	if err != nil {
		panic(err)
	}
	x, err := openIndex(root, nil)
	if err != nil {
		panic(err)
	}
	told, err := os.OpenFile(filepath.Join(root, "told"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	s, _ := Summary(root, "one")
	fmt.Println(".")
	for n := s.Calls + 1; ; n++ {
		call := &tool.Call{ID: fmt.Sprint(n), Name: "do", Args: fmt.Appendf(nil, `{"text":"word%d"}`, n)}
		for _, e := range []event.Event{{Kind: event.Called, Call: call}, {Kind: event.Granted, Call: call}, {Kind: event.Replied, Call: call, Result: &tool.Result{Text: "done"}}} {
			if err := f.Append(e); err != nil {
				panic(err)
			}
		}
		if _, err := told.Write([]byte(".")); err != nil {
			panic(err)
		}
		if _, _, err := x.List(context.Background(), Filter{}); err != nil {
			panic(err)
		}
	}
}

package sandbox

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/windows"
)

// TestAJobEndsWhatItStarted: a program that leaves another one running does not leave it behind, whether it ends or is killed.
func TestAJobEndsWhatItStarted(t *testing.T) {
	switch os.Getenv("REIN_TEST_JOB") {
	case "child":
		time.Sleep(time.Minute)
		return
	case "ends", "stays":
		child := exec.Command(os.Args[0], "-test.run=TestAJobEndsWhatItStarted")
		child.Env = append(os.Environ(), "REIN_TEST_JOB=child")
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		fmt.Printf("child %d\n", child.Process.Pid)
		if os.Getenv("REIN_TEST_JOB") == "stays" {
			time.Sleep(time.Minute)
		}
		return
	}
	for _, how := range []string{"ends", "stays"} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		p, err := None{}.Start(t.Context(), Spec{Argv: []string{os.Args[0], "-test.run=TestAJobEndsWhatItStarted"}, Env: []string{"REIN_TEST_JOB=" + how}, Stdout: w, Stderr: w})
		_ = w.Close()
		if err != nil {
			t.Fatal(err)
		}
		pid := uint32(0)
		for in := bufio.NewScanner(r); pid == 0 && in.Scan(); {
			if text, ok := strings.CutPrefix(in.Text(), "child "); ok {
				n, err := strconv.ParseUint(strings.TrimSpace(text), 10, 32)
				if err != nil {
					t.Fatal(err)
				}
				pid = uint32(n)
			}
		}
		if how == "stays" {
			if !runs(pid) {
				t.Fatal("the child does not run")
			}
			if err := p.Kill(); err != nil {
				t.Error(err)
			}
		}
		if _, err := p.Wait(); err != nil {
			t.Error(err)
		}
		for range 50 {
			if !runs(pid) {
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
		if runs(pid) {
			t.Errorf("%s: the child %d still runs", how, pid)
		}
		if err := p.Kill(); err != nil {
			t.Errorf("killed again: %v", err)
		}
		_ = r.Close()
	}
}

// runs reports whether a process has not ended.
func runs(pid uint32) bool {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, pid)
	if err != nil {
		return false
	}
	defer windows.CloseHandle(h)
	var code uint32
	return windows.GetExitCodeProcess(h, &code) == nil && code == 259 // STILL_ACTIVE
}

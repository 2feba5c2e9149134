//go:build unix

package sandbox

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestJobGoesOnAndTellsWhatIsNew(t *testing.T) {
	var jobs Jobs
	defer jobs.Close()
	job, err := jobs.Start(t.Context(), None{}, shell("echo one; read x < <(sleep 0.3); echo two; sleep 60"), JobOptions{Command: "count"})
	if err != nil {
		t.Fatal(err)
	}
	if !job.Await(t.Context(), regexp.MustCompile(`(?m)^one$`), time.Minute) {
		t.Error("the first line did not come")
	}
	if text, _ := job.Read(); string(text) != "one\n" {
		t.Errorf("got %q", text)
	}
	if !job.Await(t.Context(), regexp.MustCompile("two"), time.Minute) {
		t.Error("the second line did not come")
	}
	if text, _ := job.Read(); string(text) != "two\n" {
		t.Errorf("got %q", text)
	}
	if got, err := jobs.Get("1"); got != job || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := jobs.Get("job7"); err == nil || !strings.Contains(err.Error(), "job1") {
		t.Errorf("got %v", err)
	}
	job.Stop(time.Second)
	if result, err := job.Result(); err != nil || result.Signal == 0 {
		t.Errorf("got %+v, %v", result, err)
	}
	if len(jobs.Running()) != 0 || len(jobs.List()) != 1 {
		t.Error("an ended job runs, or is forgotten")
	}
}

func TestJobsAreBounded(t *testing.T) {
	jobs := Jobs{Max: 1, Output: 100}
	defer jobs.Close()
	job, err := jobs.Start(t.Context(), None{}, shell("for i in $(seq 10000); do echo line $i; done; echo end; sleep 60"), JobOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := jobs.Start(t.Context(), None{}, shell("true"), JobOptions{}); err == nil {
		t.Error("a second job was started")
	}
	job.Await(t.Context(), regexp.MustCompile("(?m)^end$"), time.Minute)
	text, dropped := job.Read()
	if len(text) > 100 || !bytes.HasSuffix(text, []byte("line 10000\nend\n")) || !bytes.HasPrefix(text, []byte("line ")) {
		t.Errorf("got %q", text)
	}
	if want := int64(len("end\n")); dropped < 90_000-want {
		t.Errorf("dropped %d", dropped)
	}
}

func TestTerminalAsksAndIsAnswered(t *testing.T) {
	t.Parallel()
	var jobs Jobs
	defer jobs.Close()
	for name, box := range someBoxes(t) {
		t.Run(name, func(t *testing.T) {
			job, err := jobs.Start(t.Context(), box, shell(`[ -t 0 ] && read -rsp "Password: " x && echo && read -p "Continue? [y/N] " y </dev/tty && echo "got $x $y"`), JobOptions{Terminal: true})
			if err != nil {
				t.Fatal(err)
			}
			for _, answer := range []string{"secret\n", "y\n"} {
				job.Await(t.Context(), nil, time.Minute)
				line, asks := job.Prompt()
				if !asks {
					text, _ := job.Read()
					t.Fatalf("not recognised: %q after %q", line, text)
				}
				if err := job.Type(answer); err != nil {
					t.Fatal(err)
				}
			}
			<-job.Done()
			text, _ := job.Read()
			if !bytes.Contains(text, []byte("got secret y")) {
				t.Errorf("got %q", text)
			}
			if err := job.Type("x"); err == nil {
				t.Error("typed into an ended job")
			}
		})
	}
}

func TestQuestionsAreRecognised(t *testing.T) {
	for _, line := range []string{
		"Password:", "[sudo] password for dev: ", "Enter passphrase for key '/home/u/.ssh/id_ed25519': ", "Username for 'https://github.com': ",
		"Do you want to continue? [Y/n] ", "Overwrite existing file (y/n)?", "Are you sure you want to continue connecting (yes/no/[fingerprint])? ",
		"Ok to proceed? (y) ", "Proceed (Y/n)? ", "Press ENTER to continue", "Press any key to continue . . .", "? Select a framework: ", ">>> ", "(gdb) ",
		"sqlite> ", "postgres=# ", "Enter your choice: ", "Is this OK? (yes) ", "Type 'yes' to continue: ", "--More--",
	} {
		if !asks(strings.TrimRight(line, " ")) {
			t.Errorf("not recognised: %q", line)
		}
	}
	for _, line := range []string{
		"", "compiling...done", "Downloading 45%", "listening on http://localhost:3000", "[####    ] 50%", "fetch: remote objects 3/7", "Building project",
		"$ npm start", "running 12 tests", "error: unknown option --foo", "PASS", "1/3", "Waiting for server",
	} {
		if asks(line) {
			t.Errorf("taken for a question: %q", line)
		}
	}
}

func TestCloseEndsAllJobs(t *testing.T) {
	var jobs Jobs
	for range 3 {
		if _, err := jobs.Start(context.Background(), None{}, shell("trap '' TERM; while :; do sleep 60; done"), JobOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	start := time.Now()
	jobs.Close()
	if n := len(jobs.Running()); n != 0 || time.Since(start) > 10*time.Second {
		t.Errorf("%d run on after %v", n, time.Since(start))
	}
}

// A front end reports the jobs that end with the session from this list.
func TestJobInfo(t *testing.T) {
	var jobs Jobs
	running, err := jobs.Start(t.Context(), None{}, shell("sleep 60"), JobOptions{Command: "serve"})
	if err != nil {
		t.Fatal(err)
	}
	failed, err := jobs.Start(t.Context(), None{}, shell("exit 3"), JobOptions{Command: "check"})
	if err != nil {
		t.Fatal(err)
	}
	<-failed.Done()
	info := jobs.Info()
	if len(info) != 2 || info[0].ID != running.ID || info[0].Command != "serve" || !info[0].Running || !info[0].Started.Equal(running.Started) || info[0].Duration <= 0 {
		t.Errorf("running: %+v", info)
	}
	if info[1].Running || info[1].ExitCode != 3 || info[1].Command != "check" {
		t.Errorf("failed: %+v", info[1])
	}
	jobs.Close()
	if got := running.Info(); got.Running || got.ExitCode != -1 || got.Signal != "terminated" {
		t.Errorf("ended with the session: %+v", got)
	}
}

// Who only looks takes nothing from who reads, and sees no more than the end.
func TestTailReadsNothing(t *testing.T) {
	var jobs Jobs
	defer jobs.Close()
	job, err := jobs.Start(t.Context(), None{}, shell("echo one; seq 1 40000; echo end"), JobOptions{})
	if err != nil {
		t.Fatal(err)
	}
	<-job.Done()
	for range 2 {
		text, start := job.Tail(0)
		if len(text) != shownTail || !bytes.HasSuffix(text, []byte("\n40000\nend\n")) || start == 0 {
			t.Fatalf("%d bytes from %d: %.40q", len(text), start, text)
		}
		end := start + int64(len(text))
		if more, at := job.Tail(end - 4); string(more) != "end\n" || at != end-4 {
			t.Errorf("%q at %d", more, at)
		}
		for _, from := range []int64{end, end + 100} {
			if more, at := job.Tail(from); len(more) != 0 || at != end {
				t.Errorf("from %d: %q at %d", from, more, at)
			}
		}
	}
	if text, dropped := job.Read(); dropped != 0 || !bytes.HasPrefix(text, []byte("one\n1\n")) {
		t.Errorf("the output was read: %d dropped, %.20q", dropped, text)
	}
}

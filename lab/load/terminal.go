//go:build linux

package main

// This file measures the chat on a terminal: the time to the first frame, the time from a key to its frame in a
// short and in a long session, the processor time while an answer comes, and the memory.
//
//	go build -o /tmp/rein ./cmd/rein && go run ./lab/load terminal /tmp/rein
//
// With -ready it measures any program of this kind, in an emulated terminal that answers its queries. The program must be set up
// so that it asks a model server that streams the script of -script:
//
//	go run ./lab/load -script > /tmp/load.yaml && rein model-server --script /tmp/load.yaml
//	go run ./lab/load -ready 'ask when needed' /tmp/rein --model openai/gpt-5

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/creack/pty"
)

func loadTerminal() {
	ready := flag.String("ready", "", "what the screen of the program has when it takes keys")
	print := flag.Bool("script", false, "print the script for the model server")
	flag.Parse()
	if *print {
		fmt.Print(titles + markdown())
		return
	}
	if flag.NArg() < 1 || *ready == "" && flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: termload REIN\n       termload -ready TEXT PROGRAM [ARGUMENT ...]")
		os.Exit(2)
	}
	err := error(nil)
	if *ready != "" {
		err = compare(*ready, flag.Args())
	} else {
		err = termloadMeasure(flag.Arg(0))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "termload:", err)
		os.Exit(1)
	}
}

func termloadMeasure(rein string) error {
	dir, err := os.MkdirTemp("", "termload-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := firstFrame(rein, dir); err != nil {
		return err
	}
	for _, blocks := range []int{10, 1000, 10_000} {
		if err := keys(rein, dir, blocks); err != nil {
			return err
		}
	}
	return streaming(rein, dir)
}

// terminal is a running chat.
type terminal struct {
	cmd *exec.Cmd
	tty *os.File

	mu    sync.Mutex
	seen  []byte
	total int
	last  time.Time // of the last output
}

// openTermload starts the chat with a script.
func openTermload(rein, dir, script string) (*terminal, error) {
	name := filepath.Join(dir, "model.yaml")
	if err := os.WriteFile(name, []byte(script), 0o600); err != nil {
		return nil, err
	}
	work := filepath.Join(dir, "work")
	if err := os.MkdirAll(work, 0o700); err != nil {
		return nil, err
	}
	t := &terminal{}
	var err error
	if t.cmd, t.tty, err = runTermload(work, []string{rein, "--model", "script/" + name}, "REIN_HOME="+filepath.Join(dir, "home")); err != nil {
		return nil, err
	}
	go t.read()
	return t, nil
}

// The size of the terminal.
const columns, rows = 120, 40

// runTermload starts a program in a terminal.
func runTermload(dir string, command []string, env ...string) (*exec.Cmd, *os.File, error) {
	c := exec.Command(command[0], command[1:]...)
	c.Dir = dir
	c.Env = append(append(os.Environ(), "TERM=xterm-256color", "COLORTERM=truecolor", "TMUX="), env...)
	tty, err := pty.StartWithSize(c, &pty.Winsize{Rows: rows, Cols: columns})
	return c, tty, err
}

func (t *terminal) read() {
	piece := make([]byte, 64<<10)
	for {
		n, err := t.tty.Read(piece)
		t.mu.Lock()
		t.seen = append(t.seen, piece[:n]...)
		if over := len(t.seen) - 1<<20; over > 0 {
			t.seen = t.seen[over:]
		}
		t.total, t.last = t.total+n, time.Now()
		t.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (t *terminal) close() {
	_ = t.cmd.Process.Kill()
	_ = t.cmd.Wait()
	_ = t.tty.Close()
}

// waits until the output has a text, and gives when.
func (t *terminal) waits(want string) (time.Time, error) {
	for begin := time.Now(); time.Since(begin) < 2*time.Minute; time.Sleep(500 * time.Microsecond) {
		t.mu.Lock()
		found, at := bytes.Contains(t.seen, []byte(want)), t.last
		t.mu.Unlock()
		if found {
			return at, nil
		}
	}
	return time.Time{}, errors.New("never on the screen: " + want)
}

// quiet waits until nothing was written for a while.
func (t *terminal) quiet(d time.Duration) {
	for {
		t.mu.Lock()
		idle := time.Since(t.last)
		t.mu.Unlock()
		if idle > d {
			return
		}
		time.Sleep(d / 10)
	}
}

func firstFrame(rein, dir string) error {
	var first, ready []time.Duration
	for range 20 {
		begin := time.Now()
		t, err := openTermload(rein, dir, "turns: [{text: hello}]")
		if err != nil {
			return err
		}
		drawn, err := t.waits("ask when needed")
		if err != nil {
			return err
		}
		taken, err := t.waits("\x1b[?1004h") // from now on it hears whether it has the focus
		t.close()
		if err != nil {
			return err
		}
		first, ready = append(first, drawn.Sub(begin)), append(ready, taken.Sub(begin))
	}
	show("start to the first frame", first)
	show("start to the frame with the session", ready)
	return nil
}

func show(what string, all []time.Duration) {
	slices.Sort(all)
	fmt.Printf("%-44s median %5.1f ms   p95 %5.1f ms\n", what, ms(all[len(all)/2]), ms(all[len(all)*95/100]))
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// keys measures the time from a key to the output that it causes, after so many blocks.
func keys(rein, dir string, blocks int) error {
	var script strings.Builder
	script.WriteString("delta: 4000\nturns:\n  - text: |\n")
	for i := range blocks {
		fmt.Fprintf(&script, "      Block %d of a long session, with a **bold** word and some `code`.\n\n", i)
	}
	script.WriteString("      The last block.\n")
	t, err := openTermload(rein, dir, script.String())
	if err != nil {
		return err
	}
	defer t.close()
	if _, err := t.waits("ask when needed"); err != nil {
		return err
	}
	fmt.Fprint(t.tty, "go\r")
	if _, err := t.waits("The last block."); err != nil {
		return err
	}
	t.quiet(500 * time.Millisecond)
	var all []time.Duration
	for i := range 100 {
		t.mu.Lock()
		before := t.total
		t.mu.Unlock()
		begin := time.Now()
		fmt.Fprint(t.tty, string(rune('a'+i%26)))
		for {
			t.mu.Lock()
			total, at := t.total, t.last
			t.mu.Unlock()
			if total > before {
				all = append(all, at.Sub(begin))
				break
			}
			time.Sleep(200 * time.Microsecond)
		}
		time.Sleep(time.Duration(20+i%17) * time.Millisecond)
	}
	show(fmt.Sprintf("key to frame after %d blocks", blocks), all)
	fmt.Printf("%-44s %.0f MB now, %.0f MB at most\n", "  memory", memory(t.cmd.Process.Pid, "VmRSS:"), memory(t.cmd.Process.Pid, "VmHWM:"))
	return nil
}

// blockBytes is the size of a paragraph of markdown with its code.
const blockBytes = 8*84 + 80

// markdown is a script whose answer comes at 2,000 tokens a second, four fifths of it Go.
func markdown() string {
	var script strings.Builder
	script.WriteString("pace: 5ms\ndelta: 40\nturns:\n  - text: |\n")
	for i := range 120 {
		fmt.Fprintf(&script, "      Paragraph %d says *what* the code below does, and why it is `there`.\n\n      ```go\n", i)
		for j := range 8 {
			fmt.Fprintf(&script, "      func f%d_%d(ctx context.Context, n int) (string, error) { return \"x\", nil } // %d\n", i, j, j)
		}
		script.WriteString("      ```\n\n")
	}
	script.WriteString("      The last block.\n")
	return script.String()
}

// streaming measures the processor time while Markdown comes at 2,000 tokens a second, four fifths of it Go.
func streaming(rein, dir string) error {
	t, err := openTermload(rein, dir, markdown())
	if err != nil {
		return err
	}
	defer t.close()
	if _, err := t.waits("ask when needed"); err != nil {
		return err
	}
	fmt.Fprint(t.tty, "go\r")
	if _, err := t.waits("Paragraph 5 "); err != nil {
		return err
	}
	pid := t.cmd.Process.Pid
	begin, used := time.Now(), processor(pid)
	if _, err := t.waits("Paragraph 100 "); err != nil {
		return err
	}
	took, used := time.Since(begin), processor(pid)-used
	rate := float64(95*blockBytes) / 4 / took.Seconds()
	fmt.Printf("%-44s %.1f %% of a core at %.0f tokens a second, %.0f MB at most\n", "an answer of Markdown comes", 100*used.Seconds()/took.Seconds(), rate, memory(pid, "VmHWM:"))
	return nil
}

// processor returns the time that a process has used.
func processor(pid int) time.Duration {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

// memory returns a line of the status of a process, in MB.
func memory(pid int, name string) float64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			kb, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kb / 1000
		}
	}
	return 0
}

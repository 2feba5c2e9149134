//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gdamore/tcell/v3/vt"
)

// titles answers the requests for a title that some programs send beside the first message.
const titles = "conversations:\n  - {when: '(?i)title', turns: [{text: A title}]}\n"

// screen is a program in an emulated terminal.
type screen struct {
	cmd  *exec.Cmd
	tty  *os.File
	term vt.MockTerm

	mu   sync.Mutex
	text string    // what the terminal shows
	last time.Time // of the last output
	size int       // of all output, in bytes
}

func startTermload(command []string) (*screen, error) {
	s := &screen{term: vt.NewMockTerm(vt.MockOptSize{X: columns, Y: rows}, vt.MockOptColors(1<<24))}
	if err := s.term.Start(); err != nil {
		return nil, err
	}
	var err error
	if s.cmd, s.tty, err = runTermload("", command); err != nil {
		return nil, err
	}
	go s.show()
	go s.answer()
	return s, nil
}

// show writes what the program prints into the terminal.
func (s *screen) show() {
	piece := make([]byte, 64<<10)
	for {
		n, err := s.tty.Read(piece)
		at := time.Now()
		_, _ = s.term.Write(piece[:n]) // the emulated terminal takes all
		_ = s.term.Drain()
		text := s.shown()
		s.mu.Lock()
		s.text, s.last, s.size = text, at, s.size+n
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (s *screen) shown() string {
	var b strings.Builder
	for y := range rows {
		for x := range columns {
			if c := s.term.GetCell(vt.Coord{X: vt.Col(x), Y: vt.Row(y)}).C; c != "" {
				b.WriteString(c)
			} else {
				b.WriteByte(' ')
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// answer gives the program what the terminal answers to its queries.
func (s *screen) answer() {
	piece := make([]byte, 4096)
	for {
		n, err := s.term.Read(piece)
		if err != nil {
			return
		}
		if _, err := s.tty.Write(piece[:n]); err != nil {
			return
		}
	}
}

func (s *screen) close() {
	for _, pid := range slices.Backward(s.processes()) {
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill()
		}
	}
	_ = s.cmd.Wait()
	_ = s.tty.Close()
	_ = s.term.Stop()
}

// waits until the screen has a text, and gives when the output came that brought it.
func (s *screen) waits(want string) (time.Time, error) {
	for begin := time.Now(); time.Since(begin) < 2*time.Minute; time.Sleep(time.Millisecond) {
		s.mu.Lock()
		found, at := strings.Contains(s.text, want), s.last
		s.mu.Unlock()
		if found {
			return at, nil
		}
	}
	return time.Time{}, errors.New("never on the screen: " + want + "\n" + s.text)
}

// quiet waits until nothing was written for a while, for some seconds at most: some programs always move.
func (s *screen) quiet(d time.Duration) {
	for begin := time.Now(); time.Since(begin) < 10*time.Second; time.Sleep(d / 10) {
		s.mu.Lock()
		idle := time.Since(s.last)
		s.mu.Unlock()
		if idle > d {
			return
		}
	}
}

// processes are the program and all that it started.
func (s *screen) processes() []int {
	all := []int{s.cmd.Process.Pid}
	for i := 0; i < len(all); i++ {
		tasks, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", all[i]))
		for _, t := range tasks {
			b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", all[i], t.Name()))
			for _, field := range bytes.Fields(b) {
				if pid, err := strconv.Atoi(string(field)); err == nil {
					all = append(all, pid)
				}
			}
		}
	}
	return all
}

// used returns the processor time and the memory of the program and all that it started.
func (s *screen) used() (cpu time.Duration, mb float64) {
	for _, pid := range s.processes() {
		cpu += processor(pid)
		mb += memory(pid, "VmRSS:")
	}
	return cpu, mb
}

// compare measures a program: its first frame, a key to its frame at the start and after an answer, and the processor time and the
// memory while that answer comes.
func compare(ready string, command []string) error {
	var first []time.Duration
	for range 7 {
		begin := time.Now()
		s, err := startTermload(command)
		if err != nil {
			return err
		}
		at, err := s.waits(ready)
		s.close()
		if err != nil {
			return err
		}
		first = append(first, at.Sub(begin))
	}
	show("start to the frame that takes keys", first)
	s, err := startTermload(command)
	if err != nil {
		return err
	}
	defer s.close()
	if _, err := s.waits(ready); err != nil {
		return err
	}
	s.quiet(2 * time.Second)
	s.keys("key to frame at the start")
	_, mb := s.used()
	fmt.Printf("%-44s %.0f MB\n", "memory at the start", mb)
	if err := s.stream(); err != nil {
		return err
	}
	s.quiet(2 * time.Second)
	s.keys("key to frame after the answer")
	_, mb = s.used()
	fmt.Printf("%-44s %.0f MB\n", "memory after the answer", mb)
	cpu, begin := time.Duration(0), time.Now()
	cpu, _ = s.used()
	time.Sleep(10 * time.Second)
	after, _ := s.used()
	fmt.Printf("%-44s %.1f %% of a core\n", "idle", 100*(after-cpu).Seconds()/time.Since(begin).Seconds())
	return nil
}

// keys types letters and measures when each of them is on the screen, then takes them back.
func (s *screen) keys(what string) {
	var all []time.Duration
	written := ""
	for i := range 40 {
		written += string(rune('a' + i%26))
		begin := time.Now()
		fmt.Fprint(s.tty, written[i:])
		if at, err := s.waits(written); err == nil {
			all = append(all, at.Sub(begin))
		}
		time.Sleep(time.Duration(60+i%17) * time.Millisecond)
	}
	show(what, all)
	fmt.Fprint(s.tty, strings.Repeat("\x7f", len(written)))
	s.quiet(500 * time.Millisecond)
}

// stream sends a message and measures while the answer comes.
func (s *screen) stream() error {
	fmt.Fprint(s.tty, "go")
	s.quiet(300 * time.Millisecond)
	fmt.Fprint(s.tty, "\r")
	if _, err := s.waits("Paragraph 5 "); err != nil {
		return err
	}
	begin := time.Now()
	before, most := s.used()
	for {
		s.mu.Lock()
		over := strings.Contains(s.text, "Paragraph 100 ") || strings.Contains(s.text, "Paragraph 101 ")
		s.mu.Unlock()
		if over {
			break
		}
		if time.Since(begin) > 5*time.Minute {
			return errors.New("the answer never comes to its end")
		}
		_, mb := s.used()
		most = max(most, mb)
		time.Sleep(50 * time.Millisecond)
	}
	took := time.Since(begin)
	after, _ := s.used()
	fmt.Printf("%-44s %.1f %% of a core at %.0f tokens a second, %.0f MB at most\n", "an answer of Markdown comes",
		100*(after-before).Seconds()/took.Seconds(), float64(95*blockBytes)/4/took.Seconds(), most)
	return nil
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"rein/guard"
)

// deaf is how long keys are ignored after a question appears: people are typing while it pops up.
const deaf = 300 * time.Millisecond

// terminal asks a person. One question stands at a time; the others wait for it.
type terminal struct {
	in    *os.File
	out   io.Writer
	keys  func() (keys, error) // puts the terminal into the state in which single keys are read
	lock  sync.Mutex
	asked func(guard.Case, guard.Verdict) question
}

// keys reads single keys until it is closed.
type keys interface {
	Key(ctx context.Context) (byte, error)
	Close() error
}

// question is what is shown for one call.
type question struct {
	lines  []string // the whole call, its effects and why it is asked
	scopes []scope  // how long a yes may last beyond this call; none: only once
}

// scope is a lasting yes: its key, its name with where it is kept, and what keeps it.
type scope struct {
	key  byte
	name string
	keep func() error
}

func newTerminal(in *os.File, out *os.File) *terminal {
	t := &terminal{in: in, out: out, asked: plainQuestion}
	t.keys = func() (keys, error) { return rawKeys(in) }
	return t
}

// present reports whether a person is there to be asked.
func (t *terminal) present() bool {
	out, ok := t.out.(*os.File)
	return ok && term.IsTerminal(int(t.in.Fd())) && term.IsTerminal(int(out.Fd()))
}

// show makes the terminal put its questions by another function.
func (t *terminal) show(ask func(guard.Case, guard.Verdict) question) { t.asked = ask }

// approver is the person at the terminal, or nobody where there is none.
func (t *terminal) approver() guard.Approver {
	if !t.present() {
		return guard.Nobody{}
	}
	return t
}

// Approve shows the whole call and waits for an answer. There is no time limit; the end of input means no.
func (t *terminal) Approve(ctx context.Context, c guard.Case, v guard.Verdict) (guard.Answer, error) {
	t.lock.Lock()
	defer t.lock.Unlock()
	if ctx.Err() != nil {
		return guard.Answer{}, context.Cause(ctx)
	}
	q := t.asked(c, v)
	fmt.Fprintf(t.out, "\n? %s\n%s ", strings.Join(q.lines, "\n"), q.choices())
	k, err := t.keys()
	if err != nil {
		return guard.Answer{}, err
	}
	defer k.Close()
	return t.answer(ctx, k, q)
}

func (q question) choices() string {
	if len(q.scopes) == 0 {
		return "Run it? [y]es / [n]o / no, [t]ell it why:"
	}
	return "Run it? [y]es / [a]lways … / [n]o / no, [t]ell it why:"
}

func (t *terminal) answer(ctx context.Context, k keys, q question) (guard.Answer, error) {
	heard := time.Now().Add(deaf)
	for {
		key, err := k.Key(ctx)
		if err != nil {
			fmt.Fprint(t.out, "no\r\n")
			return guard.Answer{Reply: guard.No, By: "user"}, err
		}
		if time.Now().Before(heard) && key != ctrlC {
			continue
		}
		switch key {
		case 'y', 'Y':
			fmt.Fprint(t.out, "yes\r\n")
			return guard.Answer{Reply: guard.Yes, By: "user"}, nil
		case 'a', 'A':
			if len(q.scopes) > 0 {
				return t.lasting(ctx, k, q)
			}
		case 'n', 'N', escape:
			fmt.Fprint(t.out, "no\r\n")
			return guard.Answer{Reply: guard.No, By: "user"}, nil
		case 't', 'T':
			return t.words(ctx, k)
		case ctrlC:
			fmt.Fprint(t.out, "cancelled\r\n")
			interrupt()
			select {
			case <-ctx.Done():
			case <-time.After(time.Second): // nobody minds the signal
			}
			return guard.Answer{}, errors.New("interrupted")
		}
	}
}

// lasting asks how long a yes is to last, and keeps it. Any other key is no answer but no.
func (t *terminal) lasting(ctx context.Context, k keys, q question) (guard.Answer, error) {
	fmt.Fprint(t.out, "always\r\n")
	for _, s := range q.scopes {
		fmt.Fprintf(t.out, "  [%c] %s\r\n", s.key, s.name)
	}
	fmt.Fprint(t.out, "Which (any other key: not at all): ")
	key, err := k.Key(ctx)
	if err != nil {
		return guard.Answer{Reply: guard.No, By: "user"}, err
	}
	for _, s := range q.scopes {
		if key != s.key {
			continue
		}
		if err := s.keep(); err != nil {
			fmt.Fprintf(t.out, "\r\nit could not be kept (%v); yes for this once\r\n", err)
			return guard.Answer{Reply: guard.Yes, By: "user"}, nil
		}
		fmt.Fprintf(t.out, "%s\r\n", s.name)
		return guard.Answer{Reply: guard.Yes, By: "user, " + s.name}, nil
	}
	fmt.Fprint(t.out, "no\r\n")
	return guard.Answer{Reply: guard.No, By: "user"}, nil
}

const (
	ctrlC     = 0x03
	ctrlD     = 0x04
	escape    = 0x1b
	backspace = 0x7f
)

// words reads what the model is to be told.
func (t *terminal) words(ctx context.Context, k keys) (guard.Answer, error) {
	fmt.Fprint(t.out, "no. Tell it: ")
	var line []byte
	for {
		key, err := k.Key(ctx)
		if err != nil || key == ctrlC || key == ctrlD || key == '\r' || key == '\n' {
			fmt.Fprint(t.out, "\r\n")
			return guard.Answer{Reply: guard.No, By: "user", Words: strings.TrimSpace(string(line))}, nil
		}
		switch {
		case key == backspace || key == '\b':
			if len(line) > 0 {
				line = []byte(string([]rune(string(line))[:len([]rune(string(line)))-1]))
				fmt.Fprint(t.out, "\b \b")
			}
		case key >= ' ':
			line = append(line, key)
			t.out.Write([]byte{key})
		}
	}
}

// plainQuestion shows the call as it is, whole.
func plainQuestion(c guard.Case, v guard.Verdict) question {
	lines := []string{c.Call.Name}
	if c.Intent.Command != "" {
		lines = append(lines, "  "+strings.ReplaceAll(printable(c.Intent.Command), "\n", "\n  "))
	} else {
		lines = append(lines, "  "+printable(string(c.Call.Args)))
	}
	for _, e := range v.Effects {
		lines = append(lines, "  "+printable(e))
	}
	if v.Reason != "" {
		lines = append(lines, "  why: "+printable(v.Reason))
	}
	return question{lines: lines}
}

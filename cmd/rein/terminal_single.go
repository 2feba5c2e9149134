package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"rein/guard"
)

// single puts one question.
func (t *terminal) single(a *pending) {
	q := t.asked(a.c, a.v)
	fmt.Fprintf(t.out, "\n? %s\n%s ", t.lines(q), q.choices())
	answer, err := t.listen(func(k keys) (guard.Answer, error) { return t.answer(k, q, a) })
	if !errors.Is(err, errGone) {
		t.decide(a, answer, err)
	}
}

// lines are those of a question, as they fit the screen.
func (t *terminal) lines(q question) string {
	width := 0
	if out, ok := t.out.(*os.File); ok {
		if columns, _, err := term.GetSize(int(out.Fd())); err == nil {
			width = columns
		}
	}
	return strings.Join(guard.Folded(q.lines, width), "\n")
}

// listen runs read while single keys are read.
func (t *terminal) listen(read func(keys) (guard.Answer, error)) (guard.Answer, error) {
	k, err := t.keys()
	if err != nil {
		return guard.Answer{}, err
	}
	defer k.Close()
	return read(k)
}

func (q question) choices() string {
	if len(q.scopes) == 0 {
		return "Run it? [y]es / [n]o / no, [t]ell it why:"
	}
	return "Run it? [y]es / [a]lways … / [n]o / no, [t]ell it why:"
}

// pressed reads the next key that counts: those of the first moment are typed by somebody who has not read yet. The end
// of input and Ctrl-C are errors.
func (t *terminal) pressed(k keys, heard time.Time, shown ...*pending) (byte, error) {
	for {
		key, err := t.key(k, shown...)
		switch {
		case err != nil && !errors.Is(err, errGone):
			fmt.Fprint(t.out, "no\r\n")
			return 0, err
		case err != nil:
			return 0, err
		case key == ctrlC:
			return 0, t.interrupted(shown)
		case !time.Now().Before(heard):
			return key, nil
		}
	}
}

func (t *terminal) interrupted(shown []*pending) error {
	fmt.Fprint(t.out, "cancelled\r\n")
	interrupt()
	select {
	case <-shown[0].ctx.Done():
	case <-time.After(time.Second): // nobody minds the signal
	}
	return errors.New("interrupted")
}

func (t *terminal) answer(k keys, q question, a *pending) (guard.Answer, error) {
	no := guard.Answer{Choice: guard.Denied, By: "user"}
	heard := time.Now().Add(deaf)
	for {
		key, err := t.pressed(k, heard, a)
		if err != nil {
			return no, err
		}
		switch key {
		case 'y', 'Y':
			fmt.Fprint(t.out, "yes\r\n")
			return guard.Answer{Choice: guard.Approved, By: "user"}, nil
		case 'a', 'A':
			if len(q.scopes) > 0 {
				return t.lasting(k, q, a)
			}
		case 'n', 'N', escape, ctrlD:
			fmt.Fprint(t.out, "no\r\n")
			return no, nil
		case 't', 'T':
			return t.words(k, a)
		}
	}
}

// lasting asks how long a yes is to last, and keeps it. Any other key is no answer but no.
func (t *terminal) lasting(k keys, q question, a *pending) (guard.Answer, error) {
	fmt.Fprint(t.out, "always\r\n")
	for _, s := range q.scopes {
		fmt.Fprintf(t.out, "  [%c] %s\r\n", s.key, s.name)
	}
	fmt.Fprint(t.out, "Which (any other key: not at all): ")
	key, err := t.key(k, a)
	if err != nil {
		return guard.Answer{Choice: guard.Denied, By: "user"}, err
	}
	for _, s := range q.scopes {
		if key != s.key {
			continue
		}
		if err := s.keep(); err != nil {
			fmt.Fprintf(t.out, "\r\nit could not be kept (%v); yes for this once\r\n", err)
			return guard.Answer{Choice: guard.Approved, By: "user"}, nil
		}
		fmt.Fprintf(t.out, "%s\r\n", s.name)
		return guard.Answer{Choice: guard.Approved, By: "user, " + s.name}, nil
	}
	fmt.Fprint(t.out, "no\r\n")
	return guard.Answer{Choice: guard.Denied, By: "user"}, nil
}

const (
	ctrlC     = 0x03
	ctrlD     = 0x04
	escape    = 0x1b
	backspace = 0x7f
)

// words reads what the model is to be told.
func (t *terminal) words(k keys, a *pending) (guard.Answer, error) {
	fmt.Fprint(t.out, "no. Tell it: ")
	var line []byte
	for {
		key, err := t.key(k, a)
		if errors.Is(err, errGone) {
			return guard.Answer{}, err
		}
		if err != nil || key == ctrlC || key == ctrlD || key == '\r' || key == '\n' {
			fmt.Fprint(t.out, "\r\n")
			return guard.Answer{Choice: guard.Denied, By: "user", Words: strings.TrimSpace(string(line))}, nil
		}
		line = t.edited(line, key)
	}
}

// edited is a line after one more key, echoed.
func (t *terminal) edited(line []byte, key byte) []byte {
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
	return line
}

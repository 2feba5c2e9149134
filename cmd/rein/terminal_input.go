package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"rein/guard"
)

// terminalAnswers reads the answers to the requests that are on the screen.
type terminalAnswers struct {
	t     *approvalTerminal
	keys  keySource
	shown []*pendingRequest
}

// listen lets a person answer what is shown. What was typed before is kept for the prompt: it is no answer. read starts
// when nobody has typed for a while.
func (t *approvalTerminal) listen(shown []*pendingRequest, read func(terminalAnswers) error) error {
	k, err := t.keys()
	if err != nil {
		return err
	}
	defer k.Close()
	p := terminalAnswers{t, k, shown}
	if err := p.settle(); err != nil {
		return err
	}
	if err := read(p); err != nil {
		return err
	}
	return nil
}

// context ends when one of the shown requests needs no answer any more.
func (p terminalAnswers) context() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(context.Background())
	var stops []func() bool
	for _, a := range append(p.shown[:len(p.shown):len(p.shown)], p.t.leader) {
		stops = append(stops, context.AfterFunc(a.ctx, func() { cancel(context.Cause(a.ctx)) }))
	}
	return ctx, func() {
		for _, stop := range stops {
			stop()
		}
		cancel(nil)
	}
}

// settle waits until no key has come for a while. A person who was typing before the request appeared types on: that
// text is kept for the prompt too. Other keys are dropped.
func (p terminalAnswers) settle() error {
	ctx, done := p.context()
	defer done()
	typing := p.t.keyboard != nil && p.t.keyboard.Save()
	var typed []byte
	for {
		within, cancel := context.WithTimeout(ctx, pause)
		key, err := p.keys.Key(within)
		late := within.Err() != nil && ctx.Err() == nil
		cancel()
		switch {
		case err == nil && key == ctrlC:
			return p.interrupted()
		case err == nil:
			typed = append(typed, key)
		case late && typing:
			p.t.keyboard.Keep(typed)
			return nil
		case late:
			return nil
		default:
			return p.failed(ctx, err)
		}
	}
}

// line reads one line, up to Enter. The end of input and Ctrl-C are errors; errGone is one when the request went away.
func (p terminalAnswers) line(prompt string) (string, error) {
	ctx, done := p.context()
	defer done()
	if p.marks() {
		fmt.Fprint(p.t.out, pasteMarks)
		defer fmt.Fprint(p.t.out, noPasteMarks)
	}
	e := lineEditor{CtrlCEnds: true}
	line, err := e.Line(ctx, p.keys, p.t.out, prompt, "")
	switch {
	case errors.Is(err, errInterrupt):
		return "", p.interrupted()
	case err != nil:
		return "", p.failed(ctx, err)
	}
	return strings.TrimSpace(line), nil
}

// marks reports whether the terminal does not mark pastes yet.
func (p terminalAnswers) marks() bool {
	return p.t.keyboard != nil && !p.t.keyboard.IsQuiet() && os.Getenv("TERM") != "dumb"
}

// failed gives the error of input that ended: errGone when a request went away meanwhile, with a line that says why.
func (p terminalAnswers) failed(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	if by, ok := errors.AsType[guard.Answered](context.Cause(ctx)); ok {
		fmt.Fprintln(p.t.out, p.t.Own.Of("answered elsewhere: %s", printable(by.String())))
	} else {
		fmt.Fprintln(p.t.out, p.t.Own.Of("cancelled"))
	}
	return errGone
}

// interrupted passes Ctrl-C on to the program, which cancels the turn.
func (p terminalAnswers) interrupted() error {
	fmt.Fprintln(p.t.out, p.t.Own.Of("cancelled"))
	interruptSelf()
	select {
	case <-p.shown[0].ctx.Done():
	case <-time.After(time.Second): // nothing handles the signal
	}
	return errors.New("interrupted")
}

// endOfInput reports whether the person ended the input at an empty line: Ctrl-D means no.
func endOfInput(err error) bool {
	return errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF)
}

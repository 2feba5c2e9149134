package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"rein/app/tui/text"
)

// promptSign stands before the line of the user.
func (a *modelFlags) promptSign(own text.Words) string {
	if a.accessible {
		return own.Of("input: ")
	}
	return "› "
}

// prompter reads the messages of a chat.
type prompter interface {
	// Line reads one message. io.EOF is the end, and may come with the last message.
	Line(ctx context.Context) (string, error)
	Close() error
}

// prompter returns a line editor where a person types and reads, else one that takes each line of the input.
func (a *modelFlags) prompter(cmd *cobra.Command, own text.Words) (prompter, error) {
	out, isFile := cmd.OutOrStdout().(*os.File)
	if a.terminal == nil || !a.terminal.Present() || !isFile || !term.IsTerminal(int(out.Fd())) {
		return lineInput{In: cmd.InOrStdin(), Out: cmd.OutOrStdout(), Prompt: a.promptSign(own)}, nil
	}
	restore, err := a.terminal.Keyboard().Quiet()
	if err != nil {
		return nil, err
	}
	p := &editingPrompter{keyboard: a.terminal.Keyboard(), out: out, own: own, sign: a.promptSign(own), restore: restore, marks: os.Getenv("TERM") != "dumb"}
	if p.marks {
		fmt.Fprint(out, pasteMarks)
	}
	return p, nil
}

// editingPrompter is the line editor of a chat at a terminal.
type editingPrompter struct {
	own      text.Words
	sign     string // before the line
	keyboard *keyboardInput
	editor   lineEditor
	out      io.Writer
	restore  func() error
	marks    bool
}

// leaveTime is how soon a second Ctrl-C must come to end the chat.
const leaveTime = 2 * time.Second

// Line reads one message. One Ctrl-C at an empty line is not the end: a person may have meant the turn that has just
// ended.
func (p *editingPrompter) Line(ctx context.Context) (string, error) {
	var pressed time.Time
	for {
		line, err := p.edited(ctx)
		if !errors.Is(err, errInterrupt) {
			return line, err
		}
		if now := time.Now(); now.Sub(pressed) > leaveTime {
			pressed = now
			fmt.Fprintln(p.out, p.own.Of("Press Ctrl-C again within 2 seconds to leave, or Ctrl-D."))
			continue
		}
		return "", io.EOF
	}
}

// edited reads one line. A signal that interrupts the program is a Ctrl-C too.
func (p *editingPrompter) edited(ctx context.Context) (string, error) {
	ctx, stop := interruptible(ctx)
	defer stop()
	keys, err := p.keyboard.Keys()
	if err != nil {
		return "", err
	}
	defer keys.Close()
	line, err := p.editor.Line(ctx, keys, p.out, p.sign, p.keyboard.Saved())
	if by, ok := errors.AsType[stoppedBySignal](err); ok && by.Signal == os.Interrupt {
		err = errInterrupt
	}
	return line, err
}

// Close gives the terminal its former state back.
func (p *editingPrompter) Close() error {
	if p.marks {
		fmt.Fprint(p.out, noPasteMarks)
	}
	return p.restore()
}

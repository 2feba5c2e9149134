package remote

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/spf13/cobra"

	"rein/cmd/rein/internal/cli"
	"rein/cmd/rein/internal/console"
)

const promptSign = "› "

// lines reads what the person types while events appear above it.
type lines struct {
	out      io.Writer // above the line
	plain    console.Lines
	editor   *console.Editor // nil: standard input is no terminal
	keyboard *console.Keyboard
	screen   io.Writer
	restore  func() error
	marks    bool
}

func openLines(cmd *cobra.Command) (*lines, error) {
	l := &lines{screen: cmd.OutOrStdout()}
	t := console.NewTerminal(os.Stdin, os.Stderr)
	if !t.Present() || !console.IsTerminal(l.screen) {
		l.out, l.plain = l.screen, console.Lines{In: cmd.InOrStdin(), Out: io.Discard}
		return l, nil
	}
	restore, err := t.Keyboard().Quiet()
	if err != nil {
		return nil, err
	}
	l.editor, l.keyboard, l.restore = &console.Editor{}, t.Keyboard(), restore
	l.out = l.editor.Above(l.screen)
	if l.marks = os.Getenv("TERM") != "dumb"; l.marks {
		_, err = io.WriteString(l.screen, console.PasteMarks)
	}
	return l, err
}

// next reads one line; errEnded when ended is closed before. io.EOF may come with the last line.
func (l *lines) next(ctx context.Context, ended <-chan struct{}) (string, error) {
	if l.editor == nil {
		return l.plain.Line(ctx)
	}
	ctx, stop := cli.Interruptible(ctx)
	defer stop()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-ended:
			cancel(errEnded)
		case <-ctx.Done():
		}
	}()
	keys, err := l.keyboard.Keys()
	if err != nil {
		return "", err
	}
	defer keys.Close()
	line, err := l.editor.Line(ctx, keys, l.screen, promptSign, l.keyboard.Saved())
	if by, ok := errors.AsType[cli.Stopped](err); ok && by.Signal == os.Interrupt {
		err = console.ErrInterrupt
	}
	return line, err
}

// Close gives the terminal its former state back.
func (l *lines) Close() error {
	if l.editor == nil {
		return nil
	}
	if l.marks {
		if _, err := io.WriteString(l.screen, console.NoPasteMarks); err != nil {
			return err
		}
	}
	return l.restore()
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"rein/harness"
	"rein/harness/settings"
	"rein/model"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"rein/event"
	"rein/journal"
)

// asking are the flags of the commands that ask a model.
type asking struct {
	options
	model    string
	effort   string
	dialect  string
	maxTurns positive
	budget   positive
	system   string
	format   string
	print    bool
	verbose  bool
	quiet    bool
	suspend  bool
	resume   string
	goOn     bool
	terminal *terminal // where a person is asked; nil: nowhere
}

// shown gives a writer for the screen that does not write into a question.
func (a *asking) shown(out io.Writer) io.Writer {
	if a.terminal == nil {
		return out
	}
	return a.terminal.over(out)
}

func (a *asking) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	a.options.add(flags)
	flags.StringVarP(&a.model, "model", "m", "", "provider/name (default: the first provider with a key, else a local Ollama)")
	flags.StringVar(&a.effort, "effort", "", "how long the model thinks: none, low, medium, high; some models also minimal, xhigh, max")
	flags.StringVar(&a.dialect, "dialect", "", "how the model writes calls in text: auto, none, or a name from rein dialect list")
	flags.Var(&a.maxTurns, "max-turns", "requests to the model for one message (default 50)")
	flags.Var(&a.budget, "budget", "tokens for one message (default: no limit)")
	flags.StringVar(&a.system, "append-system-prompt", "", "more words for the system prompt")
	flags.BoolVarP(&a.verbose, "verbose", "v", false, "tell also what the guard granted by itself")
	flags.BoolVarP(&a.quiet, "quiet", "q", false, "tell only warnings and refusals")
}

func newRun() *cobra.Command {
	var a asking
	cmd := &cobra.Command{
		Use:     "run [flags] PROMPT",
		Aliases: []string{"exec"},
		Short:   "Do one task, and answer on standard output",
		Long: `Do one task: ask the model, run its calls, until it calls nothing more. The answer goes to standard output, all
else to standard error. Without a PROMPT, or with '-', it is read from standard input. At a terminal rein asks before
what needs a yes; elsewhere that is refused, listed at the end, and the exit code is 60.`,
		Example: `  rein run 'make the tests pass'
  git diff | rein run -p 'review this' --output-format json
  rein run --resume 20261121-093000-abcde`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.run(cmd, args) },
	}
	a.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&a.format, "output-format", "text", "text, json (one object at the end) or stream-json (a line for each event)")
	flags.BoolVarP(&a.print, "print", "p", false, "never ask, and add standard input to the prompt when it is a pipe or file")
	flags.BoolVar(&a.suspend, "suspend", false, "park what needs a yes instead of refusing it: answer with rein approve, go on with --resume")
	flags.StringVarP(&a.resume, "resume", "r", "", "go on with this session; with a PROMPT, say that next")
	flags.BoolVarP(&a.goOn, "continue", "c", false, "go on with the newest session of this directory")
	return cmd
}

func (a *asking) run(cmd *cobra.Command, args []string) error {
	if !contains([]string{"text", "json", "stream-json"}, a.format) {
		return coded{exitUsage, fmt.Errorf("no such output format: %q (want text, json or stream-json)", a.format)}
	}
	prompt, err := a.prompt(args, cmd.InOrStdin())
	if err != nil {
		return err
	}
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	return a.withSession(cmd, func(s *harness.Session) error {
		out, err := a.output(cmd, s)
		if err != nil {
			return err
		}
		if !a.quiet {
			defer tellJobsEnd(cmd.ErrOrStderr(), s)
		}
		if s.Waiting() {
			return a.resumed(ctx, s, prompt, out)
		}
		if prompt == "" {
			return coded{exitUsage, errors.New("nothing to do: give a prompt")}
		}
		return out.drain(ctx, s.Send(ctx, model.Text(prompt)))
	})
}

// resumed goes on with what was left, and then says the prompt if there is one.
func (a *asking) resumed(ctx context.Context, s *harness.Session, prompt string, out *output) error {
	if err := out.drain(ctx, s.Resume(ctx)); err != nil || prompt == "" {
		return err
	}
	return out.drain(ctx, s.Send(ctx, model.Text(prompt)))
}

// person is who answers approval requests: the person at the terminal, or nobody.
func (a *asking) person() harness.Person {
	if a.print || a.suspend {
		return nil
	}
	a.terminal = newTerminal(os.Stdin, os.Stderr)
	return a.terminal.person()
}

// prompt puts the task together from the arguments and standard input.
func (a *asking) prompt(args []string, in io.Reader) (string, error) {
	said := strings.Join(args, " ")
	resuming := a.resume != "" || a.goOn
	fromInput := said == "-" || said == "" && !resuming || a.print && piped(in)
	if !fromInput {
		return said, nil
	}
	if f, ok := in.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		if resuming {
			return said, nil
		}
		return "", coded{exitUsage, errors.New("no prompt: give one as an argument or on standard input")}
	}
	text, err := io.ReadAll(io.LimitReader(in, maxPrompt+1))
	if err != nil {
		return "", coded{exitInput, err}
	}
	if len(text) > maxPrompt {
		return "", coded{exitInput, fmt.Errorf("the prompt on standard input is longer than %d bytes", maxPrompt)}
	}
	if said == "-" {
		said = ""
	}
	said = strings.TrimSpace(said + "\n\n" + string(text))
	if said == "" && !resuming {
		return "", coded{exitUsage, errors.New("no prompt: standard input is empty")}
	}
	return said, nil
}

const maxPrompt = 4 << 20

// piped reports whether standard input holds something meant for us: a pipe or a file, not a device.
func piped(in io.Reader) bool {
	f, ok := in.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice == 0
}

// withSession opens the harness, starts or resumes the session, and runs do.
func (a *asking) withSession(cmd *cobra.Command, do func(*harness.Session) error) error {
	id, err := a.chosenSession()
	if err != nil {
		return err
	}
	if id != "" {
		if err := a.atRecorded(cmd, id); err != nil {
			return err
		}
	}
	h, err := harness.Open(cmd.Context(), a.harness(cmd, a.person()))
	if err != nil {
		return err
	}
	s, err := a.open(cmd.Context(), h, id)
	if err == nil {
		err = do(s)
	}
	return errors.Join(err, h.Close(cmd.Context()))
}

func (a *asking) open(ctx context.Context, h *harness.Harness, id string) (*harness.Session, error) {
	if id != "" {
		return h.Resume(ctx, id, harness.NewSession{})
	}
	return h.Start(ctx, harness.NewSession{})
}

// harness gives the options as the harness takes them.
func (a *asking) harness(cmd *cobra.Command, person harness.Person) harness.Options {
	o := a.options.harness(cmd, person)
	o.Model, o.Dialect, o.Effort, o.MaxTurns, o.Budget, o.System = a.model, a.dialect, a.effort, int(a.maxTurns), int64(a.budget), a.system
	if a.suspend {
		o.Unattended = harness.Suspend
	}
	return o
}

// chosenSession gives the id of the session that the flags name; "" for a new one.
func (a *asking) chosenSession() (string, error) {
	if a.resume != "" || !a.goOn {
		return a.resume, nil
	}
	dir, err := realDir(a.dir)
	if err != nil {
		return "", coded{exitInput, err}
	}
	all, err := journal.List(settings.DefaultDirs().Sessions)
	if err != nil {
		return "", err
	}
	for _, s := range all {
		if s.Dir == dir {
			return s.ID, nil
		}
	}
	return "", coded{exitInput, errors.New("no session of this directory to continue")}
}

// atRecorded makes a resumed session work in the directory in which it was recorded. Another one must not be named.
func (a *asking) atRecorded(cmd *cobra.Command, id string) error {
	if _, err := sessionDir(settings.DefaultDirs().Sessions, id); err != nil {
		return err
	}
	recorded, err := harness.Recorded(settings.DefaultDirs().Sessions, id)
	if err != nil {
		return err
	}
	here, err := realDir(a.dir)
	if err != nil || recorded.Dir == "" || here == recorded.Dir {
		return nil // a directory that is not there is reported when it is opened
	}
	if cmd.Flags().Changed("cwd") {
		return coded{exitUsage, fmt.Errorf("session %s belongs to %s: leave out --cwd, or start a new session in %s", id, recorded.Dir, here)}
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "rein: the session goes on in its own directory, %s\n", recorded.Dir)
	a.dir = recorded.Dir
	return nil
}

// realDir is a directory's absolute path without links.
func realDir(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// drain shows all events of a send and turns how it ended into the process's error.
func (o *output) drain(ctx context.Context, events iter.Seq2[event.Event, error]) error {
	for e, err := range events {
		if showErr := o.show(e); showErr != nil {
			return showErr // leaving the loop cancels what runs
		}
		if e.Kind == event.Stopped && e.Parent == "" {
			return o.end(ctx, e, err)
		}
	}
	return nil
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"rein/harness/settings"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"rein/agent"
	"rein/event"
	"rein/guard"
	"rein/journal"
	"rein/model"
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
	return a.withAgent(cmd, a.approver(), func(w *wired, s *agent.Session) error {
		out, err := a.output(cmd, w)
		if err != nil {
			return err
		}
		if !a.quiet {
			defer w.tellJobsEnd(cmd.ErrOrStderr())
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
func (a *asking) resumed(ctx context.Context, s *agent.Session, prompt string, out *output) error {
	if err := out.drain(ctx, s.Resume(ctx)); err != nil || prompt == "" {
		return err
	}
	return out.drain(ctx, s.Send(ctx, model.Text(prompt)))
}

// approver answers what is left to ask: the person at the terminal, or nobody.
func (a *asking) approver() guard.Approver {
	if a.suspend {
		return guard.ApproverFunc(func(context.Context, guard.Case, guard.Verdict) (guard.Answer, error) {
			return guard.Answer{Choice: guard.Later}, nil
		})
	}
	if a.print {
		return guard.Nobody{}
	}
	a.terminal = newTerminal(os.Stdin, os.Stderr)
	return a.terminal.approver()
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

// withAgent wires everything, opens or rebuilds the session, and runs do.
func (a *asking) withAgent(cmd *cobra.Command, approver guard.Approver, do func(*wired, *agent.Session) error) error {
	if err := settings.CheckEffort(a.effort); err != nil {
		return coded{exitUsage, err}
	}
	warn := func(line string) { fmt.Fprintln(cmd.ErrOrStderr(), "rein: warning:", line) }
	w, err := wire(a.options, approver, warn)
	if err != nil {
		return err
	}
	s, err := a.session(cmd.Context(), w, warn)
	if err == nil {
		err = do(w, s)
	}
	return errors.Join(err, w.close(cmd.Context()))
}

func (a *asking) session(ctx context.Context, w *wired, warn func(string)) (*agent.Session, error) {
	m, err := openModel(ctx, a, w.settings)
	if err != nil {
		return nil, err
	}
	if err := a.chooseSession(w); err != nil {
		return nil, err
	}
	if err := w.record(); err != nil {
		return nil, err
	}
	return w.begin(a.agent(w, m), warn)
}

// agent joins the model with the runner.
func (a *asking) agent(w *wired, m model.Model) *agent.Agent {
	ag := &agent.Agent{Model: m, Calls: w.runner, System: systemPrompt(w, a.system), Version: version,
		MaxTurns: int(a.maxTurns), Budget: int64(a.budget), Effort: a.effort}
	if ag.MaxTurns == 0 {
		ag.MaxTurns = w.settings.MaxTurns
	}
	if ag.Budget == 0 {
		ag.Budget = w.settings.Budget
	}
	if ag.Effort == "" {
		ag.Effort = w.settings.Effort
	}
	return ag
}

// begin starts the session, or rebuilds it from its journal.
func (w *wired) begin(ag *agent.Agent, warn func(string)) (*agent.Session, error) {
	if !w.resumed {
		return ag.Start(w.sessionOptions()), nil
	}
	dir, err := journal.Dir(w.dirs.Sessions, w.session)
	if err != nil {
		return nil, err
	}
	s, err := ag.Load(w.sessionOptions(), w.recalling(journal.Read(filepath.Join(dir, journal.FileName))))
	if err != nil {
		return nil, coded{exitInput, fmt.Errorf("%s: %w", filepath.Join(dir, journal.FileName), err)}
	}
	return s, nil
}

// recalling passes the events of the journal on, and tells the file tools what the session has seen.
func (w *wired) recalling(events iter.Seq2[event.Event, error]) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		for e, err := range events {
			if e.Kind == event.Replied && e.Result != nil {
				w.files.Recall(e.Result.Detail)
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// chooseSession takes the session that the flags name instead of a new one.
func (a *asking) chooseSession(w *wired) error {
	id := a.resume
	if a.goOn && id == "" {
		all, err := journal.List(w.dirs.Sessions)
		if err != nil {
			return err
		}
		for _, s := range all {
			if s.Dir == w.workspace.Dir() {
				id = s.ID
				break
			}
		}
		if id == "" {
			return coded{exitInput, errors.New("no session of this directory to continue")}
		}
	}
	if id == "" {
		return nil
	}
	if _, err := sessionDir(w.dirs.Sessions, id); err != nil {
		return err
	}
	w.useSession(id)
	return nil
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

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rein/app/extend"
	"rein/app/harness"
	"rein/app/settings"
	"rein/event"
	"rein/model"
)

// modelFlags are the flags of the commands that ask a model.
type modelFlags struct {
	callFlags
	model    string
	effort   string
	sampling model.Sampling
	think    bool
	dialect  string
	maxTurns positiveNumber
	budget   positiveNumber
	fallback []string
	maxUSD   float64
	maxTime  settings.Duration
	system   string
	agents   string
	answer   string
	format   string
	print    bool
	verbose  bool
	quiet    bool
	suspend  bool
	plain    bool

	accessible bool
	server     string // the address of the server that runs the task; "": this process does
	signIn     signInFlags
	whichSession
	terminal *approvalTerminal // where a person answers approval requests; nil: nowhere
}

// shown returns a writer for the screen that does not write into an approval request.
func (a *modelFlags) shown(out io.Writer) io.Writer {
	if a.terminal == nil {
		return out
	}
	return a.terminal.Over(out)
}

func (a *modelFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	a.callFlags.Add(flags)
	a.addModel(flags)
	flags.BoolVar(&a.think, "think-first", false, "before it acts on a message, the model writes down what it will do")
	flags.StringVar(&a.system, "append-system-prompt", "", "text to add to the system prompt")
	flags.StringVar(&a.agents, "agents", "", "definitions of sub-agents, as JSON or the name of a file: {\"NAME\": {\"description\": …, \"prompt\": …}}")
	flags.BoolVarP(&a.verbose, "verbose", "v", false, "also show which calls the guard allowed")
	flags.BoolVarP(&a.quiet, "quiet", "q", false, "show only warnings and denied calls")
}

// addModel adds the flags that choose a model and limit it.
func (a *modelFlags) addModel(flags *pflag.FlagSet) {
	flags.StringVarP(&a.model, "model", "m", "", "provider/name (default: the first provider with a key, else a local server)")
	flags.Var(samplingFlag(&a.sampling), "sampling", "how the model chooses its words: a JSON object with temperature, top_p, seed, stop, extra")
	flags.Var(effortFlag(&a.effort), "effort", "how long the model thinks: none, low, medium, high; some models also minimal, xhigh, max")
	flags.StringVar(&a.dialect, "dialect", "", "tool-call format of a model that writes calls as text: auto, none, or a name from rein dialect list")
	flags.Var(&a.maxTurns, "max-turns", "limit of requests to the model for one message (default 50)")
	flags.Var(dollarsFlag(&a.maxUSD), "max-budget-usd", "limit in US dollars for one message, where prices are known (default: none)")
	flags.Var(limitFlag(&a.maxTime), "max-time", "limit of time for one message, such as 10m (default: none)")
	flags.StringSliceVar(&a.fallback, "fallback-model", nil, "provider/name of a model that takes over when the model fails (repeat)")
	flags.Var(&a.budget, "budget", "limit of tokens for one message (default: none)")
}

// newRun is the command rein run.
func newRun() *cobra.Command {
	var a modelFlags
	cmd := &cobra.Command{
		Use:     "run [flags] PROMPT",
		Aliases: []string{"exec"},
		Short:   "Do one task and print the answer",
		Long: `Do one task: send the prompt to the model, run its calls, and repeat until the model calls nothing more. The answer goes
to standard output, all else to standard error. Without a PROMPT, or with '-', rein reads the prompt from standard input.
At a terminal rein asks you about calls that need approval. Elsewhere it denies them, lists them at the end, and exits
with 60.`,
		Example: `  rein run 'make the tests pass'
  git diff | rein run -p 'review this' --output-format json
  rein run --resume abcde
  rein run --server http://127.0.0.1:4096 'make the tests pass'`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.run(cmd, args) },
	}
	a.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&a.format, "output-format", "text", "text, json (one object at the end) or stream-json (a line for each event)")
	flags.StringVar(&a.answer, "json-schema", "", "the answer must be a JSON object that fits this schema: JSON, or the name of a file")
	flags.BoolVarP(&a.print, "print", "p", false, "never ask for approval, and add standard input to the prompt if it is a pipe or a file")
	flags.BoolVar(&a.suspend, "suspend", false, "suspend the session at a call that needs approval; answer with rein approve, continue with --resume")
	flags.Var(choiceFlag(new(string), "local", "temporal"), "engine", "what runs the session: local, or temporal; then all other flags are those of rein-temporal run (docs/scale.md)")
	flags.StringVar(&a.server, "server", "", "let the server at this address do the task, in a workspace of its own (see rein serve)")
	a.signIn.add(flags)
	a.whichSession.add(flags)
	return cmd
}

func (a *modelFlags) run(cmd *cobra.Command, args []string) error {
	if !slices.Contains([]string{"text", "json", "stream-json"}, a.format) {
		return withExitCode(exitUsage, fmt.Errorf("no such output format: %q (expected text, json or stream-json)", a.format))
	}
	var err error
	switch {
	case a.server == "":
		args, err = a.named(cmd, args, true)
	case a.resume == pick && len(args) > 0:
		a.resume, args = args[0], args[1:]
	}
	if err != nil {
		return err
	}
	prompt, err := a.prompt(args, cmd.InOrStdin())
	if err != nil {
		return err
	}
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	if a.server != "" {
		return serverError(a.onServer(ctx, cmd, prompt))
	}
	a.first = prompt
	return a.withSession(cmd, true, func(s *harness.Session) error {
		if len(args) > 0 && !a.print {
			unread := warnUnread(cmd)
			defer unread() // what writes into the pipe may be slow
			unread()
		}
		out := a.output(cmd, s.ID(), s)
		if !a.quiet {
			defer showEndingJobs(cmd.ErrOrStderr(), s, out.screen.Own)
		}
		if prompt == "" && !s.Waiting() && !s.CutOff() && isPiped(cmd.InOrStdin()) { // a turn that continues needs no words, and a pipe may stay open
			if prompt, err = readPrompt("", cmd.InOrStdin()); err != nil {
				return err
			}
		}
		message, err := expandCommand(ctx, s, prompt, out.show)
		if err != nil {
			return err
		}
		if s.Waiting() || prompt == "" && s.CutOff() {
			return a.resumed(ctx, s, message, out)
		}
		if prompt == "" {
			return withExitCode(exitUsage, errors.New("nothing to do: give a prompt"))
		}
		return out.drain(ctx, s.Send(ctx, message...))
	})
}

// warnUnread returns what warns, once, where standard input holds something that is not read.
func warnUnread(cmd *cobra.Command) func() {
	in, _ := cmd.InOrStdin().(*os.File)
	return func() {
		if in != nil && isPiped(in) && holdsInput(in) {
			in = nil
			sayTo(cmd, "warning: standard input was not read: with -p it is added to the prompt")
		}
	}
}

// expandCommand returns the message of a slash command that a file, a skill or a tool server defines; another prompt stays as it is, and
// an empty one gives none.
func expandCommand(ctx context.Context, s *harness.Session, prompt string, show func(event.Event) error) ([]model.Part, error) {
	if prompt == "" {
		return nil, nil
	}
	name, args, is := slashCommand(prompt)
	if !is {
		return harness.Message(prompt), nil
	}
	message, known, err := expanded(ctx, s, name, args, show)
	if err != nil || !known {
		return harness.Message(prompt), err
	}
	return message, nil
}

// slashCommand returns the name and the arguments of a slash command; /etc/hosts is none.
func slashCommand(prompt string) (name, args string, is bool) {
	name, args, _ = strings.Cut(prompt, " ")
	name, is = strings.CutPrefix(name, "/")
	return name, args, is && name != "" && !strings.Contains(name, "/")
}

func expanded(ctx context.Context, s *harness.Session, name, args string, show func(event.Event) error) (message []model.Part, known bool, err error) {
	text, attached, known, err := s.Expand(ctx, name, args, func(e event.Event) { _ = show(e) }) // the answer shows an output that fails
	return harness.Message(text, attached...), known, err
}

// resumed finishes the suspended turn, and then sends the prompt if there is one, also where calls of that turn did not run.
func (a *modelFlags) resumed(ctx context.Context, s *harness.Session, message []model.Part, out *runOutput) error {
	err := out.drain(ctx, s.Resume(ctx))
	if len(message) == 0 || err != nil && exitCode(err) != exitDenied {
		return err
	}
	out.refused = nil // they are listed
	return cmp.Or(out.drain(ctx, s.Send(ctx, message...)), err)
}

// person is who answers approval requests: the person at the terminal, or nobody.
func (a *modelFlags) person() harness.Person {
	if a.print || a.suspend {
		return nil
	}
	a.terminal = terminalHere()
	a.terminal.Words = a.accessible
	return personAt(a.terminal)
}

// withSession opens the harness, starts or resumes the session, and runs do. Where it is shared, terminals may join it meanwhile.
func (a *modelFlags) withSession(cmd *cobra.Command, shared bool, do func(*harness.Session) error) error {
	id, err := a.chosenSession(cmd)
	if err == nil && id != "" {
		err = a.atRecorded(cmd, id)
	}
	if err != nil {
		return err
	}
	if err := errors.Join(readJSONFlag("agents", &a.agents), readJSONFlag("json-schema", &a.answer)); err != nil {
		return err
	}
	o := a.harness(cmd, a.person())
	if a.agents != "" {
		var notes []string
		if o.Agents, notes, err = extend.ReadAgents(a.agents); err != nil {
			return withExitCode(exitUsage, err)
		}
		for _, note := range notes {
			o.Warn(note)
		}
	}
	h, err := harness.Open(cmd.Context(), o)
	if err != nil {
		return err
	}
	givePagesBack() // what reads settings
	if err = askTrust(cmd, h, a.terminal != nil && a.terminal.Present()); err == nil {
		open := func(n harness.NewSession) (*harness.Session, error) { return a.open(cmd.Context(), h, id, n) }
		n := harness.NewSession{ID: a.id, Ephemeral: a.ephemeral, Keeps: true, First: a.first}
		var s *harness.Session
		leave := func() {}
		if shared {
			s, leave, err = openShared(h, n, open)
		} else {
			s, err = open(n)
		}
		if err = joinable(h, id, err); err == nil {
			givePagesBack()                              // what makes a session
			time.AfterFunc(2*time.Second, givePagesBack) // and what makes the first request, while the model thinks
			err = do(s)
			if leave(); a.id == "" { // a name that was given is kept
				err = errors.Join(err, s.Close(context.WithoutCancel(cmd.Context())))
				deleteEmpty(h.Store(), s.ID())
			}
		}
	}
	return errors.Join(err, h.Close(cmd.Context()))
}

func (a *modelFlags) open(ctx context.Context, h *harness.Harness, id string, n harness.NewSession) (*harness.Session, error) {
	switch {
	case id != "" && a.fork:
		return h.Fork(ctx, id, 0, n)
	case id != "":
		return h.Resume(ctx, id, n)
	}
	return h.Start(ctx, n)
}

// harness returns the options as the harness takes them.
func (a *modelFlags) harness(cmd *cobra.Command, person harness.Person) harness.Options {
	o := a.callFlags.Harness(cmd, person)
	o.Fallback, o.MaxUSD, o.MaxTime = a.fallback, a.maxUSD, time.Duration(a.maxTime)
	o.Think, o.Record = a.think, a.record
	o.Sampling = a.sampling
	o.Model, o.Dialect, o.Effort, o.MaxTurns, o.Budget, o.System = a.model, a.dialect, a.effort, int(a.maxTurns), int64(a.budget), a.system
	o.Answer = a.answer
	if a.suspend {
		o.Unattended = harness.Suspend
	}
	return o
}

// drain shows all events of a send and turns how it ended into the process's error.
func (o *runOutput) drain(ctx context.Context, events iter.Seq2[event.Event, error]) error {
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

// readJSONFlag replaces the name of a file, the value of a flag, by its text. What begins with a brace is JSON already.
func readJSONFlag(flag string, value *string) error {
	if *value == "" || strings.HasPrefix(strings.TrimSpace(*value), "{") {
		return nil
	}
	text, err := readFile(*value)
	if err != nil {
		return withExitCode(exitInput, fmt.Errorf("--%s: %w", flag, err))
	}
	*value = string(text)
	return nil
}

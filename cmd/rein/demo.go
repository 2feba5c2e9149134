package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/tools/txtar"

	"rein/app/harness"
	"rein/app/settings"
	"rein/app/tui/text"
	"rein/event"
	"rein/guard"
	"rein/kit/edit"
	"rein/kit/script"
)

//go:embed demo/project.txtar
var demoProject []byte

//go:embed demo/script.yaml
var demoScript []byte

const demoTask = "The tests fail. Find out why, repair it, and show that they pass."

func newDemo() *cobra.Command {
	var keep, web, asJSON bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "See rein work: a scripted model repairs a small project with the real tools",
		Long: `Make a small project with a failing test in a temporary directory, and let a scripted model repair it with the real
tools, guards and sandbox. It needs no key, no network and no model. Where you would be asked for approval, the demo
answers, and shows it. At the end it removes the project and the session.

With --web the same plays in the page, in your browser: there you answer. Ctrl-C ends it.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := interruptible(cmd.Context())
			defer stop()
			if web {
				return demoWeb(cmd, keep, asJSON)
			}
			return runDemo(ctx, cmd.OutOrStdout(), keep)
		},
	}
	cmd.Flags().BoolVar(&web, "web", false, "play it in the page, in your browser")
	cmd.Flags().BoolVar(&asJSON, "json", false, "with --web: print one JSON line when the page is ready, and open no browser")
	cmd.Flags().BoolVar(&keep, "keep", false, "keep the project and the recorded session")
	return cmd
}

func runDemo(ctx context.Context, out io.Writer, keep bool) (err error) {
	dir, err := scratchProject()
	if err != nil {
		return err
	}
	answers, err := script.Parse(demoScript)
	if err != nil {
		return err
	}
	own := ownWords()
	for i := range answers.Turns {
		answers.Turns[i].Text = own.Of(answers.Turns[i].Text)
	}
	dirs := settings.DefaultDirs()
	if !keep {
		remove := removedAtEnd(dir, &dirs)
		defer func() { err = errors.Join(err, remove()) }()
	}
	h, err := harness.Open(ctx, harness.Options{Dir: dir, Dirs: dirs, Terms: harness.Terms{Mode: "supervised", Ask: demoAsks}, Private: "demo",
		OneCall: true, Version: programVersion(), Person: demoPerson{out, own}, Warn: func(line string) { fmt.Fprintln(out, "! "+printable(own.Command(line))) }})
	if err != nil {
		return err
	}
	s, err := h.Start(ctx, harness.NewSession{Model: &script.Model{Script: answers, Name: "demo"}})
	if err == nil {
		err = demoSession(ctx, s, &plainScreen{Out: out, Own: own, Colour: showsColours(out), Asked: true})
	}
	if err = errors.Join(err, h.Close(ctx)); err != nil {
		return err
	}
	return demoEnd(out, own, s, dir, keep)
}

// demoAsks is a rule that lets the demo show an approval: without it a deletion that can be undone runs without a question.
var demoAsks = []string{"bash(rm:*)"}

// expectations are what the script expects of results. In the page a person decides, so that any result may come.
const expectations = `(?m)^  - expect:\n(?:      - .*\n)+    text:`

// demoWeb plays the demo in the page: the person there answers.
func demoWeb(cmd *cobra.Command, keep, asJSON bool) (err error) {
	dir, err := scratchProject()
	if err != nil {
		return err
	}
	dirs := settings.DefaultDirs()
	remove := removedAtEnd(dir, &dirs)
	if !keep {
		defer func() { err = errors.Join(err, remove()) }()
	}
	file := filepath.Join(filepath.Dir(dir), "demo")
	played := regexp.MustCompile(expectations).ReplaceAll(demoScript, []byte("  - text:"))
	if err := os.WriteFile(file, append([]byte("pace: 20ms\n"), played...), 0o600); err != nil {
		return err
	}
	fmt.Fprintln(cmd.ErrOrStderr(), ownWords().Of("The demo needs no key: its model is a script. Answer what it asks in the page, and look at the timeline afterwards."))
	return serveDemo(cmd, harness.Options{Dir: dir, Dirs: dirs, Terms: harness.Terms{Model: "script/" + file, Mode: "supervised", Ask: demoAsks}, Private: "demo", Version: programVersion()}, filepath.Join(dirs.State, "server"), demoTask, asJSON)
}

// removedAtEnd moves all that the demo makes below the directory of its project, and returns what removes that.
func removedAtEnd(dir string, dirs *settings.Dirs) func() error {
	made := filepath.Dir(dir)
	dirs.Sessions, dirs.Output, dirs.Private = filepath.Join(made, "sessions"), filepath.Join(made, "output"), filepath.Join(made, "private")
	dirs.State = filepath.Join(made, "state") // with what undo keeps
	return func() error { return os.RemoveAll(made) }
}

func demoSession(ctx context.Context, s *harness.Session, show *plainScreen) error {
	for e, err := range s.Send(ctx, harness.Message(show.Own.Of(demoTask))...) {
		if err != nil {
			return err
		}
		if err := show.Show(e); err != nil {
			return err
		}
		if e.Kind == event.Stopped && e.Stop != event.Done {
			return outcomeError(ctx, e, errors.New("the demo stopped: "+string(e.Stop)))
		}
	}
	return nil
}

// scratchProject makes the project, in a temporary directory of the demo.
func scratchProject() (string, error) {
	made, err := os.MkdirTemp("", "rein-demo-")
	if err != nil {
		return "", err
	}
	dir := filepath.Join(made, "slug")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", err
	}
	for _, f := range txtar.Parse(demoProject).Files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o644); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// demoPerson shows the request that a person would get, and approves it.
type demoPerson struct {
	out io.Writer
	own text.Words
}

func (d demoPerson) Ask(_ context.Context, r *harness.Request) (guard.Answer, error) {
	fmt.Fprintf(d.out, "  ? %s\n", strings.Join(linesIn(d.own, r.Shown, r.Lines), "\n  "))
	if r.Intent.Command == demoIntruder {
		fmt.Fprintln(d.out, "  "+d.own.Of("(no sandbox works here, so the demo denies this)"))
		return guard.Answer{Choice: guard.Denied, By: guard.ByPerson("demo")}, nil
	}
	fmt.Fprintln(d.out, "  "+d.own.Of("(at your terminal rein would ask you here; the demo approves it)"))
	return guard.Answer{Choice: guard.Approved, By: guard.ByPerson("demo")}, nil
}

// demoIntruder is the command that the sandbox is to stop. It needs approval only where there is no sandbox.
const demoIntruder = "sh stats.sh"

// demoEnd shows what has changed and where it is recorded.
func demoEnd(out io.Writer, own text.Words, s *harness.Session, dir string, keep bool) error {
	fmt.Fprintln(out, "\n"+own.Of("What has changed in the project:"))
	for _, f := range txtar.Parse(demoProject).Files {
		after, err := os.ReadFile(filepath.Join(dir, f.Name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			fmt.Fprintln(out, "  "+own.Of("removed %s", f.Name))
		case err != nil:
			return err
		case string(after) != string(f.Data):
			fmt.Fprintf(out, "  %s\n    %s\n", f.Name, indentRest(strings.TrimSpace(edit.Diff(string(f.Data), string(after)))))
		}
	}
	record := own.Of("The project and the record of the session are removed; rein demo --keep keeps them.")
	if keep {
		record = own.Of("The project:            %s", dir) + "\n" + own.Of("The recorded session:   rein sessions show %s", s.ID())
	}
	_, err := fmt.Fprintf(out, `
%s

%s
  rein run '%s'
  rein run '%s'
  rein
`, record, own.Of("With a real model (a key in ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, or a local Ollama), try in a project:"),
		own.Of("explain what this project does"), own.Of("make the tests pass"))
	return err
}

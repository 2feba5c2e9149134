package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/tools/txtar"

	"rein/event"
	"rein/guard"
	"rein/harness"
	"rein/model"
	"rein/model/script"
)

//go:embed demo/project.txtar
var demoProject []byte

//go:embed demo/script.yaml
var demoScript []byte

const demoTask = "The tests fail. Find out why, mend it, and show that they pass."

func newDemo() *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "See rein work: a scripted model mends a small project, with the real tools in the real pipeline",
		Long: `Make a scratch Go project with a failing test, and let a scripted model find and mend it with the real tools in the
real pipeline. No key, no network, no model. Where a person would be asked, the demo answers, and says so.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := interruptible(cmd.Context())
			defer stop()
			return demo(ctx, cmd.OutOrStdout())
		},
	}
}

func demo(ctx context.Context, out io.Writer) error {
	dir, err := scratchProject()
	if err != nil {
		return err
	}
	said, err := script.Parse(demoScript)
	if err != nil {
		return err
	}
	show := &screen{out: out, colour: colours256(out), grants: true, asked: true}
	h, err := harness.Open(ctx, harness.Options{Dir: dir, Mode: "supervised", Private: "demo", OneCall: true, Version: version,
		Person: demoPerson{out}, Warn: func(line string) { fmt.Fprintln(out, "! "+line) }})
	if err != nil {
		return err
	}
	s, err := h.Start(ctx, harness.NewSession{Model: &script.Model{Script: said, Name: "demo"}})
	if err == nil {
		err = demoSession(ctx, s, show)
	}
	if err = errors.Join(err, h.Close(ctx)); err != nil {
		return err
	}
	demoEnd(out, s, dir)
	return nil
}

func demoSession(ctx context.Context, s *harness.Session, show *screen) error {
	for e, err := range s.Send(ctx, model.Text(demoTask)) {
		if err != nil {
			return err
		}
		if err := show.show(e); err != nil {
			return err
		}
		if e.Kind == event.Stopped && e.Stop != event.Done {
			return outcome(ctx, e, errors.New("the demo stopped: "+string(e.Stop)))
		}
	}
	return nil
}

func scratchProject() (string, error) {
	dir, err := os.MkdirTemp("", "rein-demo-")
	if err != nil {
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
type demoPerson struct{ out io.Writer }

func (d demoPerson) Ask(_ context.Context, r *harness.Request) (guard.Answer, error) {
	fmt.Fprintf(d.out, "  ? %s\n  (at your terminal you would be asked here; the demo approves it)\n", strings.Join(r.Lines, "\n  "))
	return guard.Answer{Choice: guard.Approved, By: "the demo, in your place"}, nil
}

func demoEnd(out io.Writer, s *harness.Session, dir string) {
	fmt.Fprintf(out, `
All of it is recorded, each line before what it describes:
  %s
The project, mended: %s

With a real model (a key in ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, or a local Ollama), try:
  rein run 'explain what this project does'
  rein run --mode supervised 'make the tests pass'
  rein sessions show %s
`, filepath.Join(s.Dir(), "journal.jsonl"), dir, s.ID())
}

package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"rein/app/harness"
	"rein/event"
	"rein/redact"
)

// reviewFlags are those of rein review.
type reviewFlags struct {
	modelFlags
	patch  string
	staged bool
	format string
	out    []string
	force  bool
	failOn string
}

// newReview is the command rein review.
func newReview() *cobra.Command {
	f := reviewFlags{format: "text", failOn: "error"}
	cmd := &cobra.Command{
		Use:   "review [RANGE]",
		Short: "Let a model look for faults in a change, and report them with file and line",
		Long: `Let a model look for faults in a change: what is not committed, a RANGE of git such as main...HEAD, what is staged, or a
patch. It works in mode read-only with the tools that read files and git, without tool servers, programs and the web.

Each finding has a file, a line, a severity and a repair. A finding about a file that does not exist is dropped, and
one beside the changed lines is marked. Paths are relative to the directory of --cwd.

The exit code is 1 when there are findings of the severity of --fail-on or worse, and 0 when there are none, also when
nothing has changed. Errors have other exit codes (2, 41, 42, 52, 53, 60), never 0 or 1.`,
		Example: `  rein review                                    what is not committed
  rein review main...HEAD --fail-on warning
  rein review main...HEAD --out review.sarif --out review.md
  git diff main | rein review --diff -`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.patch != "" && (len(args) == 1 || f.staged) {
				return withExitCode(exitUsage, errors.New("--diff cannot be combined with a range or --staged"))
			}
			failed, err := f.run(cmd, strings.Join(args, ""))
			switch {
			case exitCode(err) == exitError:
				return withExitCode(exitUsage, err) // 1 means that there are findings
			case err == nil && failed > 0:
				return withExitCode(exitError, asPrinted(asSeen(errors.New("there are findings"))))
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.Dir, "cwd", "C", ".", "work in this directory")
	flags.StringVar(&f.patch, "diff", "", "review the unified diff in this file; - is standard input")
	flags.BoolVar(&f.staged, "staged", false, "review what is staged")
	flags.Var(choiceFlag(&f.format, "text", "json", "markdown", "sarif"), "format", "of standard output: text, json, markdown or sarif (2.1.0)")
	flags.StringArrayVar(&f.out, "out", nil, "also write the findings to this file; its ending chooses the format: .json, .md, .sarif, .txt (repeat)")
	flags.BoolVar(&f.force, "force", false, "overwrite the files of --out")
	flags.Var(choiceFlag(&f.failOn, "error", "warning", "note", "never"), "fail-on", "exit with 1 when there are findings of this severity or worse: error, warning, note or never")
	f.addModel(flags)
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "show only warnings and denied calls while it works")
	return cmd
}

// reviewTools are the tools that a review may call: they read the workspace and its history.
var reviewTools = []string{"read_file", "list_dir", "glob", "grep", "git_*"}

// run reviews the change, writes what was found, and returns how many findings make it fail.
func (f *reviewFlags) run(cmd *cobra.Command, rev string) (failed int, err error) {
	for _, name := range f.out {
		if reviewFormats[filepath.Ext(name)] == nil {
			return 0, withExitCode(exitUsage, fmt.Errorf("--out %s: expected a name that ends with .json, .md, .sarif or .txt", name))
		}
	}
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	f.print, f.modelFlags.format, f.answer = true, "text", reviewSchema
	f.mode, f.mcpOnly, f.tools = "read-only", true, reviewTools
	h, err := harness.Open(ctx, f.harness(cmd, nil))
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, h.Close(cmd.Context())) }()
	c, err := f.change(cmd, h, rev)
	if err != nil {
		return 0, err
	}
	r := &review{Change: c.Name, Files: len(c.Files), Findings: []reviewFinding{}, Dropped: []reviewFinding{}, Summary: "There are no changes: nothing was reviewed."}
	var mask *redact.Filter
	if len(c.Files) > 0 {
		s, err := h.Start(ctx, harness.NewSession{})
		if err != nil {
			return 0, err
		}
		mask = s.Mask()
		answer, err := f.ask(ctx, cmd, s, c.prompt())
		if err != nil {
			return 0, err
		}
		if err := r.read(answer, c, h.Root()); err != nil {
			return 0, err
		}
		r.Session = s.ID()
	}
	for _, d := range r.Dropped {
		f.warn(cmd, fmt.Sprintf("dropped a finding: %s: %s", d.Title, d.Note))
	}
	return r.worse(f.failOn), f.write(cmd, r, mask)
}

func (f *reviewFlags) warn(cmd *cobra.Command, text string) { warningsTo(cmd)(oneLine(text, 300)) }

// change returns the change to be reviewed.
func (f *reviewFlags) change(cmd *cobra.Command, h *harness.Harness, rev string) (*change, error) {
	if f.patch != "" {
		text, err := readNamedFile(cmd, f.patch)
		if err != nil {
			return nil, withExitCode(exitInput, err)
		}
		c := &change{Name: "the patch " + f.patch}
		if c.Files = readPatch(string(text)); len(c.Files) == 0 && strings.TrimSpace(string(text)) != "" {
			return nil, withExitCode(exitInput, fmt.Errorf("%s is no unified diff", f.patch))
		}
		return c, nil
	}
	c := &change{Name: cmp.Or(rev, "what is not committed")}
	if f.staged {
		c.Name = "what is staged, compared with " + cmp.Or(rev, "HEAD")
	}
	changes, err := h.GitChanges(cmd.Context(), rev, f.staged)
	switch {
	case err != nil:
		return nil, err
	case !changes.Repository:
		return nil, withExitCode(exitInput, errors.New("no git repository here: name a patch with --diff"))
	case changes.More:
		f.warn(cmd, "the change is very long: a part of it is not reviewed")
	}
	for _, file := range changes.Files {
		c.Files = append(c.Files, &changedFile{Path: file.Path, What: file.What, Diff: file.Diff, Lines: newLines(file.Diff)})
	}
	return c, nil
}

// ask sends the prompt and returns the model's answer.
func (f *reviewFlags) ask(ctx context.Context, cmd *cobra.Command, s *harness.Session, prompt string) (string, error) {
	out := f.output(cmd, s.ID(), s)
	for e, failure := range s.Send(ctx, harness.Message(prompt)...) {
		if e.Kind != event.Prompted { // it has the whole change
			if err := out.show(e); err != nil {
				return "", err
			}
		}
		if e.Kind == event.Stopped && e.Parent == "" {
			err := outcomeError(ctx, e, failure)
			if e.Stop == event.Denied && json.Valid([]byte(e.Text)) { // it has answered without the calls that nobody approved
				err = nil
			}
			return e.Text, err
		}
	}
	return "", errors.New("the model gave no answer")
}

// write writes the findings to standard output and the files.
func (f *reviewFlags) write(cmd *cobra.Command, r *review, mask *redact.Filter) error {
	print := func(out io.Writer, format func(*review) ([]byte, error)) error {
		text, err := format(r)
		if err == nil {
			_, err = mask.Each(out).Write(text)
		}
		return err
	}
	for _, name := range f.out {
		err := writeNewFile(name, f.force, func(w io.Writer) error { return print(w, reviewFormats[filepath.Ext(name)]) })
		if err == nil {
			err = os.Chmod(name, 0o644) // other programs of a pipeline read it
		}
		if err != nil {
			return err
		}
		fmt.Fprintln(cmd.ErrOrStderr(), "Wrote", name)
	}
	return print(cmd.OutOrStdout(), reviewFormats[map[string]string{"text": ".txt", "json": ".json", "markdown": ".md", "sarif": ".sarif"}[f.format]])
}

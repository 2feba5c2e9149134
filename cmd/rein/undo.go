package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"rein/app/harness"
	kept "rein/kit/undo"
)

// undoFlags are those of undo and redo.
type undoFlags struct {
	dir      string
	addDirs  []string
	session  string
	subAgent string
	path     string
	message  int64
	turn     bool
	dryRun   bool
	list     bool
	json     bool
	force    bool
	redo     bool
}

// newUndo makes the command undo.
func newUndo() *cobra.Command {
	f := &undoFlags{}
	cmd := &cobra.Command{
		Use:   "undo [N|CALL]",
		Short: "Undo what calls did to files, also what commands did",
		Long: `Undo what calls did to the files of the workspace: the last call that changed files, the last N, or the one with the
id CALL (or #NUMBER, see --list). Commands, jobs and sub-agents are covered like the file tools, and so are the refs and the
index of git. What you or others changed since stays: it is merged, or it is a conflict, which is shown and asked about.
rein redo restores what an undo changed.`,
		Example: "  rein undo                 the last call\n  rein undo 3 --dry-run     show what undoing the last three calls would do\n  rein undo --turn          everything since your last message after which files changed\n  rein undo --list",
		Args:    cobra.MaximumNArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&f.turn, "turn", false, "everything since the user's last message after which files changed")
	cmd.Flags().Var(rangeFlag(&f.message, 1, math.MaxInt64), "message", "everything since the user's message with this number (of its event), in one session: without --session, that of the last call")
	cmd.Flags().StringVar(&f.subAgent, "sub-agent", "", "only what the sub-agent with this session id did")
	cmd.Flags().BoolVar(&f.list, "list", false, "list what can be undone, newest first")
	return cmd
}

// newRedo makes the command redo.
func newRedo() *cobra.Command {
	f := &undoFlags{redo: true}
	cmd := &cobra.Command{
		Use:   "redo [N]",
		Short: "Restore what the last undo changed, or the last N",
		Args:  cobra.MaximumNArgs(1),
		RunE:  func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	f.add(cmd)
	return cmd
}

func (f *undoFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&f.dir, "cwd", "C", ".", "the workspace")
	cmd.Flags().StringSliceVar(&f.addDirs, "add-dir", nil, "another directory of the workspace (repeat)")
	cmd.Flags().StringVar(&f.session, "session", "", "only this session (default: all sessions of the workspace)")
	cmd.Flags().StringVar(&f.path, "path", "", "only this file, or what is below this directory")
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "show what would change, with a diff, and change nothing")
	cmd.Flags().BoolVar(&f.force, "force", false, "restore also what was changed since; that change can be restored by rein redo")
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON")
}

func (f *undoFlags) run(cmd *cobra.Command, args []string) (err error) {
	ctx := cmd.Context()
	h, err := harness.Open(ctx, harness.Options{Dir: f.dir, Terms: harness.Terms{AddDirs: f.addDirs}, Version: programVersion(), Warn: warningsTo(cmd)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close(ctx)) }()
	if err := f.read(cmd, h.Root()); err != nil {
		return err
	}
	files, err := h.FileHistory(f.session)
	if err == nil && (f.turn || f.message > 0) && f.session == "" {
		files, err = f.ofOneSession(cmd, h, files)
	}
	if err != nil {
		return err
	}
	if f.list {
		return f.printList(cmd, files)
	}
	sel, err := f.selection(cmd, files, args)
	if err != nil {
		return err
	}
	plan, err := files.Plan(ctx, sel)
	if errors.Is(err, kept.ErrNothing) && f.redo {
		return withExitCode(exitInput, errors.New("there is nothing to redo"))
	}
	switch {
	case !errors.Is(err, kept.ErrNothing):
	case f.session == "":
		err = withOtherWorkspace(h, err)
	default:
		err = withOtherPlace(h, f.session, err)
	}
	if err != nil {
		return inputError(err)
	}
	if f.dryRun {
		return f.printPlan(cmd, plan)
	}
	for _, text := range plan.Running {
		fmt.Fprintln(cmd.ErrOrStderr(), "note:", printable(text))
	}
	answers, err := f.answers(cmd, plan)
	if err != nil {
		return err
	}
	out, err := files.Undo(ctx, plan, answers)
	if err != nil {
		return inputError(err)
	}
	return f.printOutcome(cmd, out)
}

// read finds the sessions that the flags name, and the path as the list has it.
func (f *undoFlags) read(cmd *cobra.Command, root string) (err error) {
	for _, id := range []*string{&f.session, &f.subAgent} {
		if *id == "" {
			continue
		}
		if *id, err = findSession(cmd, *id); err != nil {
			return err
		}
	}
	if f.path == "" {
		return nil
	}
	path := f.path
	if !filepath.IsAbs(path) {
		path = filepath.Join(f.dir, path)
	}
	if path, err = filepath.Abs(path); err != nil {
		return err
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil { // the file itself may be a link, or gone
		path = filepath.Join(dir, filepath.Base(path))
	}
	if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
		path = rel
	}
	f.path = filepath.ToSlash(path)
	return nil
}

// ofOneSession narrows the history down to the session of the last call: the numbers of messages are those of one session.
func (f *undoFlags) ofOneSession(cmd *cobra.Command, h *harness.Harness, files *harness.UndoHistory) (*harness.UndoHistory, error) {
	session, _, err := files.Last(cmd.Context())
	if err != nil || session == "" {
		return files, err
	}
	if of, err := h.FileHistory(session); err == nil {
		return of, nil
	}
	files.Session = session // its journal was deleted
	return files, nil
}

// withOtherPlace says where what a session changed is kept, where its directory had another name then.
func withOtherPlace(h *harness.Harness, session string, err error) error {
	if recorded, no := harness.Recorded(h.Dirs().Sessions, session); no == nil && recorded.Dir != "" && recorded.Dir != h.Root() {
		return fmt.Errorf("%w in %s: what the session changed is kept for %s; where you moved that, move it back to undo", err, h.Root(), recorded.Dir)
	}
	return err
}

// withOtherWorkspace adds to the error where a workspace above this directory has calls that can be taken back.
func withOtherWorkspace(h *harness.Harness, err error) error {
	for dir := filepath.Dir(h.Root()); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		name := h.UndoDir(dir)
		if _, statErr := os.Stat(name); statErr == nil {
			return fmt.Errorf("%w in %s (for the calls in %s, add -C %s)", err, h.Root(), dir, dir)
		}
	}
	return err
}

// inputError marks the errors that come from what the command line names.
func inputError(err error) error {
	for _, known := range []error{kept.ErrNothing, kept.ErrNoStep, kept.ErrUndone, kept.ErrGitBusy} {
		if errors.Is(err, known) {
			return withExitCode(exitInput, err)
		}
	}
	return err
}

// selection reads what is to be taken back.
func (f *undoFlags) selection(cmd *cobra.Command, files *harness.UndoHistory, args []string) (sel kept.Selection, err error) {
	sel = kept.Selection{Redo: f.redo, Filter: kept.Filter{SubAgent: f.subAgent, Message: f.message, Path: f.path}}
	if f.turn {
		if _, sel.Message, err = files.Last(cmd.Context()); err != nil {
			return sel, err
		}
		if sel.Message == 0 {
			return sel, inputError(kept.ErrNothing)
		}
	}
	whole := f.turn || f.message > 0 || f.subAgent != ""
	switch {
	case len(args) == 0 && !whole:
		sel.Last = 1
	case len(args) == 1 && whole:
		return sel, usageError(cmd, errors.New("a number or a call does not go with --turn, --message and --sub-agent"))
	case len(args) == 1:
		n, err := strconv.Atoi(args[0])
		switch {
		case err == nil && n > 0:
			sel.Last = n
		case err == nil || f.redo:
			return sel, usageError(cmd, fmt.Errorf("%q is not a number of calls above zero", args[0]))
		default:
			sel.Call = args[0]
		}
	}
	return sel, nil
}

// answers asks the person about each conflict. Without a person conflicts stay as they are.
func (f *undoFlags) answers(cmd *cobra.Command, plan *kept.Plan) (*kept.Answers, error) {
	if f.force {
		return &kept.Answers{All: true}, nil
	}
	answers := &kept.Answers{}
	if f.json || !newApprovalTerminal(os.Stdin, os.Stderr).Present() {
		return answers, nil
	}
	for _, c := range plan.Conflicts {
		if c.Fixed {
			continue
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s\n%s", shownName(c.Path), c.Why, c.Diff)
		line, err := lineInput{In: cmd.InOrStdin(), Out: cmd.ErrOrStderr(), Prompt: "Restore it all the same? rein redo brings back what it is now. [y/N] "}.Line(cmd.Context())
		if err != nil {
			return nil, withExitCode(exitDenied, errors.New("nothing was changed"))
		}
		if line == "y" || line == "Y" || line == "yes" {
			answers.Paths = append(answers.Paths, c.Path)
		}
	}
	return answers, nil
}

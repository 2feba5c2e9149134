package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"rein/app/harness"
	"rein/internal/plaintext"
	kept "rein/kit/undo"
)

// printList lists the steps, newest first.
func (f *undoFlags) printList(cmd *cobra.Command, files *harness.UndoHistory) error {
	steps, err := files.Steps(cmd.Context(), kept.Filter{SubAgent: f.subAgent, Message: f.message, Path: f.path})
	if err != nil {
		return err
	}
	slices.Reverse(steps)
	if f.json {
		return printJSONLines(cmd, steps)
	}
	out := cmd.OutOrStdout()
	for _, s := range steps {
		fmt.Fprintf(out, "%-5s %s  %s\n", "#"+strconv.FormatUint(s.N, 10), s.Time.Local().Format("2006-01-02 15:04:05"), strings.Join(describeStep(s), "  "))
		for _, u := range s.Uncovered {
			fmt.Fprintf(out, "      %s\n", shownName(u.String()))
		}
	}
	if len(steps) == 0 {
		fmt.Fprintln(cmd.ErrOrStderr(), "No call has changed files here. Where the directory was moved, move it back to undo.")
	}
	return nil
}

// describeStep is a step in a few words.
func describeStep(s kept.Step) (words []string) {
	switch {
	case s.Redo:
		words = append(words, "redo of "+joinNumbers(s.Of))
	case s.Undo:
		words = append(words, "undo of "+joinNumbers(s.Of))
	default:
		words = append(words, s.Call.ID, s.Call.Tool)
	}
	words = append(words, summarizeChanges(s.Changes))
	if s.Call.Title != "" {
		words = append(words, shownName(s.Call.Title))
	}
	for _, note := range []struct {
		holds bool
		text  string
	}{{s.Running, "(running)"}, {s.Undone, "(undone)"}, {s.Call.SubAgent != "", "(sub-agent " + s.Call.SubAgent + ")"}, {len(s.Shared) > 0, "(at the same time as " + joinNumbers(s.Shared) + ")"}} {
		if note.holds {
			words = append(words, note.text)
		}
	}
	return words
}

func joinNumbers(all []uint64) string {
	var text []string
	for _, n := range all {
		text = append(text, "#"+strconv.FormatUint(n, 10))
	}
	return strings.Join(text, ", ")
}

// summarizeChanges names the file or directory where it is one, else their number.
func summarizeChanges(changes []kept.Change) string {
	switch len(changes) {
	case 0:
		return "no files"
	case 1:
		return string(changes[0].What) + " " + shownName(changes[0].Path)
	}
	return plaintext.Counted(len(changes), "change")
}

// shownName is a name without letters that would move the cursor.
func shownName(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return strconv.Quote(name)
	}
	return name
}

// printPlan shows what would change.
func (f *undoFlags) printPlan(cmd *cobra.Command, p *kept.Plan) error {
	if f.json {
		return printJSON(cmd.OutOrStdout(), p)
	}
	out := cmd.OutOrStdout()
	for _, s := range p.Steps {
		fmt.Fprintf(out, "would undo #%d %s\n", s.N, strings.Join(describeStep(s), "  "))
	}
	for _, c := range p.Changes {
		printChange(out, c)
		io.WriteString(out, c.Diff)
	}
	for _, c := range p.Conflicts {
		fmt.Fprintf(out, "conflict: %s: %s\n%s", shownName(c.Path), c.Why, c.Diff)
	}
	for _, u := range p.Uncovered {
		fmt.Fprintln(out, shownName(u.String()))
	}
	for _, text := range p.Running {
		fmt.Fprintln(out, "note:", printable(text))
	}
	return nil
}

func printChange(out io.Writer, c kept.Change) {
	line := changeVerbs[c.What] + " " + shownName(c.Path)
	if c.Added+c.Removed > 0 {
		line += fmt.Sprintf(" (+%d -%d)", c.Added, c.Removed)
	} else if c.What != kept.Deleted {
		line += fmt.Sprintf(" (%s)", c.After)
	}
	fmt.Fprintln(out, line)
}

var changeVerbs = map[kept.What]string{
	kept.Created: "restores", kept.Modified: "changes", kept.Deleted: "removes", kept.Moved: "moves", kept.Chmod: "changes the mode of", kept.Retyped: "replaces",
	kept.Relinked: "changes the hard links of",
}

// printOutcome shows what was done. What was left is an error, so that a script sees it.
func (f *undoFlags) printOutcome(cmd *cobra.Command, o *kept.Outcome) error {
	if f.json {
		if err := printJSON(cmd.OutOrStdout(), o); err != nil {
			return err
		}
	} else {
		for _, c := range o.Changes {
			printChange(cmd.OutOrStdout(), c)
		}
		for _, c := range o.Conflicts {
			fmt.Fprintf(cmd.ErrOrStderr(), "left: %s: %s\n", shownName(c.Path), c.Why)
		}
		for _, u := range o.Uncovered {
			fmt.Fprintln(cmd.ErrOrStderr(), "left:", shownName(u.String()))
		}
		for _, x := range o.Failed {
			fmt.Fprintf(cmd.ErrOrStderr(), "failed: %s: %v\n", shownName(x.Path), x.Err)
		}
	}
	switch {
	case len(o.Failed) > 0:
		return withExitCode(exitError, fmt.Errorf("files that could not be restored: %d (where the reason goes away, the same command restores them)", len(o.Failed)))
	case len(o.Conflicts)+len(o.Uncovered) > 0:
		err := fmt.Errorf("files that were left as they are: %d", len(o.Conflicts)+len(o.Uncovered))
		switch {
		case len(o.Conflicts) == 0:
		case o.Step == 0:
			err = fmt.Errorf("%w (to restore what was changed since: this command again with --force)", err)
		default:
			err = fmt.Errorf("%w (to restore what was changed since: rein redo, then this command again with --force)", err)
		}
		return withExitCode(exitError, err)
	case o.Step == 0:
		return withExitCode(exitInput, errors.New("nothing was changed"))
	}
	return nil
}

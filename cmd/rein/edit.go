package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"rein/kit/edit"
	"rein/kit/tools/files"
	"rein/kit/workspace"
	"rein/tool"
)

// editing is an edit by hand.
type editing struct {
	old, new string
	all      bool
	expected int
	dry      bool
	batch    bool
}

func newEdit() *cobra.Command {
	var e editing
	cmd := &cobra.Command{
		Use:   "edit FILE --old TEXT --new TEXT",
		Short: "Replace a text in a file, as the tool edit_file does",
		Long: `Replace a text in a file, as the tool edit_file does for a model. Small errors in the text (blanks, quotes, line numbers)
do not matter. If the text matches two places, nothing is changed. The diff goes to standard output.

With --batch, rein reads lines {"id","file","old","new"}, where file is the whole text of a file, and writes lines
{"id","file","classes","lines"} or {"id","error"}. "replace_all" may be true, and "fresh" if the model has just read this
text. rein changes no file.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return e.run(cmd, args) },
	}
	f := cmd.Flags()
	f.StringVar(&e.old, "old", "", "the text in the file")
	f.StringVar(&e.new, "new", "", "the text that replaces it")
	f.BoolVar(&e.all, "all", false, "replace every occurrence")
	f.Var(rangeFlag(&e.expected, 1, 1_000_000), "expected", "fail unless the text occurs this many times")
	f.BoolVar(&e.dry, "dry-run", false, "show the diff, write nothing")
	f.BoolVar(&e.batch, "batch", false, "read JSON lines from standard input")
	return cmd
}

func (e editing) run(cmd *cobra.Command, args []string) error {
	if e.batch {
		return answerLines(cmd.InOrStdin(), cmd.OutOrStdout(), editLine)
	}
	if len(args) != 1 || e.old == "" {
		return withExitCode(exitUsage, errors.New("edit needs a FILE and --old, or --batch"))
	}
	real, err := filepath.EvalSymlinks(args[0])
	if err != nil {
		return withExitCode(exitInput, err)
	}
	ws, err := workspace.Open(filepath.Dir(real))
	if err != nil {
		return withExitCode(exitInput, err)
	}
	defer ws.Close()
	changes, err := e.change(cmd, files.Tools{Workspace: ws}, filepath.Base(real))
	if err != nil {
		return withExitCode(exitInput, err)
	}
	for _, c := range changes {
		fmt.Fprint(cmd.OutOrStdout(), c.Diff)
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: +%d -%d lines\n", args[0], c.Added, c.Removed)
	}
	return nil
}

// change makes the edit, or works it out for a dry run.
func (e editing) change(cmd *cobra.Command, f files.Tools, name string) ([]tool.Change, error) {
	call, err := json.Marshal(map[string]any{"path": name, "old_text": e.old, "new_text": e.new, "replace_all": e.all, "expected_replacements": e.expected})
	if err != nil {
		return nil, err
	}
	if e.dry {
		return f.Preview("edit_file", call)
	}
	return runEdit(cmd.Context(), cmd, f, call)
}

func runEdit(ctx context.Context, cmd *cobra.Command, f files.Tools, call json.RawMessage) ([]tool.Change, error) {
	reply := tool.NewReply(tool.ReplyOptions{})
	err := f.EditFile().Run(ctx, call, reply)
	_, _, notes, data := reply.Close()
	if err != nil {
		return nil, err
	}
	for _, n := range notes {
		fmt.Fprintln(cmd.ErrOrStderr(), "note:", n)
	}
	return tool.ParseDetail(data).Changes, nil
}

// editInput is a line of the batch.
type editInput struct {
	ID    json.RawMessage `json:"id"`
	File  *string         `json:"file"`
	Old   string          `json:"old"`
	New   string          `json:"new"`
	All   bool            `json:"replace_all"`
	Fresh bool            `json:"fresh"`
}

// editOutput is its answer.
type editOutput struct {
	ID      json.RawMessage `json:"id"`
	File    string          `json:"file"`
	Classes []string        `json:"classes"`
	Lines   [2]int          `json:"lines"`
}

func editLine(line []byte) (any, error) {
	var in editInput
	if err := json.Unmarshal(line, &in); err != nil {
		return nil, fmt.Errorf("not a line of the batch: %w", err)
	}
	if in.File == nil {
		return nil, errors.New(`the line has no "file"`)
	}
	r, err := edit.Apply(*in.File, []edit.Edit{{Old: in.Old, New: in.New, All: in.All}}, &edit.Options{Fresh: in.Fresh})
	if err != nil {
		return nil, err
	}
	return editOutput{in.ID, r.Text, r.Classes, r.Lines}, nil
}

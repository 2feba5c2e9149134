package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"rein/internal/edit"
)

func newEdit() *cobra.Command {
	var wish edit.Edit
	var batch, dry bool
	cmd := &cobra.Command{
		Use:   "edit FILE --old TEXT --new TEXT",
		Short: "Replace a text in a file as a model's edit would be: found despite small damage, never guessed",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if batch {
				return editBatch(cmd.InOrStdin(), cmd.OutOrStdout())
			}
			if len(args) != 1 || wish.Old == "" {
				return coded{exitUsage, errors.New("edit needs a FILE and --old, or --batch")}
			}
			return editFile(cmd, args[0], wish, dry)
		},
	}
	f := cmd.Flags()
	f.StringVar(&wish.Old, "old", "", "the text that stands in the file")
	f.StringVar(&wish.New, "new", "", "the text that shall stand there")
	f.BoolVar(&wish.All, "all", false, "replace every occurrence")
	f.IntVar(&wish.Expected, "expected", 0, "refuse unless there are so many occurrences")
	f.BoolVar(&dry, "dry-run", false, "show the diff, write nothing")
	f.BoolVar(&batch, "batch", false, `read lines {"id","file","old","new"}, write lines {"id","file","classes","lines"} or {"id","error"}; no disk`)
	return cmd
}

// editFile edits one file on disk for a person: in place, so that its mode and links stay.
func editFile(cmd *cobra.Command, path string, wish edit.Edit, dry bool) error {
	before, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	r, err := edit.Apply(string(before), []edit.Edit{wish}, &edit.Options{Path: path})
	if err != nil {
		return err
	}
	fmt.Fprint(cmd.OutOrStdout(), r.Diff)
	if dry {
		return nil
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%s: +%d -%d lines (%v)\n", path, r.Added, r.Removed, r.Classes)
	return writeInPlace(path, r.Text)
}

func writeInPlace(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(f, text); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// editLine is a line of the batch, both ways.
type editLine struct {
	ID      json.RawMessage `json:"id,omitempty"`
	File    *string         `json:"file,omitempty"`
	Old     string          `json:"old,omitempty"`
	New     string          `json:"new,omitempty"`
	All     bool            `json:"replace_all,omitempty"`
	Fresh   bool            `json:"fresh,omitempty"`
	Classes []string        `json:"classes,omitempty"`
	Lines   []int           `json:"lines,omitempty"`
	Error   string          `json:"error,omitempty"`
}

func editBatch(in io.Reader, out io.Writer) error {
	r := bufio.NewReaderSize(in, 1<<20)
	w := bufio.NewWriter(out)
	defer w.Flush()
	for {
		line, err := r.ReadBytes('\n')
		if len(line) > 1 {
			if err := json.NewEncoder(w).Encode(editOne(line)); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return w.Flush()
		}
		if err != nil {
			return err
		}
		if r.Buffered() == 0 {
			if err := w.Flush(); err != nil {
				return err
			}
		}
	}
}

func editOne(line []byte) editLine {
	var in editLine
	if err := json.Unmarshal(line, &in); err != nil {
		return editLine{ID: in.ID, Error: "not a line of the batch: " + err.Error()}
	}
	if in.File == nil {
		return editLine{ID: in.ID, Error: `the line has no "file"`}
	}
	r, err := edit.Apply(*in.File, []edit.Edit{{Old: in.Old, New: in.New, All: in.All}}, &edit.Options{Fresh: in.Fresh})
	if err != nil {
		return editLine{ID: in.ID, Error: err.Error()}
	}
	return editLine{ID: in.ID, File: &r.Text, Classes: r.Classes, Lines: r.Lines[:]}
}

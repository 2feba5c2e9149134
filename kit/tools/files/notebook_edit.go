package files

import (
	"context"
	"fmt"
	"strings"

	"rein/internal/plaintext"
	"rein/kit/edit"
	"rein/tool"
)

type notebookArgs struct {
	Path    string `json:"path" jsonschema:".ipynb file, relative to the workspace" minLength:"1"`
	Cell    *int   `json:"cell,omitempty" jsonschema:"number of the cell, from 0; with insert, the new cell comes before it; the number of cells means at the end" minimum:"0"`
	CellID  string `json:"cell_id,omitempty" jsonschema:"id of the cell, instead of its number; with insert, the new cell comes after it"`
	Mode    string `json:"mode,omitempty" enum:"replace,insert,delete" default:"replace"`
	Type    string `json:"cell_type,omitempty" jsonschema:"type of the cell; required for insert" enum:"code,markdown,raw"`
	Source  string `json:"source,omitempty" jsonschema:"the whole new source of the cell"`
	OldText string `json:"old_text,omitempty" jsonschema:"part of the cell's source that new_text replaces, instead of source"`
	NewText string `json:"new_text,omitempty" jsonschema:"replacement for old_text"`
}

// Intent reads and writes the file.
func (a notebookArgs) Intent() tool.Intent {
	return tool.Intent{Reads: []string{a.Path}, Writes: []string{a.Path}}
}

const notebookDescription = `Change one cell of a Jupyter notebook: replace its source (all of it, or old_text by new_text), insert a new cell, or delete a cell. The outputs of a changed code cell are removed. The rest of the file stays the same, byte for byte.`

// NotebookEdit returns the tool that changes a cell of a notebook. Its detail is one tool.Change.
func (f Tools) NotebookEdit() *tool.Tool {
	t := tool.New("notebook_edit", notebookDescription, tool.Reads|tool.Writes, f.notebookEdit)
	names := pathNames("notebook_path", "path", "new_source", "source", "content", "source", "edit_mode", "mode", "action", "mode", "type", "cell_type",
		"cell_number", "cell", "cell_index", "cell", "index", "cell", "id", "cell_id")
	for _, n := range oldNames {
		names[n] = "old_text"
	}
	for _, n := range newNames {
		names[n] = "new_text"
	}
	t.Input = t.Input.WithAliases(names)
	return t
}

func (f Tools) notebookEdit(ctx context.Context, in notebookArgs, r *tool.Reply) error {
	return f.rewriteAll(ctx, r, func() ([]*rewriting, error) { return f.planNotebook(in) })
}

func (f Tools) planNotebook(in notebookArgs) ([]*rewriting, error) {
	w, err := f.decoded(in.Path)
	if err != nil {
		return nil, err
	}
	err = f.replan(w, func(text string, fresh bool) (edit.Result, error) {
		n, err := parseNotebook(text)
		if err != nil {
			return edit.Result{}, &tool.Error{Kind: tool.Unsupported, Text: fmt.Sprintf("%s: %v", in.Path, err), Hint: "If it is a text file, change it with edit_file."}
		}
		after, err := in.change(n)
		if err != nil {
			return edit.Result{}, err
		}
		if after == text {
			return edit.Result{}, &tool.Error{Kind: tool.BadArguments, Text: "the cell already has this source", Hint: "Nothing more to do."}
		}
		return edit.Compare(text, after), nil
	})
	return []*rewriting{w}, err
}

// change returns the notebook's new text.
func (in notebookArgs) change(n *notebook) (string, error) {
	at, err := in.cell(n)
	if err != nil {
		return "", err
	}
	switch in.Mode {
	case "insert":
		if in.Type == "" {
			return "", &tool.Error{Kind: tool.BadArguments, Text: "cell_type is missing", Hint: "Send code, markdown or raw."}
		}
		return n.Insert(at, in.Type, in.Source), nil
	case "delete":
		return n.Delete(at), nil
	}
	if in.OldText == "" {
		return n.Replace(at, in.Source, in.Type), nil
	}
	r, err := edit.Apply(n.Cells[at].Source, []edit.Edit{{Old: in.OldText, New: in.NewText}}, nil)
	if err != nil {
		return "", err
	}
	return n.Replace(at, r.Text, in.Type), nil
}

// cell is the number of the cell that the call names.
func (in notebookArgs) cell(n *notebook) (int, error) {
	last := len(n.Cells) - 1
	if in.Mode == "insert" {
		last++
	}
	if in.CellID != "" {
		for i, c := range n.Cells {
			if c.ID == in.CellID {
				if in.Mode == "insert" {
					i++
				}
				return i, nil
			}
		}
		return 0, &tool.Error{Kind: tool.NotFound, Text: fmt.Sprintf("there is no cell with the id %q", in.CellID), Hint: "The cells are: " + cellNames(n)}
	}
	if in.Cell == nil {
		if in.Mode == "insert" {
			return last, nil
		}
		return 0, &tool.Error{Kind: tool.BadArguments, Text: "neither cell nor cell_id was sent", Hint: "The cells are: " + cellNames(n)}
	}
	if *in.Cell > last {
		return 0, &tool.Error{Kind: tool.NotFound, Text: fmt.Sprintf("there is no cell %d: the notebook has %s", *in.Cell, plaintext.Counted(len(n.Cells), "cell")), Hint: "The cells are: " + cellNames(n)}
	}
	return *in.Cell, nil
}

// cellNames lists the first cells and how they start.
func cellNames(n *notebook) string {
	var out []string
	for i, c := range n.Cells {
		if i == 20 {
			out = append(out, "…")
			break
		}
		first, _, _ := strings.Cut(c.Source, "\n")
		out = append(out, fmt.Sprintf("%d %s %q", i, c.Type, cutLine(first)))
	}
	return strings.Join(out, "; ")
}

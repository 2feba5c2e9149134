package files

import (
	"context"
	"fmt"
	"strings"

	"rein/internal/plaintext"
	"rein/kit/edit"
	"rein/tool"
)

type insertArgs struct {
	Path string `json:"path" jsonschema:"file, relative to the workspace" minLength:"1"`
	Line int    `json:"line" jsonschema:"the new lines come after this line; 0: at the start, -1: at the end" minimum:"-1"`
	Text string `json:"text" jsonschema:"lines to add, with their indentation" minLength:"1"`
}

// Intent reads and writes the file.
func (a insertArgs) Intent() tool.Intent {
	return tool.Intent{Reads: []string{a.Path}, Writes: []string{a.Path}}
}

const insertDescription = `Add lines to a file after a given line. Read the file first: the call fails if you have not read it, or if it has changed since.`

// Insert returns the tool that adds lines after a line. Its detail is one tool.Change.
func (f Tools) Insert() *tool.Tool {
	t := tool.New("insert", insertDescription, tool.Reads|tool.Writes, f.insert)
	t.Input = t.Input.WithAliases(pathNames("insert_line", "line", "line_number", "line", "after_line", "line", "after", "line",
		"new_str", "text", "new_text", "text", "content", "text", "insert_text", "text", "lines", "text"))
	return t
}

func (f Tools) insert(ctx context.Context, in insertArgs, r *tool.Reply) error {
	return f.rewriteAll(ctx, r, func() ([]*rewriting, error) { return f.planInsert(in) })
}

func (f Tools) planInsert(in insertArgs) ([]*rewriting, error) {
	w, err := f.decoded(in.Path)
	if err != nil {
		return nil, err
	}
	if err := f.Workspace.SeenSome(w.old); err != nil {
		return nil, refusal(err)
	}
	lines := strings.Split(strings.TrimSuffix(strings.ReplaceAll(in.Text, "\r\n", "\n"), "\n"), "\n")
	err = f.replan(w, func(text string, fresh bool) (edit.Result, error) {
		have := edit.CountLines(text)
		if in.Line > have {
			return edit.Result{}, &tool.Error{Kind: tool.BadArguments, Text: fmt.Sprintf("%s has %s; there is no line %d", in.Path, plaintext.Counted(have, "line"), in.Line), Hint: "Use -1 to add at the end."}
		}
		at := in.Line + 1
		if in.Line < 0 {
			at = have + 1
		}
		return edit.ApplyHunks(text, []edit.Hunk{{New: lines, Line: at}}, &edit.Options{Path: in.Path, Fresh: fresh})
	})
	return []*rewriting{w}, err
}

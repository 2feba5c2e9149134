package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"rein/tool"
)

type editArgs struct {
	Action  string `json:"action" jsonschema:"rename (path, line, symbol, new_name) or fix (path, line, title: a code action that lsp lists)"`
	Path    string `json:"path" jsonschema:"the file" minLength:"1"`
	Line    int    `json:"line" jsonschema:"line, from 1" minimum:"1"`
	Symbol  string `json:"symbol,omitempty" jsonschema:"the symbol as it is written on that line" maxLength:"500"`
	NewName string `json:"new_name,omitempty" jsonschema:"the new name" maxLength:"500"`
	Title   string `json:"title,omitempty" jsonschema:"the title of the code action" maxLength:"500"`
}

// Intent is empty: the edits are calls of edit_file, which are judged separately.
func (editArgs) Intent() tool.Intent { return tool.Intent{} }

const editDescription = `Rename a symbol in all files, or apply a code action of the language server. The changes are made with edit_file: each is checked, shown and can be undone.`

func (s *Servers) editTool() *tool.Tool {
	t := tool.New("lsp_edit", editDescription, 0, s.edit)
	t.Input = t.Input.WithAliases(map[string]string{"operation": "action", "file": "path", "file_path": "path", "name": "symbol", "newName": "new_name"})
	t.Timeout, t.Nests = time.Hour, true // approvals may take long
	return t
}

func (s *Servers) edit(ctx context.Context, in editArgs, r *tool.Reply) error {
	q, err := s.open(ctx, in.Path)
	if err != nil {
		return err
	}
	var change *workspaceEdit
	switch in.Action {
	case "rename":
		change, err = q.rename(ctx, in)
	case "fix":
		change, err = q.fix(ctx, in)
	default:
		err = &tool.Error{Kind: tool.BadArguments, Text: fmt.Sprintf("%q is not an action", in.Action), Hint: "Send rename or fix."}
	}
	if err != nil {
		return err
	}
	return s.apply(ctx, change, r)
}

func (q *question) rename(ctx context.Context, in editArgs) (*workspaceEdit, error) {
	if in.NewName == "" {
		return nil, &tool.Error{Kind: tool.BadArguments, Text: "new_name is missing"}
	}
	at, err := q.position(in.Line, in.Symbol)
	if err != nil {
		return nil, err
	}
	params := at.params()
	params["newName"] = in.NewName
	var change workspaceEdit
	return &change, q.call(ctx, "textDocument/rename", params, &change)
}

// action is a code action. Its edit may have to be asked for.
type action struct {
	Title   string          `json:"title"`
	Kind    string          `json:"kind"`
	Edit    *workspaceEdit  `json:"edit"`
	Command json.RawMessage `json:"command"`
	raw     json.RawMessage
}

// actions asks for the code actions of a line.
func (q *question) actions(ctx context.Context, n int) ([]action, error) {
	if n < 1 {
		return nil, &tool.Error{Kind: tool.BadArguments, Text: "line is missing"}
	}
	// What a server can fix depends on its diagnostics.
	if all, err := q.srv.after(ctx, nil, q.abs); err == nil && len(all[q.path]) == 0 && q.srv.pulls {
		_ = q.srv.pull(ctx, q.path)
	}
	q.srv.mu.Lock()
	diagnostics := []Diagnostic{}
	for _, d := range q.srv.said[q.path].list {
		if d.Range.Start.Line <= n-1 && d.Range.End.Line >= n-1 {
			diagnostics = append(diagnostics, d)
		}
	}
	q.srv.mu.Unlock()
	var raw []json.RawMessage
	params := map[string]any{"textDocument": map[string]any{"uri": uriOf(q.path)},
		"range":   Range{Start: Position{Line: n - 1}, End: Position{Line: n - 1, Character: countUnits(line(q.text, n-1))}},
		"context": map[string]any{"diagnostics": diagnostics}}
	if err := q.call(ctx, "textDocument/codeAction", params, &raw); err != nil {
		return nil, err
	}
	all := make([]action, 0, len(raw))
	for _, x := range raw {
		a := action{raw: x}
		if json.Unmarshal(x, &a) == nil && a.Title != "" {
			all = append(all, a)
		}
	}
	return all, nil
}

// codeActions writes the titles of what could be done on a line.
func (q *question) codeActions(ctx context.Context, n int, r *tool.Reply) error {
	all, err := q.actions(ctx, n)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		fmt.Fprintln(r, "no code actions here")
	}
	for i, a := range all {
		if i == mostPlaces {
			break
		}
		fmt.Fprintf(r, "%s (%s)\n", oneLine(a.Title), a.Kind)
	}
	return nil
}

func (q *question) fix(ctx context.Context, in editArgs) (*workspaceEdit, error) {
	all, err := q.actions(ctx, in.Line)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(a action) bool { return oneLine(a.Title) == oneLine(in.Title) })
	if i < 0 {
		var titles []string
		for _, a := range all {
			titles = append(titles, oneLine(a.Title))
		}
		return nil, &tool.Error{Kind: tool.NotFound, Text: fmt.Sprintf("There is no code action %q on line %d.", in.Title, in.Line), Hint: "There are: " + strings.Join(titles, "; ")}
	}
	a := all[i]
	if a.Edit == nil {
		if err := q.call(ctx, "codeAction/resolve", a.raw, &a); err != nil && !isServerError(err) {
			return nil, err
		}
	}
	if a.Edit == nil {
		return nil, &tool.Error{Kind: tool.Unsupported, Text: "This code action runs a command of the server, which rein does not run.", Hint: "Make the change with edit_file."}
	}
	return a.Edit, nil
}

// mostEdited is how many files one change may have.
const mostEdited = 100

// apply makes the changes with edit_file, all files at once, and asks for the diagnostics when all are made.
func (s *Servers) apply(ctx context.Context, change *workspaceEdit, r *tool.Reply) error {
	edits, operations := change.Edits()
	switch {
	case len(operations) > 0:
		return &tool.Error{Kind: tool.Unsupported, Text: "This change also moves or deletes files (" + strings.Join(operations, ", ") + "), which rein does not do for a server.", Hint: "Rename the files yourself, then edit what refers to them."}
	case len(edits) == 0:
		return &tool.Error{Kind: tool.NotFound, Text: "The server changes nothing."}
	case len(edits) > mostEdited:
		return &tool.Error{Kind: tool.TooLarge, Text: fmt.Sprintf("The change has %d files, at most %d.", len(edits), mostEdited)}
	}
	var calls []tool.Call
	var changes []Change
	for _, path := range slices.Sorted(maps.Keys(edits)) {
		if !within(s.Dir, path) {
			return &tool.Error{Kind: tool.Outside, Text: fmt.Sprintf("The change has a file outside the workspace: %s.", path)}
		}
		data, err := s.Read(s.shown(path))
		if err != nil {
			return err
		}
		after, err := applyEdits(string(data), edits[path])
		if err != nil {
			return fmt.Errorf("%s: %w", s.shown(path), err)
		}
		if after == string(data) {
			continue
		}
		args, err := json.Marshal(map[string]any{"path": s.shown(path), "old_text": string(data), "new_text": after})
		if err != nil {
			return err
		}
		calls = append(calls, tool.Call{Name: "edit_file", Args: args})
		changes = append(changes, Change{Path: path, Before: string(data), After: after})
	}
	s.renaming(1)
	results, err := r.Run(ctx, calls)
	s.renaming(-1)
	if err != nil {
		return err
	}
	failed := 0
	for i, x := range results {
		if x.Failed {
			failed++
			fmt.Fprintf(r, "%s: %s\n", s.shown(changes[i].Path), x.Text)
			continue
		}
		fmt.Fprintf(r, "edited %s (places: %d)\n", s.shown(changes[i].Path), len(edits[changes[i].Path]))
	}
	if failed > 0 {
		return &tool.Error{Text: fmt.Sprintf("%d of %d files were not changed.", failed, len(results)), Hint: "The others were: undo_edit takes an edit back."}
	}
	_, err = r.WriteString(s.Diagnose(ctx, changes))
	return err
}

// renaming counts changes of several files that are at work.
func (s *Servers) renaming(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.renames += n
}

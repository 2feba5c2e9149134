package files

import (
	"context"
	"fmt"

	"rein/edit"
	"rein/internal/charset"
	"rein/tool"
	"rein/workspace"
)

type undoArgs struct {
	Path string `json:"path" jsonschema:"the file whose last change by you is taken back" minLength:"1"`
}

// Intent changes the file.
func (a undoArgs) Intent() tool.Intent {
	return tool.Intent{Reads: []string{a.Path}, Writes: []string{a.Path}}
}

const undoDescription = `Take back the last change that a tool of this session made to a file: its old text, or its absence. Called again it takes back the change before that. What others changed in the file since stays; if they changed the same lines, nothing is done.`

// UndoEdit returns the tool that takes back the last change of a file.
func (f Tools) UndoEdit() *tool.Tool {
	t := tool.New("undo_edit", undoDescription, tool.Reads|tool.Writes, f.undo)
	t.Input = t.Input.WithAliases(pathNames())
	return t
}

func (f Tools) undo(ctx context.Context, in undoArgs, r *tool.Reply) error {
	return f.rewriteAll(ctx, r, func() ([]*rewriting, error) { return f.planUndo(in) })
}

func (f Tools) planUndo(in undoArgs) ([]*rewriting, error) {
	name, err := f.Workspace.Resolve(in.Path)
	if err != nil {
		return nil, refusal(err)
	}
	if f.History == nil {
		return nil, &tool.Error{Kind: tool.Unsupported, Text: "changes are not kept here", Hint: "bring the text back with edit_file"}
	}
	c, ok, err := f.History.Last(name)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, &tool.Error{Kind: tool.NotFound, Text: fmt.Sprintf("there is no change of %s by this session that could be taken back", name), Hint: "changes by bash or by others are not kept"}
	}
	now, err := f.Workspace.Load(name)
	if err != nil && workspace.KindOf(err) != workspace.NotFound {
		return nil, refusal(err)
	}
	w := &rewriting{path: name, old: now, undoes: c.ID}
	if now == nil {
		return f.planRestore(w, c)
	}
	return f.planRevert(w, c, now)
}

// planRestore brings back a file that was deleted.
func (f Tools) planRestore(w *rewriting, c Changed) ([]*rewriting, error) {
	if c.After != "" {
		return nil, &tool.Error{Kind: tool.Stale, Text: w.path + " has been deleted since your change of it", Hint: "write it anew if it is wanted"}
	}
	data, err := f.History.Content(c.Before)
	if err != nil {
		return nil, err
	}
	w.after, w.charset, err = charset.Decode(data)
	return []*rewriting{w}, err
}

// planRevert gives a file its text from before the change; what others did since is merged.
func (f Tools) planRevert(w *rewriting, c Changed, now *workspace.Version) ([]*rewriting, error) {
	var err error
	if w.before, w.charset, err = charset.Decode(now.Data); err != nil {
		return nil, err
	}
	untouched := fmt.Sprintf("%x", now.Sum) == c.After
	if c.Before == "" {
		if !untouched {
			return nil, &tool.Error{Kind: tool.Stale, Text: w.path + " has been changed since you created it, so it is not deleted", Hint: "delete it with bash if that is wanted"}
		}
		w.remove = true
		return []*rewriting{w}, nil
	}
	before, after, err := f.contents(c)
	if err != nil {
		return nil, err
	}
	if untouched {
		w.after, w.result = before, edit.Compare(w.before, before)
		return []*rewriting{w}, nil
	}
	merged, conflicts := edit.Merge(after, before, w.before)
	if len(conflicts) > 0 {
		return nil, conflict(w, conflicts)
	}
	if merged.Text == w.before {
		return nil, &tool.Error{Kind: tool.NotFound, Text: "nothing of your last change is left in " + w.path}
	}
	w.after, w.result, w.partial = merged.Text, merged, f.Workspace.SeenAll(now) != nil
	w.notes = append(w.notes, "the file was changed by another hand since; that was kept")
	return []*rewriting{w}, nil
}

// contents are the two texts of a change.
func (f Tools) contents(c Changed) (before, after string, err error) {
	var texts [2]string
	for i, sum := range []string{c.Before, c.After} {
		if sum == "" {
			continue
		}
		data, err := f.History.Content(sum)
		if err == nil {
			texts[i], _, err = charset.Decode(data)
		}
		if err != nil {
			return "", "", err
		}
	}
	return texts[0], texts[1], nil
}

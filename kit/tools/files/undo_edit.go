package files

import (
	"context"
	"fmt"

	"rein/kit/edit"
	"rein/kit/undo"
	"rein/kit/workspace"
	"rein/tool"
)

type undoArgs struct {
	Path string `json:"path" jsonschema:"file whose last change is undone" minLength:"1"`
}

// Intent reads and writes the file. An undo touches no other file, also if the file was moved by a patch.
func (a undoArgs) Intent() tool.Intent {
	return tool.Intent{Reads: []string{a.Path}, Writes: []string{a.Path}}
}

const undoDescription = `Undo the last change that this session made to a file, with a file tool or a command. Call it again to undo the change before that. Changes that others made since are kept; if they changed the same lines, nothing happens.`

// UndoEdit returns the tool that undoes the last change of a file. Its detail is one tool.Change.
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
	if f.LastChange == nil {
		return nil, &tool.Error{Kind: tool.Unsupported, Text: "undo is not available in this session", Hint: "Restore the text with edit_file."}
	}
	c, ok, err := f.LastChange(name)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, &tool.Error{Kind: tool.NotFound, Text: fmt.Sprintf("this session has made no change of %s that can be undone", name), Hint: "Changes made by others cannot be undone."}
	}
	now, err := f.Workspace.Load(name)
	if err != nil && workspace.KindOf(err) != workspace.NotFound {
		return nil, refusal(err)
	}
	w := &rewriting{path: name, old: now}
	if now == nil {
		return f.planRestore(w, c)
	}
	return f.planRevert(w, c, now)
}

// planRestore restores a file that was deleted.
func (f Tools) planRestore(w *rewriting, c undo.Replaced) ([]*rewriting, error) {
	if c.After != nil {
		return nil, &tool.Error{Kind: tool.Stale, Text: w.path + " was deleted after your change", Hint: "If it is still needed, write it again."}
	}
	var err error
	w.after, w.charset, err = workspace.DecodeText(c.Before)
	return []*rewriting{w}, err
}

// planRevert restores the text from before the change, and merges what others changed since.
func (f Tools) planRevert(w *rewriting, c undo.Replaced, now *workspace.Version) ([]*rewriting, error) {
	var err error
	if w.before, w.charset, err = workspace.DecodeText(now.Data); err != nil {
		return nil, err
	}
	untouched := now.Sum == workspace.SumOf(c.After)
	if c.Before == nil {
		if !untouched {
			return nil, &tool.Error{Kind: tool.Stale, Text: w.path + " was changed after you created it; it was not deleted", Hint: "To delete it anyway, use bash."}
		}
		w.remove = true
		return []*rewriting{w}, nil
	}
	before, _, err := workspace.DecodeText(c.Before)
	if err != nil {
		return nil, err
	}
	after, _, err := workspace.DecodeText(c.After)
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
		return nil, &tool.Error{Kind: tool.NotFound, Text: "your last change is no longer in " + w.path}
	}
	w.after, w.result, w.partial = merged.Text, merged, f.Workspace.SeenAll(now) != nil
	w.notes = append(w.notes, "someone else changed the file since; those changes are kept")
	return []*rewriting{w}, nil
}

package files

import (
	"encoding/json"
	"errors"
	"strings"

	"rein/kit/edit"
	"rein/kit/workspace"
	"rein/tool"
)

// ErrNoPreview is the error of Preview for a tool that changes no files.
var ErrNoPreview = errors.New("this tool has no preview")

// Preview returns what a call of a tool that changes files would change, without changing it. A person sees it before an
// approval. The arguments must have been checked against the tool's schema. The error is the one of the call itself.
func (f Tools) Preview(name string, args json.RawMessage) ([]tool.Change, error) {
	all, err := f.plan(name, args)
	if err != nil {
		return nil, err
	}
	out := make([]tool.Change, len(all))
	for i, w := range all {
		out[i] = w.shown()
	}
	return out, nil
}

func (f Tools) plan(name string, args json.RawMessage) ([]*rewriting, error) {
	switch name {
	case "edit_file":
		return planOf(args, f.planEdit)
	case "apply_patch":
		return planOf(args, f.planPatch)
	case "insert":
		return planOf(args, f.planInsert)
	case "undo_edit":
		return planOf(args, f.planUndo)
	case "notebook_edit":
		return planOf(args, f.planNotebook)
	case "agent_apply":
		return planOf(args, f.planApply)
	case "write_file":
		return planOf(args, f.planWrite)
	}
	return nil, ErrNoPreview
}

func planOf[In any](args json.RawMessage, plan func(In) ([]*rewriting, error)) ([]*rewriting, error) {
	var in In
	if err := json.Unmarshal(args, &in); err != nil {
		return nil, &tool.Error{Kind: tool.BadArguments, Text: err.Error()}
	}
	return plan(in)
}

// planWrite is what write_file would change, for a preview only.
func (f Tools) planWrite(in writeArgs) ([]*rewriting, error) {
	w := &rewriting{path: in.Path, after: in.Content, charset: workspace.Charset{}}
	v, err := f.Workspace.Load(in.Path)
	switch {
	case workspace.KindOf(err) == workspace.NotFound:
		return []*rewriting{w}, nil
	case err != nil:
		return nil, refusal(err)
	}
	w.old, w.before = v, strings.ToValidUTF8(string(v.Data), "�")
	w.result = edit.Compare(w.before, w.after)
	return []*rewriting{w}, nil
}

package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"rein/app/harness"
	"rein/app/server/api"
	"rein/kit/undo"
)

// FileQuestion asks what a session did to files. The zero value asks what it changed in all.
type FileQuestion struct {
	Steps bool         `json:"steps,omitempty"` // what each call did
	Undo  *api.Undoing `json:"undo,omitempty"`  // what taking changes back would do; with a hash it is done
}

// FileAnswer is the answer to a FileQuestion.
type FileAnswer struct {
	Changes api.Changes `json:"changes,omitzero"`
	Steps   []api.Step  `json:"steps,omitempty"`
	Undone  api.Undone  `json:"undone,omitzero"`
	Problem *errorModel `json:"problem,omitempty"` // instead of an answer
}

// Answer answers a question about a session, on the machine that has its files.
func (q FileQuestion) Answer(ctx context.Context, h *harness.Harness, history *harness.UndoHistory) (out FileAnswer) {
	out, err := q.answer(ctx, history, h.Mask().Bytes, func() (*fileTree, error) { return treeOf(h, h.Root(), DefaultDir(h.Dirs())) })
	if err != nil {
		out.Problem = problemOf(err)
	}
	return out
}

func (q FileQuestion) answer(ctx context.Context, history *harness.UndoHistory, mask secretMask, tree func() (*fileTree, error)) (out FileAnswer, err error) {
	switch {
	case q.Undo != nil:
		out.Undone, err = undoFiles(ctx, history, *q.Undo)
	case q.Steps:
		out.Steps, err = stepsOf(ctx, history)
	default:
		out.Changes, err = changesOf(ctx, history, mask, tree)
	}
	return out, err
}

// ask answers a question about a session of a workspace; "" is all sessions.
func (o fileOperations) ask(ctx context.Context, w *servedWorkspace, session string, q FileQuestion) (out FileAnswer, err error) {
	if o.engine != nil {
		if out, err = o.engine.Files(ctx, session, q); err == nil && out.Problem != nil {
			err = out.Problem
		}
		return out, err
	}
	history, err := o.history(w, session)
	if err != nil {
		return out, err
	}
	return q.answer(ctx, history, o.mask, func() (*fileTree, error) { return o.tree(w) })
}

func (o fileOperations) changesOf(ctx context.Context, w *servedWorkspace, in sessionPath) (api.Changes, error) {
	out, err := o.ask(ctx, w, in.ID, FileQuestion{})
	return out.Changes, err
}

func (o fileOperations) allChanges(ctx context.Context, w *servedWorkspace, _ ofDir) (api.Changes, error) {
	return o.changesOf(ctx, w, sessionPath{})
}

// changesOf returns what a session changed. A file that may hold secrets has no diff.
func changesOf(ctx context.Context, history *harness.UndoHistory, mask secretMask, open func() (*fileTree, error)) (api.Changes, error) {
	out := api.Changes{Files: []api.File{}}
	found, err := history.Changes(ctx, undo.Filter{})
	if err != nil {
		return out, err
	}
	tree, err := open()
	if err != nil {
		return out, err
	}
	defer tree.Close()
	found = slices.DeleteFunc(found, func(c undo.Change) bool { return c.Before.Mode.IsDir() || c.After.Mode.IsDir() })
	out.Files, out.More = shownDiffs(filesOf(found), tree.MayShow, mask)
	return out, nil
}

func (o fileOperations) steps(ctx context.Context, w *servedWorkspace, in sessionPath) ([]api.Step, error) {
	out, err := o.ask(ctx, w, in.ID, FileQuestion{Steps: true})
	return append([]api.Step{}, out.Steps...), err
}

func stepsOf(ctx context.Context, history *harness.UndoHistory) (all []api.Step, err error) {
	found, err := history.Steps(ctx, undo.Filter{})
	for _, f := range found {
		all = append(all, api.Step{Number: int64(f.N), Call: f.Call.ID, Title: f.Call.Title, Time: f.Time, Undo: f.Undo, Redo: f.Redo, Undone: f.Undone, Files: filesOf(f.Changes)})
	}
	return all, err
}

type undoInput struct {
	sessionPath
	Body api.Undoing
}

func (o fileOperations) undo(ctx context.Context, w *servedWorkspace, in undoInput) (api.Undone, error) {
	out, err := o.ask(ctx, w, in.ID, FileQuestion{Undo: &in.Body})
	if err == nil && out.Undone.Done {
		o.note(senderOf(ctx), api.Entry{What: "undid", Dir: w.dir, Session: in.ID, Call: in.Body.Call})
	}
	return out.Undone, err
}

// undoFiles plans, and does what was shown when the plan still is the one that was shown.
func undoFiles(ctx context.Context, history *harness.UndoHistory, u api.Undoing) (api.Undone, error) {
	plan, err := history.Plan(ctx, undo.Selection{Filter: undo.Filter{Call: u.Call, Message: u.Message}, Last: u.Last, Redo: u.Redo})
	if errors.Is(err, undo.ErrNothing) || errors.Is(err, undo.ErrNoStep) || errors.Is(err, undo.ErrUndone) {
		return api.Undone{}, problem(http.StatusConflict, "nothing", err.Error())
	}
	if err != nil {
		return api.Undone{}, err
	}
	out := undoneOf(plan.Changes, plan.Conflicts)
	out.Running = plan.Running
	text, err := json.Marshal(out)
	if err != nil {
		return out, err
	}
	sum := sha256.Sum256(text)
	out.Hash = hex.EncodeToString(sum[:])
	if u.Hash == "" {
		return out, nil
	}
	if u.Hash != out.Hash {
		return out, problem(http.StatusConflict, "changed", "the files have changed since this was shown")
	}
	did, err := history.Undo(ctx, plan, nil)
	if err != nil {
		return out, err
	}
	hash := out.Hash
	out = undoneOf(did.Changes, did.Conflicts)
	out.Hash, out.Done = hash, true
	for _, f := range did.Failed {
		out.Failed = append(out.Failed, f.Path)
	}
	return out, nil
}

// filesOf returns changes of files.
func filesOf(changes []undo.Change) []api.File {
	all := []api.File{}
	for _, c := range changes {
		all = append(all, api.File{Path: c.Path, From: c.From, What: string(c.What), Diff: c.Diff, Added: c.Added, Removed: c.Removed})
	}
	return all
}

// undoneOf returns what an undo does, or did.
func undoneOf(changes []undo.Change, conflicts []undo.Conflict) api.Undone {
	out := api.Undone{Files: filesOf(changes), Conflicts: []api.Conflict{}}
	for _, c := range conflicts {
		out.Conflicts = append(out.Conflicts, api.Conflict{Path: c.Path, Why: c.Why})
	}
	return out
}

package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"

	"rein/app/server/api"
	"rein/kit/undo"
)

func (o fileOperations) steps(ctx context.Context, w *servedWorkspace, in sessionPath) ([]api.Step, error) {
	all := []api.Step{}
	history, err := o.history(w, in.ID)
	if err != nil {
		return all, err
	}
	found, err := history.Steps(ctx, undo.Filter{})
	for _, f := range found {
		all = append(all, api.Step{Number: int64(f.N), Call: f.Call.ID, Title: f.Call.Title, Time: f.Time, Undo: f.Undo, Undone: f.Undone, Files: filesOf(f.Changes)})
	}
	return all, err
}

type undoInput struct {
	sessionPath
	Body api.Undoing
}

// undo plans, and does what was shown when the plan still is the one that was shown.
func (o fileOperations) undo(ctx context.Context, w *servedWorkspace, in undoInput) (api.Undone, error) {
	u := in.Body
	history, err := o.history(w, in.ID)
	if err != nil {
		return api.Undone{}, err
	}
	plan, err := history.Plan(ctx, undo.Selection{Filter: undo.Filter{Call: u.Call, Message: u.Message}, Last: u.Last, Redo: u.Redo})
	if errors.Is(err, undo.ErrNothing) || errors.Is(err, undo.ErrNoStep) || errors.Is(err, undo.ErrUndone) {
		return api.Undone{}, problem(http.StatusConflict, "nothing", err.Error())
	}
	if err != nil {
		return api.Undone{}, err
	}
	out := undoneOf(plan.Changes, plan.Conflicts)
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
	o.note(senderOf(ctx), api.Entry{What: "undid", Dir: w.dir, Session: in.ID, Call: u.Call})
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

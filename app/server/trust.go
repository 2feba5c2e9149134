package server

import (
	"context"
	"net/http"

	"rein/app/server/api"
)

// trustOperations are the question whether sessions may obey what a folder holds, and its answer.
type trustOperations struct {
	*workspaces
	*auditLog
}

func (o trustOperations) table() []apiOperation {
	const tag = "trust"
	return []apiOperation{
		operationAt(RoleViewer, "GET /v1/trust", "list-trust", tag, "What the folders of the workspaces have for sessions, and what the user answered", o.list),
		operationAt(roleOperator, "GET /v1/trust/text", "trust-text", tag, "The content of one item that sessions would use", inWorkspace(o.workspaces, o.text)),
		operationAt(roleOperator, "POST /v1/trust", "answer-trust", tag, "Trust content as it was shown, or do not", o.answer, http.StatusConflict),
		operationAt(roleOperator, "POST /v1/trust/forget", "forget-trust", tag, "Take all answers about a folder back", o.forget),
	}
}

func (o trustOperations) list(ctx context.Context, _ noContent) ([]api.Trust, error) {
	all := []api.Trust{}
	for _, w := range o.visible(senderOf(ctx).User) {
		all = append(all, shownTrust(w.newest(), w.dir))
	}
	return all, nil
}

type trustItem struct {
	ofDir
	Kind string `query:"kind" required:"true" maxLength:"40"`
	Path string `query:"path" required:"true" minLength:"1" maxLength:"4096"`
}

func (o trustOperations) text(_ context.Context, w *servedWorkspace, in trustItem) (api.TrustText, error) {
	return trustText(w.newest().Trust(), w.dir, in.Kind, in.Path, o.mask)
}

func (o trustOperations) forget(ctx context.Context, in api.Place) (api.Trust, error) {
	c := senderOf(ctx)
	w, err := o.find(c.User, in.Dir)
	if err == nil {
		err = w.newest().Trust().Forget()
	}
	if err != nil {
		return api.Trust{}, err
	}
	o.note(c, api.Entry{What: "forgot_trust", Dir: w.dir})
	return shownTrust(w.newest(), w.dir), nil
}

// answer keeps the answer, when each item still is as it was shown.
func (o trustOperations) answer(ctx context.Context, a api.TrustAnswer) (api.Trust, error) {
	c := senderOf(ctx)
	w, err := o.find(c.User, a.Dir)
	if err != nil {
		return api.Trust{}, err
	}
	f := w.newest().Trust()
	items, err := shownItems(f, w.dir, a.Items)
	if err != nil {
		return api.Trust{}, err
	}
	what, keep := "trusted", f.Accept
	if !a.Trust {
		what, keep = "declined_trust", f.Decline
	}
	if err := keep(items); err != nil {
		return api.Trust{}, err
	}
	for _, i := range items {
		o.note(c, api.Entry{What: what, Dir: w.dir, Hash: i.Sum, Text: string(i.Kind) + " " + i.Path})
	}
	return shownTrust(w.newest(), w.dir), nil
}

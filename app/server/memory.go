package server

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	"rein/app/server/api"
)

// memoryOperations are those on what sessions remember for later ones.
type memoryOperations struct {
	*workspaces
	*auditLog
}

func (o memoryOperations) table() []apiOperation {
	const tag = "memory"
	return []apiOperation{
		operationAt(RoleViewer, "GET /v1/memory", "list-memory", tag, "What sessions remember for later ones", inWorkspace(o.workspaces, o.list)),
		operationAt(roleOperator, "POST /v1/memory/{id}/confirm", "confirm-memory", tag, "Let sessions see what was only proposed", o.confirm),
		operationAt(roleOperator, "PUT /v1/memory/{id}", "edit-memory", tag, "Give an entry another text; it is not a proposal any more", o.edit, http.StatusConflict),
		operationAt(roleOperator, "POST /v1/memory", "add-memory", tag, "Let sessions remember a text", o.add),
		operationAt(roleOperator, "DELETE /v1/memory/{id}", "delete-memory", tag, "Forget one entry", o.forget),
	}
}

type memoryInput struct {
	ofDir
	Query    string `query:"q" maxLength:"200" doc:"words; the best entries come first. Empty: the newest first"`
	Proposed bool   `query:"proposed" doc:"only those that wait for a user"`
	Limit    int    `query:"limit" minimum:"1" maximum:"1000" default:"200"`
}

func (o memoryOperations) list(ctx context.Context, w *servedWorkspace, in memoryInput) ([]api.Memory, error) {
	store := w.newest().Memory()
	defer store.Close()
	find := store.Here
	if in.Proposed {
		find = store.Proposals
	}
	found, err := find(ctx, w.dir, in.Query, in.Limit)
	all := []api.Memory{}
	for _, e := range found {
		all = append(all, api.Memory{ID: e.ID, Scope: e.Scope, Category: e.Category, Text: o.masked(e.Text), Importance: e.Importance, Tags: e.Tags,
			Created: e.Created, Expires: e.Expires, Session: e.Source, Proposed: e.Proposed, Why: e.Why})
	}
	return all, err
}

type entryInput struct {
	ID int64 `path:"id" minimum:"1"`
	ofDir
}

func (o memoryOperations) confirm(ctx context.Context, in entryInput) (noContent, error) {
	return o.change(ctx, in.Dir, in.ID, "confirmed", api.MemoryText{})
}

func (o memoryOperations) forget(ctx context.Context, in entryInput) (noContent, error) {
	return o.change(ctx, in.Dir, in.ID, "forgot", api.MemoryText{})
}

type entryText struct {
	ID   int64 `path:"id" minimum:"1"`
	Body api.MemoryText
}

func (o memoryOperations) edit(ctx context.Context, in entryText) (noContent, error) {
	return o.change(ctx, in.Body.Dir, in.ID, "remembered", in.Body)
}

func (o memoryOperations) add(ctx context.Context, in api.MemoryText) (noContent, error) {
	return o.change(ctx, in.Dir, 0, "remembered", in)
}

// change confirms an entry ("confirmed"), deletes it ("forgot"), or gives it another text ("remembered"). With id 0 it keeps a new one. An entry of another
// project does not exist here, and what holds for all projects is changed only by who sees all workspaces.
func (o memoryOperations) change(ctx context.Context, dir string, id int64, what string, in api.MemoryText) (noContent, error) {
	var done noContent
	c := senderOf(ctx)
	w, err := o.find(c.User, dir)
	if err != nil {
		return done, err
	}
	store := w.newest().Memory()
	defer store.Close()
	e, ok, err := store.Get(ctx, id)
	switch {
	case err != nil:
		return done, err
	case id == 0:
		e = store.New(cmp.Or(in.Scope, "project"), w.dir, c.User.By().String())
	case !ok || e.Project != "" && e.Project != w.dir:
		return done, problem(http.StatusNotFound, "no_entry", "there is no such entry")
	}
	if e.Scope == "user" {
		if _, err := o.mayChange(c, dir, "always"); err != nil {
			return done, err
		}
	}
	switch what {
	case "forgot":
		_, err = store.Delete(ctx, id)
	case "remembered":
		if id > 0 && o.masked(e.Text) != in.Was {
			return done, problem(http.StatusConflict, "changed", "the entry is not the one that was shown")
		}
		if o.masked(in.Text) != in.Text {
			return done, problem(http.StatusUnprocessableEntity, "secret", "this holds a secret: write where it is kept, not its value")
		}
		if slices.ContainsFunc(in.Tags, func(t string) bool { return strings.TrimSpace(t) == "" || len(t) > 40 }) {
			return done, problem(http.StatusUnprocessableEntity, "tag", "a tag is empty or longer than 40 bytes")
		}
		e.Text, e.Category, e.Tags = in.Text, in.Category, in.Tags
		fallthrough
	default: // what a person wrote or confirmed is no proposal any more
		e.Proposed, e.Why = false, ""
		e, err = store.Put(ctx, e)
	}
	if err == nil {
		o.note(c, api.Entry{What: what, Dir: w.dir, Text: e.Line(80)})
	}
	return done, err
}

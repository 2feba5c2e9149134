package server

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"rein/server/api"
	"rein/server/audit"
	"rein/server/auth"
	"rein/server/signin"
)

func (s *Server) memoryOperations(a huma.API) {
	type memoryInput struct {
		InDir
		Query    string `query:"q" maxLength:"200" doc:"words; the best entries come first. Empty: the newest first"`
		Proposed bool   `query:"proposed" doc:"only those that wait for a user"`
		Limit    int    `query:"limit" minimum:"1" maximum:"1000" default:"200"`
	}
	add(a, auth.Viewer, huma.Operation{OperationID: "list-memory", Method: http.MethodGet, Path: "/v1/memory", Summary: "What sessions remember for later ones", Tags: []string{"memory"}},
		inRoom(s, func(ctx context.Context, w *workspace, in memoryInput) ([]api.Memory, error) {
			store := w.newest().Memory()
			defer store.Close()
			find := store.Here
			if in.Proposed {
				find = store.Proposals
			}
			found, err := find(ctx, w.dir, in.Query, in.Limit)
			all := []api.Memory{}
			for _, e := range found {
				all = append(all, api.Memory{ID: e.ID, Scope: e.Scope, Category: e.Category, Text: string(s.mask([]byte(e.Text))), Importance: e.Importance, Tags: e.Tags,
					Created: e.Created, Expires: e.Expires, Session: e.Source, Proposed: e.Proposed, Why: e.Why})
			}
			return all, err
		}))
	type entryInput struct {
		ID int64 `path:"id" minimum:"1"`
		InDir
	}
	add(a, auth.Operator, huma.Operation{OperationID: "confirm-memory", Method: http.MethodPost, Path: "/v1/memory/{id}/confirm", Summary: "Let sessions see what was only proposed", Tags: []string{"memory"}, DefaultStatus: http.StatusNoContent},
		func(ctx context.Context, in *entryInput) (*nothing, error) {
			return nil, s.changeMemory(ctx, signin.Of(ctx), in.Dir, in.ID, "confirmed", api.MemoryText{})
		})
	type textInput struct {
		ID   int64 `path:"id" minimum:"1"`
		Body api.MemoryText
	}
	add(a, auth.Operator, huma.Operation{OperationID: "edit-memory", Method: http.MethodPut, Path: "/v1/memory/{id}", Summary: "Give an entry another text; it is not a proposal any more", Tags: []string{"memory"}, DefaultStatus: http.StatusNoContent, Errors: []int{http.StatusConflict}},
		func(ctx context.Context, in *textInput) (*nothing, error) {
			return nil, s.changeMemory(ctx, signin.Of(ctx), in.Body.Dir, in.ID, "remembered", in.Body)
		})
	add(a, auth.Operator, huma.Operation{OperationID: "add-memory", Method: http.MethodPost, Path: "/v1/memory", Summary: "Let sessions remember a text", Tags: []string{"memory"}, DefaultStatus: http.StatusNoContent},
		func(ctx context.Context, in *body[api.MemoryText]) (*nothing, error) {
			return nil, s.changeMemory(ctx, signin.Of(ctx), in.Body.Dir, 0, "remembered", in.Body)
		})
	add(a, auth.Operator, huma.Operation{OperationID: "delete-memory", Method: http.MethodDelete, Path: "/v1/memory/{id}", Summary: "Forget one entry", Tags: []string{"memory"}, DefaultStatus: http.StatusNoContent},
		func(ctx context.Context, in *entryInput) (*nothing, error) {
			return nil, s.changeMemory(ctx, signin.Of(ctx), in.Dir, in.ID, "forgot", api.MemoryText{})
		})
}

// changeMemory confirms an entry ("confirmed"), deletes it ("forgot"), or gives it another text ("remembered"). With id 0 it keeps a new one. An entry of another
// project does not exist here, and what holds for all projects is changed only by who sees all workspaces.
func (s *Server) changeMemory(ctx context.Context, c signin.Client, dir string, id int64, what string, in api.MemoryText) error {
	w, err := s.room(c.User, dir)
	if err != nil {
		return err
	}
	store := w.newest().Memory()
	defer store.Close()
	e, ok, err := store.Get(ctx, id)
	switch {
	case err != nil:
		return err
	case id == 0:
		e = store.New(in.Scope, w.dir, c.User.By())
	case !ok || e.Project != "" && e.Project != w.dir:
		return problem(http.StatusNotFound, "no_entry", "there is no such entry")
	}
	if e.Scope == "user" {
		if _, err := s.mayChange(c, dir, "always"); err != nil {
			return err
		}
	}
	switch what {
	case "forgot":
		_, err = store.Delete(ctx, id)
	case "remembered":
		if id > 0 && string(s.mask([]byte(e.Text))) != in.Was {
			return problem(http.StatusConflict, "changed", "the entry is not the one that was shown")
		}
		if string(s.mask([]byte(in.Text))) != in.Text {
			return problem(http.StatusUnprocessableEntity, "secret", "this holds a secret: write where it is kept, not its value")
		}
		if slices.ContainsFunc(in.Tags, func(t string) bool { return strings.TrimSpace(t) == "" || len(t) > 40 }) {
			return problem(http.StatusUnprocessableEntity, "tag", "a tag is empty or longer than 40 bytes")
		}
		e.Text, e.Category, e.Tags = in.Text, in.Category, in.Tags
		fallthrough
	default: // what a person wrote or confirmed is no proposal any more
		e.Proposed, e.Why = false, ""
		e, err = store.Put(ctx, e)
	}
	if err == nil {
		s.note(c, audit.Entry{What: what, Dir: w.dir, Text: e.Line(80)})
	}
	return err
}

package server

import (
	"context"
	"net/http"
	"path/filepath"
	"strings"

	"rein/app/server/api"
)

// userOperations are those on the users of the server. Only the owner has them: an operator who could add users could let anybody in.
type userOperations struct {
	*users
	rooms *workspaces
	*auditLog
}

func (o userOperations) table() []apiOperation {
	const tag = "users"
	return []apiOperation{
		operationAt(roleOwner, "GET /v1/users", "list-users", tag, "The users of the server beside its owner", o.list),
		operationAt(roleOwner, "POST /v1/users", "add-user", tag, "Add a user: gives the user's key, which is not kept", o.add, http.StatusCreated),
		operationAt(roleOwner, "DELETE /v1/users/{name}", "remove-user", tag, "Remove a user: the key and the browsers of the user stop working", o.remove),
	}
}

func (o userOperations) list(_ context.Context, _ noContent) ([]api.User, error) {
	all := []api.User{}
	for _, u := range o.Users() {
		all = append(all, api.User{Name: u.Name, Role: string(u.Role), Workspaces: u.Workspaces})
	}
	return all, nil
}

func (o userOperations) add(ctx context.Context, in api.User) (out api.NewKey, err error) {
	c := senderOf(ctx)
	for i, dir := range in.Workspaces {
		w, err := o.rooms.find(c.User, filepath.Clean(dir))
		if err != nil {
			return out, err
		}
		in.Workspaces[i] = w.dir
	}
	if out.Key, err = o.Add(User{Name: in.Name, Role: Role(in.Role), Workspaces: in.Workspaces}); err != nil {
		return out, problem(http.StatusUnprocessableEntity, "user", err.Error())
	}
	o.note(c, api.Entry{What: "added_user", Text: strings.Join(append([]string{in.Name, in.Role}, in.Workspaces...), " ")})
	return out, nil
}

type userName struct {
	Name string `path:"name" minLength:"1" maxLength:"80"`
}

func (o userOperations) remove(ctx context.Context, in userName) (done noContent, err error) {
	if err := o.Remove(in.Name); err != nil {
		return done, problem(http.StatusNotFound, "no_user", err.Error())
	}
	o.note(senderOf(ctx), api.Entry{What: "removed_user", Text: in.Name})
	return done, nil
}

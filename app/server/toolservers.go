package server

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"rein/app/inbox"
	"rein/app/server/api"
	"rein/guard"
)

// loginTime is how long a person has to sign in.
const loginTime = 5 * time.Minute

// toolServerOperations are the tool servers (MCP) of a workspace: what is known of them, and what a person decides about them.
type toolServerOperations struct {
	*workspaces
	*auditLog
	*background
}

func (o toolServerOperations) table() []apiOperation {
	const tag = "mcp"
	return []apiOperation{
		operationAt(RoleViewer, "GET /v1/mcp", "list-tool-servers", tag, "Tool servers (MCP): state, tools, changed definitions; none is started", inWorkspace(o.workspaces, o.list)),
		operationAt(roleOperator, "POST /v1/mcp/{name}/try", "try-tool-server", tag, "Start or contact a tool server, list its tools, and end it", inWorkspace(o.workspaces, o.try)),
		operationAt(roleOperator, "POST /v1/mcp/{name}/accept", "accept-tool", tag, "Take the changed definition of a tool as it was shown", o.accept, http.StatusConflict),
		operationAt(roleOperator, "POST /v1/mcp/{name}/login", "login-tool-server", tag, "Begin to sign in to a tool server: gives the address for a browser on this machine", inWorkspace(o.workspaces, o.login), http.StatusConflict),
		operationAt(roleOperator, "POST /v1/mcp/{name}/logout", "logout-tool-server", tag, "Forget the sign-in to a tool server", inWorkspace(o.workspaces, o.logout), http.StatusConflict),
	}
}

// toolServerPath names a tool server of a workspace.
type toolServerPath struct {
	Name string `path:"name" minLength:"1" maxLength:"64"`
	ofDir
}

func (o toolServerOperations) list(ctx context.Context, w *servedWorkspace, _ ofDir) ([]api.ToolServer, error) {
	return o.all(ctx, w, "")
}

func (o toolServerOperations) try(ctx context.Context, w *servedWorkspace, in toolServerPath) (api.ToolServer, error) {
	o.note(senderOf(ctx), api.Entry{What: "tried_server", Dir: w.dir, Text: in.Name})
	return o.one(ctx, w, in.Name, in.Name)
}

type pinInput struct {
	Name string `path:"name" minLength:"1" maxLength:"64"`
	Body api.PinAnswer
}

func (o toolServerOperations) accept(ctx context.Context, in pinInput) (none api.ToolServer, err error) {
	c := senderOf(ctx)
	w, err := o.find(c.User, in.Body.Dir)
	if err == nil {
		err = mayDecide(c.User, w, in.Name)
	}
	if err == nil {
		err = acceptTool(w, in.Name, in.Body)
	}
	if err != nil {
		return none, err
	}
	o.note(c, api.Entry{What: "accepted_tool", Dir: w.dir, Hash: in.Body.Hash, Text: in.Body.Tool})
	return o.one(ctx, w, in.Name, "")
}

func (o toolServerOperations) login(ctx context.Context, w *servedWorkspace, in toolServerPath) (out api.LoginAddress, err error) {
	if err := mayDecide(senderOf(ctx).User, w, in.Name); err != nil {
		return out, err
	}
	if out.URL, err = o.beginLogin(ctx, w, in.Name); err != nil {
		return out, problem(http.StatusConflict, "sign_in", err.Error())
	}
	o.note(senderOf(ctx), api.Entry{What: "signed_in_server", Dir: w.dir, Text: in.Name})
	return out, nil
}

func (o toolServerOperations) logout(ctx context.Context, w *servedWorkspace, in toolServerPath) (out api.ToolServer, err error) {
	if err := mayDecide(senderOf(ctx).User, w, in.Name); err != nil {
		return out, err
	}
	servers, err := w.newest().ToolServers()
	if err != nil {
		return out, err
	}
	defer servers.Close()
	if _, err := servers.Logout(in.Name); err != nil {
		return out, problem(http.StatusConflict, "sign_in", err.Error())
	}
	o.note(senderOf(ctx), api.Entry{What: "signed_out_server", Dir: w.dir, Text: in.Name})
	return o.one(ctx, w, in.Name, "")
}

// all returns what is known of all tool servers. The one that try names is connected before.
func (o toolServerOperations) all(ctx context.Context, w *servedWorkspace, try string) ([]api.ToolServer, error) {
	servers, err := w.newest().ToolServers()
	if err != nil {
		return nil, err
	}
	defer servers.Close()
	return shownToolServers(ctx, servers, try, o.mask), nil
}

func (o toolServerOperations) one(ctx context.Context, w *servedWorkspace, name, try string) (api.ToolServer, error) {
	all, err := o.all(ctx, w, try)
	for _, v := range all {
		if v.Name == name {
			return v, err
		}
	}
	if err == nil {
		err = problem(http.StatusNotFound, "no_server", "there is no such tool server")
	}
	return api.ToolServer{}, err
}

// mayDecide refuses to decide about a tool server that is not the project's own to who sees only some workspaces.
func mayDecide(u User, w *servedWorkspace, name string) error {
	servers, err := w.newest().ToolServers()
	if err != nil {
		return err
	}
	defer servers.Close()
	for _, e := range servers.Entries() {
		if e.Name == name && e.Scope != "project" && !u.SeesAll() {
			return errSeesSome
		}
	}
	return nil
}

// allowedDefinition refuses an approval that takes the changed definition of a tool to who may not accept it by itself.
func allowedDefinition(u User, w *servedWorkspace, r inbox.Request, a api.Answer) error {
	if a.Choice != "approved" || !slices.Contains(r.Verdict.Rules, guard.ChangedDefinition) {
		return nil
	}
	if !u.Role.May(roleOperator) {
		return problem(http.StatusForbidden, "role", "to approve this call accepts the definition of its tool, which needs the role operator")
	}
	if u.SeesAll() {
		return nil
	}
	servers, err := w.newest().ToolServers()
	if err != nil {
		return err
	}
	defer servers.Close()
	if server := servers.Of(r.Tool); server == nil || server.Entry().Scope != "project" {
		return errSeesSome
	}
	return nil
}

// acceptTool pins a definition that changed, when it is the one that was shown.
func acceptTool(w *servedWorkspace, name string, a api.PinAnswer) error {
	servers, err := w.newest().ToolServers()
	if err != nil {
		return err
	}
	defer servers.Close()
	return acceptPin(servers, name, a)
}

// beginLogin begins to sign in, and returns the address that a person opens. What follows continues by itself, until the person was there
// or loginTime has passed.
func (o toolServerOperations) beginLogin(ctx context.Context, w *servedWorkspace, name string) (string, error) {
	servers, err := w.newest().ToolServers()
	if err != nil {
		return "", err
	}
	address, ended := make(chan string, 1), make(chan error, 1) // of one value each: nobody may be there to take it
	o.work.Go(func() {
		defer servers.Close()
		waiting, stop := context.WithTimeout(o.ctx, loginTime)
		defer stop()
		err := servers.Login(waiting, name, func(a string) { address <- a })
		if err != nil {
			o.log.Warn("sign-in to a tool server", "server", name, "error", err)
		}
		ended <- err
	})
	select {
	case a := <-address:
		return a, nil
	case err := <-ended:
		if err == nil {
			err = errors.New("this server lets rein in without a sign-in")
		}
		return "", err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

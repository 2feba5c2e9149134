package server

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"rein/server/api"
	"rein/server/audit"
	"rein/server/auth"
	"rein/server/shown"
	"rein/server/signin"
)

// loginTime is how long a person has to sign in.
const loginTime = 5 * time.Minute

// ToolServerPath names a tool server of a workspace. It is exported because huma fills no field of an unexported type.
type ToolServerPath struct {
	Name string `path:"name" minLength:"1" maxLength:"64"`
	InDir
}

// toolServerOperations are the tool servers (MCP) of a workspace: what is known of them, and what a person decides about them.
func (s *Server) toolServerOperations(a huma.API) {
	add(a, auth.Viewer, huma.Operation{OperationID: "list-tool-servers", Method: http.MethodGet, Path: "/v1/mcp", Summary: "Tool servers (MCP): state, tools, changed definitions; none is started", Tags: []string{"mcp"}},
		inRoom(s, func(ctx context.Context, w *workspace, _ InDir) ([]api.ToolServer, error) {
			return s.toolServers(ctx, w, "")
		}))
	add(a, auth.Operator, huma.Operation{OperationID: "try-tool-server", Method: http.MethodPost, Path: "/v1/mcp/{name}/try", Summary: "Start or contact a tool server, list its tools, and end it", Tags: []string{"mcp"}},
		inRoom(s, func(ctx context.Context, w *workspace, in ToolServerPath) (api.ToolServer, error) {
			s.note(signin.Of(ctx), audit.Entry{What: "tried_server", Dir: w.dir, Text: in.Name})
			return s.toolServer(ctx, w, in.Name, in.Name)
		}))
	type pinInput struct {
		Name string `path:"name" minLength:"1" maxLength:"64"`
		Body api.PinAnswer
	}
	add(a, auth.Operator, huma.Operation{OperationID: "accept-tool", Method: http.MethodPost, Path: "/v1/mcp/{name}/accept", Summary: "Take the changed definition of a tool as it was shown", Tags: []string{"mcp"}, Errors: []int{http.StatusConflict}},
		func(ctx context.Context, in *pinInput) (*body[api.ToolServer], error) {
			c := signin.Of(ctx)
			w, err := s.room(c.User, in.Body.Dir)
			if err == nil {
				err = mayDecide(c.User, w, in.Name)
			}
			if err == nil {
				err = acceptTool(w, in.Name, in.Body)
			}
			if err != nil {
				return nil, err
			}
			s.note(c, audit.Entry{What: "accepted_tool", Dir: w.dir, Hash: in.Body.Hash, Text: in.Body.Tool})
			v, err := s.toolServer(ctx, w, in.Name, "")
			return &body[api.ToolServer]{v}, err
		})
	s.loginOperations(a)
}

func (s *Server) loginOperations(a huma.API) {
	add(a, auth.Operator, huma.Operation{OperationID: "login-tool-server", Method: http.MethodPost, Path: "/v1/mcp/{name}/login", Summary: "Begin to sign in to a tool server: gives the address for a browser on this machine", Tags: []string{"mcp"}},
		inRoom(s, func(ctx context.Context, w *workspace, in ToolServerPath) (out api.LoginAddress, err error) {
			if err := mayDecide(signin.Of(ctx).User, w, in.Name); err != nil {
				return out, err
			}
			if out.URL, err = s.login(ctx, w, in.Name); err != nil {
				return out, problem(http.StatusConflict, "sign_in", err.Error())
			}
			s.note(signin.Of(ctx), audit.Entry{What: "signed_in_server", Dir: w.dir, Text: in.Name})
			return out, nil
		}))
	add(a, auth.Operator, huma.Operation{OperationID: "logout-tool-server", Method: http.MethodPost, Path: "/v1/mcp/{name}/logout", Summary: "Forget the sign-in to a tool server", Tags: []string{"mcp"}},
		inRoom(s, func(ctx context.Context, w *workspace, in ToolServerPath) (out api.ToolServer, err error) {
			if err := mayDecide(signin.Of(ctx).User, w, in.Name); err != nil {
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
			s.note(signin.Of(ctx), audit.Entry{What: "signed_out_server", Dir: w.dir, Text: in.Name})
			return s.toolServer(ctx, w, in.Name, "")
		}))
}

// toolServers returns what is known of all tool servers. The one that try names is connected before.
func (s *Server) toolServers(ctx context.Context, w *workspace, try string) ([]api.ToolServer, error) {
	servers, err := w.newest().ToolServers()
	if err != nil {
		return nil, err
	}
	defer servers.Close()
	return shown.ToolServers(ctx, servers, try, s.mask), nil
}

func (s *Server) toolServer(ctx context.Context, w *workspace, name, try string) (api.ToolServer, error) {
	all, err := s.toolServers(ctx, w, try)
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
func mayDecide(u auth.User, w *workspace, name string) error {
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

// acceptTool pins a definition that changed, when it is the one that was shown.
func acceptTool(w *workspace, name string, a api.PinAnswer) error {
	servers, err := w.newest().ToolServers()
	if err != nil {
		return err
	}
	defer servers.Close()
	return shown.Accept(servers, name, a)
}

// login begins to sign in, and returns the address that a person opens. What follows continues by itself, until the person was there
// or loginTime has passed.
func (s *Server) login(ctx context.Context, w *workspace, name string) (string, error) {
	servers, err := w.newest().ToolServers()
	if err != nil {
		return "", err
	}
	address, ended := make(chan string, 1), make(chan error, 1) // of one value each: nobody may be there to take it
	s.work.Go(func() {
		defer servers.Close()
		waiting, stop := context.WithTimeout(s.ctx, loginTime)
		defer stop()
		err := servers.Login(waiting, name, func(a string) { address <- a })
		if err != nil {
			s.o.Log.Warn("sign-in to a tool server", "server", name, "error", err)
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

package harness

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/modelcontextprotocol/go-sdk/auth"

	"rein/kit/mcp"
)

// account is where the sign-in to a server is kept.
func (s *ToolServers) account(e mcp.ServerEntry) (mcp.Account, error) {
	client, err := s.o.Client(e.URL, "*") // the server names the host that signs its users in
	return mcp.Account{Dir: filepath.Join(s.o.State, "mcp", "accounts"), Server: e.Name, URL: e.URL, Client: client}, err
}

// auth authorizes the requests of sessions with what is kept.
func (s *ToolServers) auth(e mcp.ServerEntry) (auth.OAuthHandler, error) {
	account, err := s.account(e)
	return account.Handler(), err
}

// Login signs in to a server on the network. show gets the address that the user opens in a browser; the call waits until
// the browser comes back, and not longer than ctx.
func (s *ToolServers) Login(ctx context.Context, name string, show func(address string)) error {
	e, err := s.entry(name)
	if err != nil {
		return err
	}
	if e.Headers["Authorization"] != "" {
		return errors.New("its entry has an Authorization header, so there is nothing to sign in to")
	}
	if e, err = s.expand(e); err != nil {
		return err
	}
	account, err := s.account(e)
	if err != nil {
		return err
	}
	if _, err := account.Remove(); err != nil {
		return err
	}
	login := &mcp.Login{Account: account, Show: show}
	if o := e.OAuth; o != nil {
		login.ClientID, login.ClientSecret, login.ClientURL, login.Port = o.ClientID, o.ClientSecret, o.ClientURL, o.CallbackPort
	}
	handler, end, err := login.Handler()
	if err != nil {
		return err
	}
	defer end()
	e.StartTimeout = mcp.ConfigTime(signInTime)
	server := mcp.New(e, mcp.Options{Version: s.o.Version, HTTP: s.client, Auth: func(mcp.ServerEntry) (auth.OAuthHandler, error) { return handler, nil }})
	defer server.Close()
	return server.Connect(ctx)
}

// Logout forgets the sign-in to a server. It reports whether there was one.
func (s *ToolServers) Logout(name string) (bool, error) {
	e, err := s.entry(name)
	if err == nil {
		e, err = s.expand(e)
	}
	if err != nil {
		return false, err
	}
	account, err := s.account(e)
	if err != nil {
		return false, err
	}
	return account.Remove()
}

// SignedIn reports whether the sign-in to a server on the network is kept.
func (s *ToolServers) SignedIn(name string) bool {
	e, err := s.entry(name)
	if err == nil {
		e, err = s.expand(e)
	}
	if err != nil {
		return false
	}
	account, err := s.account(e)
	return err == nil && account.Kept()
}

// entry returns the entry of a server on the network.
func (s *ToolServers) entry(name string) (mcp.ServerEntry, error) {
	for _, e := range s.o.Entries {
		switch {
		case e.Name != name:
		case e.Kind() == "stdio":
			return e, fmt.Errorf("%s is a program: only servers on the network have a sign-in", name)
		default:
			return e, nil
		}
	}
	return mcp.ServerEntry{}, fmt.Errorf("there is no tool server %q", name)
}

package harness

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"path/filepath"
	"time"

	"rein/event"
	"rein/guard/preset"
	"rein/harness/settings"
	"rein/harness/toolservers"
	"rein/harness/trust"
	"rein/netpolicy"
	"rein/sandbox"
	"rein/sandbox/proxy"
	"rein/toolkit/browser"
)

// openNetwork makes the policy of hosts, and the proxy through which programs reach them. When no host is allowed, the
// proxy answers so, and access can be granted later.
func (s *Session) openNetwork() error {
	n, err := settings.NetworkOf(s.h.layers)
	if err != nil {
		return err
	}
	if n.Allow, err = preset.Expand(n.Allow); err != nil {
		return settings.Error{Err: fmt.Errorf("settings: network.allow: %w", err)}
	}
	rules := netpolicy.Rules{Allow: n.Allow, Private: n.Private, Deny: n.Deny}
	programs, err := netpolicy.New(netpolicy.Options{Rules: rules})
	if err != nil {
		return settings.Error{Err: fmt.Errorf("settings: network: %w", err)}
	}
	if _, err := netpolicy.MatchHost(n.Send, netpolicy.Target{Host: "x", Port: 443}); err != nil {
		return settings.Error{Err: fmt.Errorf("settings: network.send: %w", err)}
	}
	rules.Allow = append([]string{"*"}, n.Allow...)
	tools, err := netpolicy.New(netpolicy.Options{Rules: rules})
	if err != nil {
		return settings.Error{Err: fmt.Errorf("settings: network: %w", err)}
	}
	s.access = newAccessGrants(programs, tools, n.Send)
	s.access.add = s.addPlace
	s.proxy = proxy.New(proxy.Options{Methods: n.Methods, Report: s.reached, Send: s.access.sends, Policy: s.access.programs.Load, Ask: s.askForHost}).Serve
	return nil
}

// reached records what programs asked of the network.
func (s *Session) reached(r proxy.Request) {
	if r.Allowed && r.Done {
		return // recorded when it began
	}
	result := "allowed"
	if !r.Allowed {
		result = "refused: " + r.Reason
		s.access.refusedHost(r.Address())
	}
	s.append(event.Event{Kind: event.Reached, Text: r.String() + " " + result})
}

// knownHost reports whether a host is allowed already, by the settings or by access that was granted.
func (s *Session) knownHost(host string) bool {
	name, port := splitHost(host)
	t, err := netpolicy.ParseTarget(name, port)
	return err == nil && (s.access.knows(t) || t.Host == browser.OwnHost)
}

// serveProxy is what the sandbox calls with a listener inside it.
type serveProxy func(net.Listener)

// reachOf gives the way to the network for the program of a tool server: the hosts of its entry, without what the settings
// deny.
func (h *Harness) reachOf(server string, hosts []string) (func(net.Listener), error) {
	allow, err := preset.Expand(hosts)
	n, failed := settings.NetworkOf(h.layers)
	policy, wrong := netpolicy.New(netpolicy.Options{Rules: netpolicy.Rules{Allow: allow, Deny: n.Deny}})
	if err := errors.Join(err, failed, wrong); err != nil {
		return nil, err
	}
	return proxy.New(proxy.Options{Policy: func() *netpolicy.Policy { return policy }, Report: func(r proxy.Request) {
		if !r.Allowed {
			h.log.Info("tool server", "server", server, "refused", r.String(), "reason", r.Reason)
		}
	}}).Serve, nil
}

// clientOf gives an HTTP client for the address of a tool server: it reaches that host and port and no other, unless more are
// named.
func (h *Harness) clientOf(address string, more ...string) (*http.Client, error) {
	n, err := settings.NetworkOf(h.layers)
	if err != nil {
		return nil, err
	}
	policy, err := netpolicy.ForServer(address, n.Deny, more...)
	return netpolicy.NewClient(func() *netpolicy.Policy { return policy }, netpolicy.ClientOptions{Time: -1, Header: 5 * time.Minute, Body: -1}), err
}

// readToolServers gives the entries of the tool servers that sessions here have, also of those that are switched off.
func (h *Harness) readToolServers() (toolservers.Entries, error) {
	where := toolservers.Where{}
	where.Files, where.Strict = h.options.MCPConfig, h.options.StrictMCP
	text, err := h.folder.Read(toolservers.ProjectFile)
	switch {
	case errors.Is(err, fs.ErrNotExist) || where.Strict:
	case err != nil:
		h.options.Warn(err.Error())
	case h.folder.Trusted(trust.MCP, toolservers.ProjectFile, text):
		where.Project = text
	default:
		h.options.Warn("the tool servers of " + toolservers.ProjectFile + " are not used, because you do not trust the file: see rein trust")
	}
	where.Add("the editor", h.options.MCPServers) // settings come after it, and win
	for _, l := range h.layers {
		where.Add(l.Path, l.MCPServers)
	}
	entries, warnings, err := where.Read()
	for _, line := range warnings {
		h.options.Warn(line)
	}
	return entries, usageError(err)
}

// servers prepares tool servers; none is started.
func (h *Harness) servers(entries toolservers.Entries, confine sandbox.Policy) *toolservers.Servers {
	return toolservers.New(toolservers.Options{Entries: entries, State: h.dirs.State, Root: h.root, Home: settings.HomeDir(), Version: h.options.Version,
		Sandbox: confine, Reach: h.reachOf, Client: h.clientOf})
}

// ToolServers prepares the tool servers of this directory outside of a session: to list and try them. None is started.
// Close ends them.
func (h *Harness) ToolServers() (*toolservers.Servers, error) {
	entries, err := h.readToolServers()
	if err != nil {
		return nil, err
	}
	return h.servers(entries, sandbox.Policy{Workspace: h.root, Mode: sandbox.Mode(h.settings.Sandbox), Only: h.options.Backend, Warn: h.options.Warn,
		Limits: h.settings.Programs.Limits(), Hidden: h.ownDirs(), Private: filepath.Join(h.dirs.Private, settings.WorkspaceName(h.root))}), nil
}

// Client gives an HTTP client for what the user fetches: it reaches all public hosts but those that the settings deny.
func (h *Harness) Client() (*http.Client, error) {
	n, err := settings.NetworkOf(h.layers)
	if err != nil {
		return nil, err
	}
	policy, err := netpolicy.New(netpolicy.Options{Rules: netpolicy.Rules{Allow: []string{"*"}, Private: n.Private, Deny: n.Deny}})
	if err != nil {
		return nil, settings.Error{Err: err}
	}
	return policy.Client(netpolicy.ClientOptions{Time: 2 * time.Minute, Body: 32 << 20}), nil
}

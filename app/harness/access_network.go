package harness

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"

	"rein/app/settings"
	"rein/guard/effect"
	"rein/kit/guards"
	"rein/kit/network"
	"rein/kit/sandbox"
	"rein/kit/tools"
	"rein/kit/workspace"
	"rein/tool"
)

// accessOptions say what the access of a session is measured by.
type accessOptions struct {
	Network     settings.Network       // hosts by the settings
	Workspace   *workspace.Workspace   // the file tools' view of the files; a granted place is added to it
	CheckOpened func(string) error     // fails where the sandbox cannot open a place
	Isolated    func() bool            // the sandbox of programs keeps them from what is not granted
	Proxied     func() bool            // programs reach the network through Proxy
	Forwards    func() bool            // they find the servers that are opened to them by name, although they know of no proxy
	Denied      func(tool.Intent) bool // the guards would deny a request for access
	Reached     func(text string)      // receives what programs asked of the network, once each
}

// newAccess makes the grants of a session: what the settings allow. A settings.Error says which of them cannot be used.
func newAccess(o accessOptions) (*accessGrants, error) {
	wrong := func(part string, err error) error {
		return settings.Error{Err: fmt.Errorf("settings: network%s: %w", part, err)}
	}
	n := o.Network
	allow, err := guards.ExpandPresets(n.Allow)
	if err != nil {
		return nil, wrong(".allow", err)
	}
	rules := network.Rules{Allow: allow, Private: n.Private, Deny: n.Deny}
	programs, err := network.New(network.Options{Rules: rules})
	if err != nil {
		return nil, wrong("", err)
	}
	if _, err := network.MatchHost(n.Send, network.Target{Host: "x", Port: 443}); err != nil {
		return nil, wrong(".send", err)
	}
	rules.Allow = append([]string{"*"}, allow...)
	forTools, err := network.New(network.Options{Rules: rules})
	if err != nil {
		return nil, wrong("", err)
	}
	g := &accessGrants{options: o, taken: map[string]callLease{}, key: rand.Text(), granted: map[string][]tools.AccessRequest{}, files: map[tools.AccessRequest]func(){}}
	g.base.programs, g.base.tools = programs, forTools
	g.programs.Store(programs)
	g.pages.Store(programs)
	return g, nil
}

// Programs returns the policy of hosts for programs as it is now.
func (g *accessGrants) Programs() *network.Policy { return g.programs.Load() }

// ClientOfPrograms returns an HTTP client that reaches what programs reach. It follows no redirect.
func (g *accessGrants) ClientOfPrograms() *http.Client {
	return network.NewClient(g.Programs, network.ClientOptions{Hops: -1})
}

// Proxy returns what serves the network to programs on a listener inside the sandbox, and to the browser that has its Key. Where
// no host is allowed it answers so, and access can be granted later.
func (g *accessGrants) Proxy() func(net.Listener) {
	sends := func(u accessUser) func(network.Target) bool {
		return func(t network.Target) bool { return g.sends(u, t) }
	}
	o := network.ProxyOptions{Methods: g.options.Network.Methods, Report: g.reached, Ask: g.AskForHost}
	browser := o
	browser.Policy, browser.Send = g.pages.Load, sends(pages)
	o.Policy, o.Send, o.Own = g.Programs, sends(programs), map[string]*network.Proxy{g.key: network.NewProxy(browser)}
	return network.NewProxy(o).Serve
}

// accessKey is the password with which the browser shows the proxy at an address that it is the browser: hosts that were opened for its
// pages are open to it and to no other program.
type accessKey struct{ Address, Password string }

// Key returns the key of the session's browser.
func (g *accessGrants) Key() accessKey { return accessKey{network.ProxyKeyAddress, g.key} }

// reached reports what programs asked of the network.
func (g *accessGrants) reached(r network.ProxyRequest) {
	if r.Allowed && r.Done && r.Rule != network.ProxyUnreachable {
		return // reported when it began
	}
	result := "allowed"
	switch {
	case r.Rule == network.ProxyUnreachable:
		result = "failed: " + r.Reason
		g.refuse(r.Address(), r.Reason)
	case !r.Allowed:
		result = "refused: " + r.Reason
		why := r.Reason
		if r.Rule == network.NotAllowed || r.Rule == network.OtherPort { // an approval opens these
			why = ""
		}
		g.refuse(r.Address(), why)
	}
	g.options.Reached(r.String() + " " + result)
}

// programReach is what the program of a tool server or an agent reaches of the network.
type programReach struct {
	proxy func(net.Listener) // see sandbox.Policy.Proxy
	ports []uint16           // of this machine's loopback: see sandbox.Opened
	names []sandbox.Server   // of other machines
}

// open gives a sandbox the way to the network.
func (r programReach) open(policy *sandbox.Policy) {
	policy.Proxy = r.proxy
	policy.Opened.Ports = append(slices.Clone(policy.Opened.Ports), r.ports...)
	policy.Opened.Servers = append(slices.Clone(policy.Opened.Servers), r.names...)
}

// reachFor returns what hosts of an entry open, without what the settings deny. A server of this machine is named with its port
// ("localhost:11434"), and is found at that port. refused receives the requests that did not pass.
func reachFor(n settings.Network, hosts []string, refused func(network.ProxyRequest)) (programReach, error) {
	all, err := guards.ExpandPresets(hosts)
	rules := network.Rules{Deny: n.Deny}
	for _, host := range all {
		if localPort(effect.ContactOf(host)) != 0 {
			rules.Private = append(rules.Private, host)
		} else {
			rules.Allow = append(rules.Allow, host)
		}
	}
	policy, wrong := network.New(network.Options{Rules: rules})
	if err := errors.Join(err, wrong); err != nil {
		return programReach{}, err
	}
	reach := programReach{proxy: network.NewProxy(network.ProxyOptions{Policy: func() *network.Policy { return policy }, Report: func(r network.ProxyRequest) {
		if !r.Allowed {
			refused(r)
		}
	}}).Serve}
	reach.names = serversOf(rules.Allow)
	for _, host := range rules.Private {
		c := effect.ContactOf(host)
		target, err := network.ParseTarget(c.Host, strconv.Itoa(c.Port))
		if err == nil && policy.Check(target) == nil {
			reach.ports = append(reach.ports, localPort(c))
		}
	}
	return reach, nil
}

// clientFor returns an HTTP client for the address of a tool server: it reaches that host and port and no other, unless more are
// named.
func clientFor(n settings.Network, address string, more ...string) (*http.Client, error) {
	policy, err := network.ForServer(address, n.Deny, more...)
	return network.NewClient(func() *network.Policy { return policy }, network.ClientOptions{Time: -1, Header: 5 * time.Minute, Body: -1}), err
}

// accessClient returns an HTTP client for what the user fetches: it reaches all public hosts but those that the settings deny.
func accessClient(n settings.Network) (*http.Client, error) {
	policy, err := network.New(network.Options{Rules: network.Rules{Allow: []string{"*"}, Private: n.Private, Deny: n.Deny}})
	if err != nil {
		return nil, settings.Error{Err: err}
	}
	return policy.Client(network.ClientOptions{Time: 2 * time.Minute, Body: 32 << 20}), nil
}

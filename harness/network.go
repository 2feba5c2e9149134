package harness

import (
	"fmt"
	"net"

	"rein/event"
	"rein/guard/preset"
	"rein/harness/settings"
	"rein/netpolicy"
	"rein/sandbox/proxy"
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
	return err == nil && s.access.knows(t)
}

// serveProxy is what the sandbox calls with a listener inside it.
type serveProxy func(net.Listener)

package main

import (
	"fmt"
	"net"
	"rein/harness/settings"
	"time"

	"rein/event"
	"rein/netpolicy"
	"rein/sandbox/proxy"
)

// openNetwork makes the policy of hosts, and the proxy through which programs reach them. With no host allowed the proxy
// says so, and one can be opened later.
func (w *wired) openNetwork() error {
	s, err := settings.NetworkOf(w.layers)
	if err != nil {
		return err
	}
	rules := netpolicy.Rules{Allow: s.Allow, Private: s.Private, Deny: s.Deny}
	programs, err := netpolicy.New(netpolicy.Options{Rules: rules})
	if err != nil {
		return coded{exitConfig, fmt.Errorf("settings: network: %w", err)}
	}
	if _, err := netpolicy.MatchHost(s.Send, netpolicy.Target{Host: "x", Port: 443}); err != nil {
		return coded{exitConfig, fmt.Errorf("settings: network.send: %w", err)}
	}
	rules.Allow = append([]string{"*"}, s.Allow...)
	tools, err := netpolicy.New(netpolicy.Options{Rules: rules})
	if err != nil {
		return coded{exitConfig, fmt.Errorf("settings: network: %w", err)}
	}
	w.access = newAccessGrants(programs, tools, s.Send)
	w.access.add = w.addPlace
	w.proxy = proxy.New(proxy.Options{Methods: s.Methods, Report: w.reached, Send: w.access.sends, Policy: w.access.programs.Load}).Serve
	return nil
}

// reached records what programs asked of the network.
func (w *wired) reached(r proxy.Request) {
	if r.Allowed && r.Done {
		return // told when it began
	}
	says := "allowed"
	if !r.Allowed {
		says = "refused: " + r.Reason
		w.access.refusedHost(r.Host)
	}
	w.append(event.Event{Kind: event.Reached, Time: time.Now(), Session: w.session,
		Text: fmt.Sprintf("%s %s%s %s", r.Method, r.Host, r.Path, says)})
}

// append records an event of the process itself. The journal keeps its own error for the next call.
func (w *wired) append(e event.Event) {
	if w.journal != nil {
		_ = w.journal.Append(e)
	}
}

// serveProxy is what the sandbox calls with a listener inside it.
type serveProxy func(net.Listener)

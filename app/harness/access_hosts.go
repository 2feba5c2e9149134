package harness

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"rein/guard/effect"
	"rein/kit/network"
	"rein/kit/sandbox"
	"rein/kit/tools"
)

// hostOf reads host or host:port, and returns it as rules write it.
func hostOf(text string) (host string, t network.Target, err error) {
	name, port := splitHost(text)
	if t, err = network.ParseTarget(name, port); err != nil {
		return "", t, err
	}
	if t.Host == network.HostName {
		t.Host = "localhost"
	}
	if strings.HasSuffix(text, ":"+port) {
		return t.String(), t, nil
	}
	return t.Host, t, nil
}

// addressText is the host of a contact, with its port where that is known.
func addressText(c effect.Contact) string {
	if c.Port == 0 {
		return c.Host
	}
	return net.JoinHostPort(c.Host, strconv.Itoa(c.Port))
}

// serversAt are the servers that programs find by name when a host, or host:port, is opened; none where it is an address or of this machine, or has
// wildcards. Without a port these are those of the web.
func serversAt(host string) (all []sandbox.Server) {
	_, t, err := hostOf(host)
	if err != nil || t.Addr.IsValid() || strings.Contains(host, "*") || isPrivate(host) || t.Host == "localhost" {
		return nil
	}
	if all = append(all, sandbox.Server{Name: t.Host, Port: t.Port}); !strings.HasSuffix(host, fmt.Sprintf(":%d", t.Port)) {
		all = append(all, sandbox.Server{Name: t.Host, Port: 80})
	}
	return all
}

// mostServers is how many servers of the settings programs find by name; more are reached by the proxy alone.
const mostServers = 32

// serversOf are the servers that programs find by name where hosts are allowed.
func serversOf(hosts []string) (all []sandbox.Server) {
	for _, host := range hosts {
		if more := serversAt(host); len(all)+len(more) <= mostServers {
			all = append(all, more...)
		}
	}
	return all
}

// isPrivate reports whether a host is of this machine or of its network by its own words.
func isPrivate(host string) bool {
	name, port := splitHost(host)
	t, err := network.ParseTarget(name, port)
	return err == nil && (t.Host == "localhost" || strings.HasSuffix(t.Host, ".localhost") ||
		t.Addr.IsValid() && network.Classify(t.Addr) != network.Public)
}

// splitHost takes the port off a host; 443 where there is none.
func splitHost(host string) (name, port string) {
	if name, port, err := net.SplitHostPort(host); err == nil {
		if _, err := strconv.ParseUint(port, 10, 16); err == nil {
			return name, port
		}
	}
	return strings.Trim(host, "[]"), "443"
}

// Knows reports whether a host, or host:port, was allowed to a tool already: by the settings, or by access that was granted.
func (g *accessGrants) Knows(tool, host string) bool {
	_, t, err := hostOf(host)
	if err != nil {
		return false
	}
	if g.Programs().Check(t) == nil || isBrowserTool(tool) && g.pages.Load().Check(t) == nil {
		return true
	}
	return g.awaits(t, func(tools.AccessRequest) bool { return true })
}

// Reaches reports whether programs reach a host:port without a further approval, with all that they send there: what HTTP without TLS sends is judged.
func (g *accessGrants) Reaches(address string) bool {
	_, t, err := hostOf(address)
	if err != nil || !g.options.Proxied() {
		return false
	}
	return g.Programs().Check(t) == nil && (t.Port == 443 || g.sends(programs, t)) || g.awaits(t, func(x tools.AccessRequest) bool { return t.Port == 443 || x.Send })
}

// awaits reports whether a host was opened for the next call that can use it, in a way that is enough.
func (g *accessGrants) awaits(t network.Target, enough func(tools.AccessRequest) bool) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.ContainsFunc(g.once, func(x tools.AccessRequest) bool {
		match, err := network.MatchHost([]string{x.Host}, t)
		return x.Host != "" && err == nil && match && enough(x)
	})
}

// sends reports whether every method of plain HTTP of a user passes to a host.
func (g *accessGrants) sends(u accessUser, t network.Target) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	hosts := slices.Clone(g.options.Network.Send)
	for _, x := range g.now(u) {
		if x.Send {
			hosts = append(hosts, x.Host)
		}
	}
	match, err := network.MatchHost(hosts, t)
	return err == nil && match
}

const mostRefused = 64 // hosts that are remembered

// refuse remembers a host that a program was kept from.
func (g *accessGrants) refuse(host, why string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	host = strings.TrimSuffix(strings.TrimSuffix(host, ":80"), ":443")
	g.refused = append(g.refused, refusedHost{host, why, time.Now()})
	if len(g.refused) > mostRefused {
		g.refused = slices.Delete(g.refused, 0, len(g.refused)-mostRefused)
	}
}

// RefusedSince returns the hosts that the proxy refused to programs since a time.
func (g *accessGrants) RefusedSince(since time.Time) []string {
	refused, _ := g.LostSince(since)
	return refused
}

// LostSince returns the hosts that the proxy refused to programs since a time, and those that they did not reach although no approval was
// missing, with the reason.
func (g *accessGrants) LostSince(since time.Time) (refused, unreachable []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, r := range g.refused {
		list, line := &refused, r.host
		if r.why != "" {
			list, line = &unreachable, r.host+": "+r.why
		}
		if r.at.After(since) && !slices.Contains(*list, line) {
			*list = append(*list, line)
		}
	}
	return refused, unreachable
}

// refusedHost is a host that programs were kept from, or that did not answer them.
type refusedHost struct {
	host string
	why  string // no approval opens it; "": the host is not allowed
	at   time.Time
}

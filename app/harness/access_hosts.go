package harness

import (
	"fmt"
	"net"
	"strconv"
	"strings"

	"rein/guard/effect"
	"rein/kit/network"
	"rein/kit/sandbox"
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

package harness

import (
	"net"
	"strconv"
	"strings"

	"rein/kit/network"
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

package network

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// pattern is one host rule: a name, the names below a name (*.name), every name (*), an address or a range.
type pattern struct {
	text   string
	any    bool
	below  bool   // *.name: matches what is below name, never name itself
	name   string // canonical, empty for the others
	prefix netip.Prefix
	port   uint16 // 0 when the rule names none
	ports  bool   // :* every port
}

// parsePattern reads a rule. Host names are held in the same canonical form as the hosts that they are compared to.
func parsePattern(text string) (pattern, error) {
	wrong := func(why string) (pattern, error) {
		return pattern{}, fmt.Errorf("host rule %q: %s (write example.com, *.example.com, *, 10.0.0.0/8 or [fd00::1]:8080)", text, why)
	}
	p := pattern{text: text}
	host, port, err := splitPort(text)
	if err != nil {
		return wrong(err.Error())
	}
	if port == "*" {
		p.ports = true
	} else if port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return wrong("no such port")
		}
		p.port = uint16(n)
	}
	if prefix, ok := parsePrefix(host); ok {
		p.prefix = prefix
		return p, nil
	}
	if host == "*" {
		p.any = true
		return p, nil
	}
	host, p.below = strings.CutPrefix(host, "*.")
	if strings.ContainsAny(host, "*/:@[]") {
		return wrong("a star is the whole rule or its first label, and a rule has no scheme and no path")
	}
	if p.name, err = canonicalName(host); err != nil {
		return wrong(err.Error())
	}
	if endsInNumber(p.name) {
		return wrong("an odd spelling of an address")
	}
	return p, nil
}

// splitPort takes a trailing :port off; an IPv6 address with a port is in brackets.
func splitPort(text string) (host, port string, err error) {
	if rest, ok := strings.CutPrefix(text, "["); ok {
		host, port, ok = strings.Cut(rest, "]")
		if !ok || port != "" && port[0] != ':' {
			return "", "", fmt.Errorf("a bracket is not closed")
		}
		return host, strings.TrimPrefix(port, ":"), nil
	}
	if strings.Count(text, ":") != 1 {
		return text, "", nil
	}
	host, port, _ = strings.Cut(text, ":")
	if port == "" {
		return "", "", fmt.Errorf("the port is empty")
	}
	return host, port, nil
}

func parsePrefix(host string) (netip.Prefix, bool) {
	if prefix, err := netip.ParsePrefix(host); err == nil {
		return prefix.Masked(), true
	}
	addr, err := netip.ParseAddr(host)
	if err != nil || addr.Zone() != "" {
		return netip.Prefix{}, false
	}
	addr = addr.Unmap()
	return netip.PrefixFrom(addr, addr.BitLen()), true
}

// matches reports whether the rule is about this host, ports aside.
func (p pattern) matches(t Target) bool {
	switch {
	case p.any:
		return true
	case p.prefix.IsValid():
		return t.Addr.IsValid() && p.prefix.Contains(t.Addr)
	case t.Addr.IsValid():
		return false
	case p.below:
		rest, ok := strings.CutSuffix(t.Host, p.name)
		return ok && strings.HasSuffix(rest, ".")
	}
	return t.Host == p.name
}

// opens reports whether a rule that allows covers the port: its own, else those of http and https.
func (p pattern) opens(port uint16) bool {
	return p.ports || p.port == port || p.port == 0 && (port == 80 || port == 443)
}

// closes reports whether a rule that denies covers the port: its own, else every one.
func (p pattern) closes(port uint16) bool { return p.ports || p.port == 0 || p.port == port }

func parsePatterns(texts []string) ([]pattern, error) {
	list := make([]pattern, 0, len(texts))
	for _, text := range texts {
		p, err := parsePattern(text)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

// MatchHost reports whether one of the host rules is about a target, its port included (80 and 443 where a rule names
// none). An error names a rule that cannot be read.
func MatchHost(rules []string, t Target) (bool, error) {
	list, err := parsePatterns(rules)
	if err != nil {
		return false, err
	}
	_, open := find(list, t)
	return open, nil
}

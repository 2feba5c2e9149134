package network

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// Target is one place that a request wants to reach, in its canonical spelling: the one that is judged is the one
// that is dialled.
type Target struct {
	Host string     // lower-case ASCII name without a trailing dot, or the address without brackets
	Addr netip.Addr // set when Host is a literal address
	Port uint16
}

// String returns host:port, as net.JoinHostPort does.
func (t Target) String() string { return net.JoinHostPort(t.Host, strconv.Itoa(int(t.Port))) }

// ParseURL reads an http or https URL as strictly as it will be used: no user information, no backslash, blank or
// control character, no port 0, no unusual spelling of an address. The URL that it returns has the canonical host.
func ParseURL(raw string) (*url.URL, Target, error) {
	if i := strings.IndexFunc(raw, unfitInURL); i >= 0 {
		return nil, Target{}, &Refusal{Rule: "url", Host: raw[:i], Text: "the URL has a backslash, a blank or a control character", Hint: "send it percent-encoded"}
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, Target{}, &Refusal{Rule: "url", Text: "not a URL: " + unwrapURL(err).Error(), Hint: "send a full URL: https://host/path"}
	}
	return Canonical(u)
}

// Canonical judges the form of a URL that is parsed already, as ParseURL does, and returns it with its canonical
// host, and where it leads.
func Canonical(u *url.URL) (*url.URL, Target, error) {
	t, err := targetOf(u)
	if err != nil {
		return nil, Target{}, err
	}
	fixed := *u
	fixed.Host = canonicalHost(u.Scheme, t)
	return &fixed, t, nil
}

// targetOf reads the host and the port of a parsed URL.
func targetOf(u *url.URL) (Target, error) {
	refuse := func(text, hint string) (Target, error) {
		return Target{}, &Refusal{Rule: "url", Host: u.Hostname(), Text: text, Hint: hint}
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return refuse(fmt.Sprintf("the scheme %q is not allowed", u.Scheme), "send a URL that starts with https:// or http://")
	}
	if u.User != nil {
		return refuse("the URL carries a user name or a password", "leave out the part before the @")
	}
	if u.Opaque != "" || u.Host == "" {
		return refuse("the URL has no host", "send a full URL: https://host/path")
	}
	port := u.Port()
	if port == "" && strings.HasSuffix(u.Host, ":") {
		return refuse("the port is empty", "leave out the colon")
	}
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return ParseTarget(u.Hostname(), port)
}

// ParseTarget reads a host (a name, or an address without brackets) and a port into their canonical spelling.
func ParseTarget(host, port string) (Target, error) {
	refuse := func(text string) (Target, error) {
		return Target{}, &Refusal{Rule: "host", Host: host, Text: text, Hint: "write a plain host name, an address like 192.0.2.7, and a port from 1 to 65535"}
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 || port[0] == '+' {
		return refuse("port " + strconv.Quote(port) + " is not a port")
	}
	if strings.Contains(host, ":") || strings.Contains(host, "%") {
		addr, err := netip.ParseAddr(host)
		if err != nil || addr.Zone() != "" {
			return refuse("not an IPv6 address, or one with a zone")
		}
		addr = addr.Unmap()
		return Target{Host: addr.String(), Addr: addr, Port: uint16(n)}, nil
	}
	name, err := canonicalName(host)
	if err != nil {
		return refuse(err.Error())
	}
	t := Target{Host: name, Port: uint16(n)}
	if endsInNumber(name) {
		if t.Addr, err = netip.ParseAddr(name); err != nil {
			return refuse("an odd spelling of an IPv4 address")
		}
		if name != strings.TrimSuffix(host, ".") {
			return refuse("an address in look-alike characters")
		}
	}
	return t, nil
}

// canonicalName maps a name to the lower-case ASCII form that a resolver gets.
func canonicalName(host string) (string, error) {
	name := strings.TrimSuffix(host, ".")
	if isPlain(name) {
		name = strings.ToLower(name)
	} else {
		ascii, err := idna.Lookup.ToASCII(name)
		if err != nil {
			return "", fmt.Errorf("not a host name: %w", err)
		}
		if again, err := idna.Lookup.ToASCII(ascii); err != nil || again != ascii {
			return "", fmt.Errorf("not a host name: its punycode does not read back")
		}
		name = ascii
	}
	if len(name) == 0 || len(name) > 253 {
		return "", fmt.Errorf("a host name has 1 to 253 characters")
	}
	for label := range strings.SplitSeq(name, ".") {
		if len(label) == 0 || len(label) > 63 {
			return "", fmt.Errorf("a label of the host name is empty or longer than 63 characters")
		}
	}
	return name, nil
}

// isPlain reports whether a name has only letters, digits, hyphens, underscores and dots, and no punycode (which has
// to pass the rules of IDNA).
func isPlain(name string) bool {
	for _, c := range []byte(name) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_', c == '.':
		default:
			return false
		}
	}
	return !strings.Contains(strings.ToLower(name), "xn--")
}

// endsInNumber reports whether the last label is a number in some base, which makes resolvers and other parsers read
// the whole as an IPv4 address (127.1, 0x7f.1, 2130706433).
func endsInNumber(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	if hex, ok := strings.CutPrefix(last, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(last, "0123456789") == ""
}

// canonicalHost writes a target as the host of a URL, without the scheme's own port.
func canonicalHost(scheme string, t Target) string {
	host := t.Host
	if t.Addr.Is6() {
		host = "[" + host + "]"
	}
	if scheme == "http" && t.Port == 80 || scheme == "https" && t.Port == 443 {
		return host
	}
	return host + ":" + strconv.Itoa(int(t.Port))
}

func unfitInURL(r rune) bool { return r <= ' ' || r == 0x7f || r == '\\' || r == '\uFFFD' }

func unwrapURL(err error) error {
	if e, ok := err.(*url.Error); ok {
		return e.Err
	}
	return err
}

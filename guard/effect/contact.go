package effect

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Contact is a network address that a command contacts.
type Contact struct {
	Host string `json:"host"`           // in lower case; with wildcards and "…" where it is not known
	Port int    `json:"port,omitempty"` // 0 where it is not known
	Path string `json:"path,omitempty"` // of a URL, without query and fragment
}

// String returns host:port/path, as far as they are known.
func (c Contact) String() string {
	text := c.Host
	if c.Port != 0 {
		if strings.Contains(text, ":") {
			text = "[" + text + "]"
		}
		text = fmt.Sprintf("%s:%d", text, c.Port)
	}
	return text + c.Path
}

// ContactOf reads a URL, a host, or a host with a port. Without a port it has that of the scheme, or 0 without a scheme.
func ContactOf(address string) Contact {
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok {
		scheme, rest = "", address
	}
	c := Contact{Host: HostOf(rest), Port: portOfScheme[strings.ToLower(scheme)]}
	if port, err := strconv.Atoi(PortOf(rest)); err == nil && port > 0 && port < 1<<16 {
		c.Port = port
	}
	if i := strings.IndexByte(rest, '/'); i >= 0 && ok {
		c.Path = PlainPath(rest[i:])
	}
	return c
}

// PlainPath cuts off the query and the fragment.
func PlainPath(path string) string {
	if i := strings.IndexAny(path, "?#"); i >= 0 {
		return path[:i]
	}
	return path
}

var portOfScheme = map[string]int{"https": 443, "wss": 443, "git+https": 443, "http": 80, "ws": 80, "git+http": 80, "ssh": SSHPort, "sftp": SSHPort, "git+ssh": SSHPort,
	"ftp": 21, "git": 9418, "svn": 3690, "rsync": 873, "ldap": 389, "ldaps": 636, "mqtt": 1883, "amqp": 5672}

// SSHPort is the port of ssh.
const SSHPort = 22

// AddContact adds an address unless the report has it already, or has too many.
func (r *Report) AddContact(c Contact) {
	if len(r.Contacts) < MostNoted && !slices.Contains(r.Contacts, c) {
		r.Contacts = append(r.Contacts, c)
	}
}

// HostOf cuts the host out of what follows the scheme.
func HostOf(rest string) string {
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	if i := strings.LastIndexByte(rest, '@'); i >= 0 {
		rest = rest[i+1:]
	}
	if strings.HasPrefix(rest, "[") {
		rest, _, _ = strings.Cut(rest[1:], "]")
		return rest
	}
	if i := strings.LastIndexByte(rest, ':'); i >= 0 && strings.Count(rest, ":") == 1 {
		rest = rest[:i]
	}
	return strings.ToLower(strings.TrimSuffix(rest, "."))
}

// PortOf cuts the port out of what follows the scheme; "" where there is none.
func PortOf(rest string) string {
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	i := strings.LastIndexByte(rest, ':')
	if i < 0 || strings.HasSuffix(rest, "]") || strings.Count(rest, ":") > 1 && !strings.Contains(rest, "]:") && !strings.Contains(rest, "@") {
		return ""
	}
	return rest[i+1:]
}

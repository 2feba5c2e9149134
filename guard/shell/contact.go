package shell

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
	c := Contact{Host: hostOf(rest), Port: portOfScheme(scheme)}
	if port, err := strconv.Atoi(portOf(rest)); err == nil && port > 0 && port < 1<<16 {
		c.Port = port
	}
	if i := strings.IndexByte(rest, '/'); i >= 0 && ok {
		c.Path = plainPath(rest[i:])
	}
	return c
}

// plainPath cuts off the query and the fragment.
func plainPath(path string) string {
	if i := strings.IndexAny(path, "?#"); i >= 0 {
		return path[:i]
	}
	return path
}

func portOfScheme(scheme string) int {
	switch strings.ToLower(scheme) {
	case "https", "wss", "git+https":
		return 443
	case "http", "ws", "git+http":
		return 80
	case "ftp":
		return 21
	case "ssh", "sftp", "git+ssh":
		return sshPort
	case "git":
		return 9418
	}
	return 0
}

const sshPort = 22

// contact notes an address.
func (r *reader) contact(c Contact) {
	if c.Host = show(c.Host); c.Host == "" {
		return
	}
	c.Path = plainPath(show(c.Path))
	note(&r.report.Hosts, c.Host)
	r.report.addContact(c)
}

func (r *Report) addContact(c Contact) {
	if len(r.Contacts) < maxNoted && !slices.Contains(r.Contacts, c) {
		r.Contacts = append(r.Contacts, c)
	}
}

// reaches notes an address that a program contacts, as an effect.
func (r *reader) reaches(c Contact) {
	r.contact(c)
	r.found(Network, "contacts %s", show(c.Host))
}

package shell

import (
	"net/netip"
	"slices"
	"strings"

	"golang.org/x/net/idna"

	"rein/guard/effect"
)

// Contact notes an address.
func (r *judging) Contact(c effect.Contact) {
	if c.Host = contactName(c.Host); c.Host == "" {
		return
	}
	c.Path = effect.PlainPath(showText(c.Path))
	note(&r.Report.Hosts, c.Host)
	r.Report.AddContact(c)
}

// Reaches notes an address that a program contacts, as an effect: in place of the general one, that it contacts the network.
func (r *judging) Reaches(c effect.Contact) {
	r.Contact(c)
	r.Report.Findings = slices.DeleteFunc(r.Report.Findings, func(f effect.Finding) bool {
		return f == effect.Finding{Class: effect.Network, Why: effect.Network.Why(), Program: r.Who, Start: r.At[0], End: r.At[1]}
	})
	r.Found(effect.Network, "contacts %s", contactName(c.Host))
}

// contactName is a host for people, as programs ask for it: letters that look like those of another name are spelled out.
func contactName(host string) string {
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		return ascii
	}
	return showText(host)
}

// URL judges an address that is reached, and returns the taint of what comes from there.
func (r *judging) URL(sc *scope, v value) taint {
	if strings.HasPrefix(v.Text, "-") {
		return 0
	}
	scheme, rest, ok := strings.Cut(v.Text, "://")
	if !ok {
		rest = v.Text
	}
	if strings.EqualFold(scheme, "file") && ok {
		r.Found(effect.Exec, "reads a file by its URL")
		r.Reads(sc, v.With(strings.TrimPrefix(rest, "localhost")))
		return r.Contents(sc, v.With(rest))
	}
	host := effect.HostOf(rest)
	r.Reaches(urlContact(v.Text, ok))
	r.Metadata(host)
	r.control(host, effect.PortOf(rest))
	r.Sends(v.Taint&(fromSecret|fromPrivate|fromEnv|fromOutside|fromWork), "in an address")
	return fromNet
}

// urlContact reads the address of a program like curl, which takes one without a scheme as one of http.
func urlContact(address string, hasScheme bool) effect.Contact {
	if !hasScheme {
		address = "http://" + address
	}
	return effect.ContactOf(address)
}

// control judges requests to services that control this machine or its programs: a proxy itself, the daemons of containers
// and clusters, debuggers of programs. They obey requests with
// rights of their own.
func (r *judging) control(host, port string) {
	if !isThisMachine(host) {
		return
	}
	switch port {
	case "3128", "1080", "8118", // proxies
		"2375", "2376", "2377", "4243", // Docker
		"6443", "8001", "10250", "10255", "2379", "2380", // Kubernetes and its etcd
		"8500", "4646", "8200", // Consul, Nomad, Vault
		"2019", "9901", // Caddy, Envoy
		"9051", "9151", // Tor
		"9222", "9229", "5005": // debuggers
		r.Found(effect.Admin, "connects to a service that controls this machine or its programs (port %s)", port)
	}
}

// isThisMachine reports whether a host is the machine itself, by name or by a loopback address.
func isThisMachine(host string) bool {
	if host == "localhost" || strings.HasPrefix(host, "127.") || strings.HasSuffix(host, ".localhost") || host == "host.docker.internal" {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && (a.Unmap().IsLoopback() || a.IsUnspecified())
}

// Metadata refuses the addresses where clouds keep the machine's credentials.
func (r *judging) Metadata(host string) {
	if IsMetadata(host) {
		r.Found(effect.Exfil, "requests the machine's credentials from the cloud")
	}
}

// IsMetadata reports whether a host, with or without a port, is where a cloud keeps the machine's credentials.
func IsMetadata(host string) bool {
	host = effect.HostOf(host)
	switch host {
	case "metadata", "metadata.google.internal", "metadata.goog", "instance-data", "169.254.169.254", "169.254.170.2", "100.100.100.200",
		"168.63.129.16", "192.0.0.192", "fd00:ec2::254", "2852039166", "0xa9fea9fe", "0xa9.0xfe.0xa9.0xfe", "169.16689662", "instance-data.ec2.internal":
		return true
	}
	a, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && a.Unmap().IsLinkLocalUnicast()
}

// sshContact reads user@host:path.
func sshContact(s string) effect.Contact {
	s = strings.TrimPrefix(strings.TrimPrefix(s, "rsync://"), "scp://")
	host, _, _ := strings.Cut(s, ":")
	return effect.Contact{Host: effect.HostOf(host), Port: effect.SSHPort}
}

package shell

import (
	"net/netip"
	"strconv"
	"strings"
)

// url judges an address that is reached, and gives the taint of what comes from there.
func (r *reader) url(sc *scope, v value) taint {
	if strings.HasPrefix(v.text, "-") {
		return 0
	}
	scheme, rest, ok := strings.Cut(v.text, "://")
	if !ok {
		rest = v.text
	}
	if strings.EqualFold(scheme, "file") && ok {
		r.found(Exec, "reads a file by its URL")
		r.reads(sc, v.with(strings.TrimPrefix(rest, "localhost")))
		return r.contents(sc, v.with(rest))
	}
	host := hostOf(rest)
	r.reaches(urlContact(v.text, ok))
	r.metadata(host)
	r.control(host, portOf(rest))
	r.sends(v.taint&(fromSecret|fromPrivate|fromEnv|fromOutside|fromWork), "in an address")
	return fromNet
}

// urlContact reads the address of a program like curl, which takes one without a scheme as one of http.
func urlContact(address string, hasScheme bool) Contact {
	if !hasScheme {
		address = "http://" + address
	}
	return ContactOf(address)
}

// control judges requests to services that control this machine or its programs: a proxy itself, the daemons of containers
// and clusters, debuggers of programs. They obey requests with
// rights of their own.
func (r *reader) control(host, port string) {
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
		r.found(Admin, "connects to a service that controls this machine or its programs (port %s)", port)
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

// hostOf cuts the host out of what follows the scheme.
func hostOf(rest string) string {
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

// portOf cuts the port out of what follows the scheme; "" where there is none.
func portOf(rest string) string {
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	i := strings.LastIndexByte(rest, ':')
	if i < 0 || strings.HasSuffix(rest, "]") || strings.Count(rest, ":") > 1 && !strings.Contains(rest, "]:") && !strings.Contains(rest, "@") {
		return ""
	}
	return rest[i+1:]
}

// metadata refuses the addresses where clouds keep the machine's credentials.
func (r *reader) metadata(host string) {
	if IsMetadata(host) {
		r.found(Exfil, "requests the machine's credentials from the cloud")
	}
}

// IsMetadata reports whether a host, with or without a port, is where a cloud keeps the machine's credentials.
func IsMetadata(host string) bool {
	host = hostOf(host)
	switch host {
	case "metadata", "metadata.google.internal", "metadata.goog", "instance-data", "169.254.169.254", "169.254.170.2", "100.100.100.200",
		"168.63.129.16", "192.0.0.192", "fd00:ec2::254", "2852039166", "0xa9fea9fe", "0xa9.0xfe.0xa9.0xfe", "169.16689662", "instance-data.ec2.internal":
		return true
	}
	a, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && a.Unmap().IsLinkLocalUnicast()
}

// fetchProgram reads curl, wget and similar commands.
func fetchProgram(r *reader, sc *scope, c *call) (data, bool) {
	urls := 0
	var t taint
	toFile := false
	for _, o := range c.got.options {
		if !o.known {
			r.anyArg(sc, o.value)
			continue
		}
		if o.takes {
			r.fetchOption(sc, c, o)
			toFile = toFile || o.role.kind == "write"
			urls += boolInt(o.role.kind == "url")
			if o.role.kind == "url" {
				t |= fromNet
			}
			continue
		}
		r.effect(o.role.class)
	}
	for _, v := range c.got.operands {
		if c.name == "http" || c.name == "https" || c.name == "xh" {
			if urls == 0 && isMethod(v.text) {
				continue
			}
			if urls > 0 {
				r.sends(v.taint, "to the network")
				if i := strings.IndexByte(v.text, '@'); i > 0 {
					r.apply1(sc, role{kind: "upload"}, v.with(v.text[i+1:]), nil)
				}
				continue
			}
		}
		urls++
		t |= r.url(sc, v)
		r.remembers(sc, c, v)
	}
	if urls > 0 && c.name == "wget" && !c.got.has("-O", "--output-document") {
		r.effect(Write)
	}
	if toFile {
		return data{known: true, taint: t}, true
	}
	return data{taint: t | fromNet}, true
}

func isMethod(s string) bool {
	return s != "" && strings.ToUpper(s) == s && !strings.ContainsAny(s, "./:")
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// fetchOption judges one option of a fetcher: data that may come from a file, headers, output.
func (r *reader) fetchOption(sc *scope, c *call, o option) {
	v := o.value
	switch {
	case o.role.kind == "write":
		r.writes(sc, v)
		r.wrote(sc, v, data{taint: fromNet})
		return
	case o.role.kind == "upload" && (v.text == "-" || v.text == "." || v.text == "/dev/stdin"):
		r.sends(c.in.taint|fromWork, "to the network")
		return
	case o.role.kind != "text":
		r.apply1(sc, o.role, v, nil)
		return
	}
	i := strings.IndexByte(v.text, '@')
	if o.name == "-F" || o.name == "--form" {
		i = strings.IndexByte(v.text, '=') + 1 // NAME=@FILE, NAME=<FILE
		if i == 0 || i == len(v.text) || v.text[i] != '@' && v.text[i] != '<' {
			i = -1
		}
	}
	if i >= 0 && carriesFile(o.name, i) {
		file := v.with(v.text[i+1:])
		if file.text == "-" || file.text == "/dev/stdin" {
			r.sends(c.in.taint|fromWork&boolTaint(c.in.taint == 0), "to the network")
			return
		}
		file.text, _, _ = strings.Cut(file.text, ";")
		r.apply1(sc, role{kind: "upload"}, file, nil)
		return
	}
	switch o.name {
	case "-X", "--request", "--method":
		if strings.EqualFold(v.text, "DELETE") {
			r.found(RemoteChange, "deletes something elsewhere")
		}
	}
	r.sends(v.taint&(fromSecret|fromPrivate|fromEnv|fromOutside|fromWork), "to the network")
}

// carriesFile reports whether an @ at that place of an option's value names a file.
func carriesFile(option string, at int) bool {
	switch option {
	case "-d", "--data", "--data-binary", "--data-ascii", "--json", "-H", "--header", "--proxy-header", "-w", "--write-out":
		return at == 0
	case "-F", "--form", "--data-urlencode":
		return true
	}
	return false
}

// remembers keeps under which name a download lies: wget URL, curl -O URL.
func (r *reader) remembers(sc *scope, c *call, v value) {
	if c.got.has("-o", "--output", "--output-document") || c.name == "curl" && !c.got.has("-O", "--remote-name", "--remote-name-all") {
		return
	}
	rest, _, _ := strings.Cut(v.text, "?")
	if name := baseName(rest); name != "" && v.plain() {
		target := literal(name)
		r.wrote(sc, target, data{taint: fromNet})
		r.writes(sc, target)
	}
}

// socketProgram reads nc, socat, telnet, openssl s_client: a raw connection.
func socketProgram(r *reader, sc *scope, c *call) (data, bool) {
	for _, a := range c.argv[1:] {
		low := strings.ToLower(a.text)
		switch {
		case a.text == "-e" || a.text == "-c" && c.name != "openssl" || strings.HasPrefix(low, "--exec") || strings.HasPrefix(low, "--sh-exec") || strings.HasPrefix(low, "--lua-exec"):
			r.found(Backdoor, "opens a program to the network")
		case strings.HasPrefix(low, "exec:") || strings.HasPrefix(low, "system:") || strings.Contains(low, ",exec:") || strings.HasPrefix(low, "shell:"):
			if c.name == "socat" {
				r.found(Backdoor, "opens a program to the network")
			}
		}
		r.sends(a.taint, "through a connection")
	}
	r.applyOptions(sc, c)
	if len(c.got.operands) > 0 {
		host := c.got.operands[0].text
		to := ContactOf(host)
		if len(c.got.operands) > 1 && to.Port == 0 {
			to.Port, _ = strconv.Atoi(c.got.operands[1].text) // 0 where it is not a number
		}
		r.reaches(to)
		r.metadata(hostOf(host))
	}
	if c.in.known && c.in.taint == 0 || c.in.taint&^fromInput == 0 {
		return data{taint: fromSocket}, true
	}
	r.sends(c.in.taint, "through a connection")
	return data{taint: fromSocket}, true
}

// nameProgram reads dig, ping and others that reach a name: the name itself can carry data.
func nameProgram(r *reader, sc *scope, c *call) (data, bool) {
	r.applyOptions(sc, c)
	for _, v := range c.got.operands {
		if strings.HasPrefix(v.text, "+") {
			continue
		}
		r.reaches(Contact{Host: hostOf(strings.TrimPrefix(v.text, "@"))})
		r.metadata(hostOf(v.text))
		r.sends(v.taint&(fromSecret|fromPrivate|fromEnv|fromOutside|fromWork), "in a name")
	}
	return data{taint: fromNumber}, true
}

// remoteCopyProgram reads scp, rsync and rclone: which side is remote.
func remoteCopyProgram(r *reader, sc *scope, c *call) (data, bool) {
	r.applyOptions(sc, c)
	ops := c.got.operands
	if len(ops) == 0 {
		return data{}, true
	}
	dst, src := ops[len(ops)-1], ops[:len(ops)-1]
	remote := isRemote(dst)
	for _, v := range src {
		switch {
		case isRemote(v):
			r.found(RemoteShell, "copies from another machine")
			r.reaches(sshContact(v.text))
		default:
			r.reads(sc, v)
			if remote {
				r.sends(r.contents(sc, v), "to another machine")
			}
		}
	}
	if remote {
		r.found(RemoteShell, "copies to another machine")
		r.reaches(sshContact(dst.text))
		return data{}, true
	}
	if len(src) == 0 {
		r.reads(sc, dst)
		return data{taint: fromNames}, true
	}
	r.writes(sc, dst)
	for _, o := range c.got.options {
		if strings.HasPrefix(o.name, "--del") && strings.HasPrefix("--delete-missing-args--delete-after--delete-before--delete-during--delete-excluded", o.name) {
			r.removes(sc, dst, true)
		}
		if o.name == "--remove-source-files" {
			for _, v := range src {
				r.removes(sc, v, true)
			}
		}
	}
	return data{}, true
}

// sshContact reads user@host:path.
func sshContact(s string) Contact { return Contact{Host: hostOf(beforeColon(s)), Port: sshPort} }

func beforeColon(s string) string {
	s = strings.TrimPrefix(strings.TrimPrefix(s, "rsync://"), "scp://")
	head, _, _ := strings.Cut(s, ":")
	return head
}

// isRemote reports whether a path is host:path or a URL.
func isRemote(v value) bool {
	if strings.Contains(v.text, "://") {
		return true
	}
	i := strings.IndexByte(v.text, ':')
	return i > 0 && !strings.Contains(v.text[:i], "/") && !strings.HasPrefix(v.text, ".")
}

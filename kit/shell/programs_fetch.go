package shell

import (
	"cmp"
	"strconv"
	"strings"

	"rein/guard/effect"
)

// fetchProgram reads curl, wget and similar commands.
func fetchProgram(r *programs, sc *scope, c *call) (data, bool) {
	urls := 0
	var t taint
	files := 0 // downloads that go to a file instead of the output
	for _, o := range c.Got.Options {
		if !o.Known {
			r.AnyArg(sc, o.Value)
			continue
		}
		if o.Takes {
			r.fetchOption(sc, c, o)
			if o.Name == "--input-file" || o.Name == "--batch-file" || o.Name == "-i" && strings.HasPrefix(c.Name, "wget") {
				r.Found(effect.Network, "downloads the addresses of a list")
			}
			files += boolInt(isTarget(c.Name, o))
			urls += boolInt(o.Role.Kind == "url")
			if o.Role.Kind == "url" {
				t |= fromNet
			}
			continue
		}
		r.Effect(o.Role.Class)
	}
	for _, v := range c.Got.Operands {
		if c.Name == "http" || c.Name == "https" || c.Name == "xh" {
			if urls == 0 && isMethod(v.Text) {
				continue
			}
			if port, ok := strings.CutPrefix(v.Text, ":"); ok && urls == 0 {
				v = v.With("localhost:" + port)
			}
			if urls > 0 {
				r.Sends(v.Taint, "to the network")
				if i := strings.IndexByte(v.Text, '@'); i >= 0 {
					r.apply1(sc, wordRole{Kind: "upload"}, v.With(v.Text[i+1:]), nil)
				}
				continue
			}
		}
		if urls > 0 && (c.Name == "grpcurl" || c.Name == "ghz") { // a service and its method
			r.Sends(v.Taint, "to the network")
			continue
		}
		urls++
		t |= r.URL(sc, v)
		r.remembers(sc, c, v)
	}
	if urls > 0 && c.Name == "wget" && !c.Got.Has("-O", "--output-document") {
		r.Effect(effect.Write)
	}
	if files > 0 && files >= urls {
		return data{Known: true, Taint: t}, true
	}
	return data{Taint: t | fromNet}, true
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// fetchOption judges one option of a fetcher: data that may come from a file, headers, output.
func (r *programs) fetchOption(sc *scope, c *call, o parsedOption) {
	v := o.Value
	switch {
	case o.Role.Kind == "write" && v.Text == "-": // its output
		return
	case o.Role.Kind == "write":
		r.Writes(sc, v)
		r.Wrote(sc, v, data{Taint: fromNet})
		return
	case o.Role.Kind == "upload" && (v.Text == "-" || v.Text == "." || v.Text == "/dev/stdin"):
		r.Sends(c.In.Taint|fromWork, "to the network")
		return
	case o.Role.Kind != "text":
		r.apply1(sc, o.Role, v, nil)
		return
	}
	i := strings.IndexByte(v.Text, '@')
	if o.Name == "-F" || o.Name == "--form" {
		i = strings.IndexByte(v.Text, '=') + 1 // NAME=@FILE, NAME=<FILE
		if i == 0 || i == len(v.Text) || v.Text[i] != '@' && v.Text[i] != '<' {
			i = -1
		}
	}
	if i >= 0 && carriesFile(o.Name, i) {
		file := v.With(v.Text[i+1:])
		if file.Text == "-" || file.Text == "/dev/stdin" {
			r.Sends(c.In.Taint|fromWork&boolTaint(c.In.Taint == 0), "to the network")
			return
		}
		file.Text, _, _ = strings.Cut(file.Text, ";")
		r.apply1(sc, wordRole{Kind: "upload"}, file, nil)
		return
	}
	switch o.Name {
	case "-X", "--request", "--method":
		if strings.EqualFold(v.Text, "DELETE") {
			r.Found(effect.RemoteChange, "deletes something elsewhere")
		}
	}
	r.Sends(v.Taint&(fromSecret|fromPrivate|fromEnv|fromOutside|fromWork), "to the network")
}

// shows reports whether a program writes what it gets to its output, not to a file.
func shows(c *call) bool {
	switch c.Name {
	case "curl":
		return !c.Got.Has("-O", "--remote-name", "--remote-name-all")
	case "http", "https", "xh", "httpie":
		return !c.Got.Has("-d", "--download")
	case "grpcurl", "ghz", "websocat", "wscat", "evans":
		return true
	}
	return false
}

// remembers keeps under which name a download lies: wget URL, curl -O URL.
func (r *programs) remembers(sc *scope, c *call, v value) {
	if c.Got.Has("-o", "--output", "--output-document") || c.Name == "wget" && c.Got.Has("-O") || shows(c) {
		return
	}
	for _, dir := range []string{"-P", "--directory-prefix", "--paths", "--output-dir"} {
		if d, ok := c.Got.Value(dir); ok {
			sc.Fetch(r.Absolute(sc, d))
		}
	}
	rest, _, _ := strings.Cut(v.Text, "?")
	if !v.Plain() || c.Got.Has("-J", "--remote-header-name", "--content-disposition", "-i", "--input-file", "-r", "--recursive", "-m", "--mirror") || baseName(rest) == "" {
		sc.Fetch(sc.Cwd)
	}
	if name := baseName(rest); name != "" && v.Plain() {
		target := literal(name)
		r.Wrote(sc, target, data{Taint: fromNet})
		r.Writes(sc, target)
	}
}

// socketProgram reads nc, socat, telnet, openssl s_client: a raw connection.
func socketProgram(r *programs, sc *scope, c *call) (data, bool) {
	for _, a := range c.Argv[1:] {
		low := strings.ToLower(a.Text)
		switch {
		case a.Text == "-e" || a.Text == "-c" && c.Name != "openssl" || strings.HasPrefix(low, "--exec") || strings.HasPrefix(low, "--sh-exec") || strings.HasPrefix(low, "--lua-exec"):
			r.Found(effect.Backdoor, "opens a program to the network")
		case strings.HasPrefix(low, "exec:") || strings.HasPrefix(low, "system:") || strings.Contains(low, ",exec:") || strings.HasPrefix(low, "shell:"):
			if c.Name == "socat" {
				r.Found(effect.Backdoor, "opens a program to the network")
			}
		}
		r.Sends(a.Taint, "through a connection")
	}
	if c.In.Taint&fromShell != 0 { // it is told what to do by a pipe, or by what another channel writes to a file
		r.Found(effect.Backdoor, "connects a shell to the network")
	}
	r.applyOptions(sc, c)
	for _, to := range socketTargets(c) {
		r.Reaches(to)
		r.Metadata(to.Host)
	}
	if c.In.Known && c.In.Taint == 0 || c.In.Taint&^fromInput == 0 {
		return data{Taint: fromSocket}, true
	}
	r.Sends(c.In.Taint, "through a connection")
	return data{Taint: fromSocket}, true
}

// socketTargets are the addresses that a program for connections is given.
func socketTargets(c *call) (all []effect.Contact) {
	ops := c.Got.Operands
	switch {
	case c.Name == "openssl":
		if v, ok := c.Got.Value("-connect"); ok {
			all = append(all, effect.ContactOf(v.Text))
		}
	case c.Name == "socat":
		for _, v := range ops { // TCP:host:port,option
			kind, address, _ := strings.Cut(v.Text, ":")
			if address, _, _ = strings.Cut(address, ","); strings.Contains(address, ":") && !strings.Contains(strings.ToUpper(kind), "LISTEN") {
				all = append(all, effect.ContactOf(address))
			}
		}
	case len(ops) > 0:
		to := effect.ContactOf(ops[0].Text)
		if len(ops) > 1 && to.Port == 0 {
			to.Port, _ = strconv.Atoi(ops[1].Text) // 0 where it is not a number
		} else if c.Name == "telnet" {
			to.Port = cmp.Or(to.Port, 23)
		}
		all = append(all, to)
	}
	return all
}

// nameProgram reads dig, ping and others that reach a name: the name itself can carry data.
func nameProgram(r *programs, sc *scope, c *call) (data, bool) {
	r.applyOptions(sc, c)
	for _, v := range c.Got.Operands {
		if strings.HasPrefix(v.Text, "+") {
			continue
		}
		to := effect.ContactOf(strings.TrimPrefix(v.Text, "@"))
		r.Reaches(to)
		r.Metadata(to.Host)
		r.Sends(v.Taint&(fromSecret|fromPrivate|fromEnv|fromOutside|fromWork), "in a name")
	}
	return data{Taint: fromNumber}, true
}

// remoteCopyProgram reads scp, rsync and rclone: which side is remote.
func remoteCopyProgram(r *programs, sc *scope, c *call) (data, bool) {
	r.applyOptions(sc, c)
	ops := c.Got.Operands
	if len(ops) == 0 {
		return data{}, true
	}
	verb := ""
	if c.Name == "rclone" && len(ops) > 1 {
		verb, ops = ops[0].Text, ops[1:]
	}
	dst, src := ops[len(ops)-1], ops[:len(ops)-1]
	remote := isRemote(dst)
	rcloneVerb(r, sc, verb, src, dst)
	for _, v := range src {
		switch {
		case isRemote(v):
			r.Found(effect.RemoteShell, "copies from another machine")
			r.Reaches(sshContact(v.Text))
		default:
			r.Reads(sc, v)
			if remote {
				r.Sends(r.Contents(sc, v), "to another machine")
			}
		}
	}
	if remote {
		r.Found(effect.RemoteShell, "copies to another machine")
		r.Reaches(sshContact(dst.Text))
		return data{}, true
	}
	if len(src) == 0 {
		r.Reads(sc, dst)
		return data{Taint: fromNames}, true
	}
	r.Writes(sc, dst)
	r.copies(sc, dst, src)
	for _, o := range c.Got.Options {
		if strings.HasPrefix(o.Name, "--del") && strings.HasPrefix("--delete-missing-args--delete-after--delete-before--delete-during--delete-excluded", o.Name) {
			r.Removes(sc, dst, true)
		}
		if o.Name == "--remove-source-files" {
			for _, v := range src {
				r.Removes(sc, v, true)
			}
		}
	}
	return data{}, true
}

// rcloneVerb judges what a sub-command of rclone removes: of the place that it copies to, or of the one that it copies from.
func rcloneVerb(r *programs, sc *scope, verb string, src []value, dst value) {
	switch verb {
	case "delete", "purge", "deletefile", "rmdir", "rmdirs", "cleanup":
		if isRemote(dst) {
			r.Effect(effect.RemoteChange)
		} else {
			r.Removes(sc, dst, true)
		}
	case "sync", "bisync":
		if !isRemote(dst) {
			r.Removes(sc, dst, true)
		}
	case "serve", "rcd":
		r.Found(effect.Network, "may be reached from other machines")
	case "move", "moveto":
		for _, v := range src {
			if !isRemote(v) {
				r.Removes(sc, v, true)
			}
		}
	}
}

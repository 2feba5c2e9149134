package judge

import (
	"path"
	"strings"

	"rein/guard/shell/fact"
	"rein/places"
)

// Reads judges the reading of a path.
func (r *Judge) Reads(sc *Scope, v fact.Value) {
	if v.Text == "" || v.Text == "-" {
		return
	}
	if strings.HasPrefix(v.Text, "@/") || strings.HasPrefix(v.Text, "@../") { // to some programs it holds arguments
		r.Reads(sc, v.With(v.Text[1:]))
	}
	if strings.HasPrefix(v.Text, "http://") || strings.HasPrefix(v.Text, "https://") || strings.HasPrefix(v.Text, "ftp://") {
		r.URL(sc, v)
		return
	}
	if i := strings.Index(v.Text, ":/"); i > 0 && hasProtocols(fact.BaseName(r.Who)) && !strings.Contains(v.Text[:i], "/") && !strings.HasPrefix(v.Text[i:], "://") {
		r.Found(fact.Exec, "reads through a protocol in a file name: %s", v.Shown())
		r.Reads(sc, v.With(v.Text[i+1:]))
	}
	s := r.Locate(sc, v)
	fact.Note(&r.Report.Reads, s.Abs)
	if s.Free {
		if sc.Cwd == "" && v.Taint == 0 {
			r.Found(fact.OutsideRead, "reads %s from a directory that is not known", v.Shown())
			return
		}
		r.readsUnknown(v)
		return
	}
	switch c := ReadClass(s.Class); {
	case c == fact.Private:
		r.Found(c, "reads %s, which may hold credentials", v.Shown())
	case c == fact.OutsideRead && s.Loose && s.Class == places.Outside:
		r.Found(fact.Private, "reads %s: what it names there is not known", v.Shown())
	case c == fact.OutsideRead:
		r.Found(c, "reads %s, outside the workspace", v.Shown())
	default:
		r.Found(c, "reads %s", v.Shown())
	}
}

func (r *Judge) readsUnknown(v fact.Value) {
	switch {
	case v.Taint&(fact.FromSecret|fact.FromPrivate|fact.FromEnv) != 0:
		r.Found(fact.Private, "reads a path that is not known: %s", v.Shown())
	case v.Wild():
		r.Found(fact.OutsideRead, "reads a file that is not known before it runs: %s", v.Shown())
	}
}

// Writes judges the writing of a path.
func (r *Judge) Writes(sc *Scope, v fact.Value) {
	if v.Text == "" {
		return
	}
	s := r.Locate(sc, v)
	if s.Class == places.Sink && !s.Free {
		return
	}
	fact.Note(&r.Report.Writes, s.Abs)
	if s.Free {
		r.Found(fact.OutsideWrite, "writes a file that is not known before it runs: %s", v.Shown())
		return
	}
	c := WriteClass(s.Class)
	if c == fact.Destroy && isServed(s.Abs) {
		r.Found(fact.Admin, "writes %s, which belongs to a service of the machine", v.Shown())
		return
	}
	if s.Class == places.Secret && !r.InHome(s.Abs) {
		c = fact.Destroy
	}
	switch c {
	case fact.Config:
		r.Found(c, "writes %s, which later programs trust", v.Shown())
	case fact.OutsideWrite:
		r.Found(c, "writes %s, outside the workspace", v.Shown())
	case fact.Destroy:
		r.Found(c, "writes %s, which belongs to the machine", v.Shown())
	case fact.Tamper:
		r.Found(c, "writes the harness's own files: %s", v.Shown())
	default:
		r.Found(c, "writes %s", v.Shown())
	}
}

// hasProtocols reports whether a program takes names such as "msl:/path" for more than files.
func hasProtocols(program string) bool {
	switch program {
	case "convert", "magick", "mogrify", "identify", "composite", "montage", "import", "display", "gm", "ffmpeg", "ffprobe", "ffplay", "mpv", "vlc", "openssl", "gs", "rsvg-convert", "inkscape":
		return true
	}
	return false
}

// Removes judges the removal of a path; deep is true where directories go with all that is in them.
func (r *Judge) Removes(sc *Scope, v fact.Value, deep bool) {
	if v.Text == "" {
		return
	}
	s := r.Locate(sc, v)
	fact.Note(&r.Report.Removes, s.Abs)
	if s.Free {
		switch {
		case deep || v.Taint&fact.FromOutside != 0:
			r.Found(fact.Wipe, "removes a directory that is not known, with all that is in it: %s", v.Shown())
		case !v.Wild() && v.Taint != 0:
			r.Found(fact.Delete, "removes files that a command names")
		default:
			r.Found(fact.Wipe, "removes a path that is not known: %s", v.Shown())
		}
		return
	}
	if r.removesRoot(s, deep) {
		return
	}
	switch s.Class {
	case places.Sink:
	case places.Workspace, places.Temp:
		if deep && s.Loose && strings.IndexByte(s.Abs, fact.Hole) >= 0 {
			r.Found(fact.Wipe, "removes all that is found: %s", v.Shown())
			return
		}
		if s.Class == places.Temp && strings.HasPrefix(s.Abs, "/tmp/tmp."+string(fact.Hole)) {
			r.Found(fact.Write, "removes its own temporary file")
			return
		}
		r.Found(fact.Delete, "removes %s", v.Shown())
	case places.Protected, places.Private:
		r.Found(fact.Config, "removes %s", v.Shown())
	case places.Settings:
		r.Found(fact.Tamper, "removes the harness's own files: %s", v.Shown())
	case places.System, places.Machine, places.Device, places.Socket:
		if !deep && isServed(s.Abs) {
			r.Found(fact.Admin, "removes %s, which belongs to a service of the machine", v.Shown())
			return
		}
		r.Found(fact.Destroy, "removes %s, which belongs to the machine", v.Shown())
	case places.Secret:
		if !r.InHome(s.Abs) {
			r.Found(fact.Destroy, "removes %s", v.Shown())
			return
		}
		if deep {
			r.Found(fact.Destroy, "removes the keys in %s", v.Shown())
			return
		}
		r.Found(fact.OutsideWrite, "removes %s", v.Shown())
	default:
		r.Found(fact.OutsideWrite, "removes %s, outside the workspace", v.Shown())
	}
}

// removesRoot notes the removal of something whole: a root, a home, a workspace, all that is in one.
func (r *Judge) removesRoot(s Spot, deep bool) bool {
	dir, all := s.Abs, false
	if base := path.Base(dir); base != "" && strings.Trim(base, "\x00\x01\x02.") == "" && base != "." && base != "/" {
		dir, all = path.Dir(dir), true
	}
	if !places.IsRoot(dir, r.Ctx.Context) || !(deep || all) {
		return false
	}
	if r.InWork(dir) {
		if all && !deep {
			r.Found(fact.Delete, "removes all files of the workspace")
		} else {
			r.Found(fact.Wipe, "removes the whole workspace")
		}
		return true
	}
	r.Wiped = true
	r.Found(fact.Destroy, "removes %s with all that is in it", fact.Show(dir))
	return true
}

// Contents is the taint of what a file holds.
func (r *Judge) Contents(sc *Scope, v fact.Value) fact.Taint {
	s := r.Locate(sc, v)
	if s.Free {
		return v.Taint | fact.FromWork
	}
	switch s.Class {
	case places.Private, places.Settings:
		return fact.FromPrivate
	case places.Secret, places.Device:
		return fact.FromSecret
	case places.Outside, places.Machine, places.Startup:
		return fact.FromOutside
	case places.System:
		if base := path.Base(path.Dir(s.Abs)); base == "bin" || base == "sbin" {
			return fact.FromProgram
		}
		return 0
	case places.Sink, places.Tools:
		return 0
	}
	if w, ok := sc.Written[s.Abs]; ok {
		return w.Data.Taint
	}
	return fact.FromWork
}

// Sends judges data that leaves the machine.
func (r *Judge) Sends(t fact.Taint, how string) {
	switch {
	case t&(fact.FromSecret|fact.FromPrivate|fact.FromEnv) != 0:
		r.Found(fact.Exfil, "sends secrets %s", how)
	case t&fact.FromOutside != 0:
		r.Found(fact.Exfil, "sends data from outside the workspace %s", how)
	case t&fact.FromWork != 0:
		r.Found(fact.Upload, "sends files of the workspace %s", how)
	}
}

// isServed reports whether a path is one that an administrator may mean to change: the settings of a service below /etc, what is
// below /opt, /srv and /var/www. What decides who may log in, what starts and what is trusted is not among them.
func isServed(abs string) bool {
	if strings.ContainsAny(abs, fact.Unknowns) {
		return false
	}
	for _, dir := range []string{"/opt/", "/srv/", "/var/www/"} {
		if strings.HasPrefix(abs, dir) {
			return true
		}
	}
	rest, ok := strings.CutPrefix(abs, "/etc/")
	service, file, deeper := strings.Cut(rest, "/")
	if !ok || !deeper || file == "" || strings.HasPrefix(service, "cron") || strings.HasPrefix(service, "rc") || strings.HasPrefix(service, "pam") {
		return false
	}
	switch service {
	case "ssh", "ssl", "pki", "sudoers.d", "security", "profile.d", "init.d", "init", "systemd", "apt", "yum.repos.d", "ld.so.conf.d", "udev", "polkit-1", "default", "network", "netplan",
		"NetworkManager", "modprobe.d", "modules-load.d", "sysctl.d", "skel", "selinux", "apparmor.d", "alternatives", "xdg", "dbus-1", "X11", "kubernetes", "docker", "containers", "rein":
		return false
	}
	return true
}

// WorstGuess judges the operands of an unknown program as if it removed them, where the options look so.
func (r *Judge) WorstGuess(sc *Scope, args []fact.Value) {
	flags := ""
	for _, a := range args {
		if strings.HasPrefix(a.Text, "-") {
			flags += a.Text
		}
	}
	if !strings.ContainsAny(flags, "rR") || !strings.ContainsAny(flags, "fF") {
		return
	}
	for _, a := range args {
		if s := r.Locate(sc, a); !strings.HasPrefix(a.Text, "-") && !s.Free && places.IsRoot(fact.PlainGlob(s.Abs), r.Ctx.Context) {
			r.Found(fact.Destroy, "looks like the removal of %s", a.Shown())
		}
	}
}

package shell

import (
	"path"
	"strings"

	"rein/guard/effect"
	"rein/kit/places"
)

// Reads judges the reading of a path.
func (r *judging) Reads(sc *scope, v value) {
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
	if i := strings.Index(v.Text, ":/"); i > 0 && hasProtocols(baseName(r.Who)) && !strings.Contains(v.Text[:i], "/") && !strings.HasPrefix(v.Text[i:], "://") {
		r.Found(effect.Exec, "reads through a protocol in a file name: %s", v.Shown())
		r.Reads(sc, v.With(v.Text[i+1:]))
	}
	s := r.Locate(sc, v)
	note(&r.Report.Reads, s.Abs)
	if s.Free {
		if sc.Cwd == "" && v.Taint == 0 {
			r.Found(effect.OutsideRead, "reads %s from a directory that is not known", v.Shown())
			return
		}
		r.readsUnknown(v)
		return
	}
	switch c := ReadClass(s.Class); {
	case c == effect.Private:
		r.Found(c, "reads %s, which may hold credentials", v.Shown())
	case c == effect.OutsideRead && s.Loose && s.Class == places.Outside:
		r.Found(effect.Private, "reads %s: what it names there is not known", v.Shown())
	case c == effect.OutsideRead:
		r.Found(c, "reads %s, outside the workspace", v.Shown())
	default:
		r.Found(c, "reads %s", v.Shown())
	}
}

func (r *judging) readsUnknown(v value) {
	switch {
	case v.Taint&(fromSecret|fromPrivate|fromEnv) != 0:
		r.Found(effect.Private, "reads a path that is not known: %s", v.Shown())
	case v.Wild():
		r.Found(effect.OutsideRead, "reads a file that is not known before it runs: %s", v.Shown())
	}
}

// Writes judges the writing of a path.
func (r *judging) Writes(sc *scope, v value) {
	if v.Text == "" {
		return
	}
	s := r.Locate(sc, v)
	if s.Class == places.Sink && !s.Free {
		return
	}
	note(&r.Report.Writes, s.Abs)
	if s.Free {
		r.Found(effect.OutsideWrite, "writes a file that is not known before it runs: %s", v.Shown())
		return
	}
	c := WriteClass(s.Class)
	if c == effect.Destroy && isServed(s.Abs) {
		r.Found(effect.Admin, "writes %s, which belongs to a service of the machine", v.Shown())
		return
	}
	if s.Class == places.Secret && !r.InHome(s.Abs) {
		c = effect.Destroy
	}
	switch c {
	case effect.Config:
		r.Found(c, "writes %s, which later programs trust: %s", v.Shown(), places.WhenRun(s.Abs))
	case effect.OutsideWrite:
		r.Found(c, "writes %s, outside the workspace", v.Shown())
	case effect.Destroy:
		r.Found(c, "writes %s, which belongs to the machine", v.Shown())
	case effect.Tamper:
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
func (r *judging) Removes(sc *scope, v value, deep bool) {
	if v.Text == "" {
		return
	}
	s := r.Locate(sc, v)
	note(&r.Report.Removes, s.Abs)
	if s.Free {
		switch {
		case deep || v.Taint&fromOutside != 0:
			r.Found(effect.Wipe, "removes a directory that is not known, with all that is in it: %s", v.Shown())
		case !v.Wild() && v.Taint != 0:
			r.Found(effect.Delete, "removes files that a command names")
		default:
			r.Found(effect.Wipe, "removes a path that is not known: %s", v.Shown())
		}
		return
	}
	if r.removesRoot(s, deep) {
		return
	}
	switch s.Class {
	case places.Sink:
	case places.Workspace, places.Temp:
		if deep && s.Loose && strings.IndexByte(s.Abs, anyText) >= 0 && !(v.Found && !strings.ContainsAny(path.Base(s.Abs), unknownLetters)) {
			r.Found(effect.Wipe, "removes all that is found: %s", v.Shown())
			return
		}
		if s.Class == places.Temp && strings.HasPrefix(s.Abs, "/tmp/tmp."+string(anyText)) {
			r.Found(effect.Write, "removes its own temporary file")
			return
		}
		r.Found(effect.Delete, "removes %s", v.Shown())
	case places.Protected, places.Private:
		r.Found(effect.Config, "removes %s", v.Shown())
	case places.Settings:
		r.Found(effect.Tamper, "removes the harness's own files: %s", v.Shown())
	case places.System, places.Machine, places.Device, places.Socket:
		if !deep && isServed(s.Abs) {
			r.Found(effect.Admin, "removes %s, which belongs to a service of the machine", v.Shown())
			return
		}
		r.Found(effect.Destroy, "removes %s, which belongs to the machine", v.Shown())
	case places.Secret:
		if !r.InHome(s.Abs) {
			r.Found(effect.Destroy, "removes %s", v.Shown())
			return
		}
		if deep {
			r.Found(effect.Destroy, "removes the keys in %s", v.Shown())
			return
		}
		r.Found(effect.OutsideWrite, "removes %s", v.Shown())
	default:
		r.Found(effect.OutsideWrite, "removes %s, outside the workspace", v.Shown())
	}
}

// removesRoot notes the removal of something whole: a root, a home, a workspace, all that is in one.
func (r *judging) removesRoot(s location, deep bool) bool {
	dir, all := s.Abs, false
	if base := path.Base(dir); base != "" && strings.Trim(base, "\x00\x01\x02.") == "" && base != "." && base != "/" {
		dir, all = path.Dir(dir), true
	}
	if !places.IsRoot(dir, r.Ctx.Context) || !(deep || all) {
		return false
	}
	if r.InWork(dir) {
		if all && !deep {
			r.Found(effect.Delete, "removes all files of the workspace")
		} else {
			r.Found(effect.Wipe, "removes the whole workspace")
		}
		return true
	}
	r.Wiped = true
	r.Found(effect.Destroy, "removes %s with all that is in it", showText(dir))
	return true
}

// Contents is the taint of what a file holds.
func (r *judging) Contents(sc *scope, v value) taint {
	s := r.Locate(sc, v)
	if s.Free {
		return v.Taint | fromWork
	}
	switch s.Class {
	case places.Private, places.Settings:
		return fromPrivate
	case places.Secret, places.Device:
		return fromSecret
	case places.Outside, places.Machine, places.Startup:
		return fromOutside
	case places.System:
		if base := path.Base(path.Dir(s.Abs)); base == "bin" || base == "sbin" {
			return fromProgram
		}
		return 0
	case places.Sink, places.Tools:
		return 0
	}
	if w, ok := sc.Written[s.Abs]; ok {
		return w.Data.Taint
	}
	return fromWork
}

// Sends judges data that leaves the machine.
func (r *judging) Sends(t taint, how string) {
	switch {
	case t&(fromSecret|fromPrivate|fromEnv) != 0:
		r.Found(effect.Exfil, "sends secrets %s", how)
	case t&fromOutside != 0:
		r.Found(effect.Exfil, "sends data from outside the workspace %s", how)
	case t&fromWork != 0:
		r.Found(effect.Upload, "sends files of the workspace %s", how)
	}
}

// isServed reports whether a path is one that an administrator may mean to change: the settings of a service below /etc, what is
// below /opt, /srv and /var/www. What decides who may log in, what starts and what is trusted is not among them.
func isServed(abs string) bool {
	if strings.ContainsAny(abs, unknownLetters) {
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
func (r *judging) WorstGuess(sc *scope, args []value) {
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
		if s := r.Locate(sc, a); !strings.HasPrefix(a.Text, "-") && !s.Free && places.IsRoot(plainGlob(s.Abs), r.Ctx.Context) {
			r.Found(effect.Destroy, "looks like the removal of %s", a.Shown())
		}
	}
}

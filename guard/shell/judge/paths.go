package judge

import (
	"path"
	"strings"

	"rein/guard/shell/fact"
	"rein/places"
)

// Spot is where a value points, as far as that is known.
type Spot struct {
	Abs   string // with holes and wildcards
	Class places.Class
	// loose means that the class is only that of the known part: the whole path may be elsewhere.
	Loose bool
	// free means that nothing is known: the path starts with unknown text.
	Free bool
}

// Locate finds where a path points.
func (r *Judge) Locate(sc *Scope, v fact.Value) Spot {
	text := v.Text
	if strings.HasPrefix(text, "file://") {
		text = strings.TrimPrefix(strings.TrimPrefix(text, "file://localhost"), "file://")
	}
	if i := strings.IndexByte(text, fact.Hole); i >= 0 {
		return r.locateHole(sc, v, text, i)
	}
	abs := r.Abs(sc, text)
	if abs == "" {
		return Spot{Free: true, Abs: text}
	}
	return Spot{Abs: abs, Class: r.classify(abs)}
}

// classify returns the class of an absolute path, which may have wildcards. Answers are kept for the line.
func (r *Judge) classify(abs string) places.Class {
	if c, ok := r.known[abs]; ok {
		return c
	}
	c := places.Classify(fact.PlainGlob(abs), r.Ctx.Context)
	if strings.ContainsAny(abs, fact.Unknowns) {
		if worse, ok := places.MayMatch(fact.PlainGlob(abs), r.Ctx.Context); ok {
			c = worse
		}
	}
	if r.known == nil {
		r.known = map[string]places.Class{}
	}
	r.known[abs] = c
	return c
}

// locateHole judges a path with unknown text by the text before it, and by where the unknown text comes from.
func (r *Judge) locateHole(sc *Scope, v fact.Value, text string, i int) Spot {
	tame := !v.Wild()
	if i == 0 && tame && !strings.Contains(text, "..") && sc.Cwd != "" {
		return Spot{Abs: path.Join(sc.Cwd, text), Class: places.Classify(path.Join(sc.Cwd, "x"), r.Ctx.Context)}
	}
	if i == 0 && !strings.HasPrefix(text, "/") {
		return Spot{Free: true, Abs: text, Loose: true}
	}
	dir := text[:i]
	climbs := strings.Contains(text[i:], "..")
	abs := r.Abs(sc, dir+"x")
	if abs == "" || climbs {
		return Spot{Free: true, Abs: text, Loose: true}
	}
	class := places.Classify(abs, r.Ctx.Context)
	if full := r.Abs(sc, text); full != "" {
		class = max(class, places.Classify(fact.PlainGlob(full), r.Ctx.Context)) // /proc/…/environ
	}
	switch class {
	case places.Workspace, places.Temp, places.Sink, places.Tools, places.System:
		if !tame {
			return Spot{Free: true, Abs: text, Loose: true} // it may climb
		}
	}
	return Spot{Abs: r.Abs(sc, text), Class: class, Loose: v.Taint&^fact.FromNumber != 0}
}

// Abs makes a path absolute; "" where the directory is not known.
func (r *Judge) Abs(sc *Scope, p string) string {
	if p == "" {
		return ""
	}
	if strings.HasPrefix(p, "/") {
		return path.Clean(p)
	}
	if sc.Cwd == "" {
		return ""
	}
	return path.Join(sc.Cwd, p)
}

// Absolute makes a path absolute; "" where anything of it is unknown.
func (r *Judge) Absolute(sc *Scope, v fact.Value) string {
	if !v.Plain() {
		return ""
	}
	return r.Abs(sc, v.Text)
}

// InWork reports whether an absolute path lies in the workspace.
func (r *Judge) InWork(abs string) bool {
	switch places.Classify(abs, r.Ctx.Context) {
	case places.Workspace, places.Protected, places.Private:
		return true
	}
	return false
}

// ReadClass is the class of reading a place.
func ReadClass(p places.Class) fact.Class {
	switch p {
	case places.Private, places.Settings:
		return fact.Private
	case places.Secret, places.Device:
		return fact.SecretRead
	case places.Socket:
		return fact.Privilege
	case places.Outside, places.Machine, places.Startup:
		return fact.OutsideRead
	}
	return fact.Read
}

// WriteClass is the class of writing a place, or of removing it.
func WriteClass(p places.Class) fact.Class {
	switch p {
	case places.Sink:
		return fact.Read
	case places.Workspace, places.Temp:
		return fact.Write
	case places.Protected, places.Private:
		return fact.Config
	case places.Settings:
		return fact.Tamper
	case places.System, places.Machine, places.Device:
		return fact.Destroy
	case places.Socket:
		return fact.Privilege
	}
	return fact.OutsideWrite
}

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

// InHome reports whether an absolute path lies in the home directory.
func (r *Judge) InHome(abs string) bool {
	return r.Ctx.Home != "" && (abs == r.Ctx.Home || strings.HasPrefix(abs, r.Ctx.Home+"/"))
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

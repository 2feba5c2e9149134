package shell

import (
	"path"
	"slices"
	"strings"

	"rein/places"
)

// spot is where a value points, as far as that is known.
type spot struct {
	abs   string // with holes and wildcards
	class places.Class
	// loose means that the class is only that of the known part: the whole path may be elsewhere.
	loose bool
	// free means that nothing is known: the path starts with unknown text.
	free bool
}

// locate finds where a path points.
func (r *reader) locate(sc *scope, v value) spot {
	text := v.text
	if strings.HasPrefix(text, "file://") {
		text = strings.TrimPrefix(strings.TrimPrefix(text, "file://localhost"), "file://")
	}
	if i := strings.IndexByte(text, hole); i >= 0 {
		return r.locateHole(sc, v, text, i)
	}
	abs := r.abs(sc, text)
	if abs == "" {
		return spot{free: true, abs: text}
	}
	return spot{abs: abs, class: r.classify(abs)}
}

// classify returns the class of an absolute path, which may have wildcards. Answers are kept for the line.
func (r *reader) classify(abs string) places.Class {
	if c, ok := r.known[abs]; ok {
		return c
	}
	c := places.Classify(plainGlob(abs), r.ctx.Context)
	if strings.ContainsAny(abs, unknowns) {
		if worse, ok := places.MayMatch(plainGlob(abs), r.ctx.Context); ok {
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
func (r *reader) locateHole(sc *scope, v value, text string, i int) spot {
	tame := v.taint&^(fromNumber|fromNames|fromJob|fromWork) == 0
	if i == 0 && tame && !strings.Contains(text, "..") && sc.cwd != "" {
		return spot{abs: path.Join(sc.cwd, text), class: places.Classify(path.Join(sc.cwd, "x"), r.ctx.Context)}
	}
	if i == 0 && !strings.HasPrefix(text, "/") {
		return spot{free: true, abs: text, loose: true}
	}
	dir := text[:i]
	climbs := strings.Contains(text[i:], "..")
	abs := r.abs(sc, dir+"x")
	if abs == "" || climbs {
		return spot{free: true, abs: text, loose: true}
	}
	class := places.Classify(abs, r.ctx.Context)
	if full := r.abs(sc, text); full != "" {
		class = max(class, places.Classify(plainGlob(full), r.ctx.Context)) // /proc/…/environ
	}
	return spot{abs: r.abs(sc, text), class: class, loose: v.taint&^fromNumber != 0}
}

// abs makes a path absolute; "" where the directory is not known.
func (r *reader) abs(sc *scope, p string) string {
	if p == "" {
		return ""
	}
	if strings.HasPrefix(p, "/") {
		return path.Clean(p)
	}
	if sc.cwd == "" {
		return ""
	}
	return path.Join(sc.cwd, p)
}

func (r *reader) absolute(sc *scope, v value) string {
	if !v.plain() {
		return ""
	}
	return r.abs(sc, v.text)
}

func plainGlob(s string) string {
	if !strings.ContainsAny(s, unknowns) {
		return s
	}
	return spelled(s, "x", "*", "?")
}

func (r *reader) inWork(abs string) bool {
	switch places.Classify(abs, r.ctx.Context) {
	case places.Workspace, places.Protected, places.Private:
		return true
	}
	return false
}

func note(list *[]string, s string) {
	s = show(s)
	if s != "" && !slices.Contains(*list, s) && len(*list) < maxNoted {
		*list = append(*list, s)
	}
}

// maxNoted is how many names of each kind a report has.
const maxNoted = 200

// ReadClass is the class of reading a place.
func ReadClass(p places.Class) Class {
	switch p {
	case places.Private, places.Settings:
		return Private
	case places.Secret, places.Device:
		return SecretRead
	case places.Socket:
		return Privilege
	case places.Outside, places.Machine, places.Startup:
		return OutsideRead
	}
	return Read
}

// WriteClass is the class of writing a place, or of removing it.
func WriteClass(p places.Class) Class {
	switch p {
	case places.Sink:
		return Read
	case places.Workspace, places.Temp:
		return Write
	case places.Protected, places.Private:
		return Config
	case places.Settings:
		return Tamper
	case places.System, places.Machine, places.Device:
		return Destroy
	case places.Socket:
		return Privilege
	}
	return OutsideWrite
}

// reads judges the reading of a path.
func (r *reader) reads(sc *scope, v value) {
	if v.text == "" || v.text == "-" {
		return
	}
	if strings.HasPrefix(v.text, "http://") || strings.HasPrefix(v.text, "https://") || strings.HasPrefix(v.text, "ftp://") {
		r.url(sc, v)
		return
	}
	if i := strings.Index(v.text, ":/"); i > 0 && !strings.Contains(v.text[:i], "/") && !strings.HasPrefix(v.text[i:], "://") {
		r.found(Exec, "reads through a protocol in a file name: %s", v.shown())
		r.reads(sc, v.with(v.text[i+1:]))
	}
	s := r.locate(sc, v)
	note(&r.report.Reads, s.abs)
	if s.free {
		if sc.cwd == "" && v.taint == 0 {
			r.found(OutsideRead, "reads %s from a directory that is not known", v.shown())
			return
		}
		r.readsUnknown(v)
		return
	}
	switch c := ReadClass(s.class); {
	case c == Private:
		r.found(c, "reads %s, which may hold credentials", v.shown())
	case c == OutsideRead && s.loose && s.class == places.Outside:
		r.found(Private, "reads %s: what it names there is not known", v.shown())
	case c == OutsideRead:
		r.found(c, "reads %s, outside the workspace", v.shown())
	default:
		r.found(c, "reads %s", v.shown())
	}
}

func (r *reader) readsUnknown(v value) {
	switch {
	case v.taint&(fromSecret|fromPrivate|fromEnv) != 0:
		r.found(Private, "reads a path that is not known: %s", v.shown())
	case v.taint&(fromVariable|fromArgument|fromOutside|fromInput|fromNet|fromSocket|fromDecoder|fromParent) != 0:
		r.found(OutsideRead, "reads a file that is not known before it runs: %s", v.shown())
	}
}

// writes judges the writing of a path.
func (r *reader) writes(sc *scope, v value) {
	if v.text == "" {
		return
	}
	s := r.locate(sc, v)
	if s.class == places.Sink && !s.free {
		return
	}
	note(&r.report.Writes, s.abs)
	if s.free {
		r.found(OutsideWrite, "writes a file that is not known before it runs: %s", v.shown())
		return
	}
	c := WriteClass(s.class)
	if s.class == places.Secret && !r.inHome(s.abs) {
		c = Destroy
	}
	switch c {
	case Config:
		r.found(c, "writes %s, which later programs trust", v.shown())
	case OutsideWrite:
		r.found(c, "writes %s, outside the workspace", v.shown())
	case Destroy:
		r.found(c, "writes %s, which belongs to the machine", v.shown())
	case Tamper:
		r.found(c, "writes the harness's own files: %s", v.shown())
	default:
		r.found(c, "writes %s", v.shown())
	}
}

func (r *reader) inHome(abs string) bool {
	return r.ctx.Home != "" && (abs == r.ctx.Home || strings.HasPrefix(abs, r.ctx.Home+"/"))
}

// removes judges the removal of a path; deep is true where directories go with all that is in them.
func (r *reader) removes(sc *scope, v value, deep bool) {
	if v.text == "" {
		return
	}
	s := r.locate(sc, v)
	note(&r.report.Removes, s.abs)
	if s.free {
		switch {
		case deep || v.taint&fromOutside != 0:
			r.found(Wipe, "removes a directory that is not known, with all that is in it: %s", v.shown())
		case v.taint&^(fromNames|fromWork|fromNumber) == 0 && v.taint != 0:
			r.found(Delete, "removes files that a command names")
		default:
			r.found(Wipe, "removes a path that is not known: %s", v.shown())
		}
		return
	}
	if r.removesRoot(s, deep) {
		return
	}
	switch s.class {
	case places.Sink:
	case places.Workspace, places.Temp:
		if deep && s.loose && strings.IndexByte(s.abs, hole) >= 0 {
			r.found(Wipe, "removes all that is found: %s", v.shown())
			return
		}
		if s.class == places.Temp && strings.HasPrefix(s.abs, "/tmp/tmp."+string(hole)) {
			r.found(Write, "removes its own temporary file")
			return
		}
		r.found(Delete, "removes %s", v.shown())
	case places.Protected, places.Private:
		r.found(Config, "removes %s", v.shown())
	case places.Settings:
		r.found(Tamper, "removes the harness's own files: %s", v.shown())
	case places.System, places.Machine, places.Device, places.Socket:
		r.found(Destroy, "removes %s, which belongs to the machine", v.shown())
	case places.Secret:
		if !r.inHome(s.abs) {
			r.found(Destroy, "removes %s", v.shown())
			return
		}
		if deep {
			r.found(Destroy, "removes the keys in %s", v.shown())
			return
		}
		r.found(OutsideWrite, "removes %s", v.shown())
	default:
		r.found(OutsideWrite, "removes %s, outside the workspace", v.shown())
	}
}

// removesRoot notes the removal of something whole: a root, a home, a workspace, all that is in one.
func (r *reader) removesRoot(s spot, deep bool) bool {
	dir, all := s.abs, false
	if base := path.Base(dir); base != "" && strings.Trim(base, "\x00\x01\x02.") == "" && base != "." && base != "/" {
		dir, all = path.Dir(dir), true
	}
	if !places.IsRoot(dir, r.ctx.Context) || !(deep || all) {
		return false
	}
	if r.inWork(dir) {
		if all && !deep {
			r.found(Delete, "removes all files of the workspace")
		} else {
			r.found(Wipe, "removes the whole workspace")
		}
		return true
	}
	r.wiped = true
	r.found(Destroy, "removes %s with all that is in it", show(dir))
	return true
}

// contents is the taint of what a file holds.
func (r *reader) contents(sc *scope, v value) taint {
	s := r.locate(sc, v)
	if s.free {
		return v.taint | fromWork
	}
	switch s.class {
	case places.Private, places.Settings:
		return fromPrivate
	case places.Secret, places.Device:
		return fromSecret
	case places.Outside, places.Machine, places.Startup:
		return fromOutside
	case places.Sink, places.System, places.Tools:
		return 0
	}
	if w, ok := sc.written[s.abs]; ok {
		return w.data.taint
	}
	return fromWork
}

// sends judges data that leaves the machine.
func (r *reader) sends(t taint, how string) {
	switch {
	case t&(fromSecret|fromPrivate|fromEnv) != 0:
		r.found(Exfil, "sends secrets %s", how)
	case t&fromOutside != 0:
		r.found(Exfil, "sends data from outside the workspace %s", how)
	case t&fromWork != 0:
		r.found(Upload, "sends files of the workspace %s", how)
	}
}

package shell

import (
	"path"
	"strings"

	"rein/guard/effect"
	"rein/kit/places"
)

// location is where a value points, as far as that is known.
type location struct {
	Abs   string // with holes and wildcards
	Class places.Class
	// Loose means that the class is only that of the known part: the whole path may be elsewhere.
	Loose bool
	// Free means that nothing is known: the path starts with unknown text.
	Free bool
}

// Locate finds where a path points.
func (r *judging) Locate(sc *scope, v value) location {
	text := v.Text
	if strings.HasPrefix(text, "file://") {
		text = strings.TrimPrefix(strings.TrimPrefix(text, "file://localhost"), "file://")
	}
	if i := strings.IndexByte(text, anyText); i >= 0 {
		return r.locateHole(sc, v, text, i)
	}
	abs := r.Abs(sc, text)
	if abs == "" {
		return location{Free: true, Abs: text}
	}
	return location{Abs: abs, Class: r.classify(abs)}
}

// classify returns the class of an absolute path, which may have wildcards. Answers are kept for the line.
func (r *judging) classify(abs string) places.Class {
	if c, ok := r.known[abs]; ok {
		return c
	}
	c := places.Classify(plainGlob(abs), r.Ctx.Context)
	if strings.ContainsAny(abs, unknownLetters) {
		if worse, ok := places.MayMatch(plainGlob(abs), r.Ctx.Context); ok {
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
func (r *judging) locateHole(sc *scope, v value, text string, i int) location {
	tame := !v.Wild()
	if i == 0 && tame && !strings.Contains(text, "..") && sc.Cwd != "" {
		return location{Abs: path.Join(sc.Cwd, text), Class: places.Classify(path.Join(sc.Cwd, "x"), r.Ctx.Context)}
	}
	if i == 0 && !strings.HasPrefix(text, "/") {
		return location{Free: true, Abs: text, Loose: true}
	}
	dir := text[:i]
	climbs := strings.Contains(text[i:], "..")
	abs := r.Abs(sc, dir+"x")
	if abs == "" || climbs {
		return location{Free: true, Abs: text, Loose: true}
	}
	class := places.Classify(abs, r.Ctx.Context)
	if full := r.Abs(sc, text); full != "" {
		class = max(class, places.Classify(plainGlob(full), r.Ctx.Context)) // /proc/…/environ
	}
	switch class {
	case places.Workspace, places.Temp, places.Sink, places.Tools, places.System:
		if !tame {
			return location{Free: true, Abs: text, Loose: true} // it may climb
		}
	}
	return location{Abs: r.Abs(sc, text), Class: class, Loose: v.Taint&^fromNumber != 0}
}

// Abs makes a path absolute; "" where the directory is not known.
func (r *judging) Abs(sc *scope, p string) string {
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
func (r *judging) Absolute(sc *scope, v value) string {
	if !v.Plain() {
		return ""
	}
	return r.Abs(sc, v.Text)
}

// InWork reports whether an absolute path is in the workspace.
func (r *judging) InWork(abs string) bool {
	switch places.Classify(abs, r.Ctx.Context) {
	case places.Workspace, places.Protected, places.Private:
		return true
	}
	return false
}

// ReadClass is the class of reading a place.
func ReadClass(p places.Class) effect.Class {
	switch p {
	case places.Private, places.Settings:
		return effect.Private
	case places.Secret, places.Device:
		return effect.SecretRead
	case places.Socket:
		return effect.Privilege
	case places.Outside, places.Machine, places.Startup:
		return effect.OutsideRead
	}
	return effect.Read
}

// WriteClass is the class of writing a place, or of removing it.
func WriteClass(p places.Class) effect.Class {
	switch p {
	case places.Sink:
		return effect.Read
	case places.Workspace, places.Temp:
		return effect.Write
	case places.Protected, places.Private:
		return effect.Config
	case places.Settings:
		return effect.Tamper
	case places.System, places.Machine, places.Device:
		return effect.Destroy
	case places.Socket:
		return effect.Privilege
	}
	return effect.OutsideWrite
}

// InHome reports whether an absolute path is in the home directory.
func (r *judging) InHome(abs string) bool {
	return r.Ctx.Home != "" && (abs == r.Ctx.Home || strings.HasPrefix(abs, r.Ctx.Home+"/"))
}

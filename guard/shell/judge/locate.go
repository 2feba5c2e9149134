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

// InWork reports whether an absolute path is in the workspace.
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

// InHome reports whether an absolute path is in the home directory.
func (r *Judge) InHome(abs string) bool {
	return r.Ctx.Home != "" && (abs == r.Ctx.Home || strings.HasPrefix(abs, r.Ctx.Home+"/"))
}

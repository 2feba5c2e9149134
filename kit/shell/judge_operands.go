package shell

import (
	"strings"

	"rein/guard/effect"
	"rein/kit/places"
)

// AnyArgs judges the arguments of a program that nobody knows: what looks like a path is taken as read.
func (j *judging) AnyArgs(sc *scope, args []value) {
	for _, a := range args {
		j.AnyArg(sc, a)
	}
}

// AnyArg judges a word that may be a path: what looks like one is taken as read.
func (j *judging) AnyArg(sc *scope, a value) {
	text := a.Text
	if strings.HasPrefix(text, "-") {
		if _, after, ok := a.Cut("="); ok {
			a = after
		} else if i := strings.IndexAny(text, "/~"); i > 0 {
			a = a.With(text[i:])
		} else {
			return
		}
	}
	if i := strings.Index(a.Text, "@/"); i >= 0 && !strings.Contains(a.Text, "://") { // caption:@/path
		a = a.With(a.Text[i:])
	}
	a = a.With(strings.TrimPrefix(a.Text, "@"))
	if i := strings.LastIndex(a.Text, ":/"); i > 0 && !strings.Contains(a.Text, "://") {
		a = a.With(a.Text[i+1:])
	}
	if !strings.ContainsAny(a.Text, "/.") && !strings.Contains(a.Text, "id_") {
		return
	}
	switch s := j.Locate(sc, a); {
	case s.Free || strings.Contains(a.Text, "://"):
	case s.Class == places.Secret, s.Class == places.Private, s.Class == places.Device, s.Class == places.Settings,
		s.Class == places.Socket:
		j.Reads(sc, a)
	case strings.HasPrefix(a.Text, "//"), isSwitch(a.Text), a.Label, noRoot(a.Text): // a path within a document, a property for msbuild, a pattern
	case (s.Class == places.Outside || s.Class == places.Machine) && strings.Contains(a.Text, "/") && !s.Loose:
		j.Reads(sc, a)
	}
}

// Lists judges the listing of a directory: names are less than contents.
func (j *judging) Lists(sc *scope, v value) taint {
	s := j.Locate(sc, v)
	switch {
	case !s.Free && (s.Class == places.Private || s.Class == places.Settings && !v.Plain()):
		return fromNames
	case !s.Free && s.Class == places.Secret && j.InHome(s.Abs):
		j.Found(effect.Private, "lists %s", v.Shown())
		return fromNames | fromOutside
	}
	j.Reads(sc, v)
	switch {
	case s.Free:
		return fromNames | v.Taint
	case s.Class == places.Workspace, s.Class == places.Protected, s.Class == places.Temp, s.Class == places.System, s.Class == places.Tools:
		return fromNames
	}
	return fromNames | fromOutside
}

// Moves judges that a file goes away from where it is.
func (j *judging) Moves(sc *scope, v value) {
	s := j.Locate(sc, v)
	if !s.Free && (s.Class == places.Workspace || s.Class == places.Temp) && !places.IsRoot(s.Abs, j.Ctx.Context) {
		note(&j.Report.Removes, s.Abs)
		j.Effect(effect.Write)
		return
	}
	if !s.Free && j.InHome(s.Abs) && s.Class == places.Secret {
		j.Reads(sc, v)
	}
	j.Removes(sc, v, baseName(j.Who) != "rmdir") // rmdir only removes what is empty
}

// Project judges a directory or file that gives instructions to a build tool.
func (j *judging) Project(sc *scope, v value) {
	s := j.Locate(sc, v.With(strings.TrimPrefix(v.Text, "@")))
	switch {
	case v.Text == "": // an option at the end, without its value
	case v.Text != "-" && isInput(v.Text):
		j.Found(effect.Exec, "takes its instructions from its input")
	case !s.Free && sc.HasFetched(s.Abs):
		j.Found(effect.RemoteCode, "builds %s, which this line may have downloaded", v.Shown())
	case s.Free:
		j.Found(effect.Dynamic, "builds a path that is not known: %s", v.Shown())
	case s.Class == places.Workspace, s.Class == places.Protected:
	case s.Class == places.System, s.Class == places.Tools, s.Class == places.Sink:
	default:
		j.Found(effect.Exec, "takes its instructions from %s, outside the workspace", v.Shown())
		j.Reads(sc, v)
	}
}

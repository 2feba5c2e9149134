package sandbox

import (
	"path/filepath"
	"slices"
	"strings"
)

// seatbeltProfile writes the profile of macOS's own sandbox for a view. If several rules match, the last one decides.
// All that is no file and no network stays allowed: a profile that denies by default breaks with each system.
func seatbeltProfile(v view, private string, hostNetwork bool) string {
	b := &profile{}
	b.line("(version 1)")
	b.line("(allow default)")
	b.line("(deny file-write*)")
	for _, dir := range append(slices.Clone(v.Covers), private) {
		b.rule("deny file-read*", "subpath", dir)
	}
	b.shown(v)
	for _, name := range []string{"null", "zero", "tty", "ptmx", "dtracehelper"} {
		b.rule("allow file-write*", "literal", "/dev/"+name)
	}
	b.line(`(allow file-write* (regex #"^/dev/ttys[0-9]+$"))`)
	for _, l := range v.Locked {
		if l.Write {
			b.rule("allow file-write*", "subpath", l.Target)      // the directory above may be read-only
			b.rule("deny file-write-unlink", "literal", l.Target) // or it is renamed away, with what is protected in it
		} else {
			b.rule("deny file-write*", "subpath", l.Target)
		}
	}
	for _, m := range v.Masked {
		b.rule("deny file-read* file-write*", "subpath", m.Target)
	}
	if !hostNetwork {
		b.network(v)
	}
	return b.String()
}

type profile struct{ strings.Builder }

func (b *profile) line(text string) { b.WriteString(text + "\n") }

func (b *profile) rule(what, kind, path string) {
	b.line("(" + what + " (" + kind + " " + quoted(path) + "))")
}

// quoted writes a path as a string of the profile's language.
func quoted(path string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(path) + `"`
}

// shown allows what is shown in places that are hidden. Nothing is mounted here: what programs have of their own
// is where we keep it, and the environment points there.
func (b *profile) shown(v view) {
	listed := map[string]bool{}
	for _, s := range v.Shown {
		// A program that looks up its working directory reads all directories above.
		for up := filepath.Dir(s.Source); up != filepath.Dir(up) && !listed[up]; up = filepath.Dir(up) {
			listed[up] = true
			b.rule("allow file-read-metadata", "literal", up)
		}
	}
	for _, s := range v.Shown {
		write := "deny"
		if s.Write {
			write = "allow"
		}
		b.rule("allow file-read*", "subpath", s.Source)
		b.rule(write+" file-write*", "subpath", s.Source)
	}
}

// network leaves the unix sockets of places that programs may write.
func (b *profile) network(v view) {
	b.line("(deny network*)")
	for _, s := range v.Shown {
		if s.Write {
			b.rule("allow network*", "subpath", s.Source)
		}
	}
}

// onMac takes from a view the covers that would hide a Mac's own system: only other people's data is covered.
func onMac(v view, home string) view {
	v.Covers = slices.DeleteFunc(slices.Clone(v.Covers), func(dir string) bool {
		return dir != home && !isAbove("/Users", dir) && !isAbove("/Volumes", dir) && !isAbove("/home", dir)
	})
	v.Covers = append(v.Covers, "/private/tmp", "/private/var/tmp")
	return v
}

package toolcall

import (
	"path"
	"strings"

	"rein/tool"
)

// order tells for each call of a turn which earlier calls must be done before it starts: those that it collides with.
func (t *turn) order(calls []*judged) [][]int {
	footprints := make([]footprint, len(calls))
	for i, j := range calls {
		if j != nil {
			footprints[i] = t.footprint(j.intent)
		}
	}
	before := make([][]int, len(calls))
	for i := range calls {
		for k := range i {
			if calls[i] != nil && calls[k] != nil && footprints[i].collides(footprints[k]) {
				before[i] = append(before[i], k)
			}
		}
	}
	return before
}

// footprint is an intent as the order sees it: keys of files, and whether more may be touched than is listed.
type footprint struct {
	reads, writes []string
	program       bool // reads files that are not listed
	anywhere      bool // writes files that are not listed
}

func (t *turn) footprint(i tool.Intent) footprint {
	return footprint{
		reads: t.keys(i.Reads), writes: t.keys(i.Writes),
		program: i.Command != "" || i.Unknown, anywhere: i.Unknown || i.RequestsAccess,
	}
}

func (t *turn) keys(paths []string) []string {
	if len(paths) == 0 {
		return nil
	}
	key := t.Key
	if key == nil {
		key = path.Clean
	}
	keys := make([]string, len(paths))
	for i, p := range paths {
		keys[i] = key(p)
	}
	return keys
}

// collides: the same file or one above the other, with a write on either side; a program may read anything, so it
// collides with every write; what may write anywhere collides with all but those that touch nothing.
func (a footprint) collides(b footprint) bool {
	switch {
	case a.anywhere:
		return b.touches()
	case b.anywhere:
		return a.touches()
	case a.program && len(b.writes) > 0, b.program && len(a.writes) > 0:
		return true
	}
	return overlap(a.writes, b.writes) || overlap(a.writes, b.reads) || overlap(a.reads, b.writes)
}

func (a footprint) touches() bool {
	return a.program || a.anywhere || len(a.reads) > 0 || len(a.writes) > 0
}

func overlap(a, b []string) bool {
	for _, x := range a {
		for _, y := range b {
			if x == y || above(x, y) || above(y, x) {
				return true
			}
		}
	}
	return false
}

// above reports whether directory dir holds file.
func above(dir, file string) bool {
	return dir == "." && !path.IsAbs(file) || dir == "/" ||
		len(file) > len(dir) && file[len(dir)] == '/' && strings.HasPrefix(file, dir)
}

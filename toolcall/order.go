package toolcall

import (
	"path"
	"runtime/debug"
	"strings"

	"rein/tool"
)

// order returns for each call of a turn the earlier calls that must be done before it starts: those that it conflicts with.
func (t *turn) order(calls []*judged) [][]int {
	footprints := make([]footprint, len(calls))
	for i, j := range calls {
		if j != nil {
			footprints[i] = t.footprint(j.valid)
		}
	}
	before := make([][]int, len(calls))
	for i := range calls {
		for k := range i {
			if calls[i] != nil && calls[k] != nil && footprints[i].conflicts(footprints[k]) {
				before[i] = append(before[i], k)
			}
		}
	}
	return before
}

// footprint is what a call may touch: keys of files, and whether it may touch more than it lists.
type footprint struct {
	reads, writes []string
	readsMore     bool // it may read files that it does not list
	writesMore    bool // it may write files that it does not list
}

func (t *turn) footprint(v *valid) (f footprint) {
	defer func() { // in Key
		if p := recover(); p != nil {
			t.logPanic("the names of files", v.call, p, debug.Stack())
			f = footprint{readsMore: true, writesMore: true}
		}
	}()
	i := v.intent
	if v.tool.Nests { // its calls are not known yet
		return footprint{readsMore: true, writesMore: true}
	}
	unlisted := v.tool.Intent == nil && v.tool.Effect&tool.Reads != 0
	return footprint{
		reads: t.keys(i.Reads), writes: t.keys(i.Writes),
		readsMore: i.Command != "" || i.Unknown || unlisted, writesMore: i.Unknown || i.RequestsAccess,
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

// conflicts reports whether two calls may not run at the same time: they name the same file, or one names a directory
// above the other's file, and at least one of them writes. What reads more than it lists conflicts with every write; what
// writes more than it lists conflicts with everything that touches files.
func (a footprint) conflicts(b footprint) bool {
	switch {
	case a.writesMore:
		return b.touches()
	case b.writesMore:
		return a.touches()
	case a.readsMore && len(b.writes) > 0, b.readsMore && len(a.writes) > 0:
		return true
	}
	return overlap(a.writes, b.writes) || overlap(a.writes, b.reads) || overlap(a.reads, b.writes)
}

func (a footprint) touches() bool {
	return a.readsMore || a.writesMore || len(a.reads) > 0 || len(a.writes) > 0
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

//go:build linux && (amd64 || arm64)

package box

import (
	"slices"
	"strconv"
	"unsafe"
)

// span is a piece of the address space.
type span struct{ from, to uintptr }

// spare lists the memory that this process may write, or has put aside, without what a template needs: the fork gives it up, because each
// further fork would copy its tables. The stack is among it: the fork knows where that is, which may move until then. A process with
// a C library gives nothing up: the kernel writes to memory that the library registered (rseq).
func (t *template) spare() []span {
	p := t.process
	needed := []span{
		around(unsafe.Pointer(t), int(unsafe.Sizeof(*t))),
		around(unsafe.Pointer(p), int(unsafe.Sizeof(*p))),
		around(unsafe.Pointer(&p.message[0]), len(p.message)),
		around(unsafe.Pointer(&p.words[0]), len(p.words)*wordSize),
	}
	slices.SortFunc(needed, func(a, b span) int {
		if a.from < b.from {
			return -1
		}
		return 1
	})
	var all []span
	for rest := read("/proc/self/maps", 256<<10); len(rest) > 0; {
		var line, from, to, mode []byte
		line, rest = cut(rest, '\n')
		from, line = cut(line, '-')
		to, line = cut(line, ' ')
		mode, line = cut(line, ' ')
		if library(line) {
			return nil
		}
		first, err := strconv.ParseUint(string(from), 16, 64)
		last, err2 := strconv.ParseUint(string(to), 16, 64)
		if err != nil || err2 != nil || len(mode) < 4 || mode[1] != 'w' && string(mode[:3]) != "---" {
			continue
		}
		all = without(all, span{uintptr(first), uintptr(last)}, needed)
	}
	return all
}

// library reports whether the end of a line of the table of memory names a library.
func library(line []byte) bool {
	for i := range max(0, len(line)-2) {
		if string(line[i:i+3]) == ".so" {
			return true
		}
	}
	return false
}

// without appends what is left of a span without others, which are sorted.
func without(all []span, s span, others []span) []span {
	for _, o := range others {
		if o.to <= s.from || s.to <= o.from {
			continue
		}
		if s.from < o.from {
			all = append(all, span{s.from, o.from})
		}
		s.from = o.to
	}
	if s.from < s.to {
		all = append(all, s)
	}
	return all
}

// pageSize is a multiple of the size of a page on every architecture.
const pageSize = 64 << 10

// around is the whole pages that hold so many bytes of a place.
func around(at unsafe.Pointer, size int) span {
	return span{uintptr(at) &^ (pageSize - 1), (uintptr(at) + uintptr(size) + pageSize - 1) &^ (pageSize - 1)}
}

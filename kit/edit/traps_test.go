package edit

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"unicode"
)

// traps make cases in which any change is wrong.
var traps = []harm{
	{"number", "", func(r *rand.Rand, t *trial) bool {
		return oldOnly(t, func(s string) string { return swapFirst(s, unicode.IsDigit, '7', '8') })
	}},
	{"case", "", func(r *rand.Rand, t *trial) bool {
		return oldOnly(t, func(s string) string {
			return swapFirst(s, unicode.IsLower, 'Q', 'Q')
		})
	}},
	{"twin", "", func(r *rand.Rand, t *trial) bool { t.file += t.old + "\n"; return true }},
	{"twin deeper, old between", "", func(r *rand.Rand, t *trial) bool {
		deep := mapLines(t.old, func(l string) string { return "\t\t" + l })
		t.file += deep + "\n"
		t.old = mapLines(t.old, func(l string) string { return "\t" + l })
		return true
	}},
	{"middle lost", "", func(r *rand.Rand, t *trial) bool {
		l := strings.Split(t.old, "\n")
		if len(l) < 4 {
			return false
		}
		t.old = l[0] + "\n" + l[len(l)-1]
		return len(parse(t.file, farFuture()).candidates([]string{l[0], l[len(l)-1]}, nil)) == 0
	}},
	{"middle invented", "", func(r *rand.Rand, t *trial) bool {
		l := strings.Split(t.old, "\n")
		if len(l) < 4 {
			return false
		}
		for i := 1; i < len(l)-1; i++ {
			l[i] = indentOf(l[i]) + fmt.Sprintf("invented(%d)", i)
		}
		t.old = strings.Join(l, "\n")
		return true
	}},
	{"commented out", "", func(r *rand.Rand, t *trial) bool {
		was := t.file
		t.file = strings.Replace(t.file, t.old, mapLines(t.old, func(l string) string { return indentOf(l) + "// " + l[len(indentOf(l)):] }), 1)
		return t.file != was
	}},
	{"tail cut", "", func(r *rand.Rand, t *trial) bool {
		if !isWord(rune(t.old[len(t.old)-1])) || !isWord(rune(t.old[len(t.old)-2])) {
			return false
		}
		t.old = t.old[:len(t.old)-1]
		return true
	}},
	{"placeholder added", "", func(r *rand.Rand, t *trial) bool { t.new_ += "\n// ... rest unchanged"; return true }},
	{"gone", "", func(r *rand.Rand, t *trial) bool {
		t.file = strings.Replace(t.file, t.old+"\n", "", 1)
		return !strings.Contains(t.file, t.old)
	}},
}

func swapFirst(s string, is func(rune) bool, by, other rune) string {
	done := false
	return strings.Map(func(c rune) rune {
		if done || !is(c) || c >= 0x80 {
			return c
		}
		done = true
		if c == by {
			return other
		}
		return by
	}, s)
}

package places

import (
	"path"
	"strings"
)

// Match reports whether a path fits a pattern: "*", "?" and "[…]" match parts of one name, "**" any number of names.
// Its time is the product of both lengths, whatever the pattern.
func Match(pattern, name string) bool {
	names := strings.Split(name, "/")
	// at[i] is true where the pattern read so far fits the first i names.
	at := make([]bool, len(names)+1)
	at[0] = true
	for _, p := range strings.Split(pattern, "/") {
		next := make([]bool, len(names)+1)
		if p == "**" {
			open := false
			for i := range at {
				open = open || at[i]
				next[i] = open
			}
		} else {
			for i, n := range names {
				if at[i] {
					ok, err := path.Match(p, n)
					next[i+1] = ok && err == nil
				}
			}
		}
		at = next
	}
	return at[len(names)]
}

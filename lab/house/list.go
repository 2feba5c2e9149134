package house

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// A List holds the exceptions from a limit, one a line: where, what, how many, and why. The number may only shrink.
type List struct {
	file    string
	comment []string
	entries []entry
}

type entry struct {
	count
	reason string
}

// count is how often something was found: the files of a package, the lines of a function, a word of a directory.
type count struct {
	where, what string
	n           int
	last        string // where it was seen last
}

// ReadList reads a list. Empty lines are skipped; lines that start with "#" are its heading.
func ReadList(file string) (*List, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	l := &List{file: file}
	for lines := bufio.NewScanner(strings.NewReader(string(text))); lines.Scan(); {
		line := lines.Text()
		if strings.HasPrefix(line, "#") {
			l.comment = append(l.comment, line)
			continue
		}
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if len(fields) < 3 {
			return nil, fmt.Errorf("%s: %q: expected where, what, number, reason", file, line)
		}
		n, err := strconv.Atoi(fields[2])
		if err != nil {
			return nil, fmt.Errorf("%s: %q: %w", file, line, err)
		}
		if l.has(fields[0], fields[1]) {
			return nil, fmt.Errorf("%s: %q comes twice", file, line)
		}
		l.entries = append(l.entries, entry{count{where: fields[0], what: fields[1], n: n}, strings.Join(fields[3:], " ")})
	}
	return l, nil
}

func (l *List) has(where, what string) bool {
	return slices.ContainsFunc(l.entries, func(e entry) bool { return e.where == where && e.what == what })
}

// limit is what the list allows, else the general limit.
func (l *List) limit(c count) int {
	for _, e := range l.entries {
		if e.where == c.where && e.what == c.what {
			return e.n
		}
	}
	return limits[c.what]
}

// Tighten lowers each number to what was found, drops lines that nothing needs, and writes the list. It never raises
// a number and never adds a line.
func (l *List) Tighten(found []count) error {
	var kept []entry
	for _, e := range l.entries {
		if i := slices.IndexFunc(found, func(c count) bool { return c.where == e.where && c.what == e.what }); i >= 0 {
			e.n = min(e.n, found[i].n)
			kept = append(kept, e)
		}
	}
	l.entries = kept
	return l.write()
}

func (l *List) write() error {
	slices.SortStableFunc(l.entries, func(a, b entry) int { return compareCounts(a.count, b.count) })
	out := strings.Join(l.comment, "\n") + "\n"
	for _, e := range l.entries {
		out += strings.TrimRight(fmt.Sprintf("%s %s %d %s", e.where, e.what, e.n, e.reason), " ") + "\n"
	}
	return os.WriteFile(l.file, []byte(out), 0o644)
}

func sortCounts(counts []count) { slices.SortFunc(counts, compareCounts) }

func compareCounts(a, b count) int {
	return cmp.Or(cmp.Compare(a.where, b.where), cmp.Compare(a.what, b.what))
}

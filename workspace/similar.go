package workspace

import (
	"os"
	"path"
	"slices"
	"strings"
)

// mostSimilar is how many entries of a directory are looked at for a hint.
const mostSimilar = 2000

// similar names up to three entries of a directory that may be meant by a name that is not there.
func similar(dir *os.Root, base string) string {
	f, err := dir.Open(".")
	if err != nil {
		return ""
	}
	defer f.Close()
	names, _ := f.Readdirnames(mostSimilar)
	slices.Sort(names)
	type scored struct {
		name  string
		score int
	}
	var near []scored
	for _, n := range names {
		if s := likeness(base, n); s > 0 {
			near = append(near, scored{n, s})
		}
	}
	slices.SortStableFunc(near, func(a, b scored) int { return b.score - a.score })
	var shown []string
	for _, n := range near[:min(3, len(near))] {
		shown = append(shown, quote(n.name))
	}
	if len(shown) == 0 {
		return "list the directory to see what there is"
	}
	return "beside it there is " + strings.Join(shown, ", ")
}

// likeness scores how likely the one name was meant by the other; 0 is not at all.
func likeness(asked, there string) int {
	a, b := strings.ToLower(asked), strings.ToLower(there)
	stemA, stemB := strings.TrimSuffix(a, path.Ext(a)), strings.TrimSuffix(b, path.Ext(b))
	switch {
	case a == b:
		return 5
	case stemA == stemB && stemA != "":
		return 4
	case distance(a, b) <= 1+len(a)/6:
		return 3
	case len(stemA) > 2 && strings.Contains(b, stemA), len(stemB) > 2 && strings.Contains(a, stemB):
		return 1
	}
	return 0
}

// distance is the number of letters to change, add or drop between two names.
func distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return 64
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := corner
			if a[i] != b[j] {
				cost++
			}
			corner = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

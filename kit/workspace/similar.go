package workspace

import (
	"os"
	"slices"
	"strings"

	"rein/internal/plaintext"
)

// mostSimilar is how many entries of a directory are compared for a hint.
const mostSimilar = 2000

// similar is a hint with up to three names in a directory that are similar to a missing one.
func similar(dir *os.Root, base string) string {
	f, err := dir.Open(".")
	if err != nil {
		return ""
	}
	defer f.Close()
	names, _ := f.Readdirnames(mostSimilar)
	slices.Sort(names)
	var shown []string
	for _, n := range plaintext.NearestNames(base, names) {
		shown = append(shown, quote(n))
	}
	if len(shown) == 0 {
		return "List the directory to see its entries."
	}
	return "Similar names: " + strings.Join(shown, ", ")
}

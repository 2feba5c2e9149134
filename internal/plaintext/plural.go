package plaintext

import (
	"strconv"
	"strings"
)

// Counted writes n with a noun in the right number: "1 line", "2 lines", "3 entries". It knows regular English plurals only.
func Counted[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, ok := strings.CutSuffix(noun, "y"); ok {
		noun = stem + "ie"
	}
	return strconv.FormatInt(int64(n), 10) + " " + noun + "s"
}

// FirstOf lists the first few names, with an ellipsis for the others.
func FirstOf(names []string, most int) string {
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}

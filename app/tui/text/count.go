package text

import (
	"strconv"
	"strings"
)

// Count writes a number of things: "1 line", "4 lines", "2 entries".
func Count[N int | int64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	if stem, ok := strings.CutSuffix(thing, "y"); ok {
		thing = stem + "ie"
	}
	return strconv.FormatInt(int64(n), 10) + " " + thing + "s"
}

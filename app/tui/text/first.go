package text

import "fmt"

// First keeps what fits, and counts the rest in its last row.
func First(lines []Line, most int) []Line {
	if len(lines) <= most {
		return lines
	}
	if most <= 0 {
		return nil
	}
	return append(lines[:most-1:most-1], Of(Dim, fmt.Sprintf("    %d rows more", len(lines)-most+1)))
}

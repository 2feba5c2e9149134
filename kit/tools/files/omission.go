package files

import (
	"bytes"
	"fmt"
	"strings"

	"rein/tool"
)

// omission refuses content in which a comment replaces a part of the file, such as "// ... rest of the code unchanged": it
// would delete that part. A line that the file had before is allowed.
func omission(old, data []byte) error {
	number := 0
	for line := range bytes.Lines(data) {
		number++
		text := strings.TrimSpace(string(line))
		if len(text) < 200 && standsForMore(text) && !bytes.Contains(old, []byte(text)) {
			return &tool.Error{Kind: tool.BadArguments, Text: fmt.Sprintf("line %d is a placeholder for code that was left out: %q", number, text),
				Hint: "Send the whole content of the file, or change a part of it with edit_file."}
		}
	}
	return nil
}

// standsForMore reports whether a line is a comment of dots and words that mean that something was left out.
func standsForMore(line string) bool {
	body := ""
	for _, sign := range []string{"//", "#", "/*", "<!--", "--", ";", "{/*", "%"} {
		if rest, ok := strings.CutPrefix(line, sign); ok {
			body = strings.TrimSpace(rest)
		}
	}
	for _, sign := range []string{"*/}", "*/", "-->"} {
		body = strings.TrimSpace(strings.TrimSuffix(body, sign))
	}
	inner, dots := strings.CutPrefix(body, "...")
	if !dots {
		inner, dots = strings.CutPrefix(body, "…")
	}
	if !dots {
		return false
	}
	inner = strings.ToLower(strings.Trim(inner, " .…()[]"))
	for _, start := range []string{"rest of", "the rest of", "remaining", "existing", "previous", "other", "same as", "unchanged", "keep "} {
		if strings.HasPrefix(inner, start) {
			return true
		}
	}
	return strings.HasSuffix(inner, "unchanged") || strings.HasSuffix(inner, "remains the same") || strings.HasSuffix(inner, "stays the same")
}

package slash

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"rein/harness/trust"
)

// Runner runs one call through the pipeline of a session: guards, approvals, sandbox, journal. An error means that the call
// was denied or failed; its text says why.
type Runner func(ctx context.Context, tool string, args any) (text string, err error)

// Template is a text with places for arguments, the output of commands, and files.
type Template struct {
	Text   string
	Origin Origin
	Names  []string // of arguments, by their position
}

// mostRuns bounds the commands and files of one text.
const mostRuns = 20

// dynamic are commands in a text: !`command` at the beginning of a line or after a blank, and blocks that begin with ```!.
var dynamic = regexp.MustCompile("(?m)(^|[ \t])!`([^`\n]+)`|^```!.*\n((?s:.*?))\n```[ \t]*$")

// Expand gives the text with arguments, outputs and files. A command that is denied or fails ends it: then there is no message.
// Neither arguments nor outputs are looked at again.
func (t Template) Expand(ctx context.Context, args string, run Runner) (string, error) {
	args = strings.TrimSpace(args)
	var b strings.Builder
	used, at, runs := false, 0, 0
	fill := func(text string) string {
		text, has := t.arguments(text, args)
		used = used || has
		return text
	}
	for _, m := range dynamic.FindAllStringSubmatchIndex(t.Text, -1) {
		command, begin := t.Text[max(m[4], m[6]):max(m[5], m[7])], m[0]
		if m[2] >= 0 {
			begin = m[3] // the blank before it stays
		}
		b.WriteString(fill(t.Text[at:begin]))
		at = m[1]
		if runs++; runs > mostRuns {
			return "", fmt.Errorf("more than %d commands in one text", mostRuns)
		}
		command = fill(command)
		out, err := run(ctx, "bash", map[string]string{"command": command})
		if err != nil {
			return "", fmt.Errorf("the command %q of the text: %w", command, err)
		}
		b.WriteString(strings.TrimRight(out, "\n"))
	}
	b.WriteString(fill(t.Text[at:]))
	if !used && args != "" {
		b.WriteString("\n\nARGUMENTS: " + args)
	}
	for _, i := range trust.Imports(t.Text) {
		if runs++; runs > mostRuns {
			return "", fmt.Errorf("more than %d commands and files in one text", mostRuns)
		}
		name, _ := t.arguments(i.Path, args)
		text, err := run(ctx, "read_file", map[string]string{"path": name})
		if err != nil {
			continue // the words stay: the model may look for the file
		}
		fmt.Fprintf(&b, "\n\n@%s:\n%s", name, strings.TrimRight(text, "\n"))
	}
	return strings.TrimSpace(b.String()), nil
}

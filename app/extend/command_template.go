package extend

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"rein/tool"
)

// CommandRunner runs one call through the pipeline of a session: guards, approvals, sandbox, journal. An error means that the call
// was denied or failed; its text says why.
type CommandRunner func(ctx context.Context, tool string, args any) (text string, err error)

// RunnerInside returns the runner of a tool that nests: calls run as part of the one that it serves.
func RunnerInside(r *tool.Reply) CommandRunner {
	return func(ctx context.Context, name string, args any) (string, error) {
		return runWith(ctx, r.Run, tool.Call{Name: name}, args)
	}
}

// RunnerByUser returns the runner of a command that the user gave: each call has an id of its own. An error that says why a call was denied has
// no advice for a model.
func RunnerByUser(run func(context.Context, []tool.Call) ([]tool.Result, error)) CommandRunner {
	return func(ctx context.Context, name string, args any) (string, error) {
		text, err := runWith(ctx, run, tool.Call{ID: NewCallByUser(), Name: name}, args)
		if e, ok := errors.AsType[*tool.Error](err); ok && (e.Kind == tool.Denied || e.Kind == tool.Unapproved) {
			e.Text, _, _ = strings.Cut(e.Text, "\n")
		}
		return text, err
	}
}

// NewCallByUser makes the id of a call of the user's own.
func NewCallByUser() string { return userPrefix + strings.ToLower(rand.Text()) }

// userPrefix begins the ids of UserID. The ids of a model's calls are made by the pipeline.
const userPrefix = "slash-"

// IsCallByUser reports whether a call has an id of UserID.
func IsCallByUser(id string) bool { return strings.HasPrefix(id, userPrefix) }

// runWith runs one call and returns the text of its result.
func runWith(ctx context.Context, run func(context.Context, []tool.Call) ([]tool.Result, error), call tool.Call, args any) (string, error) {
	var err error
	if call.Args, err = json.Marshal(args); err != nil {
		return "", err
	}
	results, err := run(ctx, []tool.Call{call})
	switch {
	case err != nil:
		return "", err
	case len(results) == 0:
		return "", fmt.Errorf("the call of %s has no result", call.Name)
	case results[0].Failed:
		return "", &tool.Error{Kind: results[0].Kind, Text: results[0].Text}
	}
	return results[0].Text, nil
}

// Template is a text with places for arguments, the output of commands, and files.
type Template struct {
	Text   string
	Origin CommandOrigin
	Names  []string // of arguments, by their position
}

// mostRuns bounds the commands and files of one text.
const mostRuns = 20

// dynamic are commands in a text: !`command` at the beginning of a line or after a blank, and blocks that begin with ```!.
var dynamic = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("(?m)(^|[ \t])!`([^`\n]+)`|^```!.*\n((?s:.*?))\n```[ \t]*$")
})

// ended is the last line of a result of bash.
var ended = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[exit code (\d+) after [^\]\n]*\]\s*$`) })

// ExpandCommand returns the text with arguments, outputs and files. A command that is denied or fails ends it: then there is no message.
// Neither arguments nor outputs are looked at again.
func (t Template) Expand(ctx context.Context, args string, run CommandRunner) (string, error) {
	args = strings.TrimSpace(args)
	var b strings.Builder
	g, at, runs := t.given(args), 0, 0
	for _, m := range dynamic().FindAllStringSubmatchIndex(t.Text, -1) {
		command, begin := t.Text[max(m[4], m[6]):max(m[5], m[7])], m[0]
		if m[2] >= 0 {
			begin = m[3] // the blank before it stays
		}
		b.WriteString(g.into(t.Text[at:begin]))
		at = m[1]
		if runs++; runs > mostRuns {
			return "", fmt.Errorf("more than %d commands in one text", mostRuns)
		}
		command = g.into(command)
		out, err := run(ctx, "bash", map[string]string{"command": command})
		if err != nil {
			return "", fmt.Errorf("the command %q: %w", command, err)
		}
		if m := ended().FindStringSubmatch(out); m != nil {
			if m[1] != "0" {
				return "", fmt.Errorf("the command %q failed: %s", command, strings.TrimSpace(out))
			}
			out = strings.TrimSuffix(out, m[0])
		}
		b.WriteString(strings.TrimRight(out, "\n"))
	}
	b.WriteString(g.into(t.Text[at:]))
	if !g.used && args != "" {
		b.WriteString("\n\nARGUMENTS: " + args)
	}
	for _, i := range Imports(t.Text) {
		if runs++; runs > mostRuns {
			return "", fmt.Errorf("more than %d commands and files in one text", mostRuns)
		}
		name := g.into(i.Path)
		text, err := run(ctx, "read_file", map[string]string{"path": name})
		if err != nil {
			continue // the words stay: the model may look for the file
		}
		fmt.Fprintf(&b, "\n\n@%s:\n%s", name, strings.TrimRight(text, "\n"))
	}
	return strings.TrimSpace(b.String()), nil
}

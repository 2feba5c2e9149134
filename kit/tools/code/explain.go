package code

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// hints are the forms of Python that the language does not have, and what to write instead. The first one that matches the
// line of an error counts.
var hints = []struct{ form, instead string }{
	{`(^|[^\w"'])[rbRB]?[fF]["']`, `no f-strings: "%s" % x, or "{}".format(x)`},
	{`^\s*(try|except|finally)\b`, `no try: a call that failed has r.ok == False, and must(r) ends the program`},
	{`^\s*(import|from)\b`, `no imports: json, find_all(regex, text), replace_all, lines, sum and struct are there`},
	{`^\s*with\b`, `no with: read a file with the tool read_file`},
	{`^\s*class\b`, `no classes: use a dict, or struct(name=value)`},
	{`^\s*raise\b`, `no raise: fail("text")`},
	{`^\s*assert\b`, `no assert: if not x: fail("text")`},
	{`^\s*(async\s+def|await)\b|\bawait\b`, `no async: parallel([("tool", {"argument": value}), …]) runs calls at once`},
	{`\byield\b`, `no yield: return a list`},
	{`^\s*(global|nonlocal)\b`, `no global: use a dict or a list, or return the value`},
	{`^\s*del\b`, `no del: d.pop(key)`},
	{`\bis\b`, `no is: use ==`},
	{`\*\*`, `no ** between numbers: multiply`},
	{`\[\s*\*|,\s*\*\w+\s*[\],]`, `no [*x]: x + y`},
	{`:=`, `no := : use a line of its own`},
	{`->|\bdef\s+\w+\([^)]*\w+\s*:`, `no annotations of types`},
	{`\b\d+_\d`, `no underscores in numbers`},
	{`\bopen\(`, `no open: use the tools read_file and write_file`},
}

// texts are the strings of a line: the words in them say nothing about its form.
var texts = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"[^"]*"|'[^']*'`) })

// explain is the error of a program for a model: where, what, and a hint.
func explain(err error, code string) string {
	var text string
	var at syntax.Position
	var inSyntax syntax.Error
	var inNames resolve.ErrorList
	var running *starlark.EvalError
	switch {
	case errors.As(err, &inSyntax):
		at, text = inSyntax.Pos, inSyntax.Msg
	case errors.As(err, &inNames) && len(inNames) > 0:
		at, text = inNames[0].Pos, inNames[0].Msg
		if len(inNames) > 1 {
			text += fmt.Sprintf(" (more errors: %d)", len(inNames)-1)
		}
	case errors.As(err, &running):
		text = running.Msg
		for i := range running.CallStack {
			if frame := running.CallStack.At(i); frame.Pos.Line > 0 {
				at = frame.Pos
				break
			}
		}
	default:
		text = err.Error()
	}
	if strings.Contains(text, "called recursively") {
		text += " (no recursion: use a loop and a list of what is left to do)"
	}
	if at.Line <= 0 {
		return text
	}
	text = fmt.Sprintf("program:%d:%d: %s", at.Line, at.Col, text)
	if running != nil {
		if strings.Contains(text, "unknown conversion %") {
			text += ` (no widths in %: pad with " " * n)`
		}
		return text
	}
	line := texts().ReplaceAllString(lineOf(code, int(at.Line)), `""`)
	for _, h := range hints {
		if regexp.MustCompile(h.form).MatchString(line) {
			return text + " (" + h.instead + ")"
		}
	}
	return text
}

func lineOf(code string, n int) string {
	lines := strings.Split(code, "\n")
	if n < 1 || n > len(lines) {
		return ""
	}
	return lines[n-1]
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

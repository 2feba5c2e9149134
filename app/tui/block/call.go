// Package block lays out what happened in a session: messages, calls and their results, changes, plans, notices. Each is
// one block of lines that is finished when it is printed. Markdown, diffs and program text become lines with colours.
package block

import (
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"rein/app/tui/text"
	"rein/tool"
)

// State is where a call is.
type State uint8

// The states. Each has a mark and a word: colours alone never tell.
const (
	Running State = iota
	Waiting
	Done
	Failed
	Denied
	Cancelled
)

// Marks are the signs in front of lines.
type Marks struct {
	You   string
	State [Cancelled + 1]string
	Full  string // of a bar
	Empty string
	Words text.Words // the language of the user
}

// Unicode and ASCII are the sets of marks. All of Unicode take one cell everywhere.
func Unicode() Marks {
	return Marks{You: "›", State: [...]string{"▸", "◦", "✓", "✗", "!", "-"}, Full: "▪", Empty: "▫"}
}

// ASCII returns the marks for screens without other letters.
func ASCII() Marks {
	return Marks{You: ">", State: [...]string{"*", "o", "+", "x", "!", "-"}, Full: "#", Empty: "."}
}

// Bar shows how much of all is used, in so many cells.
func (m Marks) Bar(used, all, cells int) text.Line {
	n := 0
	if all > 0 {
		n = min(max(used*cells/all, 0), cells)
	}
	return text.Line{text.In(text.Accent, strings.Repeat(m.Full, n)), text.In(text.Dim, strings.Repeat(m.Empty, cells-n))}
}

var stateRoles = [...]text.Role{text.Accent, text.Warn, text.OK, text.Error, text.Warn, text.Dim}

// Title says in words what a call does: a verb, and what it is about.
type Title struct{ Verb, Subject string }

// verbs are the words for our own tools, and the arguments that their subject comes from.
var verbs = map[string]struct {
	verb string
	args []string
}{
	"read_file": {"read", []string{"path"}}, "edit_file": {"edit", []string{"path"}}, "write_file": {"write", []string{"path"}},
	"insert": {"insert into", []string{"path"}}, "undo_edit": {"undo edit", []string{"path"}}, "agent_apply": {"merge changes of", []string{"id"}}, "agent_diff": {"changes of", []string{"id"}}, "notebook_edit": {"edit", []string{"path"}}, "ask_user": {"asked you", nil},
	"grep": {"grep", []string{"pattern", "path"}}, "glob": {"find", []string{"pattern", "path"}}, "list_dir": {"list", []string{"path"}},
	"bash": {"bash", []string{"command"}}, "web_fetch": {"web", []string{"url"}}, "http_request": {"http", []string{"method", "url"}},
	"job_output": {"output of job", []string{"job"}}, "job_input": {"type into job", []string{"job"}}, "job_kill": {"stop job", []string{"job"}},
	"request_access": {"request access", []string{"write", "read", "host"}}, "todo": {"to-do list", nil}, "apply_patch": {"patch", nil},
	"git_status": {"git status", []string{"path"}}, "git_diff": {"git diff", []string{"rev", "path"}}, "git_log": {"git log", []string{"rev", "path"}},
	"git_show": {"git show", []string{"rev", "path"}}, "git_blame": {"git blame", []string{"path"}},
	"web_search": {"search", []string{"query"}}, "view_image": {"look at", []string{"path"}}, "view_video": {"look at", []string{"path"}}, "screenshot": {"look at the screen", nil},
	"send_file": {"show", []string{"path"}}, "browser_navigate": {"browse", []string{"url"}},
}

// subjects are the arguments that say most about a call of another tool.
var subjects = []string{"command", "path", "file", "url", "pattern", "query", "name", "task", "prompt", "title", "host", "id"}

// TitleOf returns the title of a call.
func TitleOf(c tool.Call) Title {
	args := arguments(c.Args)
	t, known := verbs[c.Name]
	if !known {
		title := Title{Verb: text.Shown(strings.ReplaceAll(c.Name, "__", " "))}
		for _, name := range subjects {
			if v := args[name]; v != "" {
				title.Subject = text.OneLine(v)
				break
			}
		}
		return title
	}
	title := Title{Verb: t.verb}
	var parts []string
	for i, name := range t.args {
		v := args[name]
		switch {
		case v == "" || name == "path" && i > 0 && v == ".":
			continue
		case name == "pattern":
			v = strconv.Quote(v)
		case name == "url":
			v = shortURL(v)
		case name == "path" && i > 0:
			v = "in " + v
		case name == "command":
			v = firstLine(v)
		}
		parts = append(parts, text.OneLine(v))
	}
	title.Subject = strings.Join(parts, " ")
	if c.Name == "list_dir" && title.Subject == "" {
		title.Subject = "."
	}
	if c.Name == "apply_patch" {
		title.Subject = patchedFiles(args)
	}
	return title
}

// firstLine is the first line of a command that has something; what follows is marked.
func firstLine(command string) string {
	lines := strings.Split(strings.TrimSpace(command), "\n")
	if len(lines) == 1 {
		return lines[0]
	}
	return lines[0] + " (+" + strconv.Itoa(len(lines)-1) + " lines)"
}

func shortURL(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" {
		return s
	}
	return u.Host + strings.TrimSuffix(u.EscapedPath(), "/")
}

// patchedFiles names the files of a patch.
func patchedFiles(args map[string]string) string {
	var files []string
	for _, v := range args {
		for line := range strings.Lines(v) {
			for _, mark := range []string{"*** Update File: ", "*** Add File: ", "*** Delete File: ", "+++ b/"} {
				if name, ok := strings.CutPrefix(line, mark); ok {
					files = append(files, text.OneLine(name))
				}
			}
		}
	}
	return strings.Join(files, ", ")
}

// arguments reads the arguments that are texts or numbers.
func arguments(raw json.RawMessage) map[string]string {
	var values map[string]json.RawMessage
	if json.Unmarshal(raw, &values) != nil {
		return nil
	}
	out := map[string]string{}
	for name, v := range values {
		var s string
		switch {
		case json.Unmarshal(v, &s) == nil:
			out[name] = s
		case len(v) > 0 && v[0] != '{' && v[0] != '[':
			out[name] = string(v)
		}
	}
	return out
}

// Head is the one line of a call: mark, title, facts at the right edge.
type Head struct {
	State  State
	Title  Title
	Facts  []string // at the right edge; the state's own word comes first
	Indent int      // levels, for the calls of sub-agents
	Who    string   // the sub-agent that calls; "" is the session itself
}

// textColumn is where facts end on wide screens: lines that are too wide are hard to read.
const textColumn = 100

// Line lays the head out.
func (h Head) Line(m Marks, width int) text.Line {
	width = min(width, textColumn)
	role := stateRoles[h.State]
	left := text.Line{text.In(text.Plain, strings.Repeat("  ", 1+h.Indent)), text.In(role, m.State[h.State]+" ")}
	if h.Who != "" {
		left = append(left, text.In(text.Accent, h.Who+" "))
	}
	switch {
	case h.Title.Verb == "":
		left = append(left, text.In(text.Plain, h.Title.Subject))
	case h.Title.Subject == "":
		left = append(left, text.Bold(text.Plain, m.Words.Of(h.Title.Verb)))
	default:
		left = append(left, text.Bold(text.Plain, m.Words.Of(h.Title.Verb)), text.In(text.Plain, " "+h.Title.Subject))
	}
	var right text.Line
	for i, f := range h.Facts {
		r := text.Dim
		if i == 0 && h.State != Done && h.State != Running {
			r = role
		}
		if i > 0 {
			right = append(right, text.In(text.Plain, "  "))
		}
		right = append(right, text.In(r, f))
	}
	if width < 60 && right.Width() > width/3 { // the state's word stays
		right = right[:min(len(right), 1)]
	}
	right = right.Cut(max(width-left.Width()-2, width/2)) // what the call does stays
	if over := left.Width() + right.Width() + 2 - width; over > 0 && len(right) > 0 {
		left = middleCut(left, left.Width()-over)
	}
	return text.Spread(left, right, width)
}

// middleCut shortens the last span in its middle: the end of a command says as much as its start.
func middleCut(l text.Line, width int) text.Line {
	last := len(l) - 1
	runes := []rune(l[last].Text)
	over := l.Width() - width
	keep := len(runes) - over - 5
	if keep < 16 {
		return l.Cut(width)
	}
	out := append(text.Line(nil), l...)
	out[last].Text = string(runes[:keep*2/3]) + " ... " + string(runes[len(runes)-keep/3:])
	if out.Width() > width {
		return out.Cut(width)
	}
	return out
}

// TitleWords is the verb of a tool.
func TitleWords(name string) string { return TitleOf(tool.Call{Name: name}).Verb }

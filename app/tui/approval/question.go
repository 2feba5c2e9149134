// Package approval holds approval requests on the screen: what each would do, the choices, and the rules that keep a key
// which was meant for something else from answering.
package approval

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"rein/app/tui/block"
	"rein/app/tui/text"
	"rein/guard"
)

// Scope is one way in which an approval may last.
type Scope struct {
	Scope guard.Scope
	Text  string   // what it covers, and where it is kept
	Rules []string // the rules that it adds
}

// Question is one approval request.
type Question struct {
	ID     string // names it among all that wait
	Who    string // the sub-agent that asks; "" is the session itself
	Order  int    // of its call among those that Who is making
	Shown  guard.Request
	Lines  []string        // the request as text, where Shown does not have it all
	Args   json.RawMessage // of the call, for a change of it; nil: it cannot be changed
	Scopes []Scope
	Alone  bool // its risk is high, it deletes or sends something: it is never answered together with others
	Asked  time.Time

	file   string    // of the diff
	drawn  time.Time // when it was on the screen first
	seen   seen
	marked bool
	inRow  bool // its row of the list shows all of it
}

// Choice is what a user can do with a question.
type Choice struct {
	Kind  Kind
	Scope guard.Scope
	Label string
	Note  string

	Answer string // to a question: the number of a choice
}

// Kind is what a choice does.
type Kind uint8

// The kinds.
const (
	Approve Kind = iota
	Deny
	Tell  // deny, with words for the model
	Edit  // run the call with other arguments: see Question.Edited
	Keep  // approve once and keep rules that the user writes: see Question.Rules
	Whole // show all of it in full screen, and why it is asked
	Write // write the answer to questions
)

// choices of a question, in their order.
func (q *Question) choices() []Choice {
	if q.Shown.Questions != nil {
		return q.answers()
	}
	all := []Choice{{Kind: Approve, Label: "run once"}}
	if q.Shown.GrantsAccess {
		all[0].Label = "open it once"
	}
	if opens := q.opens(); opens != "" {
		all[0].Note = "opens " + opens + " for this call"
	}
	for _, s := range q.Scopes {
		c := Choice{Kind: Approve, Scope: s.Scope, Label: scopeLabels[s.Scope], Note: s.note()}
		all = append(all, c)
	}
	if q.Rules() != nil {
		all = append(all, Choice{Kind: Keep, Label: "edit the rule, then allow it", Note: "you choose where it is kept"})
	}
	all = append(all, Choice{Kind: Deny, Label: "no"}, Choice{Kind: Tell, Label: "no, and tell it why", Note: "write below, then Enter"})
	if q.Args != nil {
		label := "edit the command"
		if q.commandOf() == "" {
			label = "edit the arguments"
		}
		all = append(all, Choice{Kind: Edit, Label: label, Note: "yours is judged again"})
	}
	return append(all, Choice{Kind: Whole, Label: "show all of it, and why it asks"})
}

// answers are the choices of questions: those of a single question, and to write the answer.
func (q *Question) answers() (all []Choice) {
	list := q.Shown.Questions.List
	if len(list) == 1 && !list[0].Several {
		for i, c := range list[0].Choices {
			all = append(all, Choice{Kind: Approve, Label: text.OneLine(c.Label), Note: text.OneLine(c.Description), Answer: strconv.Itoa(i + 1)})
		}
	}
	note := "numbers, or your words"
	if len(list) > 1 {
		note = "a line for each question: numbers, or your words"
	}
	if len(all) == 0 || list[0].Free {
		all = append(all, Choice{Kind: Write, Label: "write the answer", Note: note})
	}
	return append(all, Choice{Kind: Deny, Label: "do not answer"}, Choice{Kind: Whole, Label: "show all of it"})
}

var scopeLabels = map[guard.Scope]string{guard.ForSession: "allow for this session", guard.ForProject: "always allow in this project", guard.Always: "always allow everywhere"}

func (s Scope) note() string {
	if len(s.Rules) > 0 {
		note := strings.Join(s.Rules, ", ")
		if _, file, ok := strings.Cut(s.Text, "kept in "); ok {
			note += "  in " + file
		}
		return text.OneLine(note)
	}
	return text.OneLine(s.Text)
}

// opens names what an approval would open beyond the sandbox.
func (q *Question) opens() string {
	var all []string
	for _, c := range q.Shown.Contacts {
		name := c.String()
		if c.Preset != "" {
			name = "the " + c.Preset + " hosts"
		}
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return text.OneLine(strings.Join(all, ", "))
}

// first is the choice that is under the cursor at the start: "no" where much could be lost.
func (q *Question) first() int {
	if q.Shown.Questions != nil || !q.Shown.Risky() && len(q.Shown.Removes) == 0 {
		return 0
	}
	for i, c := range q.choices() {
		if c.Kind == Deny {
			return i
		}
	}
	return 0
}

// headline says in one line what would happen.
func (q *Question) headline() text.Line {
	l := text.Line{text.Bold(text.Warn, "! ")}
	if q.Who != "" {
		l = append(l, text.Bold(text.Accent, q.Who), text.In(text.Plain, "  "))
	}
	l = append(l, text.Bold(text.Plain, text.Shown(q.Shown.Tool)))
	return append(l, text.In(text.Plain, "  "+q.Would()))
}

// Would says what the call would do, in words.
func (q *Question) Would() string {
	r := q.Shown
	if r.Questions != nil {
		return "asks you"
	}
	var parts []string
	if n := len(r.Removes); n > 0 {
		parts = append(parts, "delete "+list(r.Removes, 2))
	}
	switch {
	case len(r.Diff) > 0:
		parts = append(parts, "change "+list(r.Writes, 3))
	case len(r.Writes) > 0:
		parts = append(parts, "write "+list(r.Writes, 2))
	}
	switch {
	case len(r.Contacts) > 0:
		parts = append(parts, "reach "+q.opens())
	case r.Network:
		parts = append(parts, "reach the network")
	}
	if len(r.Programs) > 0 {
		parts = append(parts, "run "+list(r.Programs, 4))
	}
	if len(parts) == 0 {
		return "needs your approval"
	}
	return "would " + strings.Join(parts, ", ")
}

// list names the first ones and counts the others.
func list(names []string, most int) string {
	if n := len(names) - most; n > 0 {
		return text.OneLine(strings.Join(names[:most], ", ")) + fmt.Sprintf(" and %d more", n)
	}
	return text.OneLine(strings.Join(names, ", "))
}

// content is the whole command, the diff or the arguments, with hidden characters made visible.
func (q *Question) content(width int) (lines []text.Line, hidden int) {
	r := q.Shown
	switch {
	case r.Command != "":
		for _, raw := range strings.Split(r.Command, "\n") {
			safe, n := text.Safe(raw)
			hidden += n
			lines = append(lines, marked(safe, n).Wrap(width, nil)...)
		}
		return lines, hidden
	case len(r.Diff) > 0:
		return q.diff(width), 0
	}
	for _, raw := range q.body() {
		safe, n := text.Safe(raw)
		hidden += n
		lines = append(lines, marked(safe, n).Chop(width)...)
	}
	return lines, hidden
}

// body is the arguments, one on each line, where there is no command and no diff. A request for access has a text of its
// own.
func (q *Question) body() (lines []string) {
	var args map[string]json.RawMessage
	if q.Shown.GrantsAccess && len(q.Lines) > 1 || json.Unmarshal(q.Shown.Args, &args) != nil {
		for _, l := range q.Lines[min(len(q.Lines), 1):] {
			lines = append(lines, strings.TrimPrefix(l, "  "))
		}
		return lines
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		value := string(args[name])
		var s string
		if json.Unmarshal(args[name], &s) == nil {
			value = s
		}
		for i, l := range strings.Split(value, "\n") {
			if i > 0 {
				name = ""
			}
			lines = append(lines, fmt.Sprintf("%-8s  %s", name, l))
		}
	}
	return lines
}

// marked colours the escapes of hidden characters.
func marked(safe string, hidden int) (l text.Line) {
	if hidden == 0 {
		return text.Of(text.Code, safe)
	}
	for safe != "" {
		start := strings.Index(safe, "<U+")
		if raw := strings.Index(safe, "<0x"); raw >= 0 && (start < 0 || raw < start) {
			start = raw
		}
		if start < 0 {
			return append(l, text.In(text.Code, safe))
		}
		end := start + strings.IndexByte(safe[start:]+">", '>') + 1
		end = min(end, len(safe))
		if start > 0 {
			l = append(l, text.In(text.Code, safe[:start]))
		}
		l = append(l, text.Bold(text.Error, safe[start:end]))
		safe = safe[end:]
	}
	return l
}

func (q *Question) diff(width int) (lines []text.Line) {
	var open []string
	flush := func() {
		if len(open) > 0 {
			shown, _ := block.Lines(block.Parse(strings.Join(open, "\n")), q.file, width, 0)
			lines, open = append(lines, shown...), nil
		}
	}
	for _, l := range q.Shown.Diff {
		if l != "" && strings.IndexByte(" +-@\\", l[0]) >= 0 {
			open = append(open, l)
			continue
		}
		flush()
		if l != "" {
			lines = append(lines, text.Of(text.Dim, text.Shown(l)))
		}
	}
	flush()
	return lines
}

// reasons are the lines below the content: where it runs, which rule asks and why.
func (q *Question) reasons(hidden int) (lines []text.Line) {
	r := q.Shown
	var where []string
	if r.Cwd != "" && r.Cwd != "." {
		where = append(where, "in "+text.Shown(r.Cwd))
	}
	if hidden > 0 {
		where = append(where, hiddenWords(hidden))
	}
	if len(where) > 0 {
		lines = append(lines, text.Of(text.Dim, strings.Join(where, "    ")))
	}
	if r.Reason != "" && r.Questions == nil {
		why := "asks because: " + text.OneLine(r.Reason)
		if r.RuleAt != "" {
			why += "  (rule at " + text.OneLine(r.RuleAt) + ")"
		}
		lines = append(lines, text.Of(text.Dim, why))
	}
	return lines
}

func hiddenWords(n int) string {
	if n == 1 {
		return "1 hidden character is shown as <U+...>"
	}
	return fmt.Sprintf("%d hidden characters are shown as <U+...>", n)
}

// Full lays all of the question out, for a full screen.
func (q *Question) Full(width int) []text.Line {
	lines := []text.Line{q.headline(), nil}
	content, hidden := q.content(width - 2)
	lines = append(append(lines, text.Indent(content, 2)...), nil)
	return append(append(lines, text.Indent(wrapAll(q.reasons(hidden), width-2), 2)...), append([]text.Line{nil}, text.Indent(q.explained(width-2), 2)...)...)
}

// explained lays out why the call is asked: its effects, and the rules that decided.
func (q *Question) explained(width int) (lines []text.Line) {
	r := q.Shown
	add := func(name string, values ...string) {
		for i, v := range values {
			if v == "" {
				continue
			}
			if i > 0 {
				name = ""
			}
			lines = append(lines, text.Line{text.In(text.Dim, fmt.Sprintf("%-12s", name)), text.In(text.Plain, text.OneLine(v))}.Wrap(width, text.Of(text.Plain, strings.Repeat(" ", 12)))...)
		}
	}
	add("effects", r.Effects...)
	add("programs", r.Programs...)
	add("reads", r.Reads...)
	add("writes", r.Writes...)
	add("deletes", r.Removes...)
	for _, c := range r.Contacts {
		add("reaches", c.String())
	}
	add("risk", r.Severity)
	add("mode", r.Mode)
	add("reason", r.Reason)
	add("guard", r.Guard)
	add("rules", r.Rules...)
	add("rule at", r.RuleAt)
	add("hint", r.Hint)
	for _, s := range q.Scopes {
		add("allow", scopeLabels[s.Scope]+": "+s.note())
	}
	return lines
}

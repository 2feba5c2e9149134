package tui

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"rein/app/tui/block"
	"rein/app/tui/text"
	"rein/guard"
)

// answerScope is one way in which an approval may last.
type answerScope struct {
	Scope guard.Scope
	Text  string   // what it covers, and where it is kept
	Rules []string // the rules that it adds
}

// request is one approval request.
type request struct {
	ID     string // names it among all that wait
	Who    string // the sub-agent that asks; "" is the session itself
	Order  int    // of its call among those that Who is making
	Shown  guard.Request
	Lines  []string        // the request as text, where Shown does not have it all
	Args   json.RawMessage // of the call, for a change of it; nil: it cannot be changed
	Scopes []answerScope
	Alone  bool // its risk is high, it deletes or sends something: it is never answered together with others
	Asked  time.Time

	words  text.Words
	file   string    // of the diff
	drawn  time.Time // when it was on the screen first
	seen   seen
	marked bool
	inRow  bool   // its row of the list shows all of it
	filled string // what was in the line when the user began to write for it
}

// left is how long a question still waits for its answer; 0: it has no limit of its own, or it is not known.
func (q *request) left(now time.Time) time.Duration {
	if q.Shown.Questions == nil || q.Shown.Questions.Wait == 0 {
		return 0
	}
	wait := time.Duration(q.Shown.Questions.Wait) * time.Second
	return min(wait, max(wait-now.Sub(q.Asked), 0))
}

// opens names what an approval would open beyond the sandbox: hosts, paths, ports of this machine.
func (q *request) opens() string {
	all := q.hosts()
	for _, e := range q.Shown.Effects {
		if what, ok := strings.CutPrefix(e, "opens "); ok {
			all = append(all, q.opened(strings.TrimSuffix(what, ", until the command ends")))
		}
	}
	return text.OneLine(strings.Join(all, ", "))
}

// opened is what would be opened, in the language of the user.
func (q *request) opened(what string) string {
	for _, english := range []string{"%s for writing", "%s for reading", "port %s of this machine"} {
		before, after, _ := strings.Cut(english, "%s")
		if rest, ok := strings.CutSuffix(what, after); ok && strings.HasPrefix(rest, before) {
			return q.words.Of(english, rest[len(before):])
		}
	}
	return what
}

// mostPath is how many cells of the path of an address are shown in a headline: the host is what counts.
const mostPath = 30

// hosts are the hosts that the call would reach.
func (q *request) hosts() (all []string) {
	for _, c := range q.Shown.Contacts {
		c.Path = text.Of(text.Plain, c.Path).Cut(mostPath).String()
		name := c.String()
		if c.Preset != "" {
			name = q.words.Of("the %s hosts", c.Preset)
		}
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// headline says in one line what would happen.
func (q *request) headline() text.Line {
	l := text.Line{text.Bold(text.Warn, "! ")}
	if q.Who != "" {
		l = append(l, text.Bold(text.Accent, q.Who), text.In(text.Plain, "  "))
	}
	l = append(l, text.Bold(text.Plain, q.tool()))
	return append(l, text.In(text.Plain, "  "+q.Would()))
}

// tool is the name of the tool, and the job for which a text is.
func (q *request) tool() string {
	var args struct{ Job string }
	if q.Shown.Tool != "job_input" || json.Unmarshal(q.Args, &args) != nil || args.Job == "" {
		return text.Shown(q.Shown.Tool)
	}
	return text.OneLine(q.Shown.Tool + " " + args.Job)
}

// Would says what the call would do, in words.
func (q *request) Would() string {
	if does := q.does(); q.Shown.Questions == nil && does != q.words.Of(needsApproval) {
		return q.words.Of("would %s", does)
	}
	return q.does()
}

// needsApproval is what there is to say of a call of which nothing more is known.
const needsApproval = "needs your approval"

// does says it without "would".
func (q *request) does() string {
	r, say := q.Shown, q.words.Of
	if r.Questions != nil {
		return say("asks you")
	}
	var parts []string
	if len(r.Removes) > 0 {
		parts = append(parts, say("delete %s", q.list(r.Removes, 2)))
	}
	switch {
	case len(r.Diff) > 0:
		parts = append(parts, say("change %s", q.list(r.Writes, 3)))
	case len(r.Writes) > 0:
		parts = append(parts, say("write %s", q.list(r.Writes, 2)))
	}
	if len(r.Reads) > 0 && !r.GrantsAccess {
		parts = append(parts, say("read %s", q.list(r.Reads, 2)))
	}
	switch {
	case len(r.Contacts) > 0:
		parts = append(parts, say("reach %s", text.OneLine(strings.Join(q.hosts(), ", "))))
	case r.Network:
		parts = append(parts, say("reach the network"))
	}
	if len(r.Programs) > 0 {
		parts = append(parts, say("run %s", q.list(r.Programs, 4)))
	}
	if len(parts) == 0 {
		return say(needsApproval)
	}
	return strings.Join(parts, say(", "))
}

// list names the first ones and counts the others.
func (q *request) list(names []string, most int) string {
	if n := len(names) - most; n > 0 {
		return q.words.Of("%s and %d more", text.OneLine(strings.Join(names[:most], ", ")), n)
	}
	return text.OneLine(strings.Join(names, ", "))
}

// content is the whole command, the diff or the arguments, with hidden characters made visible.
func (q *request) content(width int) (lines []text.Line, hidden int) {
	r := q.Shown
	switch {
	case r.Command != "":
		for _, raw := range strings.Split(r.Command, "\n") {
			safe, n := text.Safe(raw)
			hidden += n
			lines = append(lines, marked(safe, n).Wrap(width, nil)...)
		}
		return lines, hidden
	case q.single():
		return q.asked(width)
	case len(r.Diff) > 0:
		return q.diff(width), 0
	}
	for _, raw := range q.body() {
		safe, n := text.Safe(raw)
		hidden += n
		if line := marked(safe, n); r.GrantsAccess {
			lines = append(lines, line.Wrap(width, text.Of(text.Plain, strings.Repeat(" ", 9)))...)
		} else {
			lines = append(lines, line.Chop(width)...)
		}
	}
	if slices.Contains(r.Rules, guard.ChangedDefinition) { // what the user approves is the new definition, not only this call
		for _, raw := range r.Effects {
			safe, n := text.Safe(raw)
			hidden += n
			lines = append(lines, marked(safe, n).Wrap(width, text.Of(text.Plain, "  "))...)
		}
	}
	return lines, hidden
}

// single reports whether it asks one question whose choices are those of the dialog.
func (q *request) single() bool {
	asks := q.Shown.Questions
	return asks != nil && len(asks.List) == 1 && !asks.List[0].Several
}

// asked is the text of a single question, a plan for example: as Markdown, unless it has hidden characters.
func (q *request) asked(width int) (lines []text.Line, hidden int) {
	asks := q.Shown.Questions
	before, end, ok := strings.Cut(asks.List[0].Text, "\n\nCarry out this plan? ")
	if ok {
		before += "\n\n" + q.plan("Carry out this plan? "+end)
	}
	for _, raw := range strings.Split(before, "\n") {
		safe, n := text.Safe(raw)
		hidden += n
		lines = append(lines, marked(safe, n).Wrap(width, nil)...)
	}
	if hidden == 0 {
		lines = block.NewMarkdown().Lines(before, block.MarkdownOptions{Width: width})
	}
	if asks.From != "" {
		lines = append([]text.Line{text.Of(text.Dim, q.words.Of("%s asks", text.OneLine(asks.From)))}, lines...)
	}
	if asks.Wait > 0 { // how long is the last of its lines
		all := guard.QuestionLines(asks)
		lines = append(lines, nil, text.Of(text.Dim, strings.TrimSpace(all[len(all)-1])))
	}
	return lines, hidden
}

// body is the arguments, one on each line, where there is no command and no diff. A request for access has a text of its
// own.
func (q *request) body() (lines []string) {
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

func (q *request) diff(width int) (lines []text.Line) {
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
func (q *request) reasons(hidden int) (lines []text.Line) {
	r := q.Shown
	var where []string
	if r.Cwd != "" && r.Cwd != "." {
		where = append(where, q.words.Of("in %s", text.Shown(r.Cwd)))
	}
	if hidden > 0 {
		where = append(where, q.hiddenWords(hidden))
	}
	if len(where) > 0 {
		lines = append(lines, text.Of(text.Dim, strings.Join(where, "    ")))
	}
	if lost := q.lost(); len(lost) > 0 {
		lines = append(lines, text.Of(text.Warn, q.words.Of("cannot be undone: %s", q.list(lost, 3))))
	}
	if r.Reason != "" && r.Questions == nil {
		why := q.words.Of("asks because: %s", text.OneLine(q.words.Reason(r.Reason)))
		if r.RuleAt != "" {
			why += "  " + q.words.Of("(rule at %s)", text.OneLine(r.RuleAt))
		}
		lines = append(lines, text.Of(text.Dim, why))
	}
	return lines
}

// lost are the files that undo could not bring back, with the reason of each.
func (q *request) lost() (all []string) {
	for _, e := range q.Shown.Effects {
		if file, ok := strings.CutPrefix(e, "no-undo "); ok {
			if at := strings.LastIndex(file, " ("); at > 0 && strings.HasSuffix(file, ")") {
				file = file[:at+2] + q.words.Message(file[at+2:len(file)-1]) + ")"
			}
			all = append(all, file)
		}
	}
	return all
}

func (q *request) hiddenWords(n int) string {
	if n == 1 {
		return q.words.Of("1 hidden character is shown as <U+...>")
	}
	return q.words.Of("%d hidden characters are shown as <U+...>", n)
}

// Full lays all of the question out, for a full screen.
func (q *request) Full(width int) []text.Line {
	lines := []text.Line{q.headline(), nil}
	content, hidden := q.content(width - 2)
	lines = append(append(lines, text.Indent(content, 2)...), nil)
	return append(append(lines, text.Indent(wrapAll(q.reasons(hidden), width-2), 2)...), append([]text.Line{nil}, text.Indent(q.explained(width-2), 2)...)...)
}

// originKinds begin the names of where words come from. A longer one is before its beginning.
var originKinds = []string{"user", "repository", "memory", "file from outside", "web", "tool server", "tool", "sub-agent"}

// from names where words come from.
func (q *request) from(label string) string {
	for _, kind := range originKinds {
		if name, ok := strings.CutPrefix(label, kind); ok && (name == "" || name[0] == ' ') {
			return q.words.Of(kind) + name
		}
	}
	return label
}

// explained lays out why the call is asked: its effects, and the rules that decided.
func (q *request) explained(width int) (lines []text.Line) {
	r := q.Shown
	add := func(name string, values ...string) {
		name = q.words.Of(name)
		for i, v := range values {
			if v == "" {
				continue
			}
			if i > 0 {
				name = ""
			}
			lines = append(lines, text.Line{text.In(text.Dim, name+strings.Repeat(" ", max(12-text.Width(name), 0))), text.In(text.Plain, text.OneLine(v))}.Wrap(width, text.Of(text.Plain, strings.Repeat(" ", 12)))...)
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
	add("mode", q.words.Of(block.Mode(r.Mode)))
	add("reason", q.words.Reason(r.Reason))
	add("guard", r.Guard)
	add("rules", r.Rules...)
	add("rule at", r.RuleAt)
	add("hint", r.Hint)
	for _, o := range r.Origins {
		add("comes from", q.from(o.From)+": "+o.Words, o.Text)
	}
	for _, c := range q.choices() {
		if c.Scope != guard.Once {
			add("allow", c.Label+": "+c.note(q.words, math.MaxInt))
		}
	}
	return lines
}

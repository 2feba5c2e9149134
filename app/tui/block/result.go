package block

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rein/app/tui/text"
	"rein/tool"
)

// How much of a result is shown where it is printed; the rest opens with a key.
const (
	workedLines = 4  // of the output of a command that worked: the last ones, which sum up
	failedLines = 8  // of one that failed
	diffRows    = 30 // of a change
	errorLines  = 4  // of the error of a tool: the first ones
)

// Result is a finished call as it is shown.
type Result struct {
	Call   tool.Call
	Result tool.Result
	Indent int
	Who    string
	All    bool // all of the output is shown: the user ran it
	// Open is the key that opens what is folded, in words: "Ctrl+O". "" shows no hint.
	Open string
}

// StateOf returns the state of a finished call.
func StateOf(r tool.Result) State {
	switch {
	case r.Kind == tool.Waiting:
		return Waiting
	case r.Kind == tool.Cancelled:
		return Cancelled
	case r.Kind == tool.Denied, r.Kind == tool.Unapproved:
		return Denied
	case r.Failed:
		return Failed
	}
	if c := tool.ParseDetail(r.Detail).Command; c != nil && !c.Running && c.Failed() {
		return Failed
	}
	return Done
}

// Lines lays the finished call out, folded: its head, and the part of the output that matters most.
func (r Result) Lines(m Marks, width int) []text.Line {
	d := tool.ParseDetail(r.Result.Detail)
	state := StateOf(r.Result)
	head := Head{State: state, Title: TitleOf(r.Call), Facts: m.resultFacts(r.Result, d, state), Indent: r.Indent, Who: r.Who}
	lines := []text.Line{head.Line(m, width)}
	body, left := r.body(m, d, state, width-6-2*r.Indent)
	if left.what == "" {
		return append(lines, text.Indent(body, 6+2*r.Indent)...)
	}
	hint, room := left.what, width-6-2*r.Indent
	if r.Open != "" {
		hint += "  " + r.Open
		if opens := m.Words.Of(" opens it"); text.Width(hint+opens) <= room {
			hint += opens
		}
	}
	at := len(body)
	if left.before {
		at = 0
	}
	body = slices.Insert(body, at, text.Of(text.Dim, hint).Cut(room))
	return append(lines, text.Indent(body, 6+2*r.Indent)...)
}

// rest is what of an output is not shown: "12 more lines". before: it comes before what is shown.
type rest struct {
	what   string
	before bool
}

// resultFacts are the words at the right edge.
func (m Marks) resultFacts(r tool.Result, d tool.Detail, state State) (all []string) {
	add := func(on bool, f string) {
		if on {
			all = append(all, f)
		}
	}
	add(state == Denied, m.Words.Of("denied"))
	unknown := strings.Contains(r.Text, "so its outcome is unknown") // rein was killed while it ran
	add(state == Cancelled && unknown, m.Words.Of("outcome unknown"))
	add(state == Cancelled && !unknown, m.Words.Of("cancelled"))
	add(state == Waiting, m.Words.Of("waits for you"))
	switch c := d.Command; {
	case c != nil && c.Running:
		add(true, m.Words.Of("runs as job %s", text.OneLine(c.Job)))
	case c != nil:
		add(state == Failed, m.endWords(c))
		add(state == Done && r.Text != "", m.outputSize(r))
	case state == Failed:
		add(true, m.Words.Of("failed"))
	case state == Done:
		add(true, m.sizeWords(r, d))
	}
	add(r.Duration >= time.Second, Took(r.Duration))
	return all
}

// sizeWords is the size of what a call found or did.
func (m Marks) sizeWords(r tool.Result, d tool.Detail) string {
	switch {
	case len(d.Changes) > 0:
		return m.changeSize(d.Changes)
	case d.Read != nil:
		if d.Read.Total >= 0 && d.Read.First <= 1 && d.Read.Last >= d.Read.Total {
			return m.Words.Count(int(d.Read.Total), "line")
		}
		return m.Words.Of("lines %d to %d", d.Read.First, d.Read.Last)
	case d.Found != nil && d.Found.Lines > 0:
		return m.Words.Of("%d in %s", d.Found.Lines, m.Words.Count(d.Found.Shown, "file"))
	case d.Found != nil && d.Found.Shown == 0:
		return m.Words.Of("nothing found")
	case d.Found != nil:
		return m.Words.Count(max(d.Found.Total, d.Found.Shown), "entry")
	case d.Plan != nil:
		return m.planSize(d.Plan)
	case d.Answers != nil:
		return ""
	case d.Page != nil:
		return text.OneLine(d.Page.Title)
	case d.Request != nil:
		return m.Words.Of("status %d  %s", d.Request.Status, Bytes(int64(d.Request.Bytes)))
	case d.Access != nil:
		lasts, _, _ := strings.Cut(d.Access.Lasts, ". ") // the rest is for the model
		return text.OneLine(lasts)
	}
	return m.outputSize(r)
}

func (m Marks) outputSize(r tool.Result) string {
	if r.Cut != nil {
		return Bytes(r.Cut.Total)
	}
	printed := Printed(r.Text)
	if printed == "" {
		return ""
	}
	return m.Words.Count(strings.Count(printed, "\n")+1, "line")
}

func (m Marks) changeSize(all []tool.Change) string {
	added, removed := 0, 0
	for _, c := range all {
		added, removed = added+c.Added, removed+c.Removed
	}
	what := ""
	if len(all) == 1 && all[0].Created {
		what = m.Words.Of("new") + "  "
	} else if len(all) == 1 && all[0].Deleted {
		what = m.Words.Of("deleted") + "  "
	} else if len(all) > 1 {
		what = m.Words.Count(len(all), "file") + "  "
	}
	return fmt.Sprintf("%s+%d -%d", what, added, removed)
}

func (m Marks) planSize(p *tool.PlanDetail) string {
	done := 0
	for _, s := range p.Steps {
		if s.Status == "completed" {
			done++
		}
	}
	return m.Words.Of("%d of %d done", done, len(p.Steps))
}

func (m Marks) endWords(c *tool.CommandDetail) string {
	switch {
	case c.TimedOut:
		return m.Words.Of("out of time")
	case c.Limit != "":
		return m.Words.Of("limit: %s", text.OneLine(c.Limit))
	case c.Signal != "":
		return m.Words.Of("signal %s", text.OneLine(c.Signal))
	}
	return m.Words.Of("exit %d", c.ExitCode)
}

// body is the folded output, and what of it is not shown.
func (r Result) body(m Marks, d tool.Detail, state State, width int) (lines []text.Line, left rest) {
	switch {
	case d.Plan != nil:
		return Plan(d.Plan, Unicode(), width), rest{}
	case d.Answers != nil:
		return m.answerLines(d.Answers, width), rest{}
	case len(d.Changes) > 0:
		lines, left.what = m.changeLines(d.Changes, width, diffRows)
		return lines, left
	case d.Command != nil && state == Failed:
		lines, left = r.end(m, text.Plain, width, failedLines)
		return slices.Concat(lines, m.leftLines(d.Command, width), m.deniedLines(d.Command, width)), left
	case d.Command != nil && !d.Command.Running:
		lines, left = r.end(m, text.Dim, width, workedLines)
		return append(lines, m.leftLines(d.Command, width)...), left
	case state == Denied: // what follows is for the model
		first, _, _ := strings.Cut(strings.TrimPrefix(r.Result.Text, "Error: "), "\n")
		if at := strings.LastIndex(first, "}. "); strings.HasPrefix(first, "The arguments were changed to ") && at > 0 { // the user knows how
			first = first[at+len("}. "):]
		}
		if first == "The user denied this call." {
			return nil, rest{}
		}
		return text.Of(text.Plain, text.OneLine(m.Words.Message(first))).Wrap(width, nil), rest{}
	case state == Failed:
		all := text.Lines(m.Words.Message(strings.TrimPrefix(r.Result.Text, "Error: ")))
		if hidden := len(all) - errorLines; hidden > 0 {
			all, left.what = all[:errorLines], "… "+m.Words.Count(hidden, "more line")
		}
		return textRows(all, text.Plain, width), left
	}
	return nil, rest{}
}

// end shows the last lines that a command printed: what matters most, an error or a summary, is at the end.
func (r Result) end(m Marks, role text.Role, width, most int) (lines []text.Line, left rest) {
	all := text.Output(Printed(r.Result.Text), role)
	if r.All {
		for _, l := range all {
			lines = append(lines, m.wrapped(l, width, r.Open)...)
		}
		return lines, rest{}
	}
	hidden := max(len(all)-most, 0)
	for _, l := range all[hidden:] {
		lines = append(lines, l.Cut(width))
	}
	if hidden == 0 {
		return lines, rest{}
	}
	count := int64(hidden)
	if r.Result.Cut != nil {
		count += max(r.Result.Cut.Lines-1, 0) // one line of the text tells of them
	}
	return lines, rest{"… " + m.Words.Count(int(count), "earlier line"), true}
}

// longLine is how many rows of one line are shown where lines are shown whole.
const longLine = 50

// wrapped breaks a line, and counts the rows of a very long one that are not shown. opens is the key that opens all of it.
func (m Marks) wrapped(l text.Line, width int, opens string) []text.Line {
	rows := l.Wrap(width, nil)
	if hidden := len(rows) - longLine; hidden > 0 {
		rows = append(rows[:longLine], text.Of(text.Dim, strings.TrimSpace("… "+m.Words.Count(hidden, "more row")+"  "+opens)))
	}
	return rows
}

// answerLines are the questions that the user was asked, each with the answer.
func (m Marks) answerLines(all *tool.AnswersDetail, width int) (lines []text.Line) {
	for _, a := range all.Given {
		answer := text.OneLine(strings.Join(append(slices.Clone(a.Choices), a.Text), "  "))
		if answer == "" {
			answer = m.Words.Of("no answer")
		}
		lines = append(lines, text.Line{text.In(text.Dim, text.OneLine(a.Question)+"  "), text.In(text.Plain, answer)}.Wrap(width, text.Of(text.Plain, "  "))...)
	}
	return lines
}

// textRows are lines of a text, each on one row.
func textRows(all []string, role text.Role, width int) (lines []text.Line) {
	for _, l := range all {
		lines = append(lines, text.Of(role, l).Cut(width))
	}
	return lines
}

// leftLines say what ended with a command.
func (m Marks) leftLines(c *tool.CommandDetail, width int) (lines []text.Line) {
	if c.Left > 0 {
		lines = append(lines, text.Of(text.Warn, m.Words.Of("ended with it: %s that it left running", m.Words.Count(c.Left, "program"))).Cut(width))
	}
	return lines
}

// deniedLines lists what the sandbox stopped.
func (m Marks) deniedLines(c *tool.CommandDetail, width int) (lines []text.Line) {
	for _, x := range c.Blocked {
		stopped := "the sandbox stopped: %s"
		if !x.Certain {
			stopped = "the sandbox probably stopped: %s"
		}
		lines = append(lines, text.Of(text.Warn, m.Words.Of(stopped, text.OneLine(strings.TrimSpace(x.Kind+" "+x.Target)))).Cut(width))
	}
	return lines
}

// changeLines shows the diffs of files; with several files each has a line with its name.
func (m Marks) changeLines(all []tool.Change, width, most int) (lines []text.Line, left string) {
	hidden := 0
	for _, c := range all {
		if len(all) > 1 || c.From != "" || most == 0 {
			lines = append(lines, m.ChangeLine(c).Cut(width))
		}
		rows := Parse(c.Diff)
		shown, notShown := Lines(rows, c.Path, width, max(most-len(lines), 1))
		if most == 0 {
			shown, notShown = Lines(rows, c.Path, width, 0)
		}
		lines, hidden = append(lines, shown...), hidden+notShown
		if c.Cut {
			lines = append(lines, text.Of(text.Dim, m.Words.Of("the diff is longer than what was kept")))
		}
	}
	if hidden > 0 {
		left = "… " + m.Words.Count(hidden, "more row")
	}
	return lines, left
}

// ChangeLine names a file and counts the lines that changed in it. Where there are none it says what happened.
func (m Marks) ChangeLine(c tool.Change) text.Line {
	name := text.OneLine(c.Path)
	if c.From != "" {
		name = text.OneLine(c.From) + " -> " + name
	}
	what := fmt.Sprintf("+%d -%d", c.Added, c.Removed)
	if c.Added+c.Removed == 0 {
		switch {
		case c.Created:
			what = m.Words.Of("created")
		case c.Deleted:
			what = m.Words.Of("deleted")
		case c.Mode:
			what = m.Words.Of("file mode")
		}
	}
	return text.Line{text.Bold(text.Plain, name), text.In(text.Dim, "  "+what)}
}

// Changes shows all diffs of files.
func (m Marks) Changes(all []tool.Change, width int) []text.Line {
	lines, _ := m.changeLines(all, width, 0)
	return lines
}

// Plan lays a plan out, one step on each line.
func Plan(p *tool.PlanDetail, m Marks, width int) (lines []text.Line) {
	for _, s := range p.Steps {
		state, role := Waiting, text.Plain
		switch s.Status {
		case "completed":
			state, role = Done, text.Dim
		case "in_progress":
			state = Running
		case "cancelled":
			state, role = Cancelled, text.Dim
		}
		step := text.Span{Text: text.OneLine(s.Content), Style: text.Style{Role: role, Bold: state == Running, Strike: state == Cancelled}}
		mark := text.In(stateRoles[state], m.State[state]+" ")
		if state == Waiting {
			mark.Role = text.Dim
		}
		lines = append(lines, text.Line{mark, step}.Wrap(width, text.Of(text.Plain, "  "))...)
	}
	return lines
}

// Whole lays all of a finished call out, for a full screen: its arguments, its output, its diffs.
func (r Result) Whole(m Marks, width int) []text.Line {
	d := tool.ParseDetail(r.Result.Detail)
	state := StateOf(r.Result)
	lines := []text.Line{Head{State: state, Title: TitleOf(r.Call), Facts: m.resultFacts(r.Result, d, state), Who: r.Who}.Line(m, width), nil}
	if command := arguments(r.Call.Args)["command"]; command != "" {
		for _, l := range text.Lines(command) {
			lines = append(lines, text.Of(text.Code, l).Wrap(width-2, nil)...)
		}
		lines = append(lines, nil)
	}
	if len(d.Changes) > 0 {
		body, _ := m.changeLines(d.Changes, width, 0)
		return append(lines, body...)
	}
	for _, l := range r.printed(d) {
		lines = append(lines, l.Chop(width)...)
	}
	return lines
}

// printed is the whole text of a result: of a command with its colours.
func (r Result) printed(d tool.Detail) (lines []text.Line) {
	if d.Command != nil {
		return text.Output(r.Result.Text, text.Plain)
	}
	for _, l := range text.Lines(r.Result.Text) {
		lines = append(lines, text.Of(text.Plain, l))
	}
	return lines
}

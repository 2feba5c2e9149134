package tui

import (
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"rein/app/tui/block"
	"rein/app/tui/text"
	"rein/guard"
)

// choice is what a user can do with a question.
type choice struct {
	Kind  answerKind
	Scope guard.Scope
	Label string
	Word  string // Label where there is little room; "": Label
	Note  string
	File  string // in which the rules of the note are kept; "": none

	Answer string // to a question: the number of a choice
}

// answerKind is what a choice does.
type answerKind uint8

// The kinds.
const (
	approveOnce answerKind = iota
	denyOnce
	denyWithWords // deny, with words for the model
	editCall      // run the call with other arguments: see Question.Edited
	writeRules    // approve once and keep rules that the user writes: see Question.Rules
	seeWhole      // show all of it in full screen, and why it is asked
	writeAnswer   // write the answer to questions
)

// choices of a question, in their order.
func (q *request) choices() []choice {
	if q.Shown.Questions != nil {
		return q.answers()
	}
	say := q.words.Of
	all := []choice{{Kind: approveOnce, Label: say("run once"), Word: say("once")}}
	switch opens := q.opens(); {
	case q.Shown.GrantsAccess: // what it opens is said above
		all[0].Label, all[0].Note = say("open it once"), say("for the next command or call that uses it")
	case opens != "":
		all[0].Note = say("opens %s for this call", opens)
	}
	if slices.Contains(q.Shown.Rules, guard.ChangedDefinition) {
		all[0].Note = say("accepts its definition for later calls, too")
	}
	for _, s := range q.Scopes {
		c := choice{Kind: approveOnce, Scope: s.Scope, Label: say(scopeLabels[s.Scope]), Word: say(scopeWord[s.Scope]), Note: s.covers(), File: s.file()}
		all = append(all, c)
	}
	if q.Rules() != nil {
		all = append(all, choice{Kind: writeRules, Label: say("edit the rule, then allow it"), Word: say("rule"), Note: say("you choose where it is kept")})
	}
	all = append(all, choice{Kind: denyOnce, Label: say("no")}, choice{Kind: denyWithWords, Label: say("no, and tell it why"), Word: say("tell why"), Note: say("Enter, then write why")})
	if q.Args != nil {
		label := say("edit the command")
		if q.commandOf() == "" {
			label = say("edit the arguments")
		}
		all = append(all, choice{Kind: editCall, Label: label, Word: say("edit"), Note: say("yours is judged again")})
	}
	return append(all, choice{Kind: seeWhole, Label: say("show all of it, and why it asks"), Word: say("show all")})
}

// answers are the choices of questions: those of a single question, and to write the answer.
func (q *request) answers() (all []choice) {
	list := q.Shown.Questions.List
	if q.single() {
		for i, c := range list[0].Choices {
			all = append(all, choice{Kind: approveOnce, Label: q.plan(text.OneLine(c.Label)), Note: q.plan(text.OneLine(c.Description)), Answer: strconv.Itoa(i + 1)})
		}
	}
	say := q.words.Of
	note := say("numbers, your words, or both, as in 1: words")
	if len(list) > 1 {
		note = say("a line for each question: numbers, or your words")
	}
	if len(all) == 0 || list[0].Free {
		all = append(all, choice{Kind: writeAnswer, Label: say("write the answer"), Note: note})
	}
	return append(all, choice{Kind: denyOnce, Label: say("do not answer")}, choice{Kind: seeWhole, Label: say("show all of it"), Word: say("show all")})
}

// given is what the user answered before, as it is written: a line for each question. "": nothing.
func (q *request) given() string {
	var lines []string
	for _, one := range q.Shown.Questions.List {
		if one.Given == nil {
			return ""
		}
		var numbers []string
		for i, c := range one.Choices {
			if slices.Contains(one.Given.Choices, c.Label) {
				numbers = append(numbers, strconv.Itoa(i+1))
			}
		}
		lines = append(lines, strings.Join(numbers, ",")+text.OneLine(one.Given.Text))
	}
	return strings.Join(lines, "\n")
}

// plan is a text of a request about a plan: a mode has the name that the status line gives it.
func (q *request) plan(s string) string {
	if asks := q.Shown.Questions; asks.From != "" || asks.List[0].Header != "plan" {
		return s
	}
	if after, ok := strings.CutPrefix(s, "the mode becomes "); ok {
		mode, _, _ := strings.Cut(after, ";")
		return q.words.Of("the mode becomes: %s; what you write beside it changes the plan", q.words.Of(block.Mode(mode)))
	}
	if strings.HasPrefix(s, "the mode stays plan") {
		return q.words.Of("the mode stays: %s; say what is missing", q.words.Of(block.Mode("plan")))
	}
	return q.words.Command(s)
}

var scopeLabels = map[guard.Scope]string{guard.ForSession: "allow for this session", guard.ForProject: "always allow in this project", guard.Always: "always allow everywhere"}

var scopeWord = map[guard.Scope]string{guard.ForSession: "session", guard.ForProject: "project", guard.Always: "everywhere"}

// covers names the rules that it adds, or says what it covers.
func (s answerScope) covers() string {
	if len(s.Rules) > 0 {
		return text.OneLine(strings.Join(s.Rules, ", "))
	}
	return text.OneLine(s.Text)
}

// file is where the rules are kept; "": in no file.
func (s answerScope) file() string {
	_, file, ok := strings.Cut(s.Text, "kept in ")
	if !ok || len(s.Rules) == 0 {
		return ""
	}
	return text.OneLine(file)
}

// note says what it is and where that is kept, in width cells. Where there is less room the file is without its directories, then left out:
// what is approved counts more, and the label says for whom.
func (c choice) note(words text.Words, width int) string {
	if c.File == "" {
		return c.Note
	}
	for _, file := range []string{c.File, path.Base(filepath.ToSlash(c.File))} {
		if note := c.Note + " " + words.Of("in %s", file); text.Width(note) <= width {
			return note
		}
	}
	return c.Note
}

// first is the choice that is under the cursor at the start: "no" where much could be lost.
func (q *request) first() int {
	if q.Shown.Questions != nil || !q.Shown.Risky() && len(q.Shown.Removes) == 0 {
		return 0
	}
	for i, c := range q.choices() {
		if c.Kind == denyOnce {
			return i
		}
	}
	return 0
}

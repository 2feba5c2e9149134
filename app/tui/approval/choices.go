package approval

import (
	"strconv"
	"strings"

	"rein/app/tui/text"
	"rein/guard"
)

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
	say := q.words.Of
	all := []Choice{{Kind: Approve, Label: say("run once")}}
	if q.Shown.GrantsAccess {
		all[0].Label = say("open it once")
	}
	if opens := q.opens(); opens != "" {
		all[0].Note = say("opens %s for this call", opens)
	}
	for _, s := range q.Scopes {
		c := Choice{Kind: Approve, Scope: s.Scope, Label: say(scopeLabels[s.Scope]), Note: s.note(q.words)}
		all = append(all, c)
	}
	if q.Rules() != nil {
		all = append(all, Choice{Kind: Keep, Label: say("edit the rule, then allow it"), Note: say("you choose where it is kept")})
	}
	all = append(all, Choice{Kind: Deny, Label: say("no")}, Choice{Kind: Tell, Label: say("no, and tell it why"), Note: say("write below, then Enter")})
	if q.Args != nil {
		label := say("edit the command")
		if q.commandOf() == "" {
			label = say("edit the arguments")
		}
		all = append(all, Choice{Kind: Edit, Label: label, Note: say("yours is judged again")})
	}
	return append(all, Choice{Kind: Whole, Label: say("show all of it, and why it asks")})
}

// answers are the choices of questions: those of a single question, and to write the answer.
func (q *Question) answers() (all []Choice) {
	list := q.Shown.Questions.List
	if q.single() {
		for i, c := range list[0].Choices {
			all = append(all, Choice{Kind: Approve, Label: text.OneLine(c.Label), Note: text.OneLine(c.Description), Answer: strconv.Itoa(i + 1)})
		}
	}
	say := q.words.Of
	note := say("numbers, or your words")
	if len(list) > 1 {
		note = say("a line for each question: numbers, or your words")
	}
	if len(all) == 0 || list[0].Free {
		all = append(all, Choice{Kind: Write, Label: say("write the answer"), Note: note})
	}
	return append(all, Choice{Kind: Deny, Label: say("do not answer")}, Choice{Kind: Whole, Label: say("show all of it")})
}

var scopeLabels = map[guard.Scope]string{guard.ForSession: "allow for this session", guard.ForProject: "always allow in this project", guard.Always: "always allow everywhere"}

func (s Scope) note(words text.Words) string {
	if len(s.Rules) > 0 {
		note := strings.Join(s.Rules, ", ")
		if _, file, ok := strings.Cut(s.Text, "kept in "); ok {
			note += "  " + words.Of("in %s", file)
		}
		return text.OneLine(note)
	}
	return text.OneLine(s.Text)
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

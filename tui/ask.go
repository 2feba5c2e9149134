package tui

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rein/guard"
	"rein/tui/approval"
	"rein/tui/block"
	"rein/tui/full"
	"rein/tui/keys"
	"rein/tui/pending"
	"rein/tui/place"
	"rein/tui/text"
)

// ask puts a request on the screen.
func (u *ui) ask(a *asked) {
	q := &approval.Question{ID: a.id, Shown: a.Shown, Lines: a.Lines, Alone: a.HighRisk(), Asked: a.Time, Who: u.whoAsks(a.Case.SubAgent),
		Order: u.talk.live.Order(a.Session, a.Call)}
	if !a.Shown.GrantsAccess && a.Shown.Questions == nil {
		q.Args = a.Args
	}
	for _, s := range a.Scopes {
		q.Scopes = append(q.Scopes, approval.Scope{Scope: s.Scope, Text: place.Tilde(s.Text), Rules: s.Rules})
	}
	q.Shown.Writes, q.Shown.Removes = place.Within(u.root(), a.Shown.Writes), place.Within(u.root(), a.Shown.Removes)
	u.questions.Add(q)
	u.callUser(strings.TrimSpace(q.Who + " " + block.TitleWords(q.Shown.Tool) + " " + q.Would()))
}

// whoAsks names the sub-agent of a request.
func (u *ui) whoAsks(session string) string {
	if session == "" || session == u.session.ID() {
		return ""
	}
	return cmp.Or(u.talk.live.Agent(session), "sub-agent")
}

// gone takes a request away that was answered elsewhere, or whose turn has ended.
func (u *ui) gone(g pending.Gone) {
	q := u.questions.Remove(g.ID)
	if q == nil {
		return
	}
	if u.telling == q {
		u.tellNothing()
	}
	if u.questions.Len() == 0 {
		u.caller.Cancel()
	}
	if g.By != "" {
		u.note(text.Dim, block.TitleWords(q.Shown.Tool)+": "+g.By)
	}
}

// answer returns the answer to questions.
func (u *ui) answer(o approval.Outcome) tea.Cmd {
	if len(o.Questions) == 0 {
		return nil
	}
	q := o.Questions[0]
	switch o.Kind {
	case approval.Whole:
		u.openWhole(o.Questions)
	case approval.Tell:
		u.telling = q
		u.questions.Blur()
	case approval.Write:
		u.telling = q
		u.questions.Blur()
	case approval.Edit:
		u.telling, u.changing = q, true
		u.questions.Blur()
		u.editor.Set(q.Editable())
	case approval.Keep:
		u.telling, u.keeping = q, u.o.Place.RuleFiles()[0]
		u.questions.Blur()
		u.editor.Set(strings.Join(q.Rules(), "\n"))
	default:
		for _, q := range o.Questions {
			u.decide(q, o.Answer)
		}
	}
	return nil
}

// openWhole shows all of the questions in full screen. Those that were shown up to their end can be approved.
func (u *ui) openWhole(all []*approval.Question) {
	var lines []text.Line
	for i, q := range all {
		if i > 0 {
			lines = append(lines, nil, text.Of(text.Dim, strings.Repeat("-", min(u.width-2, 40))), nil)
		}
		lines = append(lines, q.Full(u.width-2)...)
	}
	p := full.NewPager("approval request", lines)
	p.Read = func() {
		for _, q := range all {
			q.Seen()
		}
	}
	u.open(p)
}

// decide gives the answer to one question.
func (u *ui) decide(q *approval.Question, a guard.Answer) {
	u.questions.Remove(q.ID)
	u.requests.Answer(q.ID, a)
	if a.Choice == guard.Approved && a.Scope != guard.Once {
		u.note(text.Dim, "allowed "+scopeWords[a.Scope])
		ctx, requests := u.ctx, u.requests
		go requests.Cover(ctx)
	}
}

var scopeWords = map[guard.Scope]string{guard.ForSession: "for this session", guard.ForProject: "in this project", guard.Always: "everywhere"}

// tell denies the request with words for the model, or answers its questions.
func (u *ui) tell(words string) tea.Cmd {
	q := u.telling
	if u.keeping != "" {
		return u.keepRules(q, words)
	}
	answer := guard.Answer{Choice: guard.Denied, By: guard.ByUser, From: "terminal", Words: strings.TrimSpace(words)}
	var err error
	switch asks := q.Shown.Questions; {
	case u.changing:
		answer.Choice, answer.Words = guard.Approved, ""
		answer.Args, err = q.Edited(words)
	case asks != nil:
		answer.Choice, answer.Words = guard.Approved, ""
		answer.Chosen, err = asks.Read(words)
	}
	if err != nil {
		if u.changing {
			u.editor.Set(words)
		}
		u.hint = err.Error() + ". Esc goes back."
		return nil
	}
	u.tellNothing()
	u.decide(q, answer)
	return nil
}

// keepRules keeps the rules that the user wrote, one a line, and approves the call that was shown. Where one of them cannot be
// read, none is kept and the user writes on.
func (u *ui) keepRules(q *approval.Question, words string) tea.Cmd {
	file, rules := u.keeping, []string(nil)
	for rule := range strings.Lines(words) {
		if rule = strings.TrimSpace(rule); rule != "" {
			rules = append(rules, rule)
		}
	}
	where, ctx, requests := u.o.Place, u.ctx, u.requests
	return later(func() func(*ui) tea.Cmd {
		err := errors.New("there is no rule")
		if len(rules) > 0 {
			err = where.KeepRules(ctx, "allow", rules, file != where.RuleFiles()[0])
		}
		return func(u *ui) tea.Cmd {
			if err != nil {
				u.editor.Set(words)
				u.hint = place.Tilde(err.Error()) + ". Esc goes back."
				return nil
			}
			u.tellNothing()
			u.note(text.Dim, "allow "+strings.Join(rules, ", ")+"   in "+place.Short(file))
			u.decide(q, guard.Answer{Choice: guard.Approved, By: guard.ByUser, From: "terminal"})
			go requests.Cover(ctx)
			return nil
		}
	})
}

// keepElsewhere changes the file in which the rules are kept: the user's for this project, or the one for all projects.
func (u *ui) keepElsewhere() {
	files := u.o.Place.RuleFiles()
	u.keeping = files[(slices.Index(files, u.keeping)+1)%len(files)]
}

// tellingHint says what the line is for while it is not for a message.
func (u *ui) tellingHint() string {
	words := "Write why not, then Enter."
	switch {
	case u.telling.Shown.Questions != nil:
		words = "Write the answer, then Enter."
	case u.keeping != "":
		where, other := "in this project", "everywhere"
		if u.keeping != u.o.Place.RuleFiles()[0] {
			where, other = other, where
		}
		return "Enter: allow " + where + "   " + u.keys.Shown(keys.Complete) + ": " + other + "   " + u.keys.Shown(keys.Close) + ": back   kept in " + place.Short(u.keeping)
	case u.changing:
		words = "Change it, then Enter: yours is judged again before it runs. " + u.keys.Shown(keys.Editor) + " opens your editor."
	}
	return words + " " + u.keys.Shown(keys.Close) + " goes back."
}

// tellNothing takes the line back for messages.
func (u *ui) tellNothing() { u.telling, u.changing, u.keeping = nil, false, "" }

// callUser calls a user who looks elsewhere. With several requests it counts them.
func (u *ui) callUser(words string) {
	if n := u.questions.Len(); n > 1 {
		words = fmt.Sprintf("%d requests wait for you", n)
	}
	u.caller.Request("rein "+text.OneLine(filepath.Base(u.root())), text.OneLine(words))
}

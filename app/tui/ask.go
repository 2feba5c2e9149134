package tui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"rein/app/catalogue"
	"rein/app/tui/block"
	"rein/app/tui/full"
	"rein/app/tui/text"
	"rein/guard"
	"rein/tool"
)

// questions are the approval requests on the screen, and the one that the user writes about: then the next line is the reason of a
// denial, an answer, a change of the call, or the rules that are kept.
type questions struct {
	requestList
	telling  *request // nil: the line is for messages
	changing bool     // it is a change of the call
	keeping  string   // it is the rules that are kept in this file

	written map[string]toldAnswer // by request: what was written for it, in case that it does not arrive
}

// toldAnswer is what the user wrote for a request.
type toldAnswer struct {
	words    string
	changing bool // it is a change of the call
	lost     bool // it did not arrive
}

// ask puts a request on the screen.
func (u *ui) ask(a *asked) {
	who := cmp.Or(u.talk.live.Agent(a.Case.SubAgent), u.talk.live.Caller(a.Call), a.Agent)
	if who == "" && a.Case.SubAgent != "" {
		who = u.words.Of("sub-agent")
	}
	q := &request{ID: a.id, Shown: a.Shown, Lines: a.Lines, Alone: a.HighRisk(), Asked: a.Time, Who: who,
		Order: u.talk.live.Order(cmp.Or(a.Case.SubAgent, a.Session), a.Call)}
	if !a.Shown.GrantsAccess && a.Shown.Questions == nil {
		q.Args = a.Args
	}
	for _, s := range a.Scopes {
		q.Scopes = append(q.Scopes, answerScope{Scope: s.Scope, Text: withTilde(s.Text), Rules: s.Rules})
	}
	q.Shown.Reads = relativePaths(u.root(), outside(u.root(), a.Shown.Reads))
	q.Shown.Writes, q.Shown.Removes = relativePaths(u.root(), a.Shown.Writes), relativePaths(u.root(), a.Shown.Removes)
	u.questions.Add(q)
	if w := u.questions.written[q.ID]; w.lost && u.line.Empty() && u.questions.telling == nil {
		u.questions.tell(q)
		u.questions.changing = w.changing
		u.line.Set(w.words)
	}
	u.callUser(strings.TrimSpace(q.Who + " " + block.TitleWords(q.Shown.Tool) + " " + q.Would()))
}

// callBegins names the sub-agent of a request that came before its call.
func callBegins(u *ui, call string) {
	for _, q := range u.questions.questions {
		if who := u.talk.live.Caller(call); q.Shown.Call == call && who != "" {
			q.Who = who
		}
	}
}

// gone takes a request away that was answered elsewhere, or whose turn has ended.
func (u *ui) gone(g pendingGone) {
	q := u.questions.Remove(g.ID)
	if q == nil {
		return
	}
	if u.questions.Len() == 0 {
		u.caller.Cancel()
	}
	if g.By != "" {
		u.talk.live.Answered(q.Shown.Call)
		u.note(text.Dim, block.TitleWords(q.Shown.Tool)+": "+g.By)
	}
	if u.questions.telling == q {
		tooLate(u, q)
	}
}

// tooLate puts what was written for a request aside that needs no answer any more: it is no message.
func tooLate(u *ui, q *request) {
	words := u.line.Text()
	u.line.next()
	u.hint = ""
	if strings.TrimSpace(words) != "" && words != q.filled {
		u.line.history.Keep(words)
		u.note(text.Warn, u.words.Of("! too late: what you wrote for it was not sent. %s brings it back.", u.keys.Shown(text.Up)))
	}
	toldOver(u)
}

// lost lets an answer that did not arrive be given again: its words are in the line where the request is shown again.
func lost(u *ui, id string) {
	if w, ok := u.questions.written[id]; ok {
		w.lost = true
		u.questions.written[id] = w
		u.line.history.Keep(w.words)
	}
}

// answer returns the answer to questions.
func (u *ui) answer(o requestOutcome) tea.Cmd {
	if len(o.Questions) == 0 {
		return nil
	}
	q := o.Questions[0]
	switch o.Kind {
	case seeWhole:
		u.open(showWhole(o.Questions, u.width))
	case denyWithWords, writeAnswer:
		u.line.lend()
		u.questions.tell(q)
		if o.Kind == writeAnswer {
			fill(u, q, q.given())
		}
	case editCall:
		u.line.lend()
		u.questions.tell(q)
		u.questions.changing = true
		fill(u, q, q.Editable())
	case writeRules:
		u.line.lend()
		u.questions.tell(q)
		u.questions.keeping = u.o.Place.RuleFiles()[0]
		fill(u, q, strings.Join(q.Rules(), "\n"))
	default:
		for _, q := range o.Questions {
			u.decide(q, o.Answer)
		}
	}
	return nil
}

// fill puts into the line what the user may change.
func fill(u *ui, q *request, words string) {
	q.filled = words
	u.line.Set(words)
}

// showWhole shows all of the questions in full screen. Those that were shown up to their end can be approved.
func showWhole(all []*request, width int) *full.Pager {
	var lines []text.Line
	for i, q := range all {
		if i > 0 {
			lines = append(lines, nil, text.Of(text.Dim, strings.Repeat("-", min(width-2, 40))), nil)
		}
		lines = append(lines, q.Full(width-2)...)
	}
	p := full.NewPager("approval request", lines)
	p.Read = func() {
		for _, q := range all {
			q.Seen()
		}
	}
	return p
}

// decide gives the answer to one question.
func (u *ui) decide(q *request, a guard.Answer) {
	if u.questions.telling == q { // what is written about it is for nothing any more
		toldOver(u)
	}
	u.questions.Remove(q.ID)
	delete(u.questions.written, q.ID)
	u.requests.Answer(q.ID, a)
	if a.Choice == guard.Approved {
		u.talk.live.Answered(q.Shown.Call)
	}
	if a.Choice == guard.Approved && a.Scope != guard.Once {
		u.note(text.Dim, u.words.Of("allowed %s", u.words.Of(scopeWords[a.Scope])))
		ctx, requests := u.ctx, u.requests
		go requests.Cover(ctx)
	}
}

var scopeWords = map[guard.Scope]string{guard.ForSession: "for this session", guard.ForProject: "in this project", guard.Always: "everywhere"}

// tell denies the request with words for the model, or answers its questions.
func (u *ui) tell(words string) tea.Cmd {
	q := u.questions.telling
	if u.questions.keeping != "" {
		return keepRules(u, q, words)
	}
	if n, err := q.answersUpTo(words); n > 0 {
		if err != nil {
			return tellAgain(u, words, err)
		}
		u.line.Set(words + "\n")
		q.scrollTo(n)
		first, _, _ := strings.Cut(q.Shown.Questions.List[n].Text, "\n")
		u.hint = fmt.Sprintf("%d. %s", n+1, guard.Printable(first))
		return nil
	}
	answer, err := u.questions.answered(words)
	if err != nil {
		return tellAgain(u, words, err)
	}
	told := toldAnswer{words: words, changing: u.questions.changing}
	toldOver(u)
	u.decide(q, answer)
	if strings.TrimSpace(words) != "" {
		u.questions.written[q.ID] = told
	}
	return nil
}

// tellAgain lets the user go on with what was written: it cannot be taken as it is.
func tellAgain(u *ui, words string, why error) tea.Cmd {
	u.line.Set(words)
	u.hint = u.words.Of("%s. Esc goes back.", u.words.Of(why.Error()))
	return nil
}

// answersUpTo returns how many of several questions have their line, an empty one for a question that is left out; 0: all of them.
// The error says which line is no answer.
func (q *request) answersUpTo(words string) (n int, err error) {
	asks := q.Shown.Questions
	if asks == nil {
		return 0, nil
	}
	if n = strings.Count(words, "\n") + 1; n >= len(asks.List) {
		return 0, nil
	}
	_, err = (&tool.Questions{List: asks.List[:n]}).Read(words)
	return n, err
}

// keepRules keeps the rules that the user wrote, one a line, and approves the call that was shown. Where one of them cannot be
// read, none is kept and the user writes on.
func keepRules(u *ui, q *request, words string) tea.Cmd {
	file, rules := u.questions.keeping, []string(nil)
	for rule := range strings.Lines(words) {
		if rule = strings.TrimSpace(rule); rule != "" {
			rules = append(rules, rule)
		}
	}
	where, ctx, requests, all := u.o.Place, u.ctx, u.requests, u.o.Catalogue
	return later(func() func(*ui) tea.Cmd {
		err := errors.New("there is no rule")
		known := ruleWarnings(ctx, all)
		if len(rules) > 0 {
			err = where.KeepRules(ctx, "allow", rules, file != where.RuleFiles()[0])
		}
		more := ruleWarnings(ctx, all)
		vain := err == nil && requests.Uncovered(ctx, q.ID)
		return func(u *ui) tea.Cmd {
			if err != nil {
				return tellAgain(u, words, errors.New(withTilde(err.Error())))
			}
			toldOver(u)
			u.note(text.Dim, u.words.Of("allow %s   in %s", strings.Join(rules, ", "), shortDir(file)))
			for _, line := range more {
				if !slices.Contains(known, line) {
					u.note(text.Warn, "! "+u.words.Command(line))
				}
			}
			if vain {
				u.note(text.Warn, u.words.Of("! this call runs once: what you wrote does not cover it, so the next one asks again. See /permissions."))
			}
			u.decide(q, guard.Answer{Choice: guard.Approved, By: guard.ByPerson(""), From: "terminal"})
			go requests.Cover(ctx)
			return nil
		}
	})
}

// ruleWarnings are what a check says of the rules, without where they are: lines move.
func ruleWarnings(ctx context.Context, all catalogue.Catalogue) (lines []string) {
	out, _ := all.Do(ctx, catalogue.Request{Kind: catalogue.Rules, Verb: "check"}) // what cannot be read is reported where rules are kept
	for line := range strings.Lines(out) {
		if _, what, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
			lines = append(lines, what)
		}
	}
	return slices.DeleteFunc(lines, func(line string) bool { return strings.Contains(line, ", warnings: ") }) // the sum
}

// keepElsewhere changes the file in which the rules are kept: the user's for this project, or the one for all projects.
func (q *questions) keepElsewhere(files []string) {
	q.keeping = files[(slices.Index(files, q.keeping)+1)%len(files)]
}

// tell lets the next line be about a question, which is shown meanwhile.
func (q *questions) tell(about *request) {
	q.telling, q.focus = about, false
	q.showTold()
}

// showTold keeps the question on the screen that the user writes about.
func (q *questions) showTold() {
	if i := slices.Index(q.questions, q.telling); i >= 0 {
		q.one, q.row = true, i
	}
}

// Add adds a question, below what the user writes about.
func (q *questions) Add(r *request) {
	q.requestList.Add(r)
	q.showTold()
}

// Answer does nothing while the user writes about a question: the line has another answer, or another call than the one that is shown.
func (q *questions) Answer(approve bool, now time.Time, again bool) requestOutcome {
	if q.telling != nil {
		return requestOutcome{}
	}
	return q.requestList.Answer(approve, now, again)
}

// Remove takes a question away.
func (q *questions) Remove(id string) *request {
	gone := q.requestList.Remove(id)
	q.showTold()
	return gone
}

// begins makes an empty line the answer of the question that the model asked before the text came; nil: it asked none.
func (q *questions) begins(asked *request, empty bool) {
	if asked != nil && empty && q.telling == nil {
		q.tell(asked)
	}
}

// tellNothing takes the line back for messages.
func (q *questions) tellNothing() { q.telling, q.changing, q.keeping = nil, false, "" }

// toldOver takes the line back for messages, with what was written before the request.
func toldOver(u *ui) {
	u.questions.tellNothing()
	u.line.restore()
}

// answered is the answer that the user has written.
func (q *questions) answered(words string) (a guard.Answer, err error) {
	a = guard.Answer{Choice: guard.Denied, By: guard.ByPerson(""), From: "terminal", Words: strings.TrimSpace(words)}
	switch asks := q.telling.Shown.Questions; {
	case q.changing:
		a.Choice, a.Words = guard.Approved, ""
		a.Args, err = q.telling.Edited(words)
	case asks != nil:
		a.Choice, a.Words = guard.Approved, ""
		a.Chosen, err = filledIn(asks).Read(words)
	}
	return a, err
}

// filledIn are questions whose earlier answers were in the line: what is not there any more was taken back.
func filledIn(asks *tool.Questions) *tool.Questions {
	own := &tool.Questions{List: slices.Clone(asks.List)}
	for i := range own.List {
		own.List[i].Given = nil
	}
	return own
}

// placeholder says what the line is for; "": it is for messages.
func (q *questions) placeholder() string {
	switch {
	case q.telling == nil:
		return ""
	case q.telling.Shown.Questions != nil:
		return "your answer"
	case q.keeping != "":
		return "the rule as you want it"
	case q.changing:
		return "the call as you want it"
	}
	return "why not? The model reads it"
}

// hint says what keys do; "": there is nothing to answer. rules are the files in which rules can be kept; empty says that the line
// is, so that arrows are not for it.
func (q *questions) hint(k text.Keys, rules []string, empty bool, now time.Time) string {
	switch {
	case q.telling != nil:
		return q.tellingHint(k, rules)
	case q.Len() == 0:
		return ""
	case !q.Focused() && q.Asked(now) != nil && empty:
		return "write the answer, or choose it by the arrows"
	case !q.Focused() && !empty:
		return "Tab goes to the request; what you type goes to the line"
	case !q.Focused():
		return "Tab or an arrow goes to the request; what you type goes to the line"
	case !q.Ready(now):
		return "wait a moment: keys that were meant for something else do not answer"
	}
	return "arrows move, Enter answers, Esc goes back to the line"
}

func (q *questions) tellingHint(k text.Keys, rules []string) string {
	words := q.Words.Of("Write why not, then Enter.")
	switch {
	case q.telling.Shown.Questions != nil:
		words = q.Words.Of("Write the answer, then Enter.")
	case q.keeping != "":
		where, other := q.Words.Of("in this project"), q.Words.Of("everywhere")
		if q.keeping != rules[0] {
			where, other = other, where
		}
		return q.Words.Of("Enter: allow %s   %s: %s   %s: back   kept in %s", where, k.Shown(text.Complete), other, k.Shown(text.Close), shortDir(q.keeping))
	case q.changing:
		words = q.Words.Of("Change it, then Enter: yours is judged again before it runs. %s opens your editor.", k.Shown(text.Editor))
	}
	return words + " " + q.Words.Of("%s goes back.", k.Shown(text.Close))
}

// key takes a key while the questions have the keys. Letters go to the line. enter is set where it is the key that answers.
func (q *questions) key(k tea.KeyPressMsg, a text.Action) (taken, enter bool) {
	switch a {
	case text.Up:
		q.Move(-1)
	case text.Down, text.Complete:
		q.Move(1)
	case text.Left:
		q.Side(-1)
	case text.Right:
		q.Side(1)
	case text.Close:
		q.Blur()
	case text.Send:
		return true, true
	default:
		if k.Code != tea.KeySpace || k.Mod != 0 {
			return false, false
		}
		q.Mark()
	}
	return true, false
}

// callUser calls a user who looks elsewhere. With several requests it counts them.
func (u *ui) callUser(words string) {
	if n := u.questions.Len(); n > 1 {
		words = u.words.Of("%d requests wait for you", n)
	}
	u.caller.Request("rein "+text.OneLine(filepath.Base(u.root())), text.OneLine(words))
}

package tui

// Approval requests on the screen: what each would do, the choices, and the rules that keep a key which was meant for something
// else from answering.

import (
	"slices"
	"time"

	"rein/app/tui/text"
	"rein/guard"
)

// requestPause is how long after a question was drawn, and after the last letter that the user typed, no key answers it: the key
// may have been meant for something else.
const requestPause = 500 * time.Millisecond

// requestList holds the questions that wait, the oldest first. With more than one it is shown as a list; one of them may be open.
type requestList struct {
	Words text.Words // the language of the user

	questions []*request
	focus     bool
	one       bool // the question under the cursor is shown separately
	row       int  // of the list
	choice    int  // of the open question, or of the row of actions
	typed     time.Time
	inShort   bool // the choices stand behind each other
}

// requestOutcome is what a key did.
type requestOutcome struct {
	Kind      answerKind
	Questions []*request // empty: nothing is to be done
	Answer    guard.Answer
}

// Len returns the number of questions.
func (l *requestList) Len() int { return len(l.questions) }

// Focused reports whether keys that move go to the questions.
func (l *requestList) Focused() bool { return l.focus && len(l.questions) > 0 }

// Add adds a question: in the order of the calls, but nothing moves below a user who is choosing.
func (l *requestList) Add(q *request) {
	q.Alone, q.words = q.Alone || q.Shown.Alone(), l.Words
	if len(q.Shown.Writes) > 0 {
		q.file = q.Shown.Writes[0]
	}
	at := slices.IndexFunc(l.questions, func(o *request) bool { return o.Who == q.Who && o.Order > q.Order })
	if at < 0 || l.focus {
		at = len(l.questions)
	}
	l.questions = slices.Insert(l.questions, at, q)
	if len(l.questions) == 1 {
		l.row, l.choice, l.focus = 0, q.first(), false
	} else if !l.focus {
		l.one, l.choice = false, 0
	}
}

// Remove takes a question away.
func (l *requestList) Remove(id string) *request {
	i := slices.IndexFunc(l.questions, func(q *request) bool { return q.ID == id })
	if i < 0 {
		return nil
	}
	q := l.questions[i]
	l.questions = slices.Delete(l.questions, i, i+1)
	if i < l.row || l.row >= len(l.questions) {
		l.row = max(l.row-1, 0)
	}
	l.one, l.choice = false, 0
	if len(l.questions) == 0 {
		l.focus = false
	} else {
		l.reset()
	}
	return q
}

// reset lets what is shown now start again: its first choice, and its pause.
func (l *requestList) reset() {
	l.choice = 0
	if q := l.open(); q != nil {
		l.choice = q.first()
		q.drawn = time.Time{}
	}
}

// open is the question that is shown separately, or nil.
func (l *requestList) open() *request {
	if len(l.questions) == 1 || l.one && l.row < len(l.questions) {
		return l.questions[min(l.row, len(l.questions)-1)]
	}
	return nil
}

// Open returns the question that is shown separately, or the one under the cursor.
func (l *requestList) Open() *request {
	if len(l.questions) == 0 {
		return nil
	}
	return l.questions[min(l.row, len(l.questions)-1)]
}

// Asked returns the request that is shown by itself where it asks questions and could be answered now: what the user begins to write answers it.
func (l *requestList) Asked(now time.Time) *request {
	q := l.open()
	if q == nil || q.Shown.Questions == nil || q.drawn.IsZero() || now.Sub(q.drawn) < requestPause || now.Sub(l.typed) < requestPause {
		return nil
	}
	return q
}

// Typed is called for each key that went elsewhere.
func (l *requestList) Typed(now time.Time) {
	l.typed = now
	l.focus = false
}

// Focus moves the keys to the questions.
func (l *requestList) Focus() {
	if len(l.questions) > 0 {
		l.focus = true
	}
}

// Blur moves them back. From an open question of several it goes back to the list first.
func (l *requestList) Blur() {
	if l.one && len(l.questions) > 1 {
		l.one, l.choice = false, 0
		return
	}
	l.focus = false
}

// Move moves the cursor by rows.
func (l *requestList) Move(by int) {
	if q := l.open(); q != nil {
		n := len(q.choices())
		l.choice = (l.choice + by + n) % n
		return
	}
	n := len(l.questions)
	l.row = (l.row + by + n) % n
}

// Side moves among the actions of a list, and among choices that stand behind each other.
func (l *requestList) Side(by int) {
	switch {
	case l.open() != nil && l.inShort:
		l.Move(by)
	case l.open() == nil:
		n := len(l.actions())
		l.choice = (l.choice + by + n) % n
	}
}

// Mark marks or unmarks the row of a list. One that must be answered by itself is never marked.
func (l *requestList) Mark() {
	if l.open() == nil && !l.questions[l.row].Alone {
		l.questions[l.row].marked = !l.questions[l.row].marked
		l.choice = 0
	}
}

// actions of a list of several questions: the first one opens the row under the cursor, the others are for the rows that the user
// has marked.
func (l *requestList) actions() []choice {
	all := []choice{{Kind: seeWhole, Label: l.Words.Of("open this one")}}
	if n := len(l.marked()); n > 0 {
		all = append(all, choice{Kind: approveOnce, Label: l.Words.Of("approve the %d marked once", n)}, choice{Kind: denyOnce, Label: l.Words.Of("deny the %d marked", n)})
	}
	return all
}

func (l *requestList) marked() (all []*request) {
	for _, q := range l.questions {
		if q.marked {
			all = append(all, q)
		}
	}
	return all
}

// Ready reports whether Enter answers now.
func (l *requestList) Ready(now time.Time) bool {
	if len(l.questions) == 0 || !l.focus || now.Sub(l.typed) < requestPause {
		return false
	}
	if q := l.open(); q != nil {
		return !q.drawn.IsZero() && now.Sub(q.drawn) >= requestPause
	}
	for _, q := range l.questions {
		if q.drawn.IsZero() || now.Sub(q.drawn) < requestPause {
			return false
		}
	}
	return true
}

// Enter does what is under the cursor. again is set while the key is held down: then nothing happens.
func (l *requestList) Enter(now time.Time, again bool) requestOutcome {
	if again || !l.Ready(now) {
		return requestOutcome{}
	}
	if q := l.open(); q != nil {
		return l.choose(q, now)
	}
	action, marked := l.actions()[l.choice], l.marked()
	if action.Kind == seeWhole {
		l.one = true
		l.reset()
		return requestOutcome{}
	}
	var unseen []*request
	for _, q := range marked {
		if !q.inRow && !q.seen.whole() {
			unseen = append(unseen, q)
		}
	}
	if action.Kind == approveOnce && len(unseen) > 0 {
		return requestOutcome{Kind: seeWhole, Questions: unseen}
	}
	return requestOutcome{Kind: action.Kind, Questions: marked, Answer: answerOf(action)}
}

func (l *requestList) choose(q *request, now time.Time) requestOutcome {
	c := q.choices()[l.choice]
	if (c.Kind == approveOnce || c.Kind == writeRules) && !q.seen.whole() {
		return l.goOn(q, now)
	}
	o := requestOutcome{Kind: c.Kind, Questions: []*request{q}, Answer: answerOf(c)}
	if c.Answer != "" {
		o.Answer.Chosen, _ = q.Shown.Questions.Read(c.Answer) // the number of a choice always fits
	}
	return o
}

// Answer returns an answer by a chord: once, or no. The rules of Enter hold, and only a request that is open by itself is answered.
func (l *requestList) Answer(approve bool, now time.Time, again bool) requestOutcome {
	q := l.open()
	if q == nil {
		return requestOutcome{}
	}
	focused := l.focus
	l.focus = true
	if again || !l.Ready(now) {
		l.focus = focused
		return requestOutcome{}
	}
	for i, c := range q.choices() {
		if approve && c.Kind == approveOnce || !approve && c.Kind == denyOnce {
			if approve && !q.seen.whole() { // the cursor stays where it is
				l.focus = focused
				return l.goOn(q, now)
			}
			l.choice = i
			return l.choose(q, now)
		}
	}
	return requestOutcome{}
}

func answerOf(c choice) guard.Answer {
	a := guard.Answer{Choice: guard.Denied, By: guard.ByPerson(""), From: "terminal"}
	if c.Kind == approveOnce {
		a.Choice, a.Scope = guard.Approved, c.Scope
	}
	return a
}

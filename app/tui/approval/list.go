package approval

import (
	"slices"
	"time"

	"rein/app/tui/text"
	"rein/guard"
)

// Pause is how long after a question was drawn, and after the last letter that the user typed, no key answers it: the key
// may have been meant for something else.
const Pause = 500 * time.Millisecond

// List holds the questions that wait, the oldest first. With more than one it is shown as a list; one of them may be open.
type List struct {
	Words text.Words // the language of the user

	questions []*Question
	focus     bool
	one       bool // the question under the cursor is shown separately
	row       int  // of the list
	choice    int  // of the open question, or of the row of actions
	typed     time.Time
}

// Outcome is what a key did.
type Outcome struct {
	Kind      Kind
	Questions []*Question // empty: nothing is to be done
	Answer    guard.Answer
}

// Len returns the number of questions.
func (l *List) Len() int { return len(l.questions) }

// Focused reports whether keys that move go to the questions.
func (l *List) Focused() bool { return l.focus && len(l.questions) > 0 }

// Add adds a question: in the order of the calls, but nothing moves below a user who is choosing.
func (l *List) Add(q *Question) {
	q.Alone, q.words = q.Alone || q.Shown.Alone(), l.Words
	if len(q.Shown.Writes) > 0 {
		q.file = q.Shown.Writes[0]
	}
	at := slices.IndexFunc(l.questions, func(o *Question) bool { return o.Who == q.Who && o.Order > q.Order })
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
func (l *List) Remove(id string) *Question {
	i := slices.IndexFunc(l.questions, func(q *Question) bool { return q.ID == id })
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
func (l *List) reset() {
	l.choice = 0
	if q := l.open(); q != nil {
		l.choice = q.first()
		q.drawn = time.Time{}
	}
}

// open is the question that is shown separately, or nil.
func (l *List) open() *Question {
	if len(l.questions) == 1 || l.one && l.row < len(l.questions) {
		return l.questions[min(l.row, len(l.questions)-1)]
	}
	return nil
}

// Open returns the question that is shown separately, or the one under the cursor.
func (l *List) Open() *Question {
	if len(l.questions) == 0 {
		return nil
	}
	return l.questions[min(l.row, len(l.questions)-1)]
}

// Asked returns the only request that waits where it asks questions and could be answered now: what the user begins to write answers it.
func (l *List) Asked(now time.Time) *Question {
	q := l.open()
	if q == nil || len(l.questions) > 1 || q.Shown.Questions == nil || q.drawn.IsZero() || now.Sub(q.drawn) < Pause || now.Sub(l.typed) < Pause {
		return nil
	}
	return q
}

// Typed is called for each key that went elsewhere.
func (l *List) Typed(now time.Time) {
	l.typed = now
	l.focus = false
}

// Focus moves the keys to the questions.
func (l *List) Focus() {
	if len(l.questions) > 0 {
		l.focus = true
	}
}

// Blur moves them back. From an open question of several it goes back to the list first.
func (l *List) Blur() {
	if l.one && len(l.questions) > 1 {
		l.one, l.choice = false, 0
		return
	}
	l.focus = false
}

// Move moves the cursor by rows.
func (l *List) Move(by int) {
	if q := l.open(); q != nil {
		n := len(q.choices())
		l.choice = (l.choice + by + n) % n
		return
	}
	n := len(l.questions)
	l.row = (l.row + by + n) % n
}

// Side moves among the actions of a list.
func (l *List) Side(by int) {
	if l.open() == nil {
		n := len(l.actions())
		l.choice = (l.choice + by + n) % n
	}
}

// Mark marks or unmarks the row of a list. One that must be answered by itself is never marked.
func (l *List) Mark() {
	if l.open() == nil && !l.questions[l.row].Alone {
		l.questions[l.row].marked = !l.questions[l.row].marked
		l.choice = 0
	}
}

// actions of a list of several questions: the first one opens the row under the cursor, the others are for the rows that the user
// has marked.
func (l *List) actions() []Choice {
	all := []Choice{{Kind: Whole, Label: l.Words.Of("open this one")}}
	if n := len(l.marked()); n > 0 {
		all = append(all, Choice{Kind: Approve, Label: l.Words.Of("approve the %d marked once", n)}, Choice{Kind: Deny, Label: l.Words.Of("deny the %d marked", n)})
	}
	return all
}

func (l *List) marked() (all []*Question) {
	for _, q := range l.questions {
		if q.marked {
			all = append(all, q)
		}
	}
	return all
}

// Ready reports whether Enter answers now.
func (l *List) Ready(now time.Time) bool {
	if len(l.questions) == 0 || !l.focus || now.Sub(l.typed) < Pause {
		return false
	}
	if q := l.open(); q != nil {
		return !q.drawn.IsZero() && now.Sub(q.drawn) >= Pause
	}
	for _, q := range l.questions {
		if q.drawn.IsZero() || now.Sub(q.drawn) < Pause {
			return false
		}
	}
	return true
}

// Enter does what is under the cursor. again is set while the key is held down: then nothing happens.
func (l *List) Enter(now time.Time, again bool) Outcome {
	if again || !l.Ready(now) {
		return Outcome{}
	}
	if q := l.open(); q != nil {
		return l.choose(q, now)
	}
	action, marked := l.actions()[l.choice], l.marked()
	if action.Kind == Whole {
		l.one = true
		l.reset()
		return Outcome{}
	}
	var unseen []*Question
	for _, q := range marked {
		if !q.inRow && !q.seen.whole() {
			unseen = append(unseen, q)
		}
	}
	if action.Kind == Approve && len(unseen) > 0 {
		return Outcome{Kind: Whole, Questions: unseen}
	}
	return Outcome{Kind: action.Kind, Questions: marked, Answer: answerOf(action)}
}

func (l *List) choose(q *Question, now time.Time) Outcome {
	c := q.choices()[l.choice]
	if (c.Kind == Approve || c.Kind == Keep) && !q.seen.whole() {
		return l.goOn(q, now)
	}
	o := Outcome{Kind: c.Kind, Questions: []*Question{q}, Answer: answerOf(c)}
	if c.Answer != "" {
		o.Answer.Chosen, _ = q.Shown.Questions.Read(c.Answer) // the number of a choice always fits
	}
	return o
}

// Answer returns an answer by a chord: once, or no. The rules of Enter hold, and only a request that is open by itself is answered.
func (l *List) Answer(approve bool, now time.Time, again bool) Outcome {
	q := l.open()
	if q == nil {
		return Outcome{}
	}
	focused := l.focus
	l.focus = true
	if again || !l.Ready(now) {
		l.focus = focused
		return Outcome{}
	}
	for i, c := range q.choices() {
		if approve && c.Kind == Approve || !approve && c.Kind == Deny {
			l.choice = i
			return l.choose(q, now)
		}
	}
	return Outcome{}
}

func answerOf(c Choice) guard.Answer {
	a := guard.Answer{Choice: guard.Denied, By: guard.ByPerson(""), From: "terminal"}
	if c.Kind == Approve {
		a.Choice, a.Scope = guard.Approved, c.Scope
	}
	return a
}

package guard

import (
	"context"
	"fmt"

	"rein/tool"
)

// Questions is the guard of calls that ask the user something: only a person can answer them, in every mode. They do no
// harm, so the severity is None.
type Questions struct{}

// Judge asks where the call has questions.
func (Questions) Judge(_ context.Context, c Case) Verdict {
	if c.Intent.Questions == nil {
		return Verdict{}
	}
	return Verdict{Decision: Ask, PersonOnly: true, Guard: "questions", Rules: []string{"user.question"}, Reason: "it asks the user",
		Hint: "decide by yourself where that is safe and name what you assumed, or end with the open question"}
}

// QuestionLines renders questions as plain lines, with the number of each choice. A terminal finds no control characters in
// them.
func QuestionLines(q *tool.Questions) (lines []string) {
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if q.From != "" {
		add("  %s asks", Printable(q.From))
	}
	for i, one := range q.List {
		text := Printable(one.Text)
		if len(q.List) > 1 {
			text = fmt.Sprintf("%d. %s", i+1, text)
		}
		add("  %s", text)
		for n, c := range one.Choices {
			if c.Description == "" {
				add("     [%d] %s", n+1, Printable(c.Label))
				continue
			}
			add("     [%d] %s: %s", n+1, Printable(c.Label), Printable(c.Description))
		}
	}
	if q.Wait > 0 {
		then := "the call fails"
		if q.First {
			then = "the first choice counts"
		}
		add("  without an answer within %d s %s", q.Wait, then)
	}
	return lines
}

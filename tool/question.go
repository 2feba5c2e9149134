package tool

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Questions are what a call asks the user. The harness shows them, waits for the answer and returns it to the call as
// Reply.Chosen. They are a part of the Intent, so whoever can answer an approval request can answer them.
type Questions struct {
	List []Question `json:"list"`           // at least one
	From string     `json:"from,omitempty"` // who asks, where it is not the model: an MCP server

	// Wait is how many seconds the call waits for an answer; 0: as long as the settings allow. After it the call fails, or,
	// with First, the first choice of each question counts.
	Wait  int  `json:"wait_s,omitempty"`
	First bool `json:"first,omitempty"`
}

// Question is one question to the user.
type Question struct {
	Text    string   `json:"question"`
	Header  string   `json:"header,omitempty"`  // what it is about, in a word or two
	Choices []Choice `json:"choices,omitempty"` // none: the user writes the answer
	Several bool     `json:"several,omitempty"` // more than one choice may be taken
	Free    bool     `json:"free,omitempty"`    // the user may write an answer in place of a choice, or beside it
	Given   *Answer  `json:"given,omitempty"`   // the answer before: it is filled in, or counts where the question is left out, see Read
}

// Asks is the text of the question, with what the user answered before.
func (q Question) Asks() string {
	if q.Given == nil || len(q.Given.Choices) == 0 && q.Given.Text == "" {
		return q.Text
	}
	return fmt.Sprintf("%s (before: %s)", q.Text, q.Given)
}

// Choice is one answer on offer. The labels of a question differ.
type Choice struct {
	Label       string `json:"label"`
	Description string `json:"description,omitempty"`
}

// Chosen is the answer to Questions: one Answer for each question, in their order.
type Chosen struct {
	Answers []Answer `json:"answers"`
	// Default means that nobody answered in time, so the first choices count.
	Default bool `json:"default,omitempty"`
}

// Clone returns a copy that shares nothing with the answer; nil for nil.
func (c *Chosen) Clone() *Chosen {
	if c == nil {
		return nil
	}
	own := &Chosen{Answers: slices.Clone(c.Answers), Default: c.Default}
	for i := range own.Answers {
		own.Answers[i].Choices = slices.Clone(own.Answers[i].Choices)
	}
	return own
}

// Answer is the answer to one question. The zero value means that the user left the question out.
type Answer struct {
	Choices []string `json:"choices,omitempty"` // labels
	Text    string   `json:"text,omitempty"`    // in the user's words, at most MaxAnswer bytes
}

// MaxAnswer is how many bytes an answer in the user's words may have.
const MaxAnswer = 16 << 10

// Check refuses an answer that does not fit the questions.
func (q *Questions) Check(c *Chosen) error {
	if c == nil {
		return nil // all questions were left out
	}
	if len(c.Answers) != len(q.List) {
		return fmt.Errorf("questions: %[2]d, answers: %[1]d", len(c.Answers), len(q.List))
	}
	for i, a := range c.Answers {
		if err := q.List[i].check(a); err != nil {
			return fmt.Errorf("question %d: %w", i+1, err)
		}
	}
	return nil
}

func (q Question) check(a Answer) error {
	for i, label := range a.Choices {
		switch {
		case !slices.ContainsFunc(q.Choices, func(c Choice) bool { return c.Label == label }):
			return fmt.Errorf("%q is not one of the choices", label)
		case slices.Contains(a.Choices[:i], label):
			return fmt.Errorf("%q is chosen twice", label)
		}
	}
	switch {
	case len(a.Choices) > 1 && !q.Several:
		return fmt.Errorf("only one choice can be taken")
	case a.Text != "" && len(q.Choices) > 0 && !q.Free:
		return fmt.Errorf("only a choice can be taken")
	case len(a.Text) > MaxAnswer:
		return fmt.Errorf("the answer has %d bytes, at most %d", len(a.Text), MaxAnswer)
	}
	return nil
}

// String returns the answer in one line, for people.
func (a Answer) String() string {
	all := a.Choices
	if a.Text != "" {
		all = append(slices.Clone(all), a.Text)
	}
	return cmp.Or(strings.Join(all, ", "), "(no answer)")
}

// Read reads an answer as a person types it: the numbers of choices (1, or 1,3), a label, or words where the question allows them, also behind
// a choice (1: words). An empty line is the answer before, else it leaves the question out. A number that no choice has is refused.
func (q Question) Read(line string) (Answer, error) {
	line = strings.TrimSpace(line)
	if line == "" && q.Given != nil {
		return Answer{slices.Clone(q.Given.Choices), q.Given.Text}, nil
	}
	a := Answer{Choices: q.chosen(line), Text: line}
	switch before, words, ok := strings.Cut(line, ": "); {
	case a.Choices != nil:
		a.Text = ""
	case line != "" && len(q.Choices) > 0 && strings.Trim(line, "0123456789, ０１２３４５６７８９，") == "":
		return a, fmt.Errorf("no choice has the number %s: there are %d, and words have a letter", line, len(q.Choices))
	case ok && q.Free:
		if a.Choices = q.chosen(before); a.Choices != nil {
			a.Text = strings.TrimSpace(words)
		}
	}
	return a, q.check(a)
}

// chosen returns the choices that a text names by their numbers, or one by its label; nil: it is something else.
func (q Question) chosen(text string) (labels []string) {
	usual := strings.NewReplacer("０", "0", "１", "1", "２", "2", "３", "3", "４", "4", "５", "5", "６", "6", "７", "7", "８", "8", "９", "9", "，", ",")
	for word := range strings.FieldsFuncSeq(usual.Replace(text), func(r rune) bool { return r == ',' || r == ' ' }) {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > len(q.Choices) {
			labels = nil
			break
		}
		labels = append(labels, q.Choices[n-1].Label)
	}
	if at := slices.IndexFunc(q.Choices, func(c Choice) bool { return strings.EqualFold(c.Label, strings.TrimSpace(text)) }); at >= 0 && labels == nil {
		labels = []string{q.Choices[at].Label}
	}
	return labels
}

// Read reads the answers to all questions, a line for each. Empty lines behind that of the last question do not count.
func (q *Questions) Read(text string) (*Chosen, error) {
	lines := strings.Split(text, "\n")
	if len(q.List) == 1 {
		lines = []string{text}
	}
	for len(lines) > len(q.List) && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	if len(lines) != len(q.List) {
		return nil, fmt.Errorf("lines: %d, questions: %d: expected one line for each", len(lines), len(q.List))
	}
	c := &Chosen{}
	for i, line := range lines {
		a, err := q.List[i].Read(line)
		if err != nil {
			return nil, fmt.Errorf("question %d: %w", i+1, err)
		}
		c.Answers = append(c.Answers, a)
	}
	return c, nil
}

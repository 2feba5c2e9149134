package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/term"

	"rein/app/tui/text"
	"rein/guard"
)

// single shows one request and reads its answer.
func (t *approvalTerminal) single(a *pendingRequest) {
	fmt.Fprintf(t.out, "\n%s\n", t.request("? ", a.Lines))
	answer := guard.Answer{Choice: guard.Denied, By: guard.ByPerson("")}
	err := t.listen([]*pendingRequest{a}, func(p terminalAnswers) (err error) {
		answer, err = p.answer(a)
		return err
	})
	if !errors.Is(err, errGone) {
		t.decide(a, answer, err)
	}
}

// request is a request as the terminal shows it, after a head.
func (t *approvalTerminal) request(head string, lines []string) string {
	text := head + t.lines(lines)
	if t.Words {
		text = withoutMarks(text, t.Own)
	}
	return text
}

// lines are those of a request, as they fit the screen.
func (t *approvalTerminal) lines(lines []string) string {
	width := 0
	if out, ok := t.out.(*os.File); ok {
		if columns, _, err := term.GetSize(int(out.Fd())); err == nil {
			width = columns
		}
	}
	return strings.Join(folded(lines, width), "\n")
}

func (a *pendingRequest) choices(own text.Words) string {
	if len(a.Scopes) == 0 {
		return own.Of("Run it? [y]es, [n]o, or [t]ell why not; then Enter: ")
	}
	return own.Of("Run it? [y]es, [a]lways …, [n]o, or [t]ell why not; then Enter: ")
}

// answer reads the answer to one request. Only a line that is one of the choices is an answer.
func (p terminalAnswers) answer(a *pendingRequest) (guard.Answer, error) {
	no := guard.Answer{Choice: guard.Denied, By: guard.ByPerson("")}
	if a.Case.Intent.Questions != nil {
		return p.answers(a)
	}
	for {
		line, err := p.line(a.choices(p.t.Own))
		if endOfInput(err) {
			return no, nil
		}
		if err != nil {
			return no, err
		}
		choice, words, _ := strings.Cut(line, " ")
		switch choice = strings.ToLower(choice); {
		case (choice == "y" || choice == "yes") && words == "":
			return guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")}, nil
		case (choice == "n" || choice == "no") && words == "":
			return no, nil
		case (choice == "a" || choice == "always") && words == "" && len(a.Scopes) > 0:
			return p.lasting(a)
		case choice == "t" || choice == "tell":
			return p.words(words)
		case line != "":
			fmt.Fprintln(p.t.out, " ", p.t.Own.Of("%q is not an answer. To tell the model something, write: t %s", oneLine(line, 40), oneLine(line, 40)))
		}
	}
}

// answers reads the answers to the questions of a call.
func (p terminalAnswers) answers(a *pendingRequest) (guard.Answer, error) {
	no := guard.Answer{Choice: guard.Denied, By: guard.ByPerson("")}
	q := a.Case.Intent.Questions
	var lines []string
	for i := 0; i < len(q.List); {
		line, err := p.line(p.questionLine(a, i))
		if endOfInput(err) {
			return no, nil
		}
		if err != nil {
			return no, err
		}
		if _, err := q.List[i].Read(line); err != nil {
			fmt.Fprintf(p.t.out, "  %v\n", err)
			continue
		}
		lines = append(lines, line)
		i++
	}
	chosen, err := q.Read(strings.Join(lines, "\n"))
	return guard.Answer{Choice: guard.Approved, By: guard.ByPerson(""), Chosen: chosen}, err
}

// questionLine is the line in which a question is answered.
func (p terminalAnswers) questionLine(a *pendingRequest, i int) string {
	all := a.Case.Intent.Questions.List
	own, one := p.t.Own, all[i]
	how := own.Of("Your words")
	if len(one.Choices) > 0 {
		how = own.Of("A number")
		if one.Several {
			how = own.Of("Numbers")
		}
		if one.Free {
			how += own.Of(", or your words")
		}
	}
	if len(all) > 1 {
		how = fmt.Sprintf("%d. %s", i+1, how)
	}
	if one.Given != nil {
		return how + own.Of(" (empty: as before; Ctrl-D: do not answer): ")
	}
	return how + own.Of(" (empty: no answer; Ctrl-D: do not answer): ")
}

// lasting asks how long an approval lasts. Whatever is no choice means no.
func (p terminalAnswers) lasting(a *pendingRequest) (guard.Answer, error) {
	for _, s := range a.Scopes {
		fmt.Fprintf(p.t.out, "  [%s] %s\n", scopeKeys[s.Scope], s.Text)
	}
	line, err := p.line(p.t.Own.Of("For how long? A letter, then Enter (anything else means no): "))
	if err != nil && !endOfInput(err) {
		return guard.Answer{Choice: guard.Denied, By: guard.ByPerson("")}, err
	}
	for _, s := range a.Scopes {
		if line == scopeKeys[s.Scope] {
			return guard.Answer{Choice: guard.Approved, By: guard.ByPerson(""), Scope: s.Scope}, nil
		}
	}
	fmt.Fprintln(p.t.out, p.t.Own.Of("no"))
	return guard.Answer{Choice: guard.Denied, By: guard.ByPerson("")}, nil
}

// scopeKeys are the letters of the scopes that a person can choose.
var scopeKeys = map[guard.Scope]string{guard.ForSession: "s", guard.ForProject: "p", guard.Always: "u"}

// words are what the model gets to read about a denial; they are asked for where they did not come with the answer.
func (p terminalAnswers) words(given string) (guard.Answer, error) {
	no := guard.Answer{Choice: guard.Denied, By: guard.ByPerson(""), Words: strings.TrimSpace(given)}
	if no.Words != "" {
		return no, nil
	}
	line, err := p.line(p.t.Own.Of("Not approved. Tell the model: "))
	if errors.Is(err, errGone) {
		return guard.Answer{}, err
	}
	no.Words = line
	return no, nil
}

package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/term"

	"rein/guard"
)

// single shows one request and reads its answer.
func (t *terminal) single(a *pending) {
	q := t.asked(a.c, a.v)
	fmt.Fprintf(t.out, "\n? %s\n", t.lines(q))
	answer := guard.Answer{Choice: guard.Denied, By: guard.ByUser}
	err := t.listen([]*pending{a}, func(p person) (err error) {
		answer, err = p.answer(q)
		return err
	})
	if !errors.Is(err, errGone) {
		t.decide(a, answer, err)
	}
}

// lines are those of a request, as they fit the screen.
func (t *terminal) lines(q question) string {
	width := 0
	if out, ok := t.out.(*os.File); ok {
		if columns, _, err := term.GetSize(int(out.Fd())); err == nil {
			width = columns
		}
	}
	return strings.Join(guard.Folded(q.lines, width), "\n")
}

func (q question) choices() string {
	if len(q.scopes) == 0 {
		return "Run it? [y]es, [n]o, or [t]ell why not; then Enter: "
	}
	return "Run it? [y]es, [a]lways …, [n]o, or [t]ell why not; then Enter: "
}

// answer reads the answer to one request. Only a line that is one of the choices is an answer.
func (p person) answer(q question) (guard.Answer, error) {
	no := guard.Answer{Choice: guard.Denied, By: guard.ByUser}
	for {
		line, err := p.line(q.choices())
		if endOfInput(err) {
			return no, nil
		}
		if err != nil {
			return no, err
		}
		choice, words, _ := strings.Cut(line, " ")
		switch choice = strings.ToLower(choice); {
		case (choice == "y" || choice == "yes") && words == "":
			return guard.Answer{Choice: guard.Approved, By: guard.ByUser}, nil
		case (choice == "n" || choice == "no") && words == "":
			return no, nil
		case (choice == "a" || choice == "always") && words == "" && len(q.scopes) > 0:
			return p.lasting(q)
		case choice == "t" || choice == "tell":
			return p.words(words)
		case line != "":
			fmt.Fprintf(p.t.out, "  %q is no answer. To tell the model something, write: t %s\n", oneLine(line, 40), oneLine(line, 40))
		}
	}
}

// lasting asks how long an approval lasts, and keeps it. Whatever is no choice means no.
func (p person) lasting(q question) (guard.Answer, error) {
	for _, s := range q.scopes {
		fmt.Fprintf(p.t.out, "  [%c] %s\n", s.key, s.name)
	}
	line, err := p.line("For how long? A letter, then Enter (anything else means no): ")
	if err != nil && !endOfInput(err) {
		return guard.Answer{Choice: guard.Denied, By: guard.ByUser}, err
	}
	for _, s := range q.scopes {
		if line != string(s.key) {
			continue
		}
		if err := s.keep(); err != nil {
			fmt.Fprintf(p.t.out, "it could not be kept (%v); approved for this once\n", err)
			return guard.Answer{Choice: guard.Approved, By: guard.ByUser}, nil
		}
		return guard.Answer{Choice: guard.Approved, By: guard.ByUser, Scope: s.last}, nil
	}
	fmt.Fprintln(p.t.out, "no")
	return guard.Answer{Choice: guard.Denied, By: guard.ByUser}, nil
}

// words are what the model gets to read about a denial; they are asked for where they did not come with the answer.
func (p person) words(given string) (guard.Answer, error) {
	no := guard.Answer{Choice: guard.Denied, By: "user", Words: strings.TrimSpace(given)}
	if no.Words != "" {
		return no, nil
	}
	line, err := p.line("Not approved. Tell the model: ")
	if errors.Is(err, errGone) {
		return guard.Answer{}, err
	}
	no.Words = line
	return no, nil
}

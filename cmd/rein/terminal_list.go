package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"rein/guard"
)

// entry is one question of a list: the same call may wait several times.
type entry struct {
	same []*pending
	q    question
}

// entries puts what asks for the same together.
func (t *terminal) entries(all []*pending) []entry {
	var list []entry
	at := map[string]int{}
	for _, a := range all {
		b := a.c.Binding()
		b.Call = ""
		key := fmt.Sprint(b.Hash(), a.c.Depth)
		if i, seen := at[key]; seen {
			list[i].same = append(list[i].same, a)
			continue
		}
		at[key] = len(list)
		list = append(list, entry{[]*pending{a}, t.asked(a.c, a.v)})
	}
	return list
}

// list puts questions that may be answered together: each whole, each with its number, and each decided by itself. more
// is how many wait beside them, which are asked one by one.
func (t *terminal) list(all []*pending, more int) {
	list := t.entries(all)
	for i, e := range list {
		number := fmt.Sprintf("%d of %d", i+1, len(list))
		if n := len(e.same); n > 1 {
			number += fmt.Sprintf(" · the same %d times", n)
		}
		fmt.Fprintf(t.out, "\n? %s · %s\n", number, t.lines(e.q))
	}
	if more > 0 {
		fmt.Fprintf(t.out, "\n  %d more: asked one by one after this\n", more)
	}
	var yes []entry
	var no []*pending
	_, err := t.listen(func(k keys) (guard.Answer, error) {
		var err error
		yes, no, err = t.chosen(k, list, all)
		return guard.Answer{}, err
	})
	if errors.Is(err, errGone) {
		return
	}
	if err != nil {
		yes, no = nil, all
	}
	for _, e := range yes {
		for _, a := range e.same {
			t.decide(a, guard.Answer{Choice: guard.Approved, By: "user"}, nil)
		}
	}
	for _, a := range no {
		t.decide(a, guard.Answer{Choice: guard.Denied, By: "user"}, err)
	}
}

// chosen reads which entries of a list are to run, and which questions are refused. What is in neither is asked again.
func (t *terminal) chosen(k keys, list []entry, all []*pending) (yes []entry, no []*pending, err error) {
	heard := time.Now().Add(deaf)
	prompt := "\r\nRun them? [y]es, all / [n]o, none / [o]ne by one / the numbers to run: "
	fmt.Fprint(t.out, prompt)
	for {
		key, err := t.pressed(k, heard, all...)
		if err != nil {
			return nil, nil, err
		}
		switch {
		case key == 'y' || key == 'Y':
			fmt.Fprint(t.out, "yes, all\r\n")
			return list, nil, nil
		case key == 'n' || key == 'N' || key == escape || key == ctrlD:
			fmt.Fprint(t.out, "no, none\r\n")
			return nil, all, nil
		case key == 'o' || key == 'O':
			fmt.Fprint(t.out, "one by one\r\n")
			for _, a := range all {
				a.alone = true
			}
			return nil, nil, nil
		case key >= '0' && key <= '9':
			yes, err := t.numbers(k, key, list, all)
			if err != nil || yes != nil {
				return yes, nil, err
			}
			fmt.Fprint(t.out, prompt)
		}
	}
}

// numbers reads the numbers of entries up to the end of the line; none where they are taken back or are no numbers.
func (t *terminal) numbers(k keys, first byte, list []entry, all []*pending) ([]entry, error) {
	line := t.edited(nil, first)
	for {
		key, err := t.pressed(k, time.Time{}, all...)
		switch {
		case err != nil:
			return nil, err
		case key == escape || key == ctrlD:
			return nil, nil
		case key != '\r' && key != '\n':
			line = t.edited(line, key)
			continue
		}
		yes, err := numbered(string(line), list)
		if err != nil {
			fmt.Fprintf(t.out, "\r\n  %v", err)
			return nil, nil
		}
		fmt.Fprint(t.out, "\r\n")
		return yes, nil
	}
}

// numbered gives the entries that a line of numbers names.
func numbered(line string, list []entry) (yes []entry, err error) {
	var taken []int
	for _, word := range strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == ',' }) {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > len(list) {
			return nil, fmt.Errorf("there is no number %s here", printable(word))
		}
		if !slices.Contains(taken, n) {
			taken = append(taken, n)
			yes = append(yes, list[n-1])
		}
	}
	return yes, nil
}

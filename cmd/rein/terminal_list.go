package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rein/guard"
)

// listEntry is one request of a list: the same call may wait several times.
type listEntry struct {
	same []*pendingRequest
}

// entries groups requests for the same call.
func (t *approvalTerminal) entries(all []*pendingRequest) []listEntry {
	var list []listEntry
	at := map[string]int{}
	for _, a := range all {
		b := a.Case.Binding()
		b.Call = ""
		key := fmt.Sprint(b.Hash(), a.Case.Depth)
		if i, seen := at[key]; seen {
			list[i].same = append(list[i].same, a)
			continue
		}
		at[key] = len(list)
		list = append(list, listEntry{[]*pendingRequest{a}})
	}
	return list
}

// list shows requests that may be answered together: each one whole, with its number. Each is decided separately. more is
// the number of other requests, which are shown one by one afterwards.
func (t *approvalTerminal) list(all []*pendingRequest, more int) {
	list := t.entries(all)
	for i, e := range list {
		number := t.Own.Of("%d of %d", i+1, len(list))
		if n := len(e.same); n > 1 {
			number += " · " + t.Own.Of("the same %d times", n)
		}
		fmt.Fprintf(t.out, "\n%s\n", t.request("? "+number+" · ", e.same[0].Lines))
	}
	fmt.Fprintln(t.out)
	if more > 0 {
		fmt.Fprintf(t.out, "  %s\n\n", t.Own.Of("%d more: asked one by one after this", more))
	}
	var yes []listEntry
	var no []*pendingRequest
	err := t.listen(all, func(p terminalAnswers) (err error) {
		yes, no, err = p.chosen(list, all)
		return err
	})
	if errors.Is(err, errGone) {
		return
	}
	if err != nil {
		yes, no = nil, all
	}
	for _, e := range yes {
		for _, a := range e.same {
			t.decide(a, guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")}, nil)
		}
	}
	for _, a := range no {
		t.decide(a, guard.Answer{Choice: guard.Denied, By: guard.ByPerson("")}, err)
	}
}

// chosen reads which entries of a list are to run, and which requests are denied. The terminal shows all others again.
func (p terminalAnswers) chosen(list []listEntry, all []*pendingRequest) (yes []listEntry, no []*pendingRequest, err error) {
	for {
		line, err := p.line(p.t.Own.Of("Run them? [y]es, [n]o, [o]ne by one, or the numbers to run; then Enter: "))
		if endOfInput(err) {
			return nil, all, nil
		}
		if err != nil {
			return nil, nil, err
		}
		switch strings.ToLower(line) {
		case "":
		case "y", "yes":
			return list, nil, nil
		case "n", "no":
			return nil, all, nil
		case "o", "one":
			for _, a := range all {
				a.alone = true
			}
			return nil, nil, nil
		default:
			yes, err := p.parseNumbers(line, list)
			if err == nil {
				return yes, nil, nil
			}
			fmt.Fprintf(p.t.out, "  %v\n", err)
		}
	}
}

// parseNumbers returns the entries that a line of numbers names.
func (p terminalAnswers) parseNumbers(line string, list []listEntry) (yes []listEntry, err error) {
	var taken []int
	for _, word := range strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == ',' }) {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > len(list) {
			return nil, errors.New(p.t.Own.Of("%q is neither an answer nor a number from 1 to %d", oneLine(word, 40), len(list)))
		}
		if !slices.Contains(taken, n) {
			taken = append(taken, n)
			yes = append(yes, list[n-1])
		}
	}
	return yes, nil
}

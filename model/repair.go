package model

import (
	"fmt"
	"slices"
)

// Texts that replace what a broken history lacks. The model reads them.
const (
	lostResult = "No result of this call was recorded: the session was interrupted. It may have run or not; look before you call it again."
	goOn       = "Go on."
)

// Repair returns the history as providers accept it (see Check), and what it changed. A history that is right comes
// back as it is, and nothing is ever taken from a message that could be sent: a call without a result gets one that
// reports this, results of no call are dropped. Keep what it returns: messages that it had to make again are encoded again.
func Repair(messages []*Message) (legal []*Message, notes []string) {
	if Check(messages) == nil {
		return messages, nil
	}
	var f repairing
	for i, m := range messages {
		switch {
		case empty(m):
			f.note("message %d was empty and is left out", i)
		case m.Role == Results:
			if i >= f.answered {
				f.note("message %d held results of no call and is left out", i)
			}
		case m.Role == Assistant:
			f.assistant(i, m, messages[i+1:])
		case m.Role != User:
			f.note("message %d had the unknown role %q and is sent as the user's", i, m.Role)
			f.out = append(f.out, UserParts(m.Parts...))
		default:
			f.out = append(f.out, m)
		}
	}
	if n := len(f.out); n == 0 || f.out[n-1].Role == Assistant {
		f.note("the last message was not the user's, so %q is added", goOn)
		f.out = append(f.out, UserText(goOn))
	}
	return f.out, f.notes
}

type repairing struct {
	out      []*Message
	notes    []string
	answered int // results before this position have been dealt with
}

func (f *repairing) note(format string, args ...any) {
	f.notes = append(f.notes, fmt.Sprintf(format, args...))
}

// assistant takes over an assistant's message with the results that come before the next one: its answer is put directly
// after it, and the messages of the user in between after that.
func (f *repairing) assistant(at int, m *Message, after []*Message) {
	if len(f.out) == 0 {
		f.note("message %d was the first but not the user's, so %q is put before it", at, goOn)
		f.out = append(f.out, UserText(goOn))
	}
	var found []*Message
	f.answered = at + 1
	for _, next := range after {
		if next != nil && next.Role == Assistant {
			break
		}
		if next != nil && next.Role == Results {
			found = append(found, next)
		}
		f.answered++
	}
	if len(found) == 1 && repeated(m) < 0 && hasCalls(m) && checkAnswer(m, found[0]) == nil {
		f.out = append(f.out, m, found[0])
		return
	}
	m = f.distinct(at, m)
	f.out = append(f.out, m)
	if parts := f.match(at, m, found); len(parts) > 0 {
		f.out = append(f.out, Answer(m, parts...))
	}
}

// match returns one result for each call of m, in order, each followed by its images and documents.
func (f *repairing) match(at int, m *Message, found []*Message) []Part {
	var results, parts []Part
	for _, r := range found {
		results = append(results, r.Parts...)
	}
	taken := make([]bool, len(results))
	for _, call := range m.Calls() {
		i := slices.IndexFunc(results, func(p Part) bool { return p.Kind == ResultKind && p.ID == call.ID })
		if i < 0 {
			f.note("the call %s of message %d had no result, so it gets one that reports this", call.ID, at)
			parts = append(parts, Result(call.ID, lostResult, true))
			continue
		}
		for j, p := range results {
			if j == i || p.Attachment() && p.ID == call.ID {
				parts, taken[j] = append(parts, p), true
			}
		}
	}
	if n := len(results) - count(taken); n > 0 {
		f.note("results after message %[2]d that belong to no call are left out: %[1]d", n, at)
	}
	return parts
}

// distinct returns m with an id of its own for each call. What the provider sent raw holds the wrong ids then, so it goes.
func (f *repairing) distinct(at int, m *Message) *Message {
	i := repeated(m)
	if i < 0 {
		return m
	}
	f.note("calls of message %d had the same id, so each gets its own", at)
	m = &Message{Role: m.Role, Parts: slices.Clone(m.Parts)}
	for ; i >= 0; i = repeated(m) {
		m.Parts[i].ID, m.Parts[i].ProviderID = NewID(), ""
	}
	return m
}

func count(set []bool) (n int) {
	for _, b := range set {
		if b {
			n++
		}
	}
	return n
}

package model

import (
	"fmt"
	"slices"
)

// Check returns the first rule that the history breaks, or nil. The rules are what all providers together demand:
//   - the first and the last message are not the assistant's;
//   - no message is empty, and a text alone is not empty;
//   - after an assistant's message with calls comes one Results message with exactly one result for each, in their order,
//     and Results messages are nowhere else;
//   - no two calls of a message have the same ID;
//   - a Results message is From the model that made the calls.
func Check(messages []*Message) error {
	if len(messages) == 0 {
		return fmt.Errorf("there is no message")
	}
	for i, m := range messages {
		var before *Message
		if i > 0 {
			before = messages[i-1]
		}
		if err := checkNext(before, m); err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
	}
	last := messages[len(messages)-1]
	if last.Role == Assistant {
		return fmt.Errorf("the last message is the assistant's")
	}
	return nil
}

// checkNext checks a message against the one before it; before is nil for the first.
func checkNext(before, m *Message) error {
	if empty(m) {
		return fmt.Errorf("it is empty")
	}
	asked := before != nil && hasCalls(before)
	switch m.Role {
	case Results:
		if !asked {
			return fmt.Errorf("results without calls before them")
		}
		return checkAnswer(before, m)
	case Assistant:
		if before == nil {
			return fmt.Errorf("the first message is the assistant's")
		}
		if i := repeated(m); i >= 0 {
			return fmt.Errorf("two calls have the id %s", m.Parts[i].ID)
		}
	case User:
	default:
		return fmt.Errorf("unknown role %q", m.Role)
	}
	if asked {
		return fmt.Errorf("the calls before it have no results")
	}
	return nil
}

// checkAnswer checks that results answer the calls of asked one by one, in order.
func checkAnswer(asked, answer *Message) error {
	if answer.From != asked.From {
		return fmt.Errorf("results for %q, but %q asked", answer.From, asked.From)
	}
	at := 0
	for _, p := range answer.Parts {
		switch p.Kind {
		case ResultKind:
			for at < len(asked.Parts) && asked.Parts[at].Kind != CallKind {
				at++
			}
			if at == len(asked.Parts) || asked.Parts[at].ID != p.ID {
				return fmt.Errorf("the result %s answers no call, or not in order", p.ID)
			}
			at++
		case ImageKind, DocumentKind:
			if !slices.ContainsFunc(answer.Parts, func(r Part) bool { return r.Kind == ResultKind && r.ID == p.ID }) {
				return fmt.Errorf("the %s %s belongs to no result", p.Kind, p.ID)
			}
		default:
			return fmt.Errorf("a %s among results", p.Kind)
		}
	}
	for ; at < len(asked.Parts); at++ {
		if asked.Parts[at].Kind == CallKind {
			return fmt.Errorf("the call %s has no result", asked.Parts[at].ID)
		}
	}
	return nil
}

// empty reports whether a message has nothing that a provider would accept: thinking alone is nothing.
func empty(m *Message) bool {
	return m == nil || !slices.ContainsFunc(m.Parts, func(p Part) bool {
		switch p.Kind {
		case TextKind:
			return p.Text != ""
		case CallKind:
			return m.Role == Assistant
		case ResultKind, ImageKind, DocumentKind:
			return m.Role != Assistant
		}
		return false
	})
}

func hasCalls(m *Message) bool {
	for i := range m.Parts {
		if m.Parts[i].Kind == CallKind {
			return m.Role == Assistant
		}
	}
	return false
}

// repeated returns the position of the first call whose ID a call before it has too, or is empty; else -1.
func repeated(m *Message) int {
	for i := range m.Parts {
		if m.Parts[i].Kind != CallKind {
			continue
		}
		if m.Parts[i].ID == "" {
			return i
		}
		for j := range i {
			if m.Parts[j].Kind == CallKind && m.Parts[j].ID == m.Parts[i].ID {
				return i
			}
		}
	}
	return -1
}

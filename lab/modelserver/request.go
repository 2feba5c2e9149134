package modelserver

import (
	"encoding/json"
	"fmt"
	"strings"

	"rein/kit/script"
)

// request is what all protocols have in common.
type request struct {
	entries []entry
	stream  bool
	named   bool // calls are found by name and order, not by id
}

// entry is one message or result of the conversation.
type entry struct {
	role    string // user, assistant, result
	text    string
	failed  bool
	calls   []called
	answers string // the id of the call (its name, for a protocol without ids)
	thought string // what proves the thinking of an assistant's message
}

type called struct{ id, name, args string }

// legal returns how the history breaks the rules that providers have.
func (r request) legal() error {
	if len(r.entries) == 0 {
		return refuse("there is no message")
	}
	if r.entries[0].role != "user" {
		return refuse("the first message must be the user's, not %s", r.entries[0].role)
	}
	if last := r.entries[len(r.entries)-1]; last.role == "assistant" {
		return refuse("the last message is the assistant's")
	}
	var open []called
	for i, s := range r.entries {
		switch {
		case s.role == "result" && len(open) == 0:
			return refuse("message %d: a result for %q without a call before it", i, s.answers)
		case s.role == "result" && s.answers != r.key(open[0]):
			return refuse("message %d: a result for %q where one for %q belongs", i, s.answers, r.key(open[0]))
		case s.role == "result":
			open = open[1:]
		case len(open) > 0 && !(s.role == "assistant" && r.entries[i-1].role == "assistant"):
			return refuse("message %d: the calls before it have no result: %v", i, open)
		case s.text == "" && len(s.calls) == 0 && s.thought == "":
			return refuse("message %d of %s is empty", i, s.role)
		}
		for _, c := range s.calls {
			if err := r.legalCall(c, open); err != nil {
				return err
			}
			open = append(open, c)
		}
	}
	if len(open) > 0 {
		return refuse("calls without a result: %v", open)
	}
	return nil
}

func (r request) key(c called) string {
	if r.named {
		return c.name
	}
	return c.id
}

func (r request) legalCall(c called, before []called) error {
	var args map[string]any
	if json.Unmarshal([]byte(c.args), &args) != nil {
		return refuse("the arguments of %s are not an object: %.100s", c.name, c.args)
	}
	if c.name == "" || strings.Trim(c.name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" || len(c.name) > 64 {
		return refuse("%q is not the name of a tool", c.name)
	}
	if r.named {
		return nil
	}
	if c.id == "" {
		return refuse("the call of %s has no id", c.name)
	}
	for _, b := range before {
		if b.id == c.id {
			return refuse("two calls have the id %s", c.id)
		}
	}
	return nil
}

// asked returns what the script needs to know. Messages of the assistant in a row are one answer.
func (r request) asked() script.Asked {
	a := script.Asked{First: r.entries[0].text}
	for i, s := range r.entries {
		switch s.role {
		case "assistant":
			if r.entries[i-1].role != "assistant" {
				a.Turn++
			}
			a.Heard = nil
		default:
			a.Heard = append(a.Heard, script.Heard{Text: s.text, Failed: s.failed})
		}
	}
	return a
}

// remembers checks that what the script's earlier turns thought came back unchanged.
func (r request) remembers(s *script.Script, now script.Asked) error {
	proofs := make([]string, 0, now.Turn)
	for i, e := range r.entries {
		if e.role != "assistant" {
			continue
		}
		if r.entries[i-1].role != "assistant" {
			proofs = append(proofs, "")
		}
		proofs[len(proofs)-1] += e.thought
	}
	for i, proof := range proofs {
		turn, _ := s.Find(script.Asked{First: now.First, Turn: i})
		if turn == nil || turn.Think == "" || len(turn.Calls) == 0 && turn.Text == "" {
			continue
		}
		if want := prove(i); proof != want {
			return refuse("the thinking of turn %d did not come back: %q, want %q", i+1, proof, want)
		}
	}
	return nil
}

// prove returns the signature of the thinking of a turn. It is base64, as some providers demand.
func prove(turn int) string { return fmt.Sprintf("proof%04d+/==", turn) }

// answer is the turn to send.
type answer struct {
	turn   *script.Turn
	at     int
	script *script.Script
	stream bool
}

// id returns the id of a call.
func (a answer) id(i int, q Quirks, prefix string) string {
	switch {
	case q["no-ids"]:
		return ""
	case q["same-ids"]:
		return "call_0"
	case a.turn.Calls[i].ID != "":
		return a.turn.Calls[i].ID
	}
	return fmt.Sprintf("%s%d_%d", prefix, a.at, i)
}

// args returns the arguments of a call; none are an empty text.
func (a answer) args(i int) string { return string(a.turn.Calls[i].Args) }

// object returns the arguments of a call for protocols that have objects and no text.
func (a answer) object(i int) json.RawMessage {
	if args := a.args(i); json.Valid([]byte(args)) {
		return json.RawMessage(args)
	}
	return json.RawMessage("{}")
}

// text returns a JSON string, or nothing.
func text(raw json.RawMessage) (s string) {
	_ = json.Unmarshal(raw, &s)
	return s
}

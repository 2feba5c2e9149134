package api

import (
	"slices"

	"rein/event"
)

// Roots returns the sessions that have requests in one of the lists.
func Roots(lists ...[]Request) (all []string) {
	for _, r := range slices.Concat(lists...) {
		if !slices.Contains(all, r.Root) {
			all = append(all, r.Root)
		}
	}
	return all
}

// AnsweredMessage tells clients what became of a request.
type AnsweredMessage struct {
	Session string        `json:"session"`
	Root    string        `json:"root"` // as in Request
	Call    string        `json:"call"`
	Answer  *event.Answer `json:"answer,omitempty"`
	Void    event.Reason  `json:"void,omitempty"`
	By      string        `json:"by,omitempty"` // who changed the call, where that is why it is void
	Text    string        `json:"text,omitempty"`
}

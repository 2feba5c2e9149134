package api

import (
	"slices"

	"rein/event"
	"rein/guard"
	"rein/harness/inbox"
)

// HighRisk reports whether a request must be answered separately. A severity that is not known counts as high.
func HighRisk(r inbox.Request) bool {
	return r.Intent.Questions != nil || !slices.Contains([]string{"", guard.None.String(), guard.Low.String()}, r.Verdict.Severity)
}

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
	Call    string        `json:"call"`
	Answer  *event.Answer `json:"answer,omitempty"`
	Void    event.Reason  `json:"void,omitempty"`
	Text    string        `json:"text,omitempty"`
}

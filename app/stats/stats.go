// Package stats counts what the journals of sessions hold: requests, calls, approvals, and how a reviewer fared.
package stats

import (
	"slices"
	"strings"

	"rein/event"
)

// Stats are the counts of some sessions.
type Stats struct {
	Sessions  int            `json:"sessions"`
	Messages  int            `json:"messages"`  // of users
	Requests  int            `json:"requests"`  // to models
	Usage     event.Usage    `json:"usage"`     // of the requests
	Missed    map[string]int `json:"missed"`    // requests that were not in the provider's cache, by the reason
	Calls     map[string]int `json:"calls"`     // by tool
	FailedBy  map[string]int `json:"failed_by"` // calls whose result is a failure, by tool
	DeniedBy  map[string]int `json:"denied_by"` // by the guards or a person, by tool; they are failures too
	Agents    map[string]int `json:"agents"`    // sub-agents that were started, by their kind
	Failed    int            `json:"failed"`    // calls whose result is a failure
	Denied    int            `json:"denied"`    // by the guards
	Asked     int            `json:"asked"`     // calls that needed an approval
	Approvals map[string]int `json:"approvals"` // by who approved: user, rule, hook, reviewer
	Refusals  map[string]int `json:"refusals"`  // by who denied
	Hooks     map[string]int `json:"hooks"`     // by decision: deny, ask, allow, failed, other
	Review    Review         `json:"review"`
}

// Review counts what reviewers did in the mode auto.
type Review struct {
	Approved    int         `json:"approved"`
	Left        int         `json:"left"` // to the person
	Unavailable int         `json:"unavailable"`
	Overruled   int         `json:"overruled"` // the reviewer left a call to the person, who approved it
	Undone      int         `json:"undone"`    // the reviewer approved a call, and the user undid it
	Usage       event.Usage `json:"usage"`
}

// Counter counts the events of one session after the other.
type Counter struct {
	Stats
	verdicts map[string]string // of reviews, by call
	seen     map[string]bool   // calls that were counted as asked
	names    map[string]string // of tools, by call
	refused  map[string]bool   // calls that somebody denied
}

// Begin begins the next session.
func (c *Counter) Begin() {
	c.Sessions++
	c.verdicts, c.seen, c.names, c.refused = map[string]string{}, map[string]bool{}, map[string]string{}, map[string]bool{}
	if c.Calls == nil {
		c.Missed, c.Calls, c.Approvals, c.Refusals, c.Hooks = map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
		c.FailedBy, c.DeniedBy, c.Agents = map[string]int{}, map[string]int{}, map[string]int{}
	}
}

// See counts the next event of the session.
func (c *Counter) See(e event.Event) {
	switch e.Kind {
	case event.Prompted:
		if e.Parent == "" {
			c.Messages++
		}
	case event.Requested:
		c.Requests++
	case event.Responded, event.Compacted:
		if e.Usage != nil {
			c.Usage = c.Usage.Plus(*e.Usage)
		}
		if e.Request != nil && e.Request.CacheMiss != "" {
			reason, _, _ := strings.Cut(e.Request.CacheMiss, ":")
			c.Missed[reason]++
		}
	case event.Hooked:
		c.hook(e.Hook)
	case event.SubAgentStarted:
		if e.SubAgent != nil {
			c.Agents[e.SubAgent.Agent]++
		}
	case event.FilesUndone:
		c.undone(e.Files)
	default:
		if e.Call != nil {
			c.call(e)
		}
	}
}

func (c *Counter) call(e event.Event) {
	switch e.Kind {
	case event.Called:
		c.Calls[e.Call.Name]++
		c.names[e.Call.ID] = e.Call.Name
	case event.ApprovalRequested:
		if !c.seen[e.Call.ID] {
			c.seen[e.Call.ID] = true
			c.Asked++
		}
	case event.Reviewed:
		c.review(e)
	case event.Granted:
		if e.Answer != nil {
			by := who(e.Answer.By)
			c.Approvals[by]++
			if by == "user" && c.verdicts[e.Call.ID] == "left" {
				c.Review.Overruled++
			}
		}
	case event.Refused:
		if e.Answer != nil {
			c.Refusals[who(e.Answer.By)]++
		}
		c.refused[e.Call.ID] = true
	case event.Replied:
		if e.Result != nil && e.Result.Failed {
			denied := e.Verdict != nil && e.Verdict.Decision == "deny"
			c.Failed++
			c.FailedBy[c.names[e.Call.ID]]++
			if denied {
				c.Denied++
			}
			if denied || c.refused[e.Call.ID] {
				c.DeniedBy[c.names[e.Call.ID]]++
			}
		}
	}
}

func (c *Counter) review(e event.Event) {
	if e.Review == nil {
		return
	}
	c.verdicts[e.Call.ID] = e.Review.Verdict
	switch e.Review.Verdict {
	case "approved":
		c.Review.Approved++
	case "left":
		c.Review.Left++
	default:
		c.Review.Unavailable++
	}
	if e.Usage != nil {
		c.Review.Usage = c.Review.Usage.Plus(*e.Usage)
	}
}

func (c *Counter) hook(h *event.Hook) {
	switch {
	case h == nil:
	case h.Error != "":
		c.Hooks["failed"]++
	case h.Decision != "":
		c.Hooks[h.Decision]++
	default:
		c.Hooks["other"]++
	}
}

// undone counts the calls that a reviewer approved and the user took back, each once.
func (c *Counter) undone(f *event.Files) {
	if f == nil || f.Redo {
		return
	}
	for call, verdict := range c.verdicts {
		if verdict == "approved" && slices.Contains(f.Steps, call) {
			c.Review.Undone++
			c.verdicts[call] = "undone"
		}
	}
}

// who is the kind of the one who answered: the first word of Answer.By.
func who(by string) string {
	kind, _, _ := strings.Cut(by, " ")
	switch kind {
	case "user", "rule", "hook", "reviewer", "nobody":
		return kind
	}
	return "other"
}

// Package stats counts what the journals of sessions hold: requests, calls, approvals, and how a reviewer fared.
package stats

import (
	"slices"
	"strings"
	"time"

	"rein/event"
)

// Stats are the counts of some sessions.
type Stats struct {
	Sessions  int            `json:"sessions"`
	Messages  int            `json:"messages"`  // of users
	Requests  int            `json:"requests"`  // to models
	Usage     event.Usage    `json:"usage"`     // of the requests
	Missed    map[string]int `json:"missed"`    // requests that were not in the provider's cache, by the reason
	Failed    int            `json:"failed"`    // calls whose result is a failure
	Denied    int            `json:"denied"`    // by the guards
	Asked     int            `json:"asked"`     // calls that needed an approval
	Approvals map[string]int `json:"approvals"` // by who approved: user, rule, hook, reviewer
	Refusals  map[string]int `json:"refusals"`  // by who denied
	Hooks     map[string]int `json:"hooks"`     // by decision: deny, ask, allow, failed, other
	Review    Review         `json:"review"`

	Tools    map[string]Row `json:"tools"`    // without what requests used
	Models   map[string]Row `json:"models"`   // the calls are those that the model asked for
	Agents   map[string]Row `json:"agents"`   // "rein" is the agent that the user talks to
	Projects map[string]Row `json:"projects"` // by the directory of the workspace
	Days     map[string]Row `json:"days"`     // 2026-11-22, in UTC
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
	kinds map[string]string // of sub-agents, by their sessions

	verdicts map[string]string    // of reviews, by call
	asked    map[string]time.Time // calls that were counted as asked, and since when they wait
	names    map[string]string    // of tools, by call
	refused  map[string]bool      // calls that somebody denied
	rowNames                      // of the session
}

// Begin begins the next session.
func (c *Counter) Begin() {
	c.Sessions++
	c.verdicts, c.asked, c.names, c.refused = map[string]string{}, map[string]time.Time{}, map[string]string{}, map[string]bool{}
	c.rowNames = rowNames{}
	if c.Missed == nil {
		c.Missed, c.Approvals, c.Refusals, c.Hooks = map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
		c.Tools, c.Models, c.Agents, c.Projects, c.Days = map[string]Row{}, map[string]Row{}, map[string]Row{}, map[string]Row{}, map[string]Row{}
		c.kinds = map[string]string{}
	}
}

// See counts the next event of the session.
func (c *Counter) See(e event.Event) {
	c.name(e)
	switch e.Kind {
	case event.Started, event.Changed:
		c.started(e)
	case event.Prompted:
		if e.Parent == "" {
			c.Messages++
		}
	case event.Requested:
		c.Requests++
		if e.Request != nil {
			c.model = e.Request.Model
		}
		c.count("", func(r *Row) { r.Requests++ })
	case event.Responded, event.Compacted:
		if e.Usage != nil {
			c.Usage = c.Usage.Plus(*e.Usage)
		}
		c.count("", func(r *Row) { r.used(e) })
		if e.Request != nil && e.Request.CacheMiss != "" {
			reason, _, _ := strings.Cut(e.Request.CacheMiss, ":")
			c.Missed[reason]++
		}
	case event.Hooked:
		c.hook(e.Hook)
	case event.SubAgentStarted:
		if e.SubAgent != nil {
			c.kind(e.Child, e.SubAgent.Agent)
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
		if _, again := c.names[e.Call.ID]; !again { // the user may change its arguments
			c.names[e.Call.ID] = e.Call.Name
			c.count(e.Call.Name, func(r *Row) { r.Calls++ })
		}
	case event.ApprovalRequested:
		if _, again := c.asked[e.Call.ID]; !again {
			c.Asked++
			c.count(e.Call.Name, func(r *Row) { r.Asked++ })
		}
		c.asked[e.Call.ID] = e.Time
	case event.Reviewed:
		c.review(e)
	case event.ApprovalVoid:
		c.waited(e)
	case event.Granted:
		c.waited(e)
		if e.Answer != nil {
			by := who(e.Answer.By)
			c.Approvals[by]++
			if by == "user" && c.verdicts[e.Call.ID] == "left" {
				c.Review.Overruled++
			}
		}
	case event.Refused:
		c.waited(e)
		if e.Answer != nil {
			c.Refusals[who(e.Answer.By)]++
		}
		c.refused[e.Call.ID] = true
	case event.Replied:
		c.replied(e)
	}
}

func (c *Counter) replied(e event.Event) {
	if e.Result == nil {
		return
	}
	guarded := e.Verdict != nil && e.Verdict.Decision == "deny"
	denied := e.Result.Failed && (guarded || c.refused[e.Call.ID])
	if e.Result.Failed {
		c.Failed++
	}
	if e.Result.Failed && guarded {
		c.Denied++
	}
	c.count(c.names[e.Call.ID], func(r *Row) {
		r.Ran += e.Result.Duration
		r.Failed += one(e.Result.Failed)
		r.Denied += one(denied)
	})
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

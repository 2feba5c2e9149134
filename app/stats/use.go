package stats

import (
	"slices"
	"strings"
	"time"

	"rein/event"
)

// Use is what one session used.
type Use struct {
	Total    Spent     `json:"total"`
	Messages []Spent   `json:"messages"` // of the user, in order; what came before the first one is not in it
	Models   []Spent   `json:"models"`   // by model, which is their Text; only requests of the session itself
	Tools    []ToolUse `json:"tools"`    // by name

	called  map[string]bool      // one that continues, or that the user changed, is recorded again
	granted map[string]time.Time // by call
}

// Spent is what the requests for one message of the user, or for all of them, used. What sub-agents used is in it.
type Spent struct {
	Seq      int64         `json:"seq,omitempty"`  // the number of the message
	Text     string        `json:"text,omitempty"` // its first line, or the name of the model
	Requests int           `json:"requests"`       // of the session itself
	Usage    event.Usage   `json:"usage"`
	Model    time.Duration `json:"model_ns"`         // the time in which the model answered
	Missed   []string      `json:"missed,omitempty"` // why requests were not in the provider's cache
}

// ToolUse is what the calls of one tool took.
type ToolUse struct {
	Name   string        `json:"name"`
	Calls  int           `json:"calls"`
	Failed int           `json:"failed"`
	Time   time.Duration `json:"time_ns"` // from the permission to the result
	Bytes  int64         `json:"bytes"`   // of text into the conversation
}

// See takes the next event of the session.
func (u *Use) See(e event.Event) {
	switch e.Kind {
	case event.Prompted:
		text, _, _ := strings.Cut(e.Text, "\n")
		u.Messages = append(u.Messages, Spent{Seq: e.Seq, Text: text})
	case event.Responded:
		if e.Request != nil {
			m := u.model(e.Request.Model)
			m.Requests++
			m.see(e)
		}
	case event.Called:
		if u.called == nil {
			u.called = map[string]bool{}
		}
		if !u.called[e.Call.ID] {
			u.called[e.Call.ID] = true
			u.tool(e.Call.Name).Calls++
		}
	case event.Granted:
		if u.granted == nil {
			u.granted = map[string]time.Time{}
		}
		u.granted[e.Call.ID] = e.Time
	case event.Replied:
		u.replied(e)
	}
	u.Total.see(e)
	if n := len(u.Messages); n > 0 {
		u.Messages[n-1].see(e)
	}
}

func (u *Use) replied(e event.Event) {
	if e.Call == nil || e.Result == nil {
		return
	}
	t := u.tool(e.Call.Name)
	if began, known := u.granted[e.Call.ID]; known {
		t.Time += e.Time.Sub(began)
	}
	t.Bytes += int64(len(e.Result.Text))
	if e.Result.Failed {
		t.Failed++
	}
}

// model returns the entry of a model.
func (u *Use) model(name string) *Spent {
	i, known := slices.BinarySearchFunc(u.Models, name, func(s Spent, name string) int { return strings.Compare(s.Text, name) })
	if !known {
		u.Models = slices.Insert(u.Models, i, Spent{Text: name})
	}
	return &u.Models[i]
}

// tool returns the entry of a tool.
func (u *Use) tool(name string) *ToolUse {
	i, known := slices.BinarySearchFunc(u.Tools, name, func(t ToolUse, name string) int { return strings.Compare(t.Name, name) })
	if !known {
		u.Tools = slices.Insert(u.Tools, i, ToolUse{Name: name})
	}
	return &u.Tools[i]
}

func (s *Spent) see(e event.Event) {
	switch e.Kind {
	case event.Requested:
		s.Requests++
	case event.Responded, event.Compacted, event.Reviewed, event.Audit, event.SubAgentStopped:
		if e.Usage != nil {
			s.Usage = s.Usage.Plus(*e.Usage)
		}
	}
	if r := e.Request; r != nil && e.Kind == event.Responded {
		s.Model += r.Duration
		if r.CacheMiss != "" {
			s.Missed = append(s.Missed, r.CacheMiss)
		}
	}
}

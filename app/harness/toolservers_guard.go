package harness

import (
	"context"
	"strings"

	"rein/guard"
	"rein/tool"
)

// question is what was asked about a call's tool.
type question struct{ tool, hash string }

// mostAsked bounds the questions that are remembered: a call that was never answered leaves one behind.
const mostAsked = 1000

// Judge asks before a tool is called whose definition changed since it was pinned, or whose description looks as if it were
// meant to steer the model. No rule approves that: only a person does, who sees what changed.
func (s *ToolServers) Judge(_ context.Context, c guard.Case) guard.Verdict {
	server := s.Of(c.Call.Name)
	if server == nil {
		return guard.Verdict{}
	}
	text, hash := server.Question(c.Call.Name)
	if text == "" {
		return guard.Verdict{}
	}
	s.mu.Lock()
	if len(s.asked) >= mostAsked {
		clear(s.asked)
	}
	s.asked[c.Call.ID] = question{c.Call.Name, hash}
	s.mu.Unlock()
	reason, details, _ := strings.Cut(text, "\n")
	v := guard.Verdict{Decision: guard.Ask, Severity: guard.High, PersonOnly: true, Guard: "tool server", Rules: []string{guard.ChangedDefinition},
		Reason: "the tool " + c.Call.Name + ": " + strings.TrimSuffix(reason, ":"), Hint: "Use another tool, or tell the user."}
	if details != "" {
		v.Effects = strings.Split(details, "\n")
	}
	return v
}

// Granted takes what was asked as the tool's definition from now on.
func (s *ToolServers) Granted(c guard.Case, a guard.Answer) {
	s.mu.Lock()
	q, ok := s.asked[c.Call.ID]
	delete(s.asked, c.Call.ID)
	s.mu.Unlock()
	if server := s.Of(c.Call.Name); ok && server != nil && q.tool == c.Call.Name && a.ByPerson() {
		if err := server.Approve(q.tool, q.hash); err != nil {
			s.log(server.Name(), "the approval of the new definition cannot be kept: "+err.Error())
		}
	}
}

// Refused forgets the question.
func (s *ToolServers) Refused(c guard.Case, _ guard.Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.asked, c.Call.ID)
}

// Prompted does nothing.
func (*ToolServers) Prompted(string) {}

// Ran does nothing.
func (*ToolServers) Ran(guard.Case, tool.Result) string { return "" }

package extend

import (
	"context"
	"encoding/json"
	"strings"

	"rein/guard"
	"rein/tool"
)

// Guard judges the calls that load skills, and those that come after. A skill with a critical finding needs an approval by a
// person. While a skill with allowed-tools is at work, calls that do more than read and that it does not list, those of sub-agents
// too, need an approval; until the user's next message. It never allows anything: guards only raise.
type SkillGuard struct {
	Catalog *Skills
	Covers  func(rules []string, c guard.Case) bool // whether rules such as "bash(git:*)" cover a call
}

var _ guard.Observer = SkillGuard{}

// Judge judges one call.
func (g SkillGuard) Judge(_ context.Context, c guard.Case) guard.Verdict {
	if c.Call.Name == SkillTool {
		s := g.named(c)
		if s == nil {
			return guard.Verdict{}
		}
		if why := s.worst(severityCritical); why != "" {
			return guard.Verdict{Decision: guard.Ask, Severity: guard.Critical, Guard: "skills", Rules: []string{"skill.scan"}, PersonOnly: true,
				Reason: "the skill " + s.Name + " has a " + why, Hint: "Continue without the skill: it may be malicious."}
		}
		return guard.Verdict{}
	}
	s := g.Catalog.atWork()
	if s == nil || c.Effect&^tool.Reads == 0 || g.Covers(s.Allowed, c) {
		return guard.Verdict{}
	}
	return guard.Verdict{Decision: guard.Ask, Severity: guard.Low, Guard: "skills", Rules: []string{"skill.allowed-tools"},
		Reason: "the skill " + s.Name + " works with " + strings.Join(s.Allowed, ", ") + " only"}
}

// Prompted ends what a skill narrowed, unless the message itself came from one.
func (g SkillGuard) Prompted(string) { g.Catalog.prompted() }

// Granted sees approvals; they mean nothing here.
func (SkillGuard) Granted(guard.Case, guard.Answer) {}

// Refused sees denials; they mean nothing here.
func (SkillGuard) Refused(guard.Case, guard.Answer) {}

// Ran sees results: a skill that was loaded is at work.
func (g SkillGuard) Ran(c guard.Case, r tool.Result) (note string) {
	if s := g.named(c); s != nil && !r.Failed && !s.Fork && c.SubAgent == "" {
		g.Catalog.begin(s)
	}
	return ""
}

// named returns the skill that a call loads; nil: none.
func (g SkillGuard) named(c guard.Case) *Skill {
	var in loadArgs
	if c.Call.Name != SkillTool || json.Unmarshal(c.Call.Args, &in) != nil || in.Name == "" {
		return nil
	}
	return g.Catalog.Get(strings.TrimPrefix(in.Name, "/"))
}

// atWork returns the skill whose allowed-tools hold; nil: none.
func (c *Skills) atWork() *Skill {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.current
}

// begin notes that a skill was loaded: by the model, or for the user's next message.
func (c *Skills) begin(s *Skill) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case s.Allowed == nil:
	case c.byUser[s.Name] > 0:
		c.next = s
	default:
		c.current = s
	}
}

func (c *Skills) prompted() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.current, c.next = c.next, nil
}

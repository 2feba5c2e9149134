package extend

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"rein/tool"
)

// SkillTool is the name of the tool that loads skills.
const SkillTool = "skill"

type loadArgs struct {
	Name      string `json:"name,omitempty" jsonschema:"name of the skill to load"`
	Arguments string `json:"arguments,omitempty" jsonschema:"what the skill is to work on, if it takes arguments"`
	Search    string `json:"search,omitempty" jsonschema:"words: list the skills that have them in their name or description"`
}

func (loadArgs) Intent() tool.Intent { return tool.Intent{} }

// Tool returns the tool that loads skills. The commands in their texts, and their sub-agents, are calls of their own.
func (c *Skills) Tool() *tool.Tool {
	t := tool.New(SkillTool, "Load a skill: instructions for one kind of task. Send its name, or search for one.", 0,
		func(ctx context.Context, in loadArgs, r *tool.Reply) error {
			if in.Name == "" {
				return c.list(in.Search, r)
			}
			s := c.Get(strings.TrimPrefix(in.Name, "/"))
			if s == nil || s.HideModel && !c.isUsers(s.Name) {
				return &tool.Error{Kind: tool.NotFound, Text: fmt.Sprintf("there is no skill %q", in.Name), Hint: "Send search to list skills by words."}
			}
			run := RunnerInside(r)
			text, err := s.template.Expand(ctx, in.Arguments, run)
			if err != nil {
				return fmt.Errorf("the skill %s: %w", s.Name, err)
			}
			if warning := s.worst(severityHigh); warning != "" {
				r.Note("the scanner of skills reports a " + warning)
			}
			text = s.wrap(text)
			switch {
			case s.Fork && c.isUsers(s.Name): // no model is at work that a sub-agent could report to
				with := ""
				if s.Model != "" {
					with = fmt.Sprintf(" and the model %q", s.Model)
				}
				text = fmt.Sprintf("Give this task, as it is, to a sub-agent of the kind %q%s with the tool agent, and tell me what it reports.\n\n%s", cmp.Or(s.Agent, "general"), with, text)
			case s.Fork:
				if text, err = run(ctx, "agent", forkArgs{Task: text, Agent: s.Agent, Description: "skill " + s.Name, Model: s.Model}); err != nil {
					return err
				}
			}
			_, err = r.WriteString(text + "\n")
			return err
		})
	t.Nests = true
	return t
}

// forkArgs are those of the tool agent.
type forkArgs struct {
	Task        string `json:"task"`
	Agent       string `json:"agent,omitempty"`
	Description string `json:"description,omitempty"`
	Model       string `json:"model,omitempty"`
}

// list writes the skills that have some words.
func (c *Skills) list(words string, r *tool.Reply) error {
	all := c.Search(words)
	for _, s := range all {
		fmt.Fprintf(r, "%s: %s\n", s.Name, visible(s.About))
	}
	if len(all) == 0 {
		fmt.Fprintln(r, "no skill has these words")
	}
	return nil
}

func (c *Skills) isUsers(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.byUser[name] > 0
}

// NamesModel reports whether a skill that runs in a sub-agent names a model for it.
func (c *Skills) NamesModel(ref string) bool {
	return slices.ContainsFunc(c.All(), func(s *Skill) bool { return s.Fork && s.Model == ref })
}

// Text returns the text of a skill for an agent that has it from the start; "" where there is none, or its use needs an approval.
// Commands in it do not run.
func (c *Skills) Text(name string) string {
	s := c.Get(name)
	if s == nil || s.worst(severityCritical) != "" {
		return ""
	}
	return s.wrap(s.template.Text)
}

package harness

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"rein/app/extend"
	"rein/app/settings"
	"rein/event"
	"rein/guard"
	"rein/kit/guards"
	"rein/redact"
	"rein/tool"
)

// prompt is what a model reads before the conversation, and the instructions that it reads on the way.
type prompt struct {
	dir          string   // the workspace
	features     []string // their parts
	instructions *extend.InstructionLoader
	more         string // of the options
	secrets      *secretFinder
	mask         *redact.Filter
}

func (g *guarded) prompt() *prompt {
	h, set := g.h, g.h.settings.Instructions
	return &prompt{dir: g.workspace.Dir(), features: g.system, more: h.options.System, secrets: g.secrets, mask: h.mask,
		instructions: &extend.InstructionLoader{Folder: h.folder, Workspace: h.root, User: h.dirs.UserInstructions(), Home: settings.HomeDir(), Limit: set.Limit, Off: set.Off}}
}

// text is the whole text before a conversation with a model, named as provider/name. What is the same for everybody comes
// first, so that providers can keep it for several sessions; a session gets the same bytes each time.
func (p *prompt) text(model string, mode guard.Mode) string {
	var b strings.Builder
	b.WriteString(extend.SystemPrompt(model))
	for _, text := range p.features {
		if text != "" {
			b.WriteString("\n\n" + text)
		}
	}
	fmt.Fprintf(&b, "\n\nThe workspace is %s (paths may be relative to it). The system is %s. Today is %s. Mode: %s.%s",
		p.dir, runtime.GOOS, time.Now().Format("2006-01-02"), mode, aboutMode(mode))
	start := p.instructions.Start()
	if start != "" { // it may repeat what a file of secrets holds
		p.secrets.Look()
	}
	for _, text := range []string{start, p.more} {
		if text != "" {
			b.WriteString("\n\n" + text)
		}
	}
	return p.mask.String(b.String())
}

// touched returns the instructions of directories that a call reaches for the first time.
func (p *prompt) touched(e event.Event) string {
	switch {
	case e.Kind == event.Compacted:
		p.instructions.Forget()
	case e.Kind == event.Called && e.Intent != nil:
		return p.mask.String(p.instructions.Touch(slices.Concat(e.Intent.Reads, e.Intent.Writes)...))
	}
	return ""
}

// Prompt returns the system prompt that a new session would have, and the files with instructions that it looked at.
func (h *Harness) Prompt() (text string, files []extend.InstructionFile, err error) {
	err = h.aside(context.Background(), "", event.Terms{}, func(s *Session) error {
		text = s.prompt.text(s.terms.now().Model, s.terms.mode())
		files = s.Instructions()
		return nil
	})
	return text, files, err
}

// aboutMode is what a model must know to work in a mode.
func aboutMode(m guard.Mode) string {
	switch m {
	case guard.ReadOnly:
		return " Change nothing: read, and report what you find."
	case guard.Plan:
		return " Change nothing yet: read, and write your plan to " + planFile + ", the only file that you may write. When it is complete, end with " + exitPlanName + "."
	case guard.Full:
		return " Calls run without approval, except those that only the user may approve."
	case guard.Auto:
		return " Where a call needs an approval, a reviewer or the user decides."
	}
	return ""
}

// Skills returns the skills that a session here has: see package skills.
func (h *Harness) Skills() *extend.Skills {
	o := h.settings.Skills
	return extend.NewSkills(extend.SkillPlaces{Folder: h.folder, Workspace: h.root, User: h.settings.UserSkills(h.dirs), Limit: o.Limit, Off: o.Off || h.options.OneCall})
}

// SkillStore returns the place where skills of the user are added.
func (h *Harness) SkillStore() extend.SkillStore {
	return extend.SkillStore{Dir: filepath.Join(h.dirs.Config, "skills"), Pins: filepath.Join(h.dirs.Config, "skills.json")}
}

// OwnAgents are the kinds of sub-agents that front ends let the user write.
func (h *Harness) OwnAgents() extend.OwnAgents {
	return extend.OwnAgents{Dir: filepath.Join(h.dirs.Config, "agents")}
}

// skillsFeature gives skills. The guard of the session sees the calls in a copy.
func skillsFeature(c *confined) (p featureParts, err error) {
	if len(c.skills.All()) == 0 {
		return p, nil
	}
	p.tools = []*tool.Tool{c.skills.Tool()}
	if c.above == nil {
		p.system, p.checks = []string{c.skills.Prompt()}, []guard.Guard{extend.SkillGuard{Catalog: c.skills, Covers: guards.RulesCover}}
	}
	return p, nil
}

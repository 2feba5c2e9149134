package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"rein/event"
	"rein/guard"
	"rein/harness/agents"
	"rein/harness/instructions"
	"rein/harness/planmode"
	"rein/harness/skills"
	"rein/harness/slash"
	"rein/harness/toolservers"
	"rein/journal"
	"rein/kit/rule"
	"rein/model"
	"rein/tool"
)

// systemPrompt is the whole text before a conversation with a model, named as provider/name. What is the same for everybody comes
// first, so that providers can keep it for several sessions; a session gets the same bytes each time.
func (s *Session) systemPrompt(name string) string {
	var b strings.Builder
	b.WriteString(instructions.System(name))
	for _, f := range s.features {
		if f.system != "" {
			b.WriteString("\n\n" + f.system)
		}
	}
	fmt.Fprintf(&b, "\n\nThe workspace is %s (paths may be relative to it). The system is %s. Today is %s. Mode: %s.%s",
		s.workspace.Dir(), runtime.GOOS, time.Now().Format("2006-01-02"), s.mode, aboutMode(s.mode))
	for _, text := range []string{s.instructions.Start(), s.h.options.System} {
		if text != "" {
			b.WriteString("\n\n" + text)
		}
	}
	return b.String()
}

// Instructions returns the files with instructions that the session looked at: see package instructions.
func (s *Session) Instructions() []instructions.File { return s.instructions.Files() }

// touched gives the model the instructions of directories that a call reaches for the first time.
func (s *Session) touched(e event.Event) {
	switch {
	case e.Kind == event.Compacted:
		s.instructions.Forget()
	case e.Kind == event.Called && e.Intent != nil:
		if text := s.instructions.Touch(slices.Concat(e.Intent.Reads, e.Intent.Writes)...); text != "" && s.conversation != nil {
			s.conversation.Hint(text)
		}
	}
}

// Prompt returns the system prompt that a new session would have, and the files with instructions that it looked at.
func (h *Harness) Prompt() (string, []instructions.File, error) {
	how, err := h.How()
	if err != nil {
		return "", nil, err
	}
	s, err := h.newSession(journal.NewID(time.Now()), how)
	if err != nil {
		return "", nil, err
	}
	return s.systemPrompt(s.how.Model), s.Instructions(), s.Close(context.Background())
}

// aboutMode is what a model must know to work in a mode.
func aboutMode(m guard.Mode) string {
	switch m {
	case guard.ReadOnly:
		return " Change nothing: read, and report what you find."
	case guard.Plan:
		return " Change nothing yet: read, and write your plan to " + planFile + ", the only file that you may write. When it is complete, end with " + planmode.Name + "."
	case guard.Full:
		return " Calls run without approval, except those that only the user may approve."
	case guard.Auto:
		return " Where a call needs an approval, a reviewer or the user decides."
	}
	return ""
}

// Skills returns the skills that a session here has: see package skills.
func (h *Harness) Skills() *skills.Catalog {
	o := h.settings.Skills
	return skills.New(skills.Places{Folder: h.folder, Workspace: h.root, User: h.settings.UserSkills(h.dirs), Limit: o.Limit, Off: o.Off || h.options.OneCall})
}

// SkillStore returns the place where skills of the user are added.
func (h *Harness) SkillStore() skills.Store {
	return skills.Store{Dir: filepath.Join(h.dirs.Config, "skills"), Pins: filepath.Join(h.dirs.Config, "skills.json")}
}

// OwnAgents are the kinds of sub-agents that front ends let the user write.
func (h *Harness) OwnAgents() agents.Own {
	return agents.Own{Dir: filepath.Join(h.dirs.Config, "agents")}
}

// skilled is the feature of skills.
func (s *Session) skilled() (feature, error) {
	if s.above == nil {
		s.skills = s.h.Skills()
	}
	switch {
	case len(s.skills.All()) == 0:
		return feature{}, nil
	case s.above != nil: // the guard of the session sees the calls in a copy
		return feature{tools: []*tool.Tool{s.skills.Tool()}}, nil
	}
	return feature{tools: []*tool.Tool{s.skills.Tool()}, system: s.skills.Prompt(), guards: []guard.Guard{skills.Guard{Catalog: s.skills, Covers: rule.Cover}}}, nil
}

// Commands returns the slash commands of files, features and skills, by name. A skill counts before a command of its name.
func (s *Session) Commands() []slash.Command {
	all := slash.Find(slash.Places{Folder: s.h.folder, Workspace: s.h.root, User: s.h.dirs.UserCommands()})
	for _, f := range s.features {
		if f.commands != nil {
			all = append(all, f.commands()...)
		}
	}
	return slash.ByName(append(all, s.skills.Commands()...))
}

// SendLine sends what the user wrote, as Send does. A slash command of a file or a skill is replaced by its message, and /compact
// compacts the conversation. A text that begins with "//" is a message that begins with one slash.
func (s *Session) SendLine(ctx context.Context, line string) iter.Seq2[event.Event, error] {
	command, ok := strings.CutPrefix(line, "/")
	name, args, _ := strings.Cut(command, " ")
	switch args = strings.TrimSpace(args); {
	case !ok:
	case strings.HasPrefix(command, "/"):
		line = command
	case name == "compact":
		return s.Compact(ctx, args)
	default:
		message, attached, known, err := s.Expand(ctx, name, args, nil)
		if err != nil {
			return func(yield func(event.Event, error) bool) {
				e := event.Event{Kind: event.Notice, Session: s.id, Time: time.Now(), Text: fmt.Sprintf("/%s: %v", name, err)}
				if yield(e, nil) {
					e.Kind, e.Stop = event.Stopped, event.Failed
					yield(e, err)
				}
			}
		}
		if known {
			return s.Send(ctx, Message(message, attached...)...)
		}
	}
	return s.Send(ctx, Message(line)...)
}

// Expand returns the message of a slash command: of its file, with arguments, outputs of commands and files in it. The calls for
// that take all steps of the pipeline; watch sees their events. attached are the images and documents that they gave. ok is false
// where there is no such command.
func (s *Session) Expand(ctx context.Context, name, args string, watch func(event.Event)) (text string, attached []tool.Part, ok bool, err error) {
	if s.servers != nil {
		s.servers.Learn(ctx, name)
	}
	run := func(ctx context.Context, calls []tool.Call) ([]tool.Result, error) {
		results, err := s.Call(ctx, calls, watch)
		for _, r := range results {
			attached = append(attached, r.Parts...)
		}
		return results, err
	}
	text, ok, err = slash.Expand(ctx, s.Commands(), name, args, slash.ByUser(run))
	return text, attached, ok, err
}

// Send gives the model a message of the user and returns all events until the model has answered: see agent.Session. Resources of
// tool servers that the message names, as @server:uri, are read first and go with it.
func (s *Session) Send(ctx context.Context, parts ...model.Part) iter.Seq2[event.Event, error] {
	s.keepAhead()
	s.entitle(parts)
	if s.servers == nil {
		return s.conversation.Send(ctx, parts...)
	}
	return func(yield func(event.Event, error) bool) {
		parts, seen := s.mentioned(ctx, parts)
		for _, e := range seen {
			if !yield(e, nil) {
				return
			}
		}
		s.conversation.Send(ctx, parts...)(yield)
	}
}

// mentioned adds the resources that a message names. Each is read by a call of the user's own, which takes all steps of the
// pipeline. Of one that cannot be read the words stay.
func (s *Session) mentioned(ctx context.Context, parts []model.Part) (all []model.Part, seen []event.Event) {
	text := ""
	for _, p := range parts {
		if p.Kind == model.TextKind {
			text += p.Text + "\n"
		}
	}
	found := s.servers.Mentions(text)
	if len(found) == 0 {
		return parts, nil
	}
	calls := make([]tool.Call, len(found))
	for i, m := range found {
		args, err := json.Marshal(m.Args)
		if err != nil {
			return parts, nil // texts only: it cannot fail
		}
		calls[i] = tool.Call{ID: slash.UserID(), Name: toolservers.ResourcesName, Args: args}
	}
	results, _ := s.Call(ctx, calls, func(e event.Event) { seen = append(seen, e) }) // Send fails with the same error
	parts = slices.Clone(parts)
	for i, r := range results {
		if !r.Failed {
			parts = append(parts, Message(found[i].Text+":\n"+r.Text, r.Parts...)...)
		}
	}
	return parts, seen
}

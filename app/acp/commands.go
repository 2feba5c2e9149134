package acp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"

	sdk "github.com/coder/acp-go-sdk"

	"rein/kit/undo"
)

// command runs a slash command with what follows it.
type command func(ctx context.Context, args string) (sdk.StopReason, error)

// offered are the commands that the client shows to the user: ours, and those of files and skills.
func (s *session) offered() []sdk.AvailableCommand {
	with := func(name, about, hint string) sdk.AvailableCommand {
		c := sdk.AvailableCommand{Name: name, Description: about}
		if hint != "" {
			c.Input = &sdk.AvailableCommandInput{Unstructured: &sdk.UnstructuredCommandInput{Hint: hint}}
		}
		return c
	}
	all := []sdk.AvailableCommand{
		with("compact", "Replace the older part of the conversation by a summary", "what must be kept"),
		with("undo", "Take back what the last call did to files", ""),
		with("redo", "Take back the last undo", ""),
		with("status", "Session, model, mode, tokens and money", ""),
		with("rename", "Give this session a name", "name"),
	}
	for _, c := range s.Commands() {
		if s.command(c.Name) == nil {
			all = append(all, with(c.Name, cmp.Or(c.About, c.Name), c.Hint))
		}
	}
	return all
}

// command returns one of these commands; nil: there is none, and the model gets the text.
func (s *session) command(name string) command {
	return map[string]command{
		"compact": s.compact,
		"undo": func(ctx context.Context, _ string) (sdk.StopReason, error) {
			return s.takeBack(ctx, undo.Selection{Last: 1})
		},
		"redo": func(ctx context.Context, _ string) (sdk.StopReason, error) {
			return s.takeBack(ctx, undo.Selection{Last: 1, Redo: true})
		},
		"status": s.status,
		"rename": s.rename,
	}[name]
}

// slash splits a text that begins with a slash command.
func slash(text string) (name, args string, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), "/")
	if i := strings.IndexFunc(rest, unicode.IsSpace); i >= 0 {
		rest, args = rest[:i], rest[i:]
	}
	return rest, strings.TrimSpace(args), ok && rest != ""
}

// commandsChanged sends the commands when they are others than those that the client knows: files change, folders become trusted,
// tool servers list their prompts.
func (s *session) commandsChanged() {
	now := s.offered()
	text, err := json.Marshal(now)
	s.mu.Lock()
	same := err != nil || bytes.Equal(text, s.commands)
	s.commands = text
	s.mu.Unlock()
	if !same {
		s.show.send(sdk.SessionUpdate{AvailableCommandsUpdate: &sdk.SessionAvailableCommandsUpdate{AvailableCommands: now}})
	}
}

// say answers a command.
func (s *session) say(format string, a ...any) (sdk.StopReason, error) {
	s.show.send(sdk.UpdateAgentMessageText(fmt.Sprintf(format, a...)))
	return sdk.StopReasonEndTurn, nil
}

func (s *session) compact(ctx context.Context, focus string) (sdk.StopReason, error) {
	before := s.Context().Tokens
	reason, err := s.run(s.Compact(ctx, focus))
	if err != nil || reason != sdk.StopReasonEndTurn {
		return reason, err
	}
	return s.say("The conversation has about %d tokens; it had %d.", s.Context().Tokens, before)
}

// takeBack takes back what calls did to files. What was changed since then stays as it is.
func (s *session) takeBack(ctx context.Context, what undo.Selection) (sdk.StopReason, error) {
	files, err := s.FileHistory()
	if err != nil {
		return s.say("%v", err)
	}
	plan, err := files.Plan(ctx, what)
	if errors.Is(err, undo.ErrNothing) {
		return s.say("There is nothing to undo.")
	}
	if err != nil {
		return "", err
	}
	done, err := files.Undo(ctx, plan, nil)
	if err != nil {
		return "", err
	}
	return s.say("%s", undone(done))
}

// undone lists what was taken back, and what was not.
func undone(o *undo.Outcome) string {
	var b strings.Builder
	for _, c := range o.Changes {
		fmt.Fprintf(&b, "- %s: %s\n", c.Path, c.What)
	}
	for _, c := range o.Conflicts {
		fmt.Fprintf(&b, "- %s stays as it is: %s\n", c.Path, c.Why)
	}
	for _, c := range o.Uncovered {
		fmt.Fprintf(&b, "- %s\n", c)
	}
	for _, f := range o.Failed {
		fmt.Fprintf(&b, "- %s: %s\n", f.Path, f.Err)
	}
	return b.String()
}

func (s *session) status(context.Context, string) (sdk.StopReason, error) {
	how, u, c := s.Terms(), s.Usage(), s.Context()
	return s.say("Session %s in %s\n\nModel %s, mode %s\n\nWindow: %d of %d tokens\n\nSo far %d tokens in, %d out, $%.4f",
		s.ID(), s.h.Root(), c.Model, how.Mode, c.Tokens, c.Window, u.Input, u.Output, u.Cost)
}

func (s *session) rename(_ context.Context, name string) (sdk.StopReason, error) {
	store := s.a.store()
	defer store.Close()
	if err := store.SetName(s.ID(), name); err != nil {
		return s.say("%v", err)
	}
	s.show.send(sdk.SessionUpdate{SessionInfoUpdate: &sdk.SessionSessionInfoUpdate{Title: &name}})
	return s.say("The session is named %q.", name)
}

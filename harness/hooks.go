package harness

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"time"

	"rein/event"
	"rein/guard"
	"rein/harness/hooks"
	"rein/harness/review"
	"rein/harness/settings"
	"rein/hook"
	"rein/internal/plainfile"
	"rein/kit/rule"
	"rein/kit/sandbox"
	"rein/model"
)

// userHooks is the feature of the hooks of the user and of a trusted project. Their files are read at the first event.
func (s *Session) userHooks() (feature, error) {
	p := s.h.settings.HookPolicy
	r := hooks.Runner{Dir: s.h.root, Command: s.runHook, Client: func(address string, project bool) (*http.Client, error) {
		if project { // only what programs of the session may reach
			return s.access.ClientOfPrograms(), nil
		}
		return s.h.clientOf(address)
	}, Fits: func(text, tool string, args json.RawMessage) (bool, error) {
		return rule.Fits(text, rule.Call{Tool: tool, Args: args, Root: s.h.root})
	}, Approve: p.Approve,
		Open: p.Open, Timeout: time.Duration(p.Timeout), Ask: func(ctx context.Context, ref, system, text string) (string, error) {
			answer, used, err := s.askModel(ctx, ref, system, text)
			s.paid("a hook asked a model", used)
			return answer, err
		}, Running: &s.running}
	s.hooks = r.Set(hooks.Sources{Files: s.h.hookFiles(), Read: plainfile.Read, Trusted: s.h.folder.TrustsHooks, Own: s.h.options.Hooks, Off: p.Off, Warn: s.h.options.Warn}, p.MostStops)
	return feature{close: func() error {
		if s.conversation != nil && len(s.Messages()) > 0 {
			s.hooks.Run(context.Background(), hook.Input{Event: hook.SessionEnd, Session: s.id, Dir: s.h.root, Why: "other"})
		}
		return nil
	}}, nil
}

// runHook runs the program of a hook. It may do what commands of the model may do, and what it changes can be taken back.
func (s *Session) runHook(ctx context.Context, p hooks.Program, input []byte) (code int, stdout, stderr string, err error) {
	if s.keeper != nil && (p.Free || !s.readOnly()) {
		defer s.keeper.Hook(ctx, p.Name)()
	}
	return s.program(ctx, p, input)
}

func (s *Session) program(ctx context.Context, p hooks.Program, input []byte) (code int, stdout, stderr string, err error) {
	var box sandbox.Sandbox = s.box
	if p.Free {
		box = sandbox.None{}
	}
	r, err := sandbox.RunToEnd(ctx, box, sandbox.Spec{Argv: p.Argv, Dir: p.Dir, Env: p.Env, ReadOnly: s.readOnly()}, input)
	return r.Code, r.Stdout, r.Stderr, err
}

// StatusLine runs the command of the setting statusLine, in the sandbox and for its longest time at most, and returns what it printed.
// input is the state of the session as JSON.
func (s *Session) StatusLine(ctx context.Context, input []byte) (string, error) {
	set := s.h.settings.StatusLine
	ctx, stop := context.WithTimeout(ctx, set.Time())
	defer stop()
	p := hooks.Program{Argv: []string{"bash", "--noprofile", "--norc", "-c", set.Command}, Dir: s.h.root, Free: set.Sandbox == "off"}
	code, stdout, stderr, err := s.program(ctx, p, input)
	if err = cmp.Or(ctx.Err(), err); err == nil && code != 0 {
		err = fmt.Errorf("exit code %d: %s", code, stderr)
	}
	return s.h.mask.String(stdout), err
}

// askModel returns the answer of a model to a text, outside of the conversation. ref is provider/name; "" is the session's model.
func (s *Session) askModel(ctx context.Context, ref, system, text string) (answer string, used event.Usage, err error) {
	how := s.How()
	how.Model = cmp.Or(ref, how.Model)
	m, err := s.h.openModel(ctx, how)
	if err != nil {
		return "", used, err
	}
	return ask(ctx, m, system, text)
}

// paid counts a request to a model outside of the conversation in the budget of the session, and records it, unless what is "".
func (s *Session) paid(what string, used event.Usage) {
	if used == (event.Usage{}) {
		return
	}
	if root := s.root(); root.conversation != nil {
		root.conversation.Paid(used)
	}
	if what != "" {
		s.append(event.Event{Kind: event.Audit, Text: what, Usage: &used})
	}
}

func ask(ctx context.Context, m model.Model, system, text string) (answer string, used event.Usage, err error) {
	done, err := model.Ask(ctx, m, &model.Request{System: system, Messages: []*model.Message{model.UserText(text)}, MaxTokens: 4000})
	if err == nil {
		answer = done.Message.Text()
	}
	return answer, usedBy(done), err
}

// usedBy is what an answer used.
func usedBy(done model.Chunk) event.Usage {
	return event.Usage{Input: done.Usage.Input, Output: done.Usage.Output, Cost: done.Usage.Cost}
}

// review is the feature of the mode auto: a model that looks at calls before a person is asked.
func (s *Session) review() (feature, error) {
	set := s.h.settings.Review
	most, err := set.Most()
	s.reviewer = &review.Reviewer{Model: cmp.Or(set.Model, s.how.Model, "the session's model"), Most: most, Tokens: set.Tokens, Timeout: time.Duration(set.Timeout),
		Record: s.report, Untrusted: func(id string) []string { return s.guards.Untrusted(id) }}
	s.reviewer.Ask = func(ctx context.Context, system, text string) (answer string, used event.Usage, err error) {
		defer func() { s.paid("", used) }() // the review is recorded with what it used
		if m := s.h.options.Reviewer; m != nil {
			return ask(ctx, m, system, text)
		}
		return s.askModel(ctx, set.Model, system, text)
	}
	return feature{guards: []guard.Guard{s.reviewer}}, err
}

// hookFiles lists the files whose hooks sessions run.
func (h *Harness) hookFiles() []hooks.File {
	own := []string{filepath.Join(h.dirs.Config, "settings.json"), settings.ProjectFile(h.dirs, h.root)}
	return hooks.Files(settings.ManagedFile(), own, settings.HomeDir(), h.root)
}

// Hooks lists the hooks of the files that sessions read, with those that do not run, and warnings about files.
func (h *Harness) Hooks() (all []hooks.Entry, warnings []string) {
	return hooks.ReadUnless(h.settings.HookPolicy.Off, h.hookFiles(), plainfile.Read, h.folder.TrustsHooks)
}

// TryHooks runs the hooks of an event, records nothing, and returns what they answered. tool and args are the call that the event is about;
// why and text are as in hook.Input.
func (s *Session) TryHooks(ctx context.Context, event, tool, args, why, text string) (hooks.Trial, error) {
	return hooks.Try(ctx, s.hooks, hook.Input{Event: hook.Event(event), Session: s.id, Dir: s.h.root, Mode: s.modeNow().String(), Tool: tool, Args: []byte(args), Why: why, Text: text})
}

package harness

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"path/filepath"
	"time"

	"rein/guard/rule"
	"rein/harness/hooks"
	"rein/harness/settings"
	"rein/harness/trust"
	"rein/hook"
	"rein/internal/plainfile"
	"rein/model"
	"rein/netpolicy"
	"rein/sandbox"
	"rein/sandbox/piped"
)

// userHooks is the feature of the hooks of the user and of a trusted project. Their files are read at the first event.
func (s *Session) userHooks() (feature, error) {
	p := s.h.settings.HookPolicy
	r := hooks.Runner{Dir: s.h.root, Command: s.runHook, Client: s.hookClient, Fits: s.fits, Approve: p.Approve,
		Open: p.Open, Timeout: time.Duration(p.Timeout), Ask: s.askModel, Running: &s.running}
	s.hooks = r.Set(hooks.Sources{Files: s.h.hookFiles(), Read: plainfile.Read, Trusted: s.h.trustsHooks, Own: s.h.options.Hooks, Off: p.Off, Warn: s.h.options.Warn}, p.MostStops)
	return feature{close: func() error {
		if s.conversation != nil && len(s.Messages()) > 0 {
			s.hooks.Run(context.Background(), hook.Input{Event: hook.SessionEnd, Session: s.id, Dir: s.h.root, Why: "other"})
		}
		return nil
	}}, nil
}

// runHook runs the program of a hook. It may do what commands of the model may do.
func (s *Session) runHook(ctx context.Context, p hooks.Program, input []byte) (code int, stdout, stderr string, err error) {
	var box sandbox.Sandbox = s.box
	if p.Free {
		box = sandbox.None{}
	}
	r, err := piped.Run(ctx, box, sandbox.Spec{Argv: p.Argv, Dir: p.Dir, Env: p.Env, ReadOnly: s.readOnly()}, input)
	return r.Code, r.Stdout, r.Stderr, err
}

// fits reports whether a call is one that a permission rule is about.
func (s *Session) fits(text, tool string, args json.RawMessage) (bool, error) {
	return rule.Fits(text, rule.Call{Tool: tool, Args: args, Root: s.h.root})
}

// askModel gives the answer of a model to a text, outside of the conversation. ref is provider/name; "" is the session's model.
func (s *Session) askModel(ctx context.Context, ref, system, text string) (string, error) {
	how := s.How()
	how.Model = cmp.Or(ref, how.Model)
	m, err := s.h.openModel(ctx, how)
	if err != nil {
		return "", err
	}
	done, err := model.Ask(ctx, m, &model.Request{System: system, Messages: []*model.Message{model.UserText(text)}, MaxTokens: mostAside})
	if err != nil {
		return "", err
	}
	return done.Message.Text(), nil
}

// mostAside bounds the tokens of an answer outside of the conversation, its thinking included.
const mostAside = 4000

// hookFiles lists the files whose hooks sessions run.
func (h *Harness) hookFiles() []hooks.File {
	own := []string{filepath.Join(h.dirs.Config, "settings.json"), settings.ProjectFile(h.dirs, h.root)}
	return hooks.Files(settings.ManagedFile(), own, settings.HomeDir(), h.root)
}

// Hooks lists the hooks of the files that sessions read, with those that do not run, and warnings about files.
func (h *Harness) Hooks() (all []hooks.Entry, warnings []string) {
	all, warnings = hooks.Read(h.hookFiles(), plainfile.Read, h.trustsHooks)
	if h.settings.HookPolicy.Off {
		for i := range all {
			all[i].Skipped = "hookPolicy.off is set"
		}
	}
	return all, warnings
}

// TryHooks runs the hooks of an event, records nothing, and gives what they answered. tool and args are the call that the event is about;
// why and text are as in hook.Input.
func (s *Session) TryHooks(ctx context.Context, event, tool, args, why, text string) (hooks.Trial, error) {
	in := hook.Input{Event: hook.Event(event), Session: s.id, Dir: s.h.root, Mode: s.modeNow().String(), Tool: tool, Why: why, Text: text}
	if tool != "" {
		in.Args, in.Call = []byte(args), "test"
	}
	return hooks.Try(ctx, s.hooks, in)
}

// trustsHooks reports whether the user trusts a file of the project with this content.
func (h *Harness) trustsHooks(path string, text []byte) bool {
	return h.folder.Trusted(trust.Hook, path, text)
}

// hookClient gives the client for an http hook. A hook of the user's own files may reach the host that it names, also on this
// machine; one of the project only what programs of the session may reach.
func (s *Session) hookClient(address string, project bool) (*http.Client, error) {
	if project {
		return netpolicy.NewClient(s.access.programs.Load, netpolicy.ClientOptions{Hops: -1}), nil
	}
	return s.h.clientOf(address)
}

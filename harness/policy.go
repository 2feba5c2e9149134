package harness

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"

	"rein/event"
	"rein/guard"
	"rein/harness/settings"
	"rein/kit/guards"
	"rein/kit/rule"
	"rein/tool"
)

// openGuards makes the session's guards: those of the workspace, the rules of all settings layers and of the command
// line, and the limits on the rate of calls.
func (s *Session) openGuards(tools tool.Set) error {
	dirs := s.workspace.Dirs()
	given, more, err := s.how.rules()
	if err != nil {
		return usageError(err)
	}
	g, warnings, err := newGuards(s.h.project, dirs[1:], s.h.dirs, tools.Names(), given, guards.Options{
		Here: guards.Here{Opened: s.access.Places, Protected: s.trust.Paths}, KnownHost: s.knownHost, Mask: s.h.mask, Unsaved: s.unsaved, History: s.history,
		Loops: loopsOf(s.h.settings.Loops), Rate: rateOf(s.h.settings.Limits), OnPanic: s.guardPanicked, More: s.moreGuards(),
	})
	if err != nil {
		return err
	}
	for _, line := range append(warnings, append(more, rule.Lint(given, tools.Names())...)...) {
		s.h.options.Warn(line.String())
	}
	s.guards = g
	return nil
}

// moreGuards are those beyond the standard set: the session's own, and those of its features.
func (s *Session) moreGuards() []guard.Guard {
	more := []guard.Guard{guard.Func(guards.Unenforced)}
	if s.keeper != nil {
		more = append(more, s.keeper)
	}
	if s.above != nil {
		more = append(more, guard.Func(s.asAbove))
	}
	for _, f := range s.features {
		more = append(more, f.guards...)
	}
	return more
}

// rules reads the rules of the command line as if they were in a settings file.
func (w How) rules() ([]rule.Rule, []rule.Warning, error) {
	if len(w.Allow)+len(w.Ask)+len(w.Deny) == 0 {
		return nil, nil, nil
	}
	text, err := json.Marshal(map[string]any{"permissions": map[string][]string{"allow": orEmpty(w.Allow), "ask": orEmpty(w.Ask), "deny": orEmpty(w.Deny)}})
	if err != nil {
		return nil, nil, err
	}
	return rule.ParseSettings(rule.CommandLine, "command line", w.Dir, text)
}

// CheckRules refuses rules that allow and cannot be read, or mean nothing.
func (h *Harness) CheckRules(allow []string) error {
	_, warnings, err := How{Dir: h.root, Allow: allow}.rules()
	if err == nil && len(warnings) > 0 {
		err = Error{Kind: Usage, Err: fmt.Errorf("%s", warnings[0].Text)}
	}
	return err
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// rateOf makes the guard that limits the rate of calls. Without limits it does nothing.
func rateOf(l settings.Limits) *guards.Rate {
	r := &guards.Rate{PerHour: l.CallsPerHour, PerSession: l.CallsPerSession, PerTool: map[string]int{}}
	for name, t := range l.Tools {
		r.PerTool[name] = t.CallsPerHour
	}
	return r
}

// guardPanicked logs that a guard panicked. The call needs an approval then.
func (s *Session) guardPanicked(c guard.Case, text string) {
	s.log.Error("a guard panicked", slog.String("tool", c.Call.Name), slog.String("call", c.Call.ID), slog.String("text", text))
	s.append(event.Event{Kind: event.Audit, Text: "a check of this call failed with an internal error", Call: &tool.Call{ID: c.Call.ID, Name: c.Call.Name}})
}

// epoch identifies the mode and the rules: an approval that was given under other ones is void. The caller holds changing.
func (s *Session) epoch() string {
	h := sha256.New()
	fmt.Fprintln(h, s.mode, s.how.Allow, s.how.Ask, s.how.Deny, s.how.Sandbox)
	for _, l := range s.h.layers {
		fmt.Fprintln(h, l.Name, string(l.Permissions))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// readOnly reports whether the mode lets commands change nothing: the sandbox shows them a read-only workspace then.
func (s *Session) readOnly() bool { return s.modeNow() <= guard.Plan }

// readOnlyCall does the same for a call, which may be that of a sub-agent with less rights.
func (s *Session) readOnlyCall(call string) bool {
	return s.access.ReadOnly(call) || s.readOnly()
}

func loopsOf(l settings.Loops) guards.LoopLimits {
	return guards.LoopLimits{Same: guards.Ladder(l.Same), PingPong: guards.Ladder(l.PingPong), Idle: guards.Ladder(l.Idle), Failures: guards.Ladder(l.Failures), Stop: l.Stop}
}

package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"rein/app/settings"
	"rein/event"
	"rein/guard"
	"rein/internal/plainfile"
	"rein/journal"
	"rein/kit/guards"
	"rein/kit/workspace"
	"rein/tool"
	"rein/toolcall"
)

// guarded is a session that can run calls: it has guards, those who approve, and the runner that joins them with the tools.
type guarded struct {
	*equipped
	guards    GuardSet
	kept      *keptRules
	trust     obeyedFiles // what git obeys
	approvals *approvals
	runner    *toolcall.Runner
	ended     sync.Once
}

// guard makes the session's guards: those of the workspace, the rules of all settings layers and of the command line, and the limits on the rate
// of calls. The runner has no tool that they do not see.
func (e *equipped) guard() (*guarded, error) {
	g := &guarded{equipped: e, kept: newKeptRules(e.h.dirs, e.h.project)}
	given, more, err := commandLineRules(e.terms.now())
	if err != nil {
		return nil, usageError(err)
	}
	var above *guards.Set
	if e.above != nil {
		above = e.above.guards.Set
	}
	set, warnings, err := newGuards(e.h.project, e.workspace.Dirs()[1:], e.h.dirs, e.set.Names(), given, guards.Options{
		Here: guards.Here{Opened: e.access.Places, Protected: g.trust.Paths}, KnownHost: e.knownHost, Reached: e.access.Reaches, Mask: e.h.mask, Unsaved: e.copies.unsaved, Kept: func(ctx context.Context, c guard.Case) bool { return g.keepsDeletions(ctx, g.guards.Programs, c) }, Own: e.ownServers, History: e.copies.history, Hidden: e.copies.open, Open: e.copies.leftOpen,
		Loops: loopsOf(e.h.settings.Loops), Rate: rateOf(e.h.settings.Limits), OnPanic: e.guardPanicked, More: g.moreGuards(), Above: above,
	})
	if err != nil {
		return nil, err
	}
	for _, line := range append(warnings, append(more, guards.LintRules(given, e.set.Names())...)...) {
		e.h.options.Warn(line.String())
	}
	g.guards, g.kept.own, e.judge = set, set.Rules, g
	g.approvals = &approvals{equipped: e, guards: set, others: g.kept}
	g.runner, err = toolcall.New(toolcall.Runner{
		Tools: e.set, Hooks: e.hooks, Around: e.around, Guard: set, Approver: g.approvals.approver(), Key: e.key, Normalize: g.normalize,
		Root: e.workspace.Dir(), RootID: rootID(e.workspace.Dir()), Now: e.terms.policy, Isolation: e.isolation,
		Limits: e.h.limits(), Spill: e.spill, Mask: e.h.mask, Log: e.log, Running: &e.running, Snapshot: g.snapshot,
	})
	return g, err
}

// guarded takes the session through the stages that follow.
func (o *opened) guarded() (*guarded, error) {
	c, err := o.confine()
	if err != nil {
		return nil, errors.Join(err, o.workspace.Close())
	}
	e, err := c.equip()
	if err != nil {
		return nil, errors.Join(err, o.workspace.Close())
	}
	g, err := e.guard()
	if err != nil {
		return nil, errors.Join(err, e.featureParts.close(), o.workspace.Close())
	}
	return g, nil
}

// moreGuards are those beyond the standard set: the session's own, and those of its features.
func (g *guarded) moreGuards() []guard.Guard {
	more := []guard.Guard{guard.Func(guards.Unenforced), guard.Func(g.opens), guard.Func(g.here), g.kept}
	if g.keeper != nil {
		more = append(more, g.keeper)
	}
	if only := g.terms.now().Only; len(only) > 0 {
		more = append(more, guards.RuleLimits{Whose: "this session", Only: only, Rest: true})
	}
	if g.above != nil {
		more = append(more, guard.Func(g.asAbove))
	}
	if g.later != nil {
		more = append(more, answeredElsewhere{g})
	}
	return append(more, g.checks...)
}

// here denies changes and programs where another directory, or none, is now at the place of the workspace: nothing would undo them.
func (g *guarded) here(_ context.Context, c guard.Case) guard.Verdict {
	gone, ok := errors.AsType[*workspace.Error](g.workspace.Here())
	if !ok || c.Effect&tool.Runs == 0 && len(c.Intent.Writes) == 0 {
		return guard.Verdict{}
	}
	return guard.Verdict{Decision: guard.Deny, Severity: guard.Low, Guard: "workspace", Rules: []string{"workspace.gone"}, Reason: gone.Text, Hint: gone.Hint}
}

// denies implements judge.
func (g *guarded) denies(i tool.Intent) bool {
	return g.guards.Judge(context.Background(), guard.Case{Call: tool.Call{Name: "request_access"}, Intent: g.normalize(i), Mode: g.terms.mode(),
		Root: g.workspace.Dir(), Isolation: guard.FullIsolation}).Decision == guard.Deny
}

// untrusted implements judge.
func (g *guarded) untrusted(session string) []string { return g.guards.Untrusted(session) }

// FormTool is the tool of a request that is the form of a tool server. No journal has such a call.
const FormTool = "elicitation"

// askUser implements judge.
func (g *guarded) askUser(ctx context.Context, q *tool.Questions) (*tool.Chosen, error) {
	mode, epoch := g.terms.policy()
	c := guard.Case{Session: g.id, Call: tool.Call{ID: journal.NewID(time.Now()), Name: FormTool}, Intent: tool.Intent{Questions: q}, Mode: mode, Epoch: epoch, Root: g.workspace.Dir()}
	answer, err := g.runner.Approver.Approve(ctx, c, guards.Questions{}.Judge(ctx, c))
	if answer.Choice != guard.Later {
		err = errors.Join(err, g.h.inbox.Settle(c.Session, c.Call.ID)) // no journal has the call
	}
	if err != nil || answer.Choice != guard.Approved {
		return nil, err
	}
	return answer.Chosen, nil
}

// around searches for secrets that a call could show, also for those that it made, and gives the call what was opened for it.
func (e *equipped) around(g toolcall.Granted) (end func(error)) {
	changes := g.Effect()&(tool.Writes|tool.Runs) != 0
	if e.keeper != nil && !changes {
		e.keeper.reading.Add(1)
	}
	e.secrets.Look()
	if g.Effect()&tool.Runs != 0 {
		e.secrets.BeginHistory()
	}
	closes := e.access.Around(g.Call(), g.Intent(), g.Mode())
	if !changes {
		return func(err error) {
			if closes(err); e.keeper != nil {
				e.keeper.reading.Add(-1)
			}
		}
	}
	return func(err error) {
		closes(err)
		e.secrets.Again()
	}
}

// rootID is the identity of a directory: an approval becomes void when another directory takes its path.
func rootID(dir string) string {
	info, err := os.Stat(dir)
	if err != nil {
		return ""
	}
	return plainfile.ID(info)
}

// shutdownGrace is how long tools that are still at work have to end when the session does.
const shutdownGrace = 3 * time.Second

// releaseTime is how long a session has to end all else. It bounds only what hangs.
const releaseTime = 20 * time.Second

// end waits for what still runs, and ends what the stages have open.
func (g *guarded) end() (err error) {
	g.ended.Do(func() {
		idle := make(chan struct{})
		go func() {
			g.running.Wait()
			close(idle)
		}()
		select {
		case <-idle:
		case <-time.After(shutdownGrace):
		}
		released := make(chan error, 1)
		go func() { released <- g.release() }()
		select {
		case err = <-released:
		case <-time.After(releaseTime):
			err = errors.New("the session did not end as it should: a directory that it uses may belong to a file system that does not answer")
		}
	})
	return err
}

// release ends what the stages have open.
func (g *guarded) release() error {
	var err error
	if g.above == nil {
		err = g.copies.end()
	}
	err = errors.Join(err, g.jobs.Close())
	if g.keeper != nil {
		g.keeper.Close() // the end of a job is recorded
	}
	return errors.Join(err, g.featureParts.close(), g.box.Close(), g.workspace.Close())
}

// commandLineRules reads the rules of the command line as if they were in a settings file.
func commandLineRules(w event.Terms) ([]guards.Rule, []guards.RuleWarning, error) {
	if len(w.Allow)+len(w.Ask)+len(w.Deny)+len(w.Only) == 0 {
		return nil, nil, nil
	}
	text, err := json.Marshal(map[string]any{"permissions": map[string][]string{"allow": orEmpty(slices.Concat(w.Allow, w.Only)), "ask": orEmpty(w.Ask), "deny": orEmpty(w.Deny)}})
	if err != nil {
		return nil, nil, err
	}
	return guards.ParseRules(guards.CommandLine, "command line", w.Dir, text)
}

// CheckRules refuses rules that allow and cannot be read, or mean nothing.
func (h *Harness) CheckRules(allow []string) error {
	_, warnings, err := commandLineRules(event.Terms{Dir: h.root, Allow: allow})
	if err == nil && len(warnings) > 0 {
		err = Error{Kind: Usage, Err: fmt.Errorf("%s", warnings[0].Text)}
	}
	if err != nil {
		err = Error{Kind: Usage, Err: errors.New(strings.TrimPrefix(err.Error(), "command line:1: "))} // all are in one line here
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
func (e *equipped) guardPanicked(c guard.Case, text string) {
	e.log.Error("a guard panicked", slog.String("tool", c.Call.Name), slog.String("call", c.Call.ID), slog.String("text", text))
	e.record.append(event.Event{Kind: event.Audit, Text: "a check of this call failed with an internal error", Call: &tool.Call{ID: c.Call.ID, Name: c.Call.Name}})
}

func loopsOf(l settings.Loops) guards.LoopLimits {
	return guards.LoopLimits{Same: guards.Ladder(l.Same), Waits: guards.Ladder(l.Waits), PingPong: guards.Ladder(l.PingPong), Idle: guards.Ladder(l.Idle), Failures: guards.Ladder(l.Failures), Stop: l.Stop}
}

// Package guards is the full set of guards: of files, command lines, hosts, credentials, unsaved work, loops, refusals
// and taint. A table decides what each mode does with each class of effect. Rules of the user ("allow", "ask", "deny") name a
// tool and, in parentheses, a command, a path or a host, and decide calls in advance. The package does no I/O.
package guards

import (
	"context"
	"sync"

	"rein/guard"
	"rein/guard/effect"
	"rein/redact"
	"rein/tool"
)

// Options is what the full set of guards needs to know. The zero value is the strictest: no path outside the
// workspace, no host and no tool is known, no rule allows anything.
// What needs the disk or the network comes in as functions.
type Options struct {
	Here Here
	// Plan is the one file that may be written in plan mode, relative to the workspace; "" is none.
	Plan string
	// Confined are the names of the tools that open files only through a workspace.Workspace: see Paths.
	Confined []string
	// KnownHost reports whether the user's settings allow a host to a tool. Nil: none.
	KnownHost func(tool, host string) bool
	// Reached reports whether programs reach an address: see Programs. Nil: none.
	Reached func(address string) bool
	// Unsaved returns the files that git could not restore: see Unsaved. Nil: the state is not known, so every removal asks.
	Unsaved func(ctx context.Context, root string) (changed, untracked []string, err error)
	// Kept reports whether all that a call removes or discards can be restored: see Unsaved. Nil: nothing can.
	Kept func(ctx context.Context, c guard.Case) bool
	// History makes the secrets known that only the history of git holds: see History. Nil: they are not known, so what prints
	// the history asks.
	History func(ctx context.Context, root string, dirs []string) error
	// Hidden says what commands may show although it is hidden: see History. Nil: nothing.
	Hidden func(ctx context.Context, root string, dirs []string) string
	// Open lists the files of secrets that no sandbox keeps programs from opening: see History. Nil: there are none.
	Open func(ctx context.Context, root string) []string
	// Own reports whether a command contacts nothing but servers in its own sandbox: see Taint. Nil: none does.
	Own func(c guard.Case, r *effect.Report) bool
	// Mask knows the secrets of the session. Nil still knows the shapes of common keys.
	Mask *redact.Filter
	// Rules are what the user has decided in advance, as a rule a *Rules. As a guard they deny and ask; as an approver they
	// approve what they allow, and abstain from the rest. Nil: nothing.
	Rules decided
	// Loops bounds what an agent repeats. Zero has the defaults.
	Loops LoopLimits
	// Rate limits the calls. Nil: no limits.
	Rate *Rate
	// Above is the set of the workspace that this one is a copy of: what a session has read there and here is one. Nil: it is none.
	Above *Set
	// More are guards of the embedder. Those that are observers observe.
	More []guard.Guard
	// OnPanic reports a guard that panicked, for the operator. It may be nil.
	OnPanic func(c guard.Case, text string)
}

type decided interface {
	guard.Guard
	guard.Approver
}

// Set is the full set of guards. As a Guard it returns the strictest verdict of them; as an Observer it forwards to those
// that remember; as an Approver it approves what the rules allow. One Set may serve several sessions: its guards remember
// each session apart.
type Set struct {
	Programs Programs

	rules decided // nil without rules
	taint *Taint
	all   guard.All
	named func() string // see Fingerprint
}

// New returns the full set of guards: the same for sessions, for judging by hand and for embedders.
func New(o Options) *Set {
	p := NewPrograms(o.Here)
	p.Reached = o.Reached
	s := &Set{Programs: p, rules: o.Rules, taint: &Taint{Programs: p, Own: o.Own}}
	if o.Above != nil {
		s.taint.above = o.Above.taint
	}
	s.all.OnPanic = o.OnPanic
	s.all.Guards = []guard.Guard{
		Paths{Here: o.Here, Plan: o.Plan, Confined: o.Confined},
		Reach{Here: o.Here, Confined: o.Confined},
		p,
		Hosts{Known: o.KnownHost},
		Unknown{},
		AccessRequests{Here: o.Here},
		Questions{},
		Secrets{Programs: p, Mask: o.Mask},
		Unsaved{Programs: p, Files: o.Unsaved, Kept: o.Kept},
		&History{Programs: p, Known: o.History, Hidden: o.Hidden, Open: o.Open},
		&Loops{Limits: o.Loops},
		&Refusals{Programs: p},
		s.taint,
	}
	if o.Rules != nil {
		s.all.Guards = append(s.all.Guards, o.Rules)
	}
	if o.Rate != nil {
		s.all.Guards = append(s.all.Guards, o.Rate)
	}
	s.all.Guards = append(s.all.Guards, o.More...)
	s.named = sync.OnceValue(func() string { return guard.Fingerprint(s.all) })
	return s
}

// Fingerprint implements what guard.Fingerprint asks for. It is that of the guards and of the rules that New got.
func (s *Set) Fingerprint() string { return s.named() }

// Judge returns the strictest verdict of all guards. The command is parsed once.
func (s *Set) Judge(ctx context.Context, c guard.Case) guard.Verdict {
	return s.all.Judge(ctx, s.Programs.Prepare(c))
}

// Approve approves what the rules allow, else it abstains.
func (s *Set) Approve(ctx context.Context, c guard.Case, v guard.Verdict) (guard.Answer, error) {
	if s.rules == nil {
		return guard.Answer{Choice: guard.Abstain}, nil
	}
	return s.rules.Approve(ctx, s.Programs.Prepare(c), v)
}

// Decide judges a call by the guards and the rules together: where they ask and a rule approves, the verdict allows.
// The answer is that of the rule; it abstains where no rule approved.
func (s *Set) Decide(ctx context.Context, c guard.Case) (guard.Verdict, guard.Answer) {
	c = s.Programs.Prepare(c)
	v := s.all.Judge(ctx, c)
	answer := guard.Answer{Choice: guard.Abstain}
	if v.Decision == guard.Ask {
		if a, err := s.Approve(ctx, c, v); err == nil && a.Choice == guard.Approved {
			v.Decision, answer = guard.Allow, a
		}
	}
	return v, answer
}

// Prepare sets the report of a case that has a command and no report yet. The pipeline calls it once for each call.
func (s *Set) Prepare(c guard.Case) guard.Case { return s.Programs.Prepare(c) }

// Prompted forwards to the guards that remember.
func (s *Set) Prompted(session string) { s.all.Prompted(session) }

// Said forwards to the guards that listen.
func (s *Set) Said(session, text string) { s.all.Said(session, text) }

// Granted forwards to the guards that remember.
func (s *Set) Granted(c guard.Case, a guard.Answer) { s.all.Granted(s.Programs.Prepare(c), a) }

// Refused forwards to the guards that remember.
func (s *Set) Refused(c guard.Case, a guard.Answer) { s.all.Refused(s.Programs.Prepare(c), a) }

// Ran forwards to the guards that remember, and joins their notes. A call that was judged has its report.
func (s *Set) Ran(c guard.Case, r tool.Result) (note string) { return s.all.Ran(c, r) }

// Origins says where words in the arguments of a call come from: see Taint.
func (s *Set) Origins(c guard.Case) []guard.Origin { return s.taint.Origins(s.Programs.Prepare(c)) }

// Untrusted names the untrusted text that a session has read since it began, the first few: see Taint.
func (s *Set) Untrusted(session string) []string { return s.taint.Untrusted(session) }

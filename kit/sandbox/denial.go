package sandbox

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"rein/kit/places"
)

// Denial is one action that the sandbox blocked. The kernel does not report denials, so a Denial is concluded from the
// program's exit and its output.
type Denial struct {
	Kind    DenialKind `json:"kind"`
	Target  string     `json:"target,omitempty"` // path, host, or what was asked of the kernel
	Certain bool       `json:"certain"`          // false: likely
}

// DenialKind is the kind of action that was blocked.
type DenialKind string

// The kinds of denials.
const (
	DeniedWrite   DenialKind = "write"   // a place that is read-only for programs
	DeniedRead    DenialKind = "read"    // a place that nobody may open
	DeniedHidden  DenialKind = "hidden"  // a place that looks as if it did not exist
	DeniedNetwork DenialKind = "network" // a host
	DeniedSocket  DenialKind = "socket"  // a server's unix socket
	DeniedKernel  DenialKind = "kernel"  // a system call or a privilege
	DeniedTracing DenialKind = "tracing" // one program traces another
	DeniedKeys    DenialKind = "keys"    // what needs a key or a sign-in of the user
	DeniedSockets DenialKind = "sockets" // another machine, by another protocol than HTTP
)

// Evidence is what is known of a program that has ended.
type Evidence struct {
	Command string // the script that was run
	Dir     string // where it started
	Output  string // its output, or the parts of it that were kept
	Result  Result
	Opened  Opened // as in its Spec
	// ReadOnly is as in its Spec.
	ReadOnly bool
	// Refused are the hosts, as host:port, that the proxy kept the session's programs from while it ran.
	Refused []string
	// Unreachable are those that it did not reach though no approval is missing, with the reason.
	Unreachable []string
}

// Explain returns what the sandbox probably blocked, the likeliest first, and nothing without evidence. It is a guess by
// rules: at least nine of ten blocked actions are found, and at most one of twenty ordinary failures is mistaken.
func (b *Box) Explain(e Evidence) []Denial {
	if b.view == nil || b.backend == BackendNone {
		return nil
	}
	c := denialCase{Command: e.Command, Dir: e.Dir, Home: b.inner.Home, Output: e.Output, Code: e.Result.Code, Signal: e.Result.Signal,
		Tracing: b.inner.Debuggers, Network: !b.inner.HostNetwork && len(e.Unreachable) == 0, Refused: e.Refused, View: sync.OnceValue(func() *view {
			return b.seenBy(Spec{Opened: e.Opened, ReadOnly: e.ReadOnly})
		})}
	if c.Dir == "" {
		c.Dir = b.inner.Workspace
	}
	return explainDenials(c)
}

// seenBy is how a program of this spec saw the machine.
func (b *Box) seenBy(spec Spec) *view {
	v := *b.view
	close := func() {}
	if p, other, err := b.inner.For(spec); other && err == nil {
		if wide, err := newView(p); err == nil {
			v, close = wide, wide.Close
		}
	}
	defer close()
	v = v.Protect(b.inner.EnvFiles)
	return &v
}

// Note is the harness's message to the model about denials: what was blocked, and what to do next. workspace is where
// programs may write; "" where that is nowhere. ask is the tool call that requests access; "" where there is none.
func Note(denials []Denial, workspace, ask string) string {
	if len(denials) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("[note from rein, not from the program: the sandbox ")
	if denials[0].Certain {
		b.WriteString("blocked part of this.")
	} else {
		b.WriteString("probably blocked part of this.")
	}
	for _, d := range denials {
		fmt.Fprintf(&b, " %s.", d.sentence())
	}
	switch {
	case slices.Contains([]DenialKind{DeniedNetwork, DeniedKernel, DeniedTracing, DeniedKeys, DeniedSockets}, denials[0].Kind):
	case workspace == "":
		b.WriteString(" In this mode commands can write only in $TMPDIR. Tell the user what you would change.]\n")
		return b.String()
	default:
		fmt.Fprintf(&b, " Work under %s or in $TMPDIR.", workspace)
	}
	if ask != "" {
		fmt.Fprintf(&b, " If the task needs it, request access with this call: %s]\n", ask)
	} else {
		fmt.Fprintf(&b, " %s]\n", advice(denials[0].Kind))
	}
	return b.String()
}

// UnreachableNote is the harness's message to the model about hosts that a program did not reach for another reason than that
// they are not allowed: they did not answer, or their address is never reached. Each comes with its reason.
func UnreachableNote(hosts []string) string {
	if len(hosts) == 0 {
		return ""
	}
	return "[note from rein, not from the program: this did not get through: " + strings.Join(hosts, "; ") + "]\n"
}

// SteeringNote names files that a call made or changed and that run programs, or steer tools and agents, later, with what runs them: see
// Box.Steering. It is "" without files.
func SteeringNote(paths []string, workspace string) string {
	shown := make([]string, 0, mostSteering)
	for _, path := range paths[:min(len(paths), mostSteering)] {
		when := places.WhenRun(path)
		if rel, err := filepath.Rel(workspace, path); err == nil && filepath.IsLocal(rel) {
			path, when = rel, places.WhenRun(rel)
		}
		shown = append(shown, strconv.Quote(path)+" ("+when+")")
	}
	if n := len(paths) - mostSteering; n > 0 {
		shown = append(shown, fmt.Sprintf("%d more", n))
	}
	return strings.Join(shown, ", ")
}

// mostSteering is how many paths a note names.
const mostSteering = 8

// sentence describes what was blocked.
func (d Denial) sentence() string {
	switch d.Kind {
	case DeniedWrite:
		return "Programs cannot write to " + d.Target
	case DeniedRead:
		return "Programs cannot read " + d.Target + ": it holds secrets"
	case DeniedHidden:
		return "Programs cannot see " + d.Target + " (it may exist)"
	case DeniedNetwork:
		if d.Target == "" {
			return "Programs reach only allowed hosts"
		}
		return "Programs cannot reach " + d.Target + ": it is not an allowed host"
	case DeniedSocket:
		return "Programs cannot connect to " + d.Target
	case DeniedKeys:
		return "Programs do not see the user's keys and sign-ins"
	case DeniedSockets:
		return "Programs reach other machines over HTTP only, and see no SSH keys"
	case DeniedTracing:
		return "Programs cannot trace each other, as debuggers, strace and the leak check of sanitizers do"
	}
	if d.Target == "" {
		return "Programs have no privileges for this"
	}
	return "Programs have no privileges for this: " + d.Target
}

func advice(kind DenialKind) string {
	switch kind {
	case DeniedNetwork:
		return "If the task needs the host, tell the user, who can allow it."
	case DeniedTracing:
		return `Do without (ASAN_OPTIONS=detect_leaks=0 leaves the leak check out), or tell the user, who can allow it with the setting programs.debuggers.`
	case DeniedKeys:
		return "Tell the user, who can run it outside of rein. A commit needs no key with --no-gpg-sign, a tag with --no-sign."
	case DeniedSockets:
		return "Tell the user, who can run it outside of rein; git reaches public repositories by their HTTPS addresses."
	case DeniedKernel:
		return "Find a way without privileges, or tell the user what to run."
	}
	return "If the task needs this place, tell the user, who can allow it with --add-dir."
}

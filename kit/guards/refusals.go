package guards

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"rein/guard"
	"rein/guard/effect"
	"rein/kit/places"
	"rein/kit/shell"
	"rein/tool"
)

// stopAfter is how often a person refuses an effect without a comment until it is denied without a request.
const stopAfter = 3

// maxRefusals is how many refusals of a session are remembered; the oldest are dropped first.
const maxRefusals = 200

// Refusals is the guard that remembers what a person refused, by its effects. The same effect in another spelling, or
// through another tool, needs an approval again, the request shows that it was refused before, and no rule can approve
// it. After three refusals the guard denies it without a request, until the user sends the next message. So is every request
// for access after three refused ones. Refusals is an Observer, and learns the answers of persons from it.
type Refusals struct {
	Programs Programs

	lock     sync.Mutex
	sessions map[string][]refusal
}

// refusal is one refused call.
type refusal struct {
	shown  string   // the call in a line
	words  string   // the user's comment
	keys   []string // the effects that were refused
	access bool     // the call requested access
	stale  bool     // the user has sent a message since: it no longer counts for a denial
}

// Judge asks when the call has an effect that was refused before, and denies one that was refused too often.
func (r *Refusals) Judge(_ context.Context, c guard.Case) guard.Verdict {
	r.lock.Lock()
	known := r.sessions[c.Session]
	r.lock.Unlock()
	if len(known) == 0 {
		return guard.Verdict{}
	}
	var last refusal
	shared := ""
	count, accesses := 0, 0
	keys := r.effects(c, false)
	for _, old := range known {
		counts := old.words == "" && !old.stale
		if counts && old.access {
			accesses++
		}
		key := overlap(old.keys, keys)
		if key == "" {
			continue
		}
		last, shared = old, key
		if counts {
			count++
		}
	}
	switch {
	case c.Intent.RequestsAccess && accesses >= stopAfter:
		return guard.Verdict{Decision: guard.Deny, Severity: guard.High, PersonOnly: true, Guard: "refusals", Rules: []string{"refused.access"},
			Reason: fmt.Sprintf("the user has refused requests for access %d times", accesses), Hint: "Work inside the sandbox, or tell the user what you cannot do."}
	case last.shown == "":
		return guard.Verdict{}
	case count >= stopAfter:
		return guard.Verdict{Decision: guard.Deny, Severity: guard.High, PersonOnly: true, Guard: "refusals", Rules: []string{"refused.often"},
			Reason: fmt.Sprintf("the user has refused this %d times, most recently as %s", count, last.shown),
			Hint:   "Do not try it in another way; continue without it, or tell the user why you need it."}
	}
	why := "the user refused this before: " + last.shown
	if (len(last.keys) > 1 || strings.HasSuffix(last.shown, "…")) && !strings.HasPrefix(shared, "line ") { // the call in a line may not show it
		why = fmt.Sprintf("the user refused this before: %s, as a part of %s", guard.Printable(shared), last.shown)
	}
	if last.words != "" {
		why += fmt.Sprintf(" (comment: %s)", last.words)
	}
	return guard.Verdict{Decision: guard.Ask, Severity: guard.High, PersonOnly: true, Guard: "refusals", Rules: []string{"refused.before"}, Reason: why}
}

// Refused remembers that a person refused the call. What a rule, a deadline or nobody refused does not count.
func (r *Refusals) Refused(c guard.Case, a guard.Answer) {
	if !a.ByPerson() {
		return
	}
	old := refusal{shown: brief(c), words: a.Words, keys: r.effects(c, true), access: c.Intent.RequestsAccess}
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.sessions == nil {
		r.sessions = map[string][]refusal{}
	}
	all := append(slices.Clip(r.sessions[c.Session]), old)
	r.sessions[c.Session] = all[max(0, len(all)-maxRefusals):]
}

// Granted forgets the refusals of effects that a person has approved since.
func (r *Refusals) Granted(c guard.Case, a guard.Answer) {
	if !a.ByPerson() {
		return
	}
	keys := r.effects(c, true)
	r.lock.Lock()
	defer r.lock.Unlock()
	var kept []refusal
	for _, old := range r.sessions[c.Session] {
		if overlap(old.keys, keys) == "" {
			kept = append(kept, old)
		}
	}
	if r.sessions != nil {
		r.sessions[c.Session] = kept
	}
}

// Prompted records that the user has sent a message: what they refused before it needs an approval again instead of a
// denial.
func (r *Refusals) Prompted(session string) {
	r.lock.Lock()
	defer r.lock.Unlock()
	all := slices.Clone(r.sessions[session]) // Judge may be reading the other one
	for i := range all {
		all[i].stale = true
	}
	if len(all) > 0 {
		r.sessions[session] = all
	}
}

// Ran does nothing: an approval was already reported.
func (r *Refusals) Ran(guard.Case, tool.Result) (note string) { return "" }

// brief is a call in a line.
func brief(c guard.Case) string {
	text := c.Intent.Command
	if text == "" {
		text = strings.TrimSpace(c.Call.Name + " " + strings.Join(append(append(append([]string(nil), c.Intent.Writes...), c.Intent.Reads...), c.Intent.Hosts...), " "))
	}
	text = guard.Printable(strings.Join(strings.Fields(text), " "))
	if runes := []rune(text); len(runes) > 80 {
		text = string(runes[:79]) + "…"
	}
	return text
}

// effects are what a call would do, as keys. With only, they are those that needed an approval by the mode; if none did
// (a rule of the user asked), they are all.
func (r *Refusals) effects(c guard.Case, only bool) []string {
	e := effectKeys{c: c, at: r.Programs.Here.Places(c), only: only}
	if c.Intent.Command != "" {
		e.command(r.Programs.Read(c))
	}
	e.paths("writes ", c.Intent.Writes, shell.WriteClass)
	e.paths("reads ", c.Intent.Reads, shell.ReadClass)
	e.hosts(c.Intent.Hosts)
	if c.Intent.Unknown && c.Intent.Command == "" {
		e.add("tool " + c.Call.Name + " " + string(guard.Canonical(c.Call.Args)))
	}
	if only && len(e.keys) == 0 {
		return r.effects(c, false)
	}
	return e.keys
}

// effectKeys collects keys: a verb and a path or host, or a class and the program that has it.
type effectKeys struct {
	c    guard.Case
	at   places.Context
	only bool
	keys []string
}

func (e *effectKeys) add(key string) {
	if !slices.Contains(e.keys, key) {
		e.keys = append(e.keys, key)
	}
}

// asks reports whether an effect of a class counts.
func (e *effectKeys) asks(class effect.Class) bool {
	d, _ := Decide(class, e.c.Mode, e.c.Isolation)
	return d != guard.Allow || !e.only
}

func (e *effectKeys) paths(verb string, names []string, classOf func(places.Class) effect.Class) {
	for _, n := range names {
		class := classOf(places.Classify(n, e.at))
		if class != effect.Read && e.asks(class) {
			e.add(verb + e.at.Abs(n))
		}
	}
}

func (e *effectKeys) hosts(names []string) {
	for _, h := range names {
		e.add("contacts " + strings.ToLower(h))
	}
}

func (e *effectKeys) command(r *effect.Report) {
	for _, f := range r.Findings {
		if f.Class <= effect.Own || !e.asks(f.Class) {
			continue
		}
		before := len(e.keys)
		switch f.Class {
		case effect.Delete, effect.Wipe, effect.Destroy:
			for _, p := range r.Removes {
				e.add("removes " + e.at.Abs(p))
			}
		case effect.Write, effect.OutsideWrite, effect.Config:
			e.paths("writes ", r.Writes, shell.WriteClass)
		case effect.OutsideRead, effect.Private:
			e.paths("reads ", r.Reads, shell.ReadClass)
		case effect.Network, effect.Upload, effect.RemoteShell, effect.RemoteCode:
			e.hosts(r.Hosts)
		case effect.Unparsed, effect.Dynamic:
			e.add("line " + e.c.Intent.Command)
		}
		if len(e.keys) == before {
			e.add(f.Class.String() + " " + f.Program)
		}
	}
}

// overlap returns the effect of the first call that the second one has too; "": none. An effect on a directory is one on all that it contains.
func overlap(a, b []string) string {
	for _, x := range a {
		for _, y := range b {
			if x == y || below(x, y) || below(y, x) {
				return x
			}
		}
	}
	return ""
}

// below reports whether a key names a path in the directory that another key with the same verb names.
func below(inner, outer string) bool {
	outer = strings.TrimRight(strings.TrimRight(outer, "*"), "/")
	_, path, _ := strings.Cut(outer, " ")
	return strings.HasPrefix(path, "/") && (strings.HasPrefix(inner, outer+"/") || strings.TrimRight(inner, "*/") == outer)
}

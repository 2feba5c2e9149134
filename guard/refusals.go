package guard

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"rein/guard/shell"
	"rein/places"
)

// stopAfter is how often a person refuses an effect, without a word about it, until it is denied unasked.
const stopAfter = 3

// maxRefusals is how many refusals of a session are remembered; the oldest go first.
const maxRefusals = 200

// Refusals is the guard that remembers what a person refused, by its effects: the same thing in another spelling, or
// through another tool, is shown as refused before and never granted by a rule. After three refusals it is denied
// unasked, until the user speaks again; so is every request to open the walls after three refused ones. It is told of
// the answers of persons.
type Refusals struct {
	Programs Programs

	lock     sync.Mutex
	sessions map[string][]refusal
}

// refusal is one no.
type refusal struct {
	shown string   // the call in a line
	words string   // the user's
	keys  []string // what was refused
	opens bool     // it would have opened the walls
	stale bool     // the user has spoken since: it no longer counts for a denial
}

// Judge asks about what was refused before, or denies it.
func (r *Refusals) Judge(_ context.Context, c Case) Verdict {
	r.lock.Lock()
	known := r.sessions[c.Session]
	r.lock.Unlock()
	if len(known) == 0 {
		return Verdict{}
	}
	var last refusal
	count, openings := 0, 0
	keys := r.effects(c, false)
	for _, old := range known {
		counts := old.words == "" && !old.stale
		if counts && old.opens {
			openings++
		}
		if !overlap(old.keys, keys) {
			continue
		}
		last = old
		if counts {
			count++
		}
	}
	switch {
	case c.Intent.RequestsAccess && openings >= stopAfter:
		return Verdict{Decision: Deny, Severity: High, Guard: "refusals", Rules: []string{"refused.widening"},
			Reason: fmt.Sprintf("the user has refused %d times to open the walls", openings), Hint: "work within them, or tell the user in words what cannot be done"}
	case last.shown == "":
		return Verdict{}
	case count >= stopAfter:
		return Verdict{Decision: Deny, Severity: High, Guard: "refusals", Rules: []string{"refused.often"},
			Reason: fmt.Sprintf("the user has refused this %d times, last as %s", count, last.shown),
			Hint:   "stop trying it in other ways; go on without it, or tell the user in words why you need it"}
	}
	why := "you refused this before: " + last.shown
	if last.words != "" {
		why += fmt.Sprintf(" (and said: %s)", last.words)
	}
	return Verdict{Decision: Ask, Severity: High, Guard: "refusals", Rules: []string{"refused.before"}, Reason: why}
}

// Refused remembers that a person said no, with these words for the model.
func (r *Refusals) Refused(c Case, words string) {
	old := refusal{shown: brief(c), words: words, keys: r.effects(c, true), opens: c.Intent.RequestsAccess}
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.sessions == nil {
		r.sessions = map[string][]refusal{}
	}
	all := append(r.sessions[c.Session], old)
	r.sessions[c.Session] = all[max(0, len(all)-maxRefusals):]
}

// Granted forgets the refusals of what a person has said yes to since.
func (r *Refusals) Granted(c Case) {
	keys := r.effects(c, true)
	r.lock.Lock()
	defer r.lock.Unlock()
	var kept []refusal
	for _, old := range r.sessions[c.Session] {
		if !overlap(old.keys, keys) {
			kept = append(kept, old)
		}
	}
	if r.sessions != nil {
		r.sessions[c.Session] = kept
	}
}

// Said notes that the user has said something: what they refused until then is asked about again.
func (r *Refusals) Said(session string) {
	r.lock.Lock()
	defer r.lock.Unlock()
	all := append([]refusal(nil), r.sessions[session]...) // Judge may be reading the other one
	for i := range all {
		all[i].stale = true
	}
	if len(all) > 0 {
		r.sessions[session] = all
	}
}

// brief is a call in a line.
func brief(c Case) string {
	text := c.Intent.Command
	if text == "" {
		text = strings.TrimSpace(c.Call.Name + " " + strings.Join(append(append(append([]string(nil), c.Intent.Writes...), c.Intent.Reads...), c.Intent.Hosts...), " "))
	}
	text = Printable(strings.Join(strings.Fields(text), " "))
	if runes := []rune(text); len(runes) > 80 {
		text = string(runes[:79]) + "…"
	}
	return text
}

// effects are what a call would do, as keys. With only, they are those that had to be asked about; where none had to
// (a rule of the user's asked), they are all.
func (r *Refusals) effects(c Case, only bool) []string {
	e := effectKeys{c: c, at: r.Programs.Here.places(c), only: only}
	if c.Intent.Command != "" {
		e.command(r.Programs.Read(c))
	}
	e.paths("writes ", c.Intent.Writes, shell.WriteClass)
	e.paths("reads ", c.Intent.Reads, shell.ReadClass)
	e.hosts(c.Intent.Hosts)
	if c.Intent.Unknown && c.Intent.Command == "" {
		e.add("tool " + c.Call.Name + " " + string(canonical(c.Call.Args)))
	}
	if only && len(e.keys) == 0 {
		return r.effects(c, false)
	}
	return e.keys
}

// effectKeys collects keys: a verb and a path or host, or a class and the program that has it.
type effectKeys struct {
	c    Case
	at   places.Context
	only bool
	keys []string
}

func (e *effectKeys) add(key string) {
	if !contains(e.keys, key) {
		e.keys = append(e.keys, key)
	}
}

// asks reports whether an effect of a class counts.
func (e *effectKeys) asks(class shell.Class) bool {
	d, _ := decide(class, e.c.Mode, e.c.Isolation)
	return d != Allow || !e.only
}

func (e *effectKeys) paths(verb string, names []string, classOf func(places.Class) shell.Class) {
	for _, n := range names {
		class := classOf(places.Classify(n, e.at))
		if class != shell.Read && e.asks(class) {
			e.add(verb + e.at.Abs(n))
		}
	}
}

func (e *effectKeys) hosts(names []string) {
	for _, h := range names {
		e.add("reaches " + strings.ToLower(h))
	}
}

func (e *effectKeys) command(r *shell.Report) {
	for _, f := range r.Findings {
		if f.Class <= shell.Own || !e.asks(f.Class) {
			continue
		}
		before := len(e.keys)
		switch f.Class {
		case shell.Delete, shell.Wipe, shell.Destroy:
			for _, p := range r.Removes {
				e.add("removes " + e.at.Abs(p))
			}
		case shell.Write, shell.OutsideWrite, shell.Config:
			e.paths("writes ", r.Writes, shell.WriteClass)
		case shell.OutsideRead, shell.Private:
			e.paths("reads ", r.Reads, shell.ReadClass)
		case shell.Network, shell.Upload, shell.RemoteShell, shell.RemoteCode:
			e.hosts(r.Hosts)
		case shell.Unparsed, shell.Dynamic:
			e.add("line " + e.c.Intent.Command)
		}
		if len(e.keys) == before {
			e.add(f.Class.String() + " " + f.Program)
		}
	}
}

// overlap reports whether two calls share an effect; a directory holds what is below it.
func overlap(a, b []string) bool {
	for _, x := range a {
		for _, y := range b {
			if x == y || below(x, y) || below(y, x) {
				return true
			}
		}
	}
	return false
}

// below reports whether a key names a path in the directory that another one of the same verb names.
func below(inner, outer string) bool {
	outer = strings.TrimRight(strings.TrimRight(outer, "*"), "/")
	_, path, _ := strings.Cut(outer, " ")
	return strings.HasPrefix(path, "/") && (strings.HasPrefix(inner, outer+"/") || strings.TrimRight(inner, "*/") == outer)
}

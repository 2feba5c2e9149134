package guards

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"sync"

	"rein/guard"
	"rein/tool"
)

// Ladder says when a loop gets which answer, in calls. Zero means the default, a number below 0 never.
type Ladder struct {
	Note int // the model gets a note
	Ask  int // the call needs an approval of a person
}

// LoopLimits bound what Loops lets pass. Zero means the default.
type LoopLimits struct {
	Same     Ladder // the same call with the same result; 3 and 5
	PingPong Ladder // rounds of two calls, each with the result that it had before; 2 and 4
	Idle     Ladder // calls in a row that had their results before; 12 and 20
	Failures Ladder // failures in a row of one tool, of the same kind; 4 and 7
	Stop     int    // requests for an approval in a row that nobody approved, after which the turn ends; 3
}

func (l LoopLimits) withDefaults() LoopLimits {
	or := func(a *Ladder, note, ask int) { a.Note, a.Ask = cmp.Or(a.Note, note), cmp.Or(a.Ask, ask) }
	or(&l.Same, 3, 5)
	or(&l.PingPong, 2, 4)
	or(&l.Idle, 12, 20)
	or(&l.Failures, 4, 7)
	l.Stop = cmp.Or(l.Stop, 3)
	return l
}

func reached(n, limit int) bool { return limit > 0 && n >= limit }

// Loops is the guard against an agent that makes no progress: first the model gets a note, then calls need an approval, then
// the turn ends. Only the same call with the same result counts, and failures of the same kind. A message of the user begins all
// counts again, and a change with a new result starts those of repeated calls again: what is built after an edit is no repetition.
// Each sub-agent is counted separately. It is an Observer, and learns the results from the calls that ran.
type Loops struct {
	Limits LoopLimits

	lock sync.Mutex
	runs map[string]*run // by agent
}

// run is what one agent did since the last message of the user.
type run struct {
	seen    map[made]bool
	results map[uint64]uint64 // the last result of each call
	times   map[uint64]int    // how often it had it
	last    [2]made           // the newest calls, the newest first
	back    int               // calls in a row that repeat the last but one
	idle    int               // calls in a row without a new result
	failing failure           // the last failure
	fails   int               // how often in a row
	asked   map[string]bool   // ids of calls for which an approval was requested, since one was given
}

// made is a call with its result, by their hashes: a session may have gigabytes of results.
type made struct{ call, result uint64 }

// seed is that of all hashes of this process. They are never kept longer, and nobody outside can make two texts with the same one.
var seed = maphash.MakeSeed()

func (l *Loops) of(c guard.Case) *run {
	id := cmp.Or(c.SubAgent, c.Session)
	r := l.runs[id]
	if r == nil {
		if l.runs == nil {
			l.runs = map[string]*run{}
		}
		r = &run{seen: map[made]bool{}, results: map[uint64]uint64{}, times: map[uint64]int{}, asked: map[string]bool{}}
		l.runs[id] = r
	}
	return r
}

// Judge asks for a call that continues a loop, and ends the turn when nobody approved such calls.
func (l *Loops) Judge(_ context.Context, c guard.Case) guard.Verdict {
	limits := l.Limits.withDefaults()
	l.lock.Lock()
	defer l.lock.Unlock()
	r := l.runs[cmp.Or(c.SubAgent, c.Session)]
	if r == nil || len(r.seen) == 0 {
		return guard.Verdict{}
	}
	rule, reason := r.loops(c, limits)
	if rule == "" {
		return guard.Verdict{}
	}
	v := guard.Verdict{Decision: guard.Ask, Severity: guard.Low, PersonOnly: true, Guard: "loops", Rules: []string{"loop." + rule}, Reason: reason,
		Hint: "Try something else: the result will not change."}
	if r.asked[c.Call.ID] = true; limits.Stop > 0 && len(r.asked) > limits.Stop {
		v.Decision, v.Stop = guard.Deny, true
		v.Reason += fmt.Sprintf(", and %d calls like it were not approved", limits.Stop)
		v.Hint = ""
	}
	return v
}

// loops names the loop that a call continues; "" is none.
func (r *run) loops(c guard.Case, limits LoopLimits) (rule, reason string) {
	if reached(r.fails+1, limits.Failures.Ask) && r.failing.tool == c.Call.Name {
		return "failures", fmt.Sprintf("%s failed %d times in a row for the same reason", c.Call.Name, r.fails)
	}
	if r.idle == 0 && limits.Same.Ask > 2 {
		return "", "" // the usual case, before anything is hashed
	}
	key := callKey(c)
	switch n := r.times[key]; {
	case reached(r.rounds()+1, limits.PingPong.Ask) && (key == r.last[0].call || key == r.last[1].call):
		return "ping-pong", fmt.Sprintf("two calls took turns %d times, with the same results", r.rounds())
	case reached(n+1, limits.Same.Ask):
		return "same", fmt.Sprintf("the same call had the same result %d times", n)
	case reached(r.idle+1, limits.Idle.Ask) && n > 0:
		return "idle", fmt.Sprintf("the last %d calls had results that were known before", r.idle)
	}
	return "", ""
}

// rounds is how often two calls took turns.
func (r *run) rounds() int {
	if r.back == 0 {
		return 0
	}
	return r.back/2 + 1
}

// failure is what failures of the same kind share.
type failure struct {
	tool string
	kind tool.Kind
}

// Prompted begins all counts of the session again.
func (l *Loops) Prompted(session string) {
	l.lock.Lock()
	defer l.lock.Unlock()
	delete(l.runs, session)
}

// Granted notes that a person wants the calls to continue.
func (l *Loops) Granted(c guard.Case, a guard.Answer) {
	l.lock.Lock()
	defer l.lock.Unlock()
	if r := l.runs[cmp.Or(c.SubAgent, c.Session)]; r != nil && a.ByPerson() {
		clear(r.asked)
	}
}

// Refused does nothing: a refused call has no result.
func (l *Loops) Refused(guard.Case, guard.Answer) {}

// Ran records the result of a call. The note warns the model of a loop.
func (l *Loops) Ran(c guard.Case, result tool.Result) (note string) {
	at := made{callKey(c), maphash.String(seed, result.Text)}
	limits := l.Limits.withDefaults()
	l.lock.Lock()
	defer l.lock.Unlock()
	r := l.of(c)
	r.count(at, c, result)
	switch n := r.times[at.call]; {
	case r.back%2 == 0 && reached(r.rounds(), limits.PingPong.Note):
		return fmt.Sprintf("The last two calls took turns %d times, with the same results. Do something else.", r.rounds())
	case reached(n, limits.Same.Note):
		return fmt.Sprintf("The same call had the same result %d times now. Do something else.", n)
	case reached(r.fails, limits.Failures.Note):
		return fmt.Sprintf("%s failed %d times in a row for the same reason. Read its error, and do something else.", c.Call.Name, r.fails)
	case reached(r.idle, limits.Idle.Note):
		return fmt.Sprintf("The last %d calls told you nothing new. Say what you know, and do something else.", r.idle)
	}
	return ""
}

func (r *run) count(at made, c guard.Case, result tool.Result) {
	isNew := !r.seen[at]
	r.seen[at] = true
	changes := c.Intent.Unknown || len(c.Intent.Writes) > 0
	if isNew && changes && !result.Failed {
		clear(r.times)
	}
	if r.results[at.call] != at.result {
		r.results[at.call], r.times[at.call] = at.result, 0
	}
	r.times[at.call]++
	switch {
	case isNew:
		r.idle, r.back = 0, 0
	case r.last[1] == at && r.last[0] != at:
		r.idle, r.back = r.idle+1, r.back+1
	default:
		r.idle, r.back = r.idle+1, 0
	}
	r.last = [2]made{at, r.last[0]}
	switch failed := (failure{c.Call.Name, result.Kind}); {
	case !result.Failed || result.Kind == "":
		r.failing, r.fails = failure{}, 0
	case failed == r.failing:
		r.fails++
	default:
		r.failing, r.fails = failed, 1
	}
}

func callKey(c guard.Case) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	h.WriteString(c.Call.Name + "\x00")
	h.Write(guard.Canonical(c.Call.Args))
	return h.Sum64()
}

package guards

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"strconv"
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
	Waits    Ladder // the same, where the agent waited before it looked again; 20 and 60
	PingPong Ladder // rounds of two calls, each with the result that it had before; 2 and 4
	Idle     Ladder // turns in a row whose calls had their results before; 4 and 6
	Failures Ladder // turns in a row in which one tool failed, in the same way; 4 and 7
	Stop     int    // turns in a row with requests for an approval that nobody gave, after which the session's turn ends; 3
}

func (l LoopLimits) withDefaults() LoopLimits {
	or := func(a *Ladder, note, ask int) { a.Note, a.Ask = cmp.Or(a.Note, note), cmp.Or(a.Ask, ask) }
	or(&l.Same, 3, 5)
	or(&l.Waits, 20, 60)
	or(&l.PingPong, 2, 4)
	or(&l.Idle, 4, 6)
	or(&l.Failures, 4, 7)
	l.Stop = cmp.Or(l.Stop, 3)
	return l
}

func reached(n, limit int) bool { return limit > 0 && n >= limit }

// Loops is the guard against an agent that makes no progress: first the model gets a note, then calls need an approval, then
// the turn ends. Only the same call with the same result counts, and failures of the same kind; what differs from run to run by
// itself, such as times, is no other result (see steady). A call that was not made before is never asked about. The calls of one
// answer of the model are one turn, and count once, with those that its programs make. A message of the user begins all counts
// again, and a change with a new result starts those of repeated calls again: what is built after an edit is no repetition.
// Each sub-agent is counted separately. It is an Observer, and learns the results from the calls that ran.
type Loops struct {
	Limits LoopLimits

	lock sync.Mutex
	runs map[string]*run // by agent
}

// run is what one agent did since the last message of the user.
type run struct {
	calls    map[uint64]*repeats // what was called
	seen     map[made]bool
	repeated bool            // a call had a result that it had before
	news     int             // turns with a new result
	waited   int             // the last turn in which the agent waited
	last     [2]uint64       // the two turns before this one
	back     int             // turns in a row that repeat the last but one
	idle     int             // turns in a row without a new result
	warned   bool            // the model has a note about them
	now      turn            // the turn that runs, or ran last
	failing  failure         // the last failure
	fails    int             // turns in a row with it
	asked    map[string]bool // turns with a request for an approval, since one was given or a result was new
}

// repeats is how often a call had its last result.
type repeats struct {
	result uint64
	times  int  // without waiting in between
	waits  int  // after waiting
	turn   int  // the last one
	news   int  // run.news then
	failed bool // its last result
}

// otherWork is how many turns with new results begin the count of a call again: who looks at a thing between other work is not
// in a loop.
const otherWork = 3

// turn is one turn while its calls run.
type turn struct {
	number     int    // from 1, by our own count
	of         int    // guard.Case.Turn
	sum        uint64 // of its calls and results, in any order
	isNew      bool   // it has a new result
	counted    bool   // a call was repeated without waiting
	ok         bool   // a call did not fail
	idle, back int    // before it
	failing    failure
	fails      int // before it
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
		r = &run{calls: map[uint64]*repeats{}, seen: map[made]bool{}, asked: map[string]bool{}}
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
	if r == nil || !r.repeated && r.fails == 0 && limits.Same.Ask > 2 {
		return guard.Verdict{} // the usual case, before anything is hashed
	}
	rule, reason := r.loops(c, limits)
	if rule == "" {
		return guard.Verdict{}
	}
	v := guard.Verdict{Decision: guard.Ask, Severity: guard.Low, PersonOnly: true, Guard: "loops", Rules: []string{"loop." + rule}, Reason: reason,
		Hint: "Try something else: the result will not change."}
	if r.asked[turnOf(c)] = true; limits.Stop > 0 && len(r.asked) > limits.Stop {
		v.Decision, v.Stop = guard.Deny, true
		v.Reason += fmt.Sprintf(", and %d calls like it were not approved", limits.Stop)
		v.Hint = ""
	}
	return v
}

// turnOf names the turn of a call. Where turns are not counted, each call is one.
func turnOf(c guard.Case) string {
	if c.Turn > 0 {
		return strconv.Itoa(c.Turn)
	}
	return c.Call.ID
}

// loops names the loop that a call continues; "" is none.
func (r *run) loops(c guard.Case, limits LoopLimits) (rule, reason string) {
	is := r.calls[callKey(c)]
	switch {
	case is == nil: // it was not made before
	case is.failed && r.failing.tool == c.Call.Name && reached(r.fails+1, limits.Failures.Ask):
		return "failures", fmt.Sprintf("%s failed %d times in a row for the same reason", c.Call.Name, r.fails)
	case is.times > 1 && is.turn >= r.now.number-1 && reached(r.rounds()+1, limits.PingPong.Ask):
		return "ping-pong", fmt.Sprintf("two calls took turns %d times, with the same results", r.rounds())
	case reached(is.times+1, limits.Same.Ask):
		return "same", fmt.Sprintf("the same call had the same result %d times", is.times)
	case is.times > 1 && reached(r.idle+1, limits.Idle.Ask) && (r.warned || limits.Idle.Note < 0):
		return "idle", fmt.Sprintf("the last %d calls had results that were known before", r.idle)
	case reached(is.waits+1, limits.Waits.Ask):
		return "waits", fmt.Sprintf("the same call had the same result %d times, with waiting in between", is.waits)
	}
	return "", ""
}

// rounds is how often two turns took turns.
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
	at := made{callKey(c), resultKey(c, result)}
	limits := l.Limits.withDefaults()
	l.lock.Lock()
	defer l.lock.Unlock()
	r := l.of(c)
	is := r.count(at, c, result)
	idle := is.times > 2 && reached(r.idle, limits.Idle.Note) // once again is no loop: the conversation may have been compacted
	r.warned = r.warned || idle
	switch {
	case is.times > 1 && r.back%2 == 0 && reached(r.rounds(), limits.PingPong.Note):
		return fmt.Sprintf("The last two calls took turns %d times, with the same results. Do something else.", r.rounds())
	case reached(is.times, limits.Same.Note):
		return fmt.Sprintf("The same call had the same result %d times now. Do something else; if you wait for a change, wait longer before you look again.", is.times)
	case reached(r.fails, limits.Failures.Note):
		return fmt.Sprintf("%s failed %d times in a row for the same reason. Read its error, and do something else.", c.Call.Name, r.fails)
	case idle:
		return fmt.Sprintf("The last %d calls told you nothing new. Say what you know, and do something else.", r.idle)
	case reached(is.waits, limits.Waits.Note):
		return fmt.Sprintf("You waited %d times, and the same call had the same result. Tell the user what you wait for, or do something else.", is.waits)
	}
	return ""
}

// count takes a call and its result into the counts, and returns those of the call.
func (r *run) count(at made, c guard.Case, result tool.Result) *repeats {
	r.begin(c)
	isNew := !r.seen[at]
	r.seen[at] = true
	if changes := c.Intent.Unknown || len(c.Intent.Writes) > 0; isNew && changes && !result.Failed {
		for _, is := range r.calls {
			is.times, is.waits = 0, 0
		}
	}
	is := r.calls[at.call]
	if is == nil {
		is = &repeats{}
		r.calls[at.call] = is
	}
	waited := r.waits(c, result) || is.turn > 0 && r.waited >= is.turn
	switch {
	case is.result != at.result, r.news-is.news >= otherWork:
		*is = repeats{result: at.result, times: 1}
	case is.turn == r.now.number: // calls of one turn count once
	case waited:
		is.waits++
	default:
		is.times++
	}
	r.repeated = r.repeated || !isNew
	r.progress(c, at, isNew, waited)
	r.fail(c, result)
	is.turn, is.news, is.failed = r.now.number, r.news, result.Failed
	return is
}

// begin begins a turn, unless the call belongs to the one that runs.
func (r *run) begin(c guard.Case) {
	if c.Turn > 0 && c.Turn == r.now.of {
		return
	}
	r.last = [2]uint64{r.now.sum, r.last[0]}
	r.now = turn{number: r.now.number + 1, of: c.Turn, idle: r.idle, back: r.back, failing: r.failing, fails: r.fails}
}

// waits reports whether a call waited for something outside, and remembers it: what is looked at after it may have changed.
func (r *run) waits(c guard.Case, result tool.Result) bool {
	yes := waited(c, result)
	if yes {
		r.waited = r.now.number
	}
	return yes
}

// progress counts the turns in a row without a new result.
func (r *run) progress(c guard.Case, at made, isNew, waited bool) {
	t := &r.now
	t.sum += maphash.Comparable(seed, at)
	if isNew && !t.isNew {
		t.isNew = true
		r.news++
	}
	t.counted = t.counted || !waited
	switch {
	case t.isNew:
		r.idle, r.back, r.warned = 0, 0, false
		if !r.asked[turnOf(c)] {
			clear(r.asked)
		}
	case !t.counted: // waiting is neither progress nor a loop
		r.idle, r.back = t.idle, 0
	case t.sum == r.last[1] && t.sum != r.last[0]:
		r.idle, r.back = t.idle+1, t.back+1
	default:
		r.idle, r.back = t.idle+1, 0
	}
}

// fail counts the turns in a row in which one tool failed, and nothing succeeded.
func (r *run) fail(c guard.Case, result tool.Result) {
	t := &r.now
	failed := failure{c.Call.Name, result.Kind}
	if t.ok = t.ok || !result.Failed || result.Kind == ""; t.ok {
		r.failing, r.fails = failure{}, 0
		return
	}
	if r.failing, r.fails = failed, 1; failed == t.failing {
		r.fails = t.fails + 1
	}
}

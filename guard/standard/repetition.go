package standard

import (
	"context"
	"crypto/sha256"
	"fmt"
	"sync"

	"rein/guard"
	"rein/tool"
)

// When a call repeats itself with the same result.
const (
	warnAfter = 3 // the model gets a note
	askAfter  = 5 // the call needs an approval
)

// Repetition is the guard against loops: the same call with the same result again and again. It is an Observer, and
// learns the results from the calls that ran.
type Repetition struct {
	lock sync.Mutex
	runs map[string]*run // by session
}

// run counts, for each call of a session, how often it had the same result.
type run struct {
	results map[[32]byte][32]byte
	times   map[[32]byte]int
	most    int // of times, ever
}

// Judge asks when the same call had the same result too often.
func (r *Repetition) Judge(_ context.Context, c guard.Case) guard.Verdict {
	if !r.suspects(c.Session) {
		return guard.Verdict{} // the usual case, before anything is hashed
	}
	if n := r.Times(c); n >= askAfter-1 {
		return guard.Verdict{Decision: guard.Ask, Severity: guard.Low, PersonOnly: true, Guard: "repetition", Rules: []string{"repetition.same"},
			Reason: fmt.Sprintf("the same call had the same result %d times", n), Hint: "try something else: the result will not change"}
	}
	return guard.Verdict{}
}

// suspects reports whether any call of the session was repeated often enough to need an approval.
func (r *Repetition) suspects(session string) bool {
	r.lock.Lock()
	defer r.lock.Unlock()
	s := r.runs[session]
	return s != nil && s.most >= askAfter-1
}

// Times returns how often the call ran with the same result until now.
func (r *Repetition) Times(c guard.Case) int {
	r.lock.Lock()
	defer r.lock.Unlock()
	s := r.runs[c.Session]
	if s == nil {
		return 0
	}
	return s.times[callKey(c)]
}

// Prompted does nothing: a repetition counts in the whole session.
func (r *Repetition) Prompted(string) {}

// Granted does nothing.
func (r *Repetition) Granted(guard.Case, guard.Answer) {}

// Refused does nothing: a refused call has no result.
func (r *Repetition) Refused(guard.Case, guard.Answer) {}

// Ran records the result of a call. The note warns the model where the same call had the same result too often.
func (r *Repetition) Ran(c guard.Case, result tool.Result) (note string) {
	key, sum := callKey(c), sha256.Sum256([]byte(result.Text))
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.runs == nil {
		r.runs = map[string]*run{}
	}
	s := r.runs[c.Session]
	if s == nil {
		s = &run{results: map[[32]byte][32]byte{}, times: map[[32]byte]int{}}
		r.runs[c.Session] = s
	}
	if s.results[key] != sum {
		s.results[key], s.times[key] = sum, 0
	}
	s.times[key]++
	s.most = max(s.most, s.times[key])
	if n := s.times[key]; n >= warnAfter {
		return fmt.Sprintf("The same call had the same result %d times now. Do something else.", n)
	}
	return ""
}

func callKey(c guard.Case) [32]byte {
	return sha256.Sum256([]byte(c.Call.Name + "\x00" + string(guard.Canonical(c.Call.Args))))
}

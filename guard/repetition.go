package guard

import (
	"context"
	"crypto/sha256"
	"fmt"
	"sync"
)

// When a call repeats itself with the same result.
const (
	warnAfter = 3 // the model is told
	askAfter  = 5 // a person is asked
)

// Repetition is the guard against going in circles: the same call with the same result again and again. The runner
// tells it the results.
type Repetition struct {
	lock sync.Mutex
	runs map[string]*run // by session
}

// run is how often a call came with the same result, for each call of a session.
type run struct {
	results map[[32]byte][32]byte
	times   map[[32]byte]int
	most    int // of times, ever
}

// Judge asks where the same call gave the same result too often.
func (r *Repetition) Judge(_ context.Context, c Case) Verdict {
	if !r.suspects(c.Session) {
		return Verdict{} // the usual case, before anything is hashed
	}
	if n := r.Times(c); n >= askAfter-1 {
		return Verdict{Decision: Ask, Severity: Low, Guard: "repetition", Rules: []string{"repetition.same"},
			Reason: fmt.Sprintf("the same call had the same result %d times", n), Hint: "do something else: the result will not change"}
	}
	return Verdict{}
}

// suspects reports whether any call of the session came often enough to be asked about.
func (r *Repetition) suspects(session string) bool {
	r.lock.Lock()
	defer r.lock.Unlock()
	s := r.runs[session]
	return s != nil && s.most >= askAfter-1
}

// Times says how often the call ran with the same result until now.
func (r *Repetition) Times(c Case) int {
	r.lock.Lock()
	defer r.lock.Unlock()
	s := r.runs[c.Session]
	if s == nil {
		return 0
	}
	return s.times[callKey(c)]
}

// Ran notes the result of a call, and gives the words that the model is to be told with it; "" for nothing.
func (r *Repetition) Ran(c Case, result string) string {
	key, sum := callKey(c), sha256.Sum256([]byte(result))
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
		return fmt.Sprintf("This same call has had the same result %d times now. Do something else.", n)
	}
	return ""
}

func callKey(c Case) [32]byte {
	return sha256.Sum256([]byte(c.Call.Name + "\x00" + string(canonical(c.Call.Args))))
}

package server

// This part counts what each user of the server does at once and in a second, and who tries wrong keys.

import (
	"sync"
	"time"
)

// rateCounter counts. The zero value is ready; several goroutines may use it at once.
type rateCounter struct {
	mu      sync.Mutex
	streams map[string]int
	second  int64 // since 1970
	changes map[string]int
	failed  map[string]failures // by address
}

type failures struct {
	count int
	last  time.Time
}

// Enter counts an event stream; Leave must follow when it reports true.
func (r *rateCounter) Enter(user string, most int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.streams == nil {
		r.streams = map[string]int{}
	}
	if r.streams[user] >= most {
		return false
	}
	r.streams[user]++
	return true
}

// Leave ends an event stream.
func (r *rateCounter) Leave(user string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.streams[user]--; r.streams[user] == 0 {
		delete(r.streams, user)
	}
}

// Streams returns how many event streams are open.
func (r *rateCounter) Streams() (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, of := range r.streams {
		n += of
	}
	return n
}

// Change counts a change by a user and reports whether there may be one more in this second.
func (r *rateCounter) Change(user string, most int, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.changes == nil || r.second != now.Unix() {
		r.second, r.changes = now.Unix(), map[string]int{}
	}
	r.changes[user]++
	return r.changes[user] <= most
}

// freeFailures is how many wrong keys an address may try before it must wait for each.
const freeFailures = 5

const (
	failurePause = 2 * time.Second
	maxAddresses = 10_000
)

// MayTry reports whether an address may try to sign in.
func (r *rateCounter) MayTry(address string, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.failed[address]
	return f.count < freeFailures || now.Sub(f.last) > failurePause
}

// Tried records whether a sign-in was right.
func (r *rateCounter) Tried(address string, right bool, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if right {
		delete(r.failed, address)
		return
	}
	if r.failed == nil || len(r.failed) >= maxAddresses {
		r.failed = map[string]failures{}
	}
	r.failed[address] = failures{r.failed[address].count + 1, now}
}

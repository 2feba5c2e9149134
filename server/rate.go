package server

import (
	"sync"
	"time"
)

// rates counts what each user does at once and in a second.
type rates struct {
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

// enter counts an event stream; leave must follow when it reports true.
func (r *rates) enter(user string, most int) bool {
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

func (r *rates) leave(user string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.streams[user]--; r.streams[user] == 0 {
		delete(r.streams, user)
	}
}

// change counts a change by a user and reports whether there may be one more in this second.
func (r *rates) change(user string, most int, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.changes == nil || r.second != now.Unix() {
		r.second, r.changes = now.Unix(), map[string]int{}
	}
	r.changes[user]++
	return r.changes[user] <= most
}

// Sign-ins with a wrong key: after some, each address must wait.
const (
	freeFailures = 5
	failurePause = 2 * time.Second
	maxAddresses = 10_000
)

// mayTry reports whether an address may try to sign in.
func (r *rates) mayTry(address string, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.failed[address]
	return f.count < freeFailures || now.Sub(f.last) > failurePause
}

// tried records whether a sign-in was right.
func (r *rates) tried(address string, right bool, now time.Time) {
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

package server

import (
	"sync"
	"time"
)

// userCounter counts. The zero value is ready; several goroutines may use it at once.
type userCounter struct {
	mu      sync.Mutex
	streams map[string]int
	second  int64 // since 1970
	changes map[string]int
	failed  map[string]keyFailures // by address
}

type keyFailures struct {
	count int
	last  time.Time
}

// Enter counts an event stream; Leave must follow when it reports true.
func (r *userCounter) Enter(user string, most int) bool {
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
func (r *userCounter) Leave(user string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.streams[user]--; r.streams[user] == 0 {
		delete(r.streams, user)
	}
}

// Streams returns how many event streams are open.
func (r *userCounter) Streams() (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, of := range r.streams {
		n += of
	}
	return n
}

// Change counts a change by a user and reports whether there may be one more in this second.
func (r *userCounter) Change(user string, most int, now time.Time) bool {
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

// WrongKey counts a wrong key that an address has sent, and reports whether it is answered and noted, as MayTry says. It never concerns a
// right key: others behind the same address lock no user out.
func (r *userCounter) WrongKey(address string, now time.Time) bool {
	may := r.MayTry(address, now)
	r.Tried(address, false, now)
	return may
}

// MayTry reports whether an address may try to sign in.
func (r *userCounter) MayTry(address string, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.failed[address]
	return f.count < freeFailures || now.Sub(f.last) > failurePause
}

// Tried records whether a sign-in was right.
func (r *userCounter) Tried(address string, right bool, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if right {
		delete(r.failed, address)
		return
	}
	if r.failed == nil || len(r.failed) >= maxAddresses {
		r.failed = map[string]keyFailures{}
	}
	r.failed[address] = keyFailures{r.failed[address].count + 1, now}
}

// Package touched collects the names of what must be shown again, until somebody looks.
package touched

import (
	"bytes"
	"maps"
	"slices"
	"sync"
)

// Set holds names. Make it with New. Its methods may be called at once by many.
type Set struct {
	mu   sync.Mutex
	ids  map[string]bool
	wake chan struct{} // one unseen wake is enough: the reader takes all names
}

// New makes an empty set.
func New() *Set { return &Set{ids: map[string]bool{}, wake: make(chan struct{}, 1)} }

// Add adds a name. It takes no other lock and never blocks.
func (t *Set) Add(id string) {
	t.mu.Lock()
	t.ids[id] = true
	t.mu.Unlock()
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// Wake returns a channel that receives when there is something to take.
func (t *Set) Wake() <-chan struct{} { return t.wake }

// Take returns all names, sorted, and forgets them.
func (t *Set) Take() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	ids := slices.Sorted(maps.Keys(t.ids))
	clear(t.ids)
	return ids
}

// WholeLines leaves an unfinished last line of what a program writes for the next look, so that no secret and no character is shown in
// two parts. A line that is longer than 4 KiB is given as it is.
func WholeLines(text []byte) []byte {
	if i := bytes.LastIndexAny(text, "\r\n"); len(text)-i-1 <= 4<<10 {
		return text[:i+1]
	}
	return text
}

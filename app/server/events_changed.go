package server

import (
	"bytes"
	"maps"
	"slices"
	"sync"
)

// changedNames holds names. Make it with newChangedNames. Its methods may be called at once by many.
type changedNames struct {
	mu   sync.Mutex
	ids  map[string]bool
	wake chan struct{} // one unseen wake is enough: the reader takes all names
}

// newChangedNames makes an empty set.
func newChangedNames() *changedNames {
	return &changedNames{ids: map[string]bool{}, wake: make(chan struct{}, 1)}
}

// Add adds a name. It takes no other lock and never blocks.
func (t *changedNames) Add(id string) {
	t.mu.Lock()
	t.ids[id] = true
	t.mu.Unlock()
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// Wake returns a channel that receives when there is something to take.
func (t *changedNames) Wake() <-chan struct{} { return t.wake }

// Take returns all names, sorted, and forgets them.
func (t *changedNames) Take() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	ids := slices.Sorted(maps.Keys(t.ids))
	clear(t.ids)
	return ids
}

// wholeLines leaves an unfinished last line of what a program writes for the next look, so that no secret and no character is shown in
// two parts. A line that is longer than 4 KiB is given as it is.
func wholeLines(text []byte) []byte {
	if i := bytes.LastIndexAny(text, "\r\n"); len(text)-i-1 <= 4<<10 {
		return text[:i+1]
	}
	return text
}

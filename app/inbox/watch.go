package inbox

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"time"

	"rein/internal/plainfile"
)

// How soon a watcher sees what has changed in another process.
const (
	// MarkInterval is how often a process looks whether another one has marked a change. All watchers share this look.
	MarkInterval = 40 * time.Millisecond
	// PollInterval is how often each watcher looks at everything, whatever the marks say. Each call that waits is a watcher, and so is each
	// workspace of a server: a look costs some reads for each session.
	PollInterval = time.Second
)

// markName is a file beside the sessions that grows with each change: one look at its size says that there is something to read.
const markName = "inbox.changes"

// Watch returns a value at once, and again whenever requests or answers may have changed: in this process immediately, in
// others within MarkInterval. It ends with ctx.
func (in *Inbox) Watch(ctx context.Context) iter.Seq[struct{}] {
	return func(yield func(struct{}) bool) {
		changes, stop := in.subscribe()
		defer stop()
		look := time.NewTicker(PollInterval)
		defer look.Stop()
		for yield(struct{}{}) {
			select {
			case <-ctx.Done():
				return
			case <-changes:
			case <-look.C:
			}
		}
	}
}

func (in *Inbox) subscribe() (changes <-chan struct{}, stop func()) {
	c := make(chan struct{}, 1) // one unseen change is enough: the reader looks at all files
	in.mu.Lock()
	defer in.mu.Unlock()
	in.watchers[c] = true
	if in.unfollow == nil {
		ctx, cancel := context.WithCancel(context.Background())
		in.unfollow = cancel
		go in.follow(ctx, in.marked())
	}
	return c, func() {
		in.mu.Lock()
		defer in.mu.Unlock()
		if delete(in.watchers, c); len(in.watchers) == 0 {
			in.unfollow()
			in.unfollow = nil
		}
	}
}

// follow wakes the watchers when another process has marked a change after the mark, until ctx ends.
func (in *Inbox) follow(ctx context.Context, mark int64) {
	look := time.NewTicker(MarkInterval)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
		if now := in.marked(); now != mark {
			mark = now
			in.wake()
		}
	}
}

// marked returns the length of the file of marks; 0 where there is none.
func (in *Inbox) marked() int64 {
	info, err := os.Stat(filepath.Join(in.dir, markName))
	if err != nil {
		return 0
	}
	return info.Size()
}

// changed wakes the watchers of this process, and marks the change for others. Where the mark cannot be written, they see the change
// within PollInterval.
func (in *Inbox) changed() {
	in.wake()
	f, err := plainfile.Append(filepath.Join(in.dir, markName))
	if err == nil {
		_, _ = f.WriteString("\n")
		_ = f.Close()
	}
}

func (in *Inbox) wake() {
	in.mu.Lock()
	defer in.mu.Unlock()
	for c := range in.watchers {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

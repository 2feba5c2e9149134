package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"golang.org/x/sys/unix"

	"rein/internal/box"
)

// zygoteSource is what programs stand on: a nursery, which is a process with all the mounts that do not differ between them,
// and of which process 1 of each box is a copy. It is made for the first program, and again when it would come out
// otherwise now: mounts of the host have changed, or a place that is shown or covered was replaced by another.
type zygoteSource struct {
	calls      *box.Program // that make the mounts
	view       view
	supervisor *supervisor

	mu     sync.Mutex
	zygote *supervisor // nil until there is one
	mounts int         // the host's table of mounts, which tells when it has changed; 0 before the first time
	stamps []stamp     // of the places, when the nursery was made
}

// stamp tells a file from another one in its place. Zero is none.
type stamp struct{ device, inode uint64 }

// isolate asks for process 1 of a new box, which reads its message from the last of the files.
// With the flag box.Announced its number is told.
func (g *zygoteSource) isolate(ctx context.Context, flags uint32, files ...*os.File) (*supervised, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.changed() {
		if err := g.startZygote(ctx); err != nil {
			return nil, err
		}
	}
	run := g.zygote.run()
	request := box.Request{Kind: box.Start, ID: run.id, Flags: flags}
	if err := g.zygote.send(request.Bytes(), files); err != nil {
		g.zygote.forget(run)
		return nil, fmt.Errorf("ask for a box: %w", err)
	}
	return run, nil
}

// startZygote makes a nursery. The one before makes no more boxes, and ends with its last one.
func (g *zygoteSource) startZygote(ctx context.Context) error {
	ours, theirs, err := controlPair(unix.SOCK_SEQPACKET)
	if err != nil {
		return err
	}
	zygote := &supervisor{control: ours, ended: make(chan struct{})}
	made := &supervised{supervisor: zygote, begun: make(chan box.Report, 1)}
	zygote.runs = map[uint32]*supervised{0: made} // of itself it tells without a number
	go func() {
		zygote.listen()
		ours.Close()
	}()
	_, err = g.supervisor.start(ctx, box.Zygote, g.calls, box.Order{}, nil, nil, nil, theirs)
	theirs.Close()
	if err == nil {
		err = made.laid(ctx, g.calls)
	}
	if err != nil {
		zygote.forget(made)
		zygote.retire()
		return err
	}
	if g.zygote != nil {
		g.zygote.retire()
	}
	g.zygote = zygote
	return nil
}

// laid waits until a nursery has carried out its calls.
func (r *supervised) laid(ctx context.Context, calls *box.Program) error {
	select {
	case report := <-r.begun:
		if report.Kind == box.Failed {
			return failure(calls, report, box.Order{})
		}
		return nil
	case <-r.supervisor.ended:
		return errors.New("the sandbox's nursery ended without a word")
	case <-ctx.Done():
		return ctx.Err()
	}
}

// changed takes the stamps anew and reports whether anything is not what it was, or there is no nursery.
func (g *zygoteSource) changed() bool {
	changed := g.zygote == nil || g.zygote.isGone()
	changed = g.remounted() || changed
	i := 0
	compare := func(path string) {
		var now stamp
		var stat unix.Stat_t
		if unix.Stat(path, &stat) == nil {
			now = stamp{uint64(stat.Dev), stat.Ino}
		}
		if i == len(g.stamps) {
			g.stamps = append(g.stamps, now)
		}
		changed = changed || g.stamps[i] != now
		g.stamps[i] = now
		i++
	}
	for _, b := range g.view.shown {
		compare(b.source)
	}
	for _, dir := range g.view.covers {
		compare(dir)
	}
	return changed
}

// remounted reports whether the host has mounted or unmounted anything since the last time.
func (g *zygoteSource) remounted() bool {
	if g.mounts == 0 {
		fd, err := unix.Open("/proc/self/mounts", unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			return true
		}
		g.mounts = fd
		return true
	}
	files := []unix.PollFd{{Fd: int32(g.mounts), Events: unix.POLLPRI}}
	n, err := unix.Poll(files, 0)
	return n != 0 || err != nil
}

// close ends the nursery, after its boxes.
func (g *zygoteSource) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.mounts != 0 {
		_ = unix.Close(g.mounts)
		g.mounts = 0
	}
	if g.zygote != nil {
		g.zygote.retire()
		<-g.zygote.ended
	}
}

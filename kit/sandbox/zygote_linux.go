package sandbox

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"rein/kit/sandbox/internal/box"
)

// zygote gives each program a process 1 that is started in advance.
//
// A thread of the supervisor, the zygote, has the mounts that do not differ between programs. Process 1 of each program is
// started from it and gets a copy of them. Such processes wait as spares, so that the next programs need not wait for
// their start. The zygote is made for the first program, and again when it would come out otherwise now: mounts of the host
// have changed, or a place that is shown or covered is another file or directory than before.
type zygote struct {
	calls      *box.Program // that make the mounts
	view       view
	supervisor *supervisor
	demand     demand // for spares
	starting   atomic.Int32

	mu     sync.Mutex
	id     uint32    // the run of the zygote; 0 until there is one
	spares []*child  // the oldest first
	mounts int       // the host's table of mounts, to see when it changes; 0 until it is open
	stamps []stamp   // of the places, when the zygote was made
	looked time.Time // when the last look at them began
	making sync.WaitGroup
	calm   *time.Timer // runs out when programs have stopped to start
	closed bool
}

// stamp identifies a file, so that another file in its place is noticed. Zero means no file.
type stamp struct{ device, inode uint64 }

// take returns a process 1 that waits for its message, a spare one if there is one. When its program has begun, or has failed to, begun
// must be called.
func (z *zygote) take(ctx context.Context) (c *child, wasSpare bool, err error) {
	z.starting.Add(1)
	asked := time.Now()
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.outdated(asked) {
		z.dropSpares(0)
		if err := z.start(ctx); err != nil {
			return nil, false, err
		}
	}
	if len(z.spares) > 0 {
		c, z.spares = z.spares[0], z.spares[1:]
		return c, true, nil
	}
	c, err = z.newInit()
	return c, false, err
}

// newInit starts a process 1. The mutex is held.
func (z *zygote) newInit() (*child, error) {
	ours, theirs, err := controlPair(unix.SOCK_STREAM)
	if err != nil {
		return nil, err
	}
	r, err := z.supervisor.request(box.Request{Kind: box.StartInit, Zygote: z.id}, nil, box.Order{}, theirs)
	theirs.Close()
	if err != nil {
		ours.Close()
		return nil, err
	}
	return &child{programRun: r, control: ours}, nil
}

// begun notes that a program has begun, or that it could not. The next spare starts at once when no other program is about to
// start, and the others when programs have stopped to start: they would take the processors from those that start.
func (z *zygote) begun(c *child) {
	last := z.starting.Add(-1) == 0
	z.mu.Lock()
	defer z.mu.Unlock()
	if c != nil {
		z.demand.begins()
		c.over = sync.OnceFunc(z.ended)
	}
	if z.demand.most == 0 || z.closed {
		return
	}
	if z.calm == nil {
		z.calm = time.AfterFunc(calmAfter, z.settle)
	}
	z.calm.Reset(calmAfter)
	if last {
		z.making.Go(func() { z.prepare(1) })
	}
}

// ended notes that a program has ended.
func (z *zygote) ended() {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.demand.ends()
}

// settle makes as many spares as are wanted now.
func (z *zygote) settle() {
	z.mu.Lock()
	n := z.demand.settle()
	z.dropSpares(n)
	z.mu.Unlock()
	z.prepare(n)
}

// prepare starts spares until there are n.
func (z *zygote) prepare(n int) {
	z.mu.Lock()
	defer z.mu.Unlock()
	for len(z.spares) < n && z.id != 0 && !z.closed {
		c, err := z.newInit()
		if err != nil {
			return // whoever needs it tries again, and reports the error
		}
		z.spares = append(z.spares, c)
	}
}

// dropSpares ends all spare processes but the first n. They end with their control sockets. The mutex is held.
func (z *zygote) dropSpares(n int) {
	for len(z.spares) > n {
		last := len(z.spares) - 1
		z.spares[last].control.Close()
		z.spares = z.spares[:last]
	}
}

// start makes the zygote. The one before ends; programs that were started from it continue.
func (z *zygote) start(ctx context.Context) error {
	z.end()
	r, err := z.supervisor.start(ctx, box.Request{Kind: box.StartZygote}, z.calls, box.Order{Probe: true})
	if err != nil {
		return fmt.Errorf("prepare the sandbox: %w", err)
	}
	z.id = r.id
	return nil
}

// end ends the zygote.
func (z *zygote) end() {
	if z.id != 0 {
		_ = z.supervisor.notify(box.Request{Kind: box.EndZygote, Zygote: z.id})
		z.id = 0
	}
}

// outdated reports whether the zygote would come out otherwise now. For programs that start at once one look does that began after all of them
// had asked.
func (z *zygote) outdated(asked time.Time) bool {
	if z.id != 0 && z.looked.After(asked) {
		return false
	}
	z.looked = time.Now()
	return z.changed()
}

// changed takes the stamps again and reports whether any is not what it was, or there is no zygote.
func (z *zygote) changed() bool {
	changed := z.id == 0
	changed = z.remounted() || changed
	i := 0
	compare := func(path string) {
		var now stamp
		var stat unix.Stat_t
		if unix.Stat(path, &stat) == nil {
			now = stamp{uint64(stat.Dev), stat.Ino}
		}
		if i == len(z.stamps) {
			z.stamps = append(z.stamps, now)
		}
		changed = changed || z.stamps[i] != now
		z.stamps[i] = now
		i++
	}
	for _, b := range z.view.Shown {
		compare(b.Source)
	}
	for _, dir := range z.view.Covers {
		compare(dir)
	}
	for _, m := range z.view.Masked { // a file that is replaced loses its mask
		compare(m.Target)
	}
	return changed
}

// remounted reports whether the host has mounted or unmounted anything since the last time.
func (z *zygote) remounted() bool {
	if z.mounts == 0 {
		fd, err := unix.Open("/proc/self/mounts", unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			return true
		}
		z.mounts = fd
		return true
	}
	files := []unix.PollFd{{Fd: int32(z.mounts), Events: unix.POLLPRI}}
	n, err := unix.Poll(files, 0)
	return n != 0 || err != nil
}

// close gives back what the zygote holds. The supervisor ends its processes.
func (z *zygote) close() {
	z.mu.Lock()
	z.closed = true
	if z.calm != nil {
		z.calm.Stop()
	}
	z.dropSpares(0)
	z.end()
	if z.mounts != 0 {
		_ = unix.Close(z.mounts)
		z.mounts = 0
	}
	z.mu.Unlock()
	z.making.Wait()
}

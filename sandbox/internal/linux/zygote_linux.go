package linux

import (
	"context"
	"fmt"
	"sync"

	"golang.org/x/sys/unix"

	"rein/internal/box"
	"rein/sandbox/internal/view"
)

// zygote gives each program a process 1 that is started in advance.
//
// A thread of the supervisor, the zygote, has the mounts that do not differ between programs. Process 1 of each program is
// started from it and gets a copy of them. One such process waits as a spare, so that the next program need not wait for
// its start. The zygote is made for the first program, and again when it would come out otherwise now: mounts of the host
// have changed, or a place that is shown or covered is another file or directory than before.
type zygote struct {
	calls      *box.Program // that make the mounts
	view       view.View
	supervisor *supervisor
	spares     bool // start processes in advance

	mu     sync.Mutex
	id     uint32  // the run of the zygote; 0 until there is one
	spare  *child  // nil is none
	mounts int     // the host's table of mounts, to see when it changes; 0 until it is open
	stamps []stamp // of the places, when the zygote was made
	making sync.WaitGroup
	closed bool
}

// stamp identifies a file, so that another file in its place is noticed. Zero means no file.
type stamp struct{ device, inode uint64 }

// take gives a process 1 that waits for its message, the spare one if there is one.
func (z *zygote) take(ctx context.Context) (c *child, wasSpare bool, err error) {
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.changed() {
		z.dropSpare()
		if err := z.start(ctx); err != nil {
			return nil, false, err
		}
	}
	if c := z.spare; c != nil {
		z.spare = nil
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
	return &child{run: r, control: ours}, nil
}

// prepare starts a spare process 1, unless there is one.
func (z *zygote) prepare() {
	if !z.spares {
		return
	}
	z.making.Go(func() {
		z.mu.Lock()
		defer z.mu.Unlock()
		if z.spare == nil && z.id != 0 && !z.closed {
			z.spare, _ = z.newInit() // whoever needs it tries again, and reports the error
		}
	})
}

// dropSpare ends the spare process, which ends with its control socket.
func (z *zygote) dropSpare() {
	if z.spare != nil {
		z.spare.control.Close()
		z.spare = nil
	}
}

// start makes the zygote. The one before ends; programs that were started from it go on.
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

// changed takes the stamps anew and reports whether any is not what it was, or there is no zygote.
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
	z.dropSpare()
	z.end()
	if z.mounts != 0 {
		_ = unix.Close(z.mounts)
		z.mounts = 0
	}
	z.mu.Unlock()
	z.making.Wait()
}

package sandbox

import (
	"context"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"rein/kit/sandbox/internal/box"
)

const (
	// remaskAfter is how long a program runs before its masks are kept up to date: most end before.
	remaskAfter = 200 * time.Millisecond
	// remaskEvery is how often that is done where the system does not report changes.
	remaskEvery = 250 * time.Millisecond
)

// remask keeps the masks of a program that runs for long up to date: a file of secrets that appears is closed for it, too.
type remask struct {
	timer *time.Timer
	once  sync.Once
	ended chan struct{}
	over  sync.WaitGroup
}

// remask begins to look after a program, which started with these masks.
func (n *namespaces) remask(c *child, masked []viewBind) *remask {
	m := &remask{ended: make(chan struct{})}
	m.over.Add(1)
	m.timer = time.AfterFunc(remaskAfter, func() {
		defer m.over.Done()
		closed := map[string]bool{}
		for _, b := range masked {
			closed[b.Target] = true
		}
		for {
			select {
			case <-m.ended:
				return
			default:
			}
			n.maskNew(c, closed)
			n.view.WaitForChange(remaskEvery)
		}
	})
	return m
}

// end ends it. Ending nothing, or ending again, does nothing.
func (m *remask) end() {
	if m == nil {
		return
	}
	m.once.Do(func() {
		close(m.ended)
		if m.timer.Stop() {
			m.over.Done()
		}
	})
}

// maskNew masks what is to be closed and is not yet, in the mounts of a program that runs.
func (n *namespaces) maskNew(c *child, closed map[string]bool) {
	var fresh []viewBind
	for _, b := range n.view.Secrets(n.policy.EnvFiles) {
		if !closed[b.Target] {
			fresh = append(fresh, b)
		}
	}
	if len(fresh) == 0 {
		return
	}
	pid, err := c.pidOf()
	if err != nil || pid <= 0 || n.enterAndMask(pid, fresh) != nil {
		return // it is tried again
	}
	for _, b := range fresh {
		closed[b.Target] = true
	}
}

// enterAndMask puts masks into the mounts of a process. A thread of the supervisor does it, with mounts of its own, so that
// it may take the closed file from there and may enter others.
func (n *namespaces) enterAndMask(pid int, masked []viewBind) error {
	c := &calls{Program: &box.Program{}}
	c.Do("make the mounts private", unix.SYS_MOUNT, "none", "/", 0, unix.MS_REC|unix.MS_PRIVATE, 0)
	trees := make([]box.Reg, len(masked))
	for i, b := range masked {
		name := "file"
		if b.Dir {
			name = "dir"
		}
		trees[i] = c.clone(filepath.Join(n.policy.Own.Closed(), name))
	}
	mounts := c.Do("open the mounts of the program", unix.SYS_OPENAT, here, "/proc/"+decimal(int64(pid))+"/ns/mnt", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	c.Do("enter the mounts of the program", unix.SYS_SETNS, mounts, unix.CLONE_NEWNS)
	c.Do("close a file", unix.SYS_CLOSE, mounts)
	for i, b := range masked {
		c.Find("mask "+b.Target, unix.SYS_MOVE_MOUNT, trees[i], "", here, b.Target, unix.MOVE_MOUNT_F_EMPTY_PATH)
		c.Try("close a file", unix.SYS_CLOSE, trees[i])
	}
	r, err := n.supervisor.start(context.Background(), box.Request{Kind: box.StartZygote}, c.Program, box.Order{Probe: true})
	if err == nil {
		_ = n.supervisor.notify(box.Request{Kind: box.EndZygote, Zygote: r.id})
	}
	return err
}

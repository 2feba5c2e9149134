package sandbox

import (
	"errors"
)

// inspection is what the helper processes of a backend are, for tests and for whoever looks for what went wrong.
type inspection struct {
	Supervisor int    // its process
	Zygote     uint32 // the run of the zygote; 0 where there is none
	Grouped    bool   // a control group bounds the processes of the session
}

func (s *supervisor) inspect() inspection {
	return inspection{Supervisor: s.cmd.Process.Pid, Grouped: s.limit != nil}
}

// Inspect describes the helper processes.
func (l *supervised) Inspect() inspection { return l.supervisor.inspect() }

// Inspect describes the helper processes.
func (b *bubblewrap) Inspect() inspection { return b.supervisor.inspect() }

// Inspect describes the helper processes.
func (n *namespaces) Inspect() inspection {
	i := n.supervisor.inspect()
	n.zygote.mu.Lock()
	defer n.zygote.mu.Unlock()
	i.Zygote = n.zygote.id
	return i
}

// Spare waits for the process that waits for the next program, and returns its number and a channel that is closed when it
// has ended.
func (n *namespaces) Spare() (pid int, ended <-chan struct{}, err error) {
	z := n.zygote
	z.prepare(1)
	z.mu.Lock()
	all := z.spares
	z.mu.Unlock()
	if len(all) == 0 {
		return 0, nil, errors.New("no spare process was started")
	}
	spare := all[0]
	over := make(chan struct{})
	go func() { _, _ = spare.programRun.Wait(); close(over) }()
	pid, err = spare.pidOf()
	return pid, over, err
}

// Outdate makes the zygote look as if the host had changed since it was made.
func (n *namespaces) Outdate() {
	n.zygote.mu.Lock()
	defer n.zygote.mu.Unlock()
	if len(n.zygote.stamps) > 0 {
		n.zygote.stamps[0] = stamp{}
	}
}

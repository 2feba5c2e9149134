package sandbox

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"syscall"
)

// widerBoxes are rungs of boxes for programs that may use more: each set of openings has a ground of its own, kept until
// the session ends.
type widerBoxes struct {
	mu   sync.Mutex
	open map[string]*namespaces
}

// opened gives the rung as it is for a program that may use more than the policy says.
func (n *namespaces) opened(o Opened) (*namespaces, error) {
	p, more, err := n.policy.opened(o)
	if err != nil || !more {
		return n, err
	}
	n.wider.mu.Lock()
	defer n.wider.mu.Unlock()
	if wide, ok := n.wider.open[o.key()]; ok {
		return wide, nil
	}
	v, err := newView(p)
	if err != nil {
		return nil, err
	}
	wide := &namespaces{policy: p, view: v, abi: n.abi, supervisor: n.supervisor, granted: true}
	wide.prepare()
	if n.wider.open == nil {
		n.wider.open = map[string]*namespaces{}
	}
	n.wider.open[o.key()] = wide
	return wide, nil
}

// close ends the session's processes.
func (n *namespaces) close() error {
	n.wider.mu.Lock()
	defer n.wider.mu.Unlock()
	err := n.supervisor.close()
	n.zygote.close()
	for _, wide := range n.wider.open {
		wide.zygote.close()
	}
	return err
}

// wider are rungs of Landlock for programs that may use more. A warden's rules cannot be loosened, so each set of
// openings has a warden of its own, kept until the session ends.
type wider struct {
	mu   sync.Mutex
	open map[string]*lower
}

// opened gives the rung as it is for a program that may use more than the policy says.
func (l *lower) opened(ctx context.Context, o Opened) (*lower, error) {
	p, more, err := l.policy.opened(o)
	if err != nil || !more || !l.isolation {
		return l, err
	}
	l.wider.mu.Lock()
	defer l.wider.mu.Unlock()
	if wide, ok := l.wider.open[o.key()]; ok {
		return wide, nil
	}
	v, err := newView(p)
	if err != nil {
		return nil, err
	}
	w, err := newSupervisor(&syscall.SysProcAttr{})
	if err != nil {
		return nil, err
	}
	p.limitProcesses(w)
	wide := (&lower{policy: p, supervisor: w, isolation: true, view: &v}).furnished()
	if err := wide.prepare(ctx, landlockRules(v, p), l.abi); err != nil {
		return nil, fmt.Errorf("%w%s", err, closing(w))
	}
	if l.wider.open == nil {
		l.wider.open = map[string]*lower{}
	}
	l.wider.open[o.key()] = wide
	return wide, nil
}

// close ends the rung's processes and those of the wider ones.
func (l *lower) close() error {
	l.wider.mu.Lock()
	defer l.wider.mu.Unlock()
	errs := []error{l.supervisor.close()}
	for _, wide := range l.wider.open {
		errs = append(errs, wide.supervisor.close())
	}
	return errors.Join(errs...)
}

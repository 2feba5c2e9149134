package sandbox

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"syscall"
)

// grantedNamespaces are backends for programs that may use more: each set of granted places has a zygote of its own, kept until
// the session ends.
type grantedNamespaces struct {
	mu   sync.Mutex
	open map[string]*namespaces
}

// opened returns the backend for a program that may use more or less than the policy allows.
func (n *namespaces) opened(spec Spec) (*namespaces, error) {
	p, other, err := n.policy.For(spec)
	if err != nil || !other {
		return n, err
	}
	n.others.mu.Lock()
	defer n.others.mu.Unlock()
	if wide, ok := n.others.open[spec.access()]; ok {
		return wide, nil
	}
	v, err := newView(p)
	if err != nil {
		return nil, err
	}
	wide := &namespaces{policy: p, view: v, abi: n.abi, supervisor: n.supervisor, granted: !spec.Opened.IsZero(), doors: n.doors}
	wide.prepare()
	if n.others.open == nil {
		n.others.open = map[string]*namespaces{}
	}
	n.others.open[spec.access()] = wide
	return wide, nil
}

// close ends the session's processes.
func (n *namespaces) close() error {
	n.others.mu.Lock()
	defer n.others.mu.Unlock()
	err := n.supervisor.close()
	n.doors.end()
	n.zygote.close()
	n.view.Close()
	for _, wide := range n.others.open {
		wide.zygote.close()
		wide.view.Close()
	}
	return err
}

// grantedSupervised are backends with Landlock for programs that may use more. Landlock's rules cannot be loosened, so each set of
// granted places has a supervisor of its own, kept until the session ends.
type grantedSupervised struct {
	mu   sync.Mutex
	open map[string]*supervised
}

// opened returns the backend for a program that may use more or less than the policy allows.
func (l *supervised) opened(ctx context.Context, spec Spec) (*supervised, error) {
	p, other, err := l.policy.For(spec)
	if err != nil || !other || !l.isolation {
		return l, err
	}
	l.granted.mu.Lock()
	defer l.granted.mu.Unlock()
	if wide, ok := l.granted.open[spec.access()]; ok {
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
	limitSessionProcesses(p, w)
	wide := (&supervised{policy: p, supervisor: w, isolation: true, view: &v}).furnished()
	if err := wide.prepare(ctx, landlockRules(v, p), l.abi); err != nil {
		return nil, fmt.Errorf("%w%s", err, closing(w))
	}
	if l.granted.open == nil {
		l.granted.open = map[string]*supervised{}
	}
	l.granted.open[spec.access()] = wide
	return wide, nil
}

// close ends the backend's processes, and those for granted places.
func (l *supervised) close() error {
	l.granted.mu.Lock()
	defer l.granted.mu.Unlock()
	errs := []error{l.supervisor.close()}
	l.view.Close()
	for _, wide := range l.granted.open {
		errs = append(errs, wide.supervisor.close())
		wide.view.Close()
	}
	return errors.Join(errs...)
}

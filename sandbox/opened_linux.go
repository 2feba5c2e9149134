package sandbox

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"syscall"

	"rein/internal/box"
)

// opened gives the rung as it is for a program that may use more than the policy says: its mounts are made anew.
func (n *namespaces) opened(o Opened) (*namespaces, error) {
	p, more, err := n.policy.opened(o)
	if err != nil || !more {
		return n, err
	}
	v, err := newView(p)
	if err != nil {
		return nil, err
	}
	wide := &namespaces{policy: p, view: v, abi: n.abi, warden: n.warden}
	wide.prepare()
	return wide, nil
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
	if err != nil || !more || l.flags == 0 {
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
	w, err := newWarden(&syscall.SysProcAttr{})
	if err != nil {
		return nil, err
	}
	wide := &lower{policy: p, warden: w, flags: box.Restricted, view: &v}
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
	errs := []error{l.warden.close()}
	for _, wide := range l.wider.open {
		errs = append(errs, wide.warden.close())
	}
	return errors.Join(errs...)
}

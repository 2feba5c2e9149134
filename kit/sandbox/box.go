package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"rein/guard"
)

// Box is the sandbox of one session: the best backend that works on this machine, found by trying when the first
// program starts (or when Prepare is called). It is a Sandbox.
type Box struct {
	policy   Policy
	inner    backendPolicy // the policy for backends
	scratch  string        // what Close removes; "" if nothing is ours alone
	choosing sync.Mutex
	chosen   bool // the backend is chosen, for good
	closing  sync.Once
	closed   atomic.Bool
	backend  Backend
	place    programStarter
	closers  []func() error
	tried    []Attempt
	view     *view // what programs see; nil where the backend hides nothing
	err      error
	plain    func() *view // the user's directories, where the backend hides nothing
}

var _ Sandbox = (*Box)(nil)

// Attempt is a backend that was tried, and the result.
type Attempt struct {
	Backend Backend
	Err     error // nil: it works
}

// ErrClosed means that the box was closed.
var ErrClosed = errors.New("the sandbox is closed")

// The errors of a sandbox whose own process was killed, as by the kernel when memory is short. ErrGone: nothing runs in the sandbox any more; it has to
// be opened anew. ErrCut: a program had begun, and was killed with it.
var (
	ErrGone = errors.New("the sandbox of the session was killed, and no program runs in it any more")
	ErrCut  = errors.New("the sandbox of the session was killed while the program ran")
)

// ErrNoSandbox means that the policy requires a sandbox and no backend that is strong enough works on this machine.
var ErrNoSandbox = errors.New("the sandbox is required and does not work here")

// New makes the sandbox of a policy. It looks at directories and starts nothing.
func New(p Policy) (*Box, error) {
	if err := p.checkOnly(); err != nil {
		return nil, err
	}
	inner, err := p.inner()
	if err != nil {
		return nil, err
	}
	b := &Box{policy: p, inner: inner}
	if p.Private == "" {
		b.inner.Private, err = os.MkdirTemp("", "rein-")
		if err != nil {
			return nil, fmt.Errorf("make the sandbox's own directory: %w", err)
		}
		b.scratch = b.inner.Private
	}
	b.inner.Private, err = filepath.EvalSymlinks(b.inner.Private)
	for _, dir := range append([]string{inner.Workspace}, inner.Writable...) {
		if err == nil && isAbove(dir, b.inner.Private) {
			err = fmt.Errorf("sandbox: its own directory %s lies in %s, which programs may write", b.inner.Private, dir)
		}
	}
	if err != nil {
		return nil, errors.Join(err, b.Close())
	}
	b.plain = sync.OnceValue(func() *view {
		v := plainView(b.inner)
		b.closers = append(b.closers, func() error { v.Close(); return nil })
		return &v
	})
	return b, nil
}

// Steering notes which files of the workspace run programs later, or steer tools and agents: hooks, settings of editors,
// instructions for agents. The function that it returns gives the paths of those that were made or changed since.
// Programs may make some of them; what they made is for the user to check.
func (b *Box) Steering(ctx context.Context) (changed func() []string) {
	if b.Prepare(ctx) != nil {
		return func() []string { return nil }
	}
	v := b.view
	if v == nil {
		v = b.plain()
	}
	before := v.Steering()
	return func() []string { return changedFiles(before, v.Steering()) }
}

// makeDirs makes the directories of this session.
func (b *Box) makeDirs() (err error) {
	if b.inner.Own.Session() != "" {
		return nil
	}
	own, err := newPrivate(b.inner.Private, privateCaches())
	if err != nil {
		return errors.Join(err, own.Close())
	}
	b.inner.Own = own
	return nil
}

// Start starts a program in the sandbox. When the policy requires one and there is none it starts nothing.
func (b *Box) Start(ctx context.Context, spec Spec) (Process, error) {
	if err := b.Prepare(ctx); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil { // a backend may be quicker than the end of the context
		return nil, err
	}
	spec.Opened.Ports = together(spec.Opened.Ports, b.policy.Opened.Ports)
	spec.Opened.Servers = together(spec.Opened.Servers, b.policy.Opened.Servers)
	release := func() {}
	if n, ok := b.place.(interface {
		openDoors(context.Context, Opened) (func(), error)
	}); ok {
		var err error
		if release, err = n.openDoors(ctx, spec.Opened); err != nil {
			return nil, err
		}
	}
	running, err := b.place.Start(ctx, spec)
	if err != nil {
		release()
	}
	return started(running, err, func() {
		release()
		b.settle()
	})
}

// together has all of two lists once.
func together[T comparable](a, b []T) (all []T) {
	for _, x := range slices.Concat(a, b) {
		if !slices.Contains(all, x) {
			all = append(all, x)
		}
	}
	return all
}

// settle takes away what a program made that the user's own programs must not meet.
func (b *Box) settle() {
	if b.view != nil {
		b.view.Settle()
	}
}

// Prepare finds the backend, starts its helper processes, and makes one ready for the first program. It does so once, unless a disk was full; later
// calls return the same error. Start prepares what is not prepared yet. A program that calls a model calls Prepare while
// the model answers, so that the first command need not wait, and a session without commands pays for nothing.
func (b *Box) Prepare(ctx context.Context) error {
	b.choosing.Lock()
	defer b.choosing.Unlock()
	if !b.chosen {
		if b.err = b.makeDirs(); b.err == nil {
			b.choose(context.WithoutCancel(ctx), b.policy.only(candidates()))
		}
		b.chosen = !isFull(b.err)
	}
	if b.closed.Load() {
		return ErrClosed
	}
	return b.err
}

// choose tries the backends from the best down.
func (b *Box) choose(ctx context.Context, backends []candidate) {
	for _, c := range backends {
		if b.policy.Mode == Off && c.backend != BackendNone {
			continue
		}
		if b.policy.Mode == Required && c.backend < BackendBubblewrap && c.backend != BackendSeatbelt {
			break
		}
		place, closer, err := c.open(ctx, b.inner)
		if v, ok := place.(interface{ Sees() *view }); ok && err == nil {
			b.view = v.Sees()
		}
		b.tried = append(b.tried, Attempt{c.backend, err})
		if isFull(err) { // no reason for a weaker one: a later try may find room
			b.tried, b.err = nil, fmt.Errorf("prepare the sandbox: %w", err)
			return
		}
		if err == nil {
			b.place, b.backend = place, c.backend
			if closer != nil {
				b.closers = append(b.closers, closer)
			}
			b.warn()
			return
		}
	}
	b.err = ErrNoSandbox
	if b.policy.Only != "" && b.policy.Mode != Required {
		b.err = fmt.Errorf("the sandbox backend %s does not work here", b.policy.Only)
	}
	for _, t := range b.tried {
		b.err = fmt.Errorf("%w\n%s: %w", b.err, t.Backend, t.Err)
	}
}

// isFull reports whether an error says that a disk has no room. That no process can be started, the kernel calls so, too.
func isFull(err error) bool {
	failed, ok := errors.AsType[*fs.PathError](err)
	return ok && failed.Op != "fork/exec" && (errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT))
}

// warn warns once when the backend is not the best there is. Off is what the user wanted.
func (b *Box) warn() {
	if b.policy.Warn == nil || b.policy.Mode == Off || len(b.tried) < 2 {
		return
	}
	reason := b.tried[0]
	b.policy.Warn(fmt.Sprintf("sandbox: programs run with the backend %q, because %q does not work here (%v); not enforced: %s",
		b.backend, reason.Backend, reason.Err, strings.Join(Gaps(b.backend), ", ")))
}

// Backend returns the backend that programs run with. It prepares the sandbox if nothing has done so yet.
func (b *Box) Backend(ctx context.Context) (Backend, error) {
	err := b.Prepare(ctx)
	return b.backend, err
}

// Isolation returns what guards may rely on: see guard.Isolation. It is none where nothing can be started. It prepares the sandbox if
// nothing has done so yet.
func (b *Box) Isolation(ctx context.Context) guard.Isolation {
	backend, err := b.Backend(ctx)
	switch {
	case err != nil:
	case backend == BackendNamespaces || backend == BackendBubblewrap || backend == BackendContainer:
		return guard.FullIsolation
	case backend == BackendExternal:
		return b.place.(interface{ Isolation() guard.Isolation }).Isolation()
	case backend == BackendLandlock || backend == BackendSeatbelt:
		return guard.FileIsolation
	}
	return guard.NoIsolation
}

// Unseen reports whether a file or directory below /tmp is there on this machine and not for programs, which have a /tmp of their own.
func (b *Box) Unseen(path string) bool {
	if b.view == nil {
		return false
	}
	for dir, own := range map[string]string{"/tmp": b.inner.Own.Tmp(), "/var/tmp": b.inner.Own.VarTmp()} {
		if name, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(name) && name != "." {
			_, here := os.Lstat(path)
			_, there := os.Lstat(filepath.Join(own, name))
			return here == nil && errors.Is(there, os.ErrNotExist)
		}
	}
	return false
}

// ShowsPart reports whether programs see of a directory of this machine only what is shown to them: it looks emptier than it is.
func (b *Box) ShowsPart(dir string) bool {
	if b.view == nil || dir == "/tmp" || dir == "/var/tmp" || b.view.Visible(dir) {
		return false
	}
	info, err := os.Stat(dir)
	return err == nil && info.IsDir()
}

// LeftOpen returns those of some files of the workspace that the policy closes and that programs can open all the same: the backend closes
// no single file. Names are relative to the workspace; they are not asked for where the backend closes files. It prepares the sandbox if nothing has done so yet.
func (b *Box) LeftOpen(ctx context.Context, names func() []string) (open []string) {
	if b.Isolation(ctx) == guard.FullIsolation || b.backend == BackendSeatbelt {
		return nil
	}
	for _, name := range names() {
		if Hides(name) && masks(name, b.inner.EnvFiles) {
			open = append(open, filepath.ToSlash(name))
		}
	}
	return open
}

// Close ends what the box keeps running and removes what it made for itself. Closing again does nothing.
func (b *Box) Close() error {
	b.closed.Store(true)
	b.choosing.Lock()
	if !b.chosen {
		b.chosen, b.err = true, ErrClosed
	}
	b.choosing.Unlock()
	var errs []error
	b.closing.Do(func() {
		for _, c := range b.closers {
			errs = append(errs, c())
		}
		b.inner.Index.Close()
		b.settle()
		if b.inner.Groups != nil {
			errs = append(errs, b.inner.Groups.Close())
		}
		errs = append(errs, b.inner.Own.Close())
		if b.scratch != "" {
			errs = append(errs, removeAll(b.scratch))
		}
	})
	return errors.Join(errs...)
}

// RemoveAll removes a directory with what programs made in it. Unlike os.RemoveAll it removes directories that are read-only.
func RemoveAll(dir string) error { return removeAll(dir) }

// candidate is a backend that may work here.
type candidate struct {
	backend Backend
	open    opener
}

// opener tries a backend and returns what starts programs, and what closes it.
type opener = func(context.Context, backendPolicy) (programStarter, func() error, error)

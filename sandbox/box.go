package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"rein/internal/plainfile"
	"rein/sandbox/internal/private"
)

// Box is the sandbox of one session: the best backend that works on this machine, found by trying when the first
// program starts (or when Prepare is called). It is a Sandbox.
type Box struct {
	policy  Policy
	scratch string    // what Close removes; "" if nothing is ours alone
	once    sync.Once // for choosing the backend
	closing sync.Once
	backend Backend
	place   Sandbox
	closers []func() error
	tried   []Try
	view    *view // what programs see; nil where the backend hides nothing
	err     error
}

var _ Sandbox = (*Box)(nil)

// Try is a backend that was tried, and the result.
type Try struct {
	Backend Backend
	Err     error // nil: it works
}

// ErrNoSandbox means that the policy requires a sandbox and no backend that is strong enough works on this machine.
var ErrNoSandbox = errors.New("the sandbox is required and does not work here")

// New makes the sandbox of a policy. It looks at directories and starts nothing.
func New(p Policy) (*Box, error) {
	if err := p.checkOnly(); err != nil {
		return nil, err
	}
	p, err := p.resolved()
	if err != nil {
		return nil, err
	}
	b := &Box{policy: p}
	if p.Private == "" {
		b.policy.Private, err = os.MkdirTemp("", "rein-")
		if err != nil {
			return nil, fmt.Errorf("make the sandbox's own directory: %w", err)
		}
		b.scratch = b.policy.Private
	}
	b.policy.Private, err = filepath.EvalSymlinks(b.policy.Private)
	for _, dir := range append([]string{b.policy.Workspace}, b.policy.Writable...) {
		if err == nil && above(dir, b.policy.Private) {
			err = fmt.Errorf("sandbox: its own directory %s lies in %s, which programs may write", b.policy.Private, dir)
		}
	}
	if err != nil {
		return nil, errors.Join(err, b.Close())
	}
	b.policy.groups, b.policy.warnOfMemory = newGroups(), &sync.Once{}
	return b, nil
}

// makeDirs makes the directories of this session.
func (b *Box) makeDirs() (err error) {
	if b.policy.own.Session() == "" {
		b.policy.own, err = private.New(b.policy.Private, privateCaches())
	}
	return err
}

// resolved checks the paths of a policy and takes the links out of them.
func (p Policy) resolved() (Policy, error) {
	if p.Home == "" {
		p.Home = lookEnv(childEnv(p.Parent, nil), "HOME")
	}
	if p.Home == "" {
		p.Home = "/nonexistent"
	}
	if real, err := filepath.EvalSymlinks(p.Home); err == nil {
		p.Home = real
	}
	writable := slices.Clone(p.Writable)
	for i := range writable {
		real, err := realDir(writable[i])
		if err != nil {
			return p, err
		}
		writable[i] = real
	}
	p.Writable = writable
	if p.Private != "" {
		if err := os.MkdirAll(p.Private, 0o700); err != nil {
			return p, fmt.Errorf("make the sandbox's own directory: %w", err)
		}
	}
	var err error
	p.Workspace, err = realDir(p.Workspace)
	if err == nil {
		p.Writable = append(p.Writable, gitDirs(p.Workspace)...)
		p, _, err = p.opened(p.Opened)
	}
	return p, err
}

func realDir(dir string) (string, error) {
	if !filepath.IsAbs(dir) {
		return "", fmt.Errorf("sandbox: %q is not an absolute path", dir)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", fmt.Errorf("sandbox: %w", err)
	}
	if real == "/" {
		return "", errors.New("sandbox: the workspace would be the whole machine")
	}
	return real, nil
}

// gitDirs gives the repository that a linked worktree belongs to: without it git could not commit. A .git file
// that its repository does not know of is not believed: it could name any directory.
func gitDirs(workspace string) []string {
	text, err := plainfile.Read(filepath.Join(workspace, ".git"))
	if err != nil {
		return nil // a directory, or no repository
	}
	dir, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
	if !ok {
		return nil
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(workspace, dir)
	}
	back, err := plainfile.Read(filepath.Join(dir, "gitdir"))
	if err != nil || filepath.Clean(strings.TrimSpace(string(back))) != filepath.Join(workspace, ".git") {
		return nil
	}
	common := filepath.Dir(filepath.Dir(dir))
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Lstat(filepath.Join(common, name)); err != nil {
			return nil
		}
	}
	real, err := realDir(common)
	if err != nil {
		return nil
	}
	return []string{real}
}

// Start starts a program in the sandbox. When the policy requires one and there is none it starts nothing.
func (b *Box) Start(ctx context.Context, spec Spec) (Process, error) {
	if err := b.Prepare(ctx); err != nil {
		return nil, err
	}
	return b.place.Start(ctx, spec)
}

// Prepare finds the backend, starts its helper processes, and makes one ready for the first program. It does so once; later
// calls return the same error. Start prepares what is not prepared yet. A program that calls a model calls Prepare while
// the model answers, so that the first command need not wait, and a session without commands pays for nothing.
func (b *Box) Prepare(ctx context.Context) error {
	b.once.Do(func() {
		if b.err = b.makeDirs(); b.err == nil {
			b.choose(context.WithoutCancel(ctx), b.policy.only(candidates(b.policy)))
		}
	})
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
		place, closer, err := c.open(ctx, b.policy)
		if v, ok := place.(interface{ sees() *view }); ok && err == nil {
			b.view = v.sees()
		}
		b.tried = append(b.tried, Try{c.backend, err})
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

// warn warns once when the backend is not the best there is. Off is what the user wanted.
func (b *Box) warn() {
	if b.policy.Warn == nil || b.policy.Mode == Off || len(b.tried) < 2 {
		return
	}
	reason := b.tried[0]
	b.policy.Warn(fmt.Sprintf("sandbox: programs run with the backend %q, because %q does not work here (%v); not enforced: %s",
		b.backend, reason.Backend, reason.Err, strings.Join(Gaps(b.backend), ", ")))
}

// Backend gives the backend that programs run with. It prepares the sandbox if nothing has done so yet.
func (b *Box) Backend(ctx context.Context) (Backend, error) {
	err := b.Prepare(ctx)
	return b.backend, err
}

// Close ends what the box keeps running and removes what it made for itself. Closing again does nothing.
func (b *Box) Close() error {
	b.once.Do(func() { b.err = errors.New("the sandbox is closed") })
	var errs []error
	b.closing.Do(func() {
		for _, c := range b.closers {
			errs = append(errs, c())
		}
		if b.policy.groups != nil {
			errs = append(errs, b.policy.groups.Close())
		}
		errs = append(errs, b.policy.own.Close())
		if b.scratch != "" {
			errs = append(errs, private.RemoveAll(b.scratch))
		}
	})
	return errors.Join(errs...)
}

// candidate is a backend that may work here.
type candidate struct {
	backend Backend
	// open tries the backend and gives the Sandbox that starts programs.
	open opener
}

// opener tries a backend and gives the Sandbox that starts programs, and what closes it.
type opener = func(context.Context, Policy) (Sandbox, func() error, error)

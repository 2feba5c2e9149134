package undo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Call says what may change files: a call of a model, as it is listed and selected later.
type Call struct {
	ID      string `json:"id"` // of the call; unique in its session
	Tool    string `json:"tool,omitempty"`
	Title   string `json:"title,omitempty"`   // one line for people: the command
	Session string `json:"session,omitempty"` // id of the user's session
	// SubAgent is the id of the sub-agent's session; "" in the user's own.
	SubAgent string `json:"sub_agent,omitempty"`
	// Message orders the user's messages of the session: the call serves this one. In rein it is the number of the event.
	// 0 where there are none.
	Message int64 `json:"message,omitempty"`
}

// ErrNotKept is the error of Begin: the files could not be kept, so what the call does could not be undone.
var ErrNotKept = errors.New("the files cannot be kept for an undo")

// ErrTooMany is the error of a workspace that has more files than Options.MaxEntries.
var ErrTooMany = errTooMany

// Running is a call that may change files. End it exactly once.
type Running struct {
	s       *Store
	n       uint64
	paths   []string
	outside outside
	ignored ignored
	over    func() // ends the beats of the process for it
}

// Uncovered is something that changed and cannot be restored, because its content is not kept.
type Uncovered struct {
	Path string `json:"path"`
	Size int64  `json:"size"`
	Why  Left   `json:"why"`
	What What   `json:"what"`
}

// String describes it in one line: "model.bin (212 MB) was deleted and cannot be restored: larger than the limit".
func (u Uncovered) String() string {
	if u.Why == Within || u.Size == 0 { // of a directory that is left out nobody knows the size
		return fmt.Sprintf("%s was %s and cannot be restored: %s", u.Path, u.What, u.Why)
	}
	return fmt.Sprintf("%s (%s) was %s and cannot be restored: %s", u.Path, bytesText(u.Size), u.What, u.Why)
}

// Report is what a call changed.
type Report struct {
	Changes   []Change // without the diffs
	Uncovered []Uncovered
}

// Check reports whether the store can take anything, as far as that is known without reading the workspace. It is quick.
func (s *Store) Check() error {
	free, total, err := freeSpace(s.near())
	if err == nil && s.tooLittle(free, total) {
		return notKept(s.full(free))
	}
	return nil
}

// Snapshot keeps all files as they are now. What changed since the last walk belongs to the calls that run, or to nobody.
func (s *Store) Snapshot(ctx context.Context) error {
	release, err := s.hold(ctx)
	if err != nil {
		return notKept(err)
	}
	defer release()
	if err := s.finishInterrupted(ctx); err != nil {
		return notKept(err)
	}
	if err := s.lookAll(ctx); err != nil {
		return notKept(err)
	}
	return notKept(s.endOver(all))
}

// lookAll walks everything, whatever the kernel reports.
func (s *Store) lookAll(ctx context.Context) error {
	s.watch.known = false
	return s.look(ctx, nil)
}

func notKept(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrNotKept, err)
}

// Begin keeps the files before a call may change them. paths are all that it can change, by their canonical names; nil is
// anything. When Begin fails, nothing that the call does can be undone: the error is ErrNotKept.
func (s *Store) Begin(ctx context.Context, c Call, paths []string) (*Running, error) {
	release, err := s.hold(ctx)
	if err != nil {
		return nil, notKept(err)
	}
	defer release()
	if err := s.finishInterrupted(ctx); err != nil {
		return nil, notKept(err)
	}
	first := !s.known()
	if err := s.look(ctx, paths); err != nil {
		return nil, notKept(err)
	}
	if first && paths != nil { // that was a walk of everything: what the paths name may be in what it left out
		if err := s.look(ctx, paths); err != nil {
			return nil, notKept(err)
		}
	}
	if paths == nil {
		if err := s.endOver(all); err != nil {
			return nil, notKept(err)
		}
	}
	if err := s.releaseGone(); err != nil {
		return nil, notKept(err)
	}
	name, err := s.ownerName()
	if err != nil {
		return nil, notKept(err)
	}
	r := &record{Kind: began, Call: &c, Owner: name, Paths: paths}
	if err := s.log.add(r, false); err != nil {
		return nil, notKept(err)
	}
	s.open[r.N] = &openCall{owner: name, paths: paths}
	running := &Running{s: s, n: r.N, paths: paths, outside: outsideOf(s, paths), over: s.owner.beats()}
	if paths == nil {
		running.ignored = ignoredOf(s)
	}
	return running, nil
}

// releaseGone ends the calls of processes that have gone. What changed until now is recorded already.
func (s *Store) releaseGone() error {
	var gone []uint64
	for n, c := range s.open {
		if s.gone(c.owner) {
			gone = append(gone, n)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	slices.Sort(gone)
	r := &record{Kind: released, Of: gone}
	if err := s.log.add(r, false); err != nil {
		return err
	}
	s.note(r, false)
	return nil
}

// End records what the call changed. The call's programs have ended.
func (c *Running) End(ctx context.Context) (Report, error) {
	c.over()
	return c.end(ctx, true)
}

// Checkpoint records what the call changed so far. It continues, as a job does; End follows.
func (c *Running) Checkpoint(ctx context.Context) (Report, error) { return c.end(ctx, false) }

func (c *Running) end(ctx context.Context, over bool) (Report, error) {
	s := c.s
	release, err := s.hold(ctx)
	if err != nil {
		return Report{}, notKept(err)
	}
	defer release()
	if o := s.open[c.n]; o != nil {
		o.over = over
	}
	if err := s.lookAtEnd(ctx, c); err != nil {
		return s.reportOf(c.n), notKept(err) // the next look that succeeds gives the changes to the call and ends it
	}
	if c.paths != nil {
		return s.reportOf(c.n), notKept(s.endOver(func(n uint64) bool { return n == c.n }))
	}
	return s.reportOf(c.n), notKept(s.endOver(all))
}

func all(uint64) bool { return true }

// Also names files that the call changes outside of the workspace, as far as that is known before it begins.
func (c *Running) Also(paths []string) { maps.Copy(c.outside, outsideOf(c.s, paths)) }

// lookAtEnd records what a call changed. Paths that the call names are its own work, whatever else runs.
func (s *Store) lookAtEnd(ctx context.Context, c *Running) (err error) {
	r := &record{Kind: changed, Of: []uint64{c.n}}
	if c.paths == nil {
		err = s.look(ctx, nil)
	} else {
		err = s.lookFor(ctx, c.paths, func(ch treeChange) bool {
			r.changes = append(r.changes, ch)
			return true
		})
	}
	r.Lost = append(c.outside.changed(), c.ignored.changed()...)
	if err == nil && len(r.changes)+len(r.Lost) > 0 {
		if err = s.log.add(r, true); err != nil {
			err = errors.Join(err, s.loadAgain())
		}
	}
	return err
}

// endOver ends calls that are over: what they changed is recorded.
func (s *Store) endOver(which func(uint64) bool) error {
	for n, c := range s.open {
		if !c.over || !which(n) {
			continue
		}
		r := &record{Kind: ended, Of: []uint64{n}}
		if err := s.log.add(r, false); err != nil {
			return err
		}
		s.note(r, false)
	}
	return nil
}

// reportOf collects what a call changed so far.
func (s *Store) reportOf(n uint64) (report Report) {
	var all []treeChange
	for _, r := range s.log.records {
		if r.Kind == changed && slices.Contains(r.Of, n) {
			all = append(all, r.changes...)
			report.Uncovered = append(report.Uncovered, r.Lost...)
		}
	}
	together := merged(all)
	report.Changes = listed(together)
	for _, c := range together {
		if u, lost := uncovered(c); lost {
			report.Uncovered = append(report.Uncovered, u)
		}
	}
	return report
}

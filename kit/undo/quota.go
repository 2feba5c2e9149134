package undo

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// room returns the bytes that the store may still take: what the quota leaves, and what the disk has beyond what must stay free. Old
// calls are forgotten to make room.
func (s *Store) room() (int64, error) {
	free, total, err := freeSpace(s.dir)
	if err == nil && s.tooLittle(free, total) {
		return 0, s.full(free)
	}
	if err != nil { // unknown: only the quota counts
		free, total = math.MaxInt64, 0
	}
	size, err := s.size()
	if err != nil {
		return 0, err
	}
	if size > s.options.Quota-s.options.Quota/8 {
		if err := s.shrink(); err != nil {
			return 0, err
		}
		if size, err = s.size(); err != nil {
			return 0, err
		}
	}
	return s.options.room(size, free, total), nil
}

// room returns the bytes that a store of size bytes may still take from a disk.
func (o Options) room(size, free, total int64) int64 {
	return max(min(o.Quota-size, free-o.staysFree(total)), 0)
}

// size returns the bytes of the contents, and of git's objects that nothing but the store has.
func (s *Store) size() (int64, error) {
	n, err := s.content.Size()
	return n + s.log.objects, err
}

// staysFree returns the bytes of a disk that must stay free: Options.MinFree, or a twentieth of a small disk.
func (o Options) staysFree(total int64) int64 { return min(o.MinFree, total/20) }

// tooLittle reports whether less is free on the disk than must stay free.
func (s *Store) tooLittle(free, total int64) bool { return free < s.options.staysFree(total) }

func (s *Store) full(free int64) error {
	return fmt.Errorf("the disk of %s is nearly full (%s free): %w", s.dir, bytesText(free), syscall.ENOSPC)
}

// near returns the directory of the store, or the nearest one above it that is there.
func (s *Store) near() string {
	for dir := s.dir; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(dir); err == nil || dir == filepath.Dir(dir) {
			return dir
		}
	}
}

// shrink forgets old calls, a tenth of the log at a time, until the store is below three quarters of its quota.
func (s *Store) shrink() error {
	for {
		if err := s.tidyAll(false); err != nil {
			return err
		}
		size, err := s.size()
		if err != nil || size <= s.options.Quota*3/4 {
			return err
		}
		n := s.forgettable(max(len(s.log.records)/10, 1))
		if n == 0 {
			return nil
		}
		if err := s.forget(n); err != nil {
			return err
		}
	}
}

// forgettable returns how many of the first records may go: none of a call that has not ended or is being taken back, and at most n.
func (s *Store) forgettable(n int) int {
	n = min(n, len(s.log.records))
	stays := func(n uint64) bool { return s.open[n] != nil || slices.Contains(s.log.pinned, n) }
	for i, r := range s.log.records[:n] {
		if stays(r.N) || slices.ContainsFunc(r.Of, stays) {
			return i
		}
	}
	return n
}

// forget drops the first records. What is known of the trees stays.
func (s *Store) forget(n int) error {
	if err := s.saveTrees(); err != nil {
		return err
	}
	next := s.log.next
	if err := s.log.replace(slices.Clone(s.log.records[n:])); err != nil {
		return err
	}
	s.log.next = next
	return nil
}

// tidyAll rewrites the segments that have mostly what nobody needs any more.
func (s *Store) tidyAll(compress bool) error {
	for {
		done, err := s.content.Tidy(s.live(), compress)
		if err != nil {
			return err
		}
		if !done {
			return s.objects.Sweep(s.objectPaths())
		}
	}
}

// live returns the contents that something names.
func (s *Store) live() map[contentSum]bool {
	live := map[contentSum]bool{}
	add := func(_ string, n *treeNode) {
		if n.Stat.Mode.IsRegular() && n.Left == "" {
			live[n.Sum] = true
		}
	}
	for _, r := range s.roots {
		r.tree.Each("", add)
	}
	for _, r := range s.log.records {
		for _, c := range r.changes {
			c.Before.Each("", add)
			c.After.Each("", add)
		}
	}
	return live
}

// oldFor is how long the clock must have shown that records are too old before they go: a clock that was wrong for some hours
// costs nothing.
const oldFor = 24 * time.Hour

// tooOld returns how many of the first records are older than Options.Age. The file "old" has the time since when there are such.
func (s *Store) tooOld(now time.Time) (n int) {
	limit := now.Add(-s.options.Age)
	for n < len(s.log.records) && s.log.records[n].Time.Before(limit) {
		n++
	}
	name := filepath.Join(s.dir, "old")
	info, err := os.Stat(name)
	switch {
	case n == 0:
		if err == nil {
			_ = os.Remove(name) // else the next time
		}
		return 0
	case err == nil && !info.ModTime().After(now) && now.Sub(info.ModTime()) >= oldFor:
		return n
	case err != nil || info.ModTime().After(now):
		if os.WriteFile(name, nil, 0o600) == nil {
			_ = os.Chtimes(name, now, now) // without it, the time of the file system is nearly the same
		}
	}
	return 0
}

// Tidy does what can wait until nobody else works: it forgets what is older than Options.Age, frees room and compresses
// contents, one segment at a time. more reports that there is more to do.
func (s *Store) Tidy(ctx context.Context) (more bool, err error) {
	release, err := s.hold(ctx)
	if err != nil {
		return false, err
	}
	defer release()
	if n := s.forgettable(s.tooOld(time.Now())); n > 0 {
		if err := s.forget(n); err != nil {
			return false, err
		}
	}
	if !s.known() {
		return false, nil // what is alive is not known
	}
	if more, err = s.content.Tidy(s.live(), true); err == nil && !more {
		err = s.objects.Sweep(s.objectPaths())
	}
	return more, err
}

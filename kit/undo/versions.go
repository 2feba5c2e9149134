package undo

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
)

// Version is a path of the workspace as it was at some time.
type Version struct {
	Path   string // relative to the workspace, with slashes
	Exists bool
	Mode   fs.FileMode // with the type
	Target string      // of a link
	Lost   bool        // it was there, and its content is not kept

	// Data reads the content of a file.
	Data func() ([]byte, error)
}

// Back gives what a copy of the workspace must have instead of what is there now, to be as before the first call that is one of those: the
// newest change first, so that the last version of a path counts. It reports whether there was such a call.
func Back(ctx context.Context, s *Store, those func(Call) bool, see func(Version) error) (found bool, err error) {
	release, err := s.hold(ctx)
	if err != nil {
		return false, err
	}
	defer release()
	first := slices.IndexFunc(s.log.records, func(r *record) bool { return r.Kind == began && r.Call != nil && those(*r.Call) })
	if first < 0 {
		return false, nil
	}
	for _, r := range slices.Backward(s.log.records[first:]) {
		for _, c := range slices.Backward(r.changes) {
			if err := version(s, c.Path, c.Before, see); err != nil {
				return true, err
			}
		}
	}
	return true, nil
}

// Effects gives the paths that a call changed as it left them, in the order of the changes.
func Effects(ctx context.Context, s *Store, call string, see func(Version) error) error {
	release, err := s.hold(ctx)
	if err != nil {
		return err
	}
	defer release()
	numbers := map[uint64]bool{}
	for _, r := range s.log.records {
		if r.Kind == began && r.Call != nil && r.Call.ID == call {
			numbers[r.N] = true
		}
		if r.Kind != changed || !slices.ContainsFunc(r.Of, func(n uint64) bool { return numbers[n] }) {
			continue
		}
		for _, c := range r.changes {
			if err := version(s, c.Path, c.After, see); err != nil {
				return err
			}
		}
	}
	return nil
}

// version gives a node of the workspace; what is elsewhere is left out.
func version(s *Store, path string, n *treeNode, see func(Version) error) error {
	if filepath.IsAbs(path) || n.Object() {
		return nil
	}
	v := Version{Path: path, Exists: n != nil}
	if n != nil {
		v.Mode, v.Target, v.Lost = n.Stat.Mode, n.Target, n.Left != "" && !n.Stat.Mode.IsDir()
		v.Data = func() ([]byte, error) { return s.content.Read(n.Sum) }
	}
	return see(v)
}

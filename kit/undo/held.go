package undo

// heldFiles reports whether a living program of ours can change a file without changing its stat; nil: none can. unknown
// means that programs of ours live and could not be looked into.
func (s *Store) heldFiles() (holds func(inode uint64) bool, unknown bool) {
	if s.options.Alive == nil || len(s.open) == 0 {
		return nil, false
	}
	pids := s.options.Alive()
	if len(pids) == 0 {
		return nil, false
	}
	held, unknown := heldBy(pids)
	return func(inode uint64) bool { return held[inode] }, unknown
}

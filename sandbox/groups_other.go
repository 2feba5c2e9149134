//go:build !linux

package sandbox

// groups are control groups, which only Linux has.
type groups struct{}

type group struct{}

func (*groups) close() error { return nil }

func (*groups) countsProcesses(Backend) bool { return false }

func (*groups) how() (string, bool) { return "not at all", false }

//go:build !linux

package sandbox

// cgroupSession is a session's control groups: none on this system.
type cgroupSession struct{}

// cgroupGroup is the control groups of one program: none.
type cgroupGroup struct{}

// newCgroup returns the groups of a session.
func newCgroup(cgroupIdle) *cgroupSession { return &cgroupSession{} }

// Close does nothing.
func (*cgroupSession) Close() error { return nil }

// How reports that nothing is limited.
func (*cgroupSession) How() (string, bool) { return "not at all", false }

//go:build !linux

package sandbox

// sessionCgroups is a session's control groups: none on this system.
type sessionCgroups struct{}

// programCgroups is the control groups of one program: none.
type programCgroups struct{}

// newSessionCgroups returns the groups of a session.
func newSessionCgroups(idleStarter) *sessionCgroups { return &sessionCgroups{} }

// Close does nothing.
func (*sessionCgroups) Close() error { return nil }

// How reports that nothing is limited.
func (*sessionCgroups) How() (string, bool) { return "not at all", false }

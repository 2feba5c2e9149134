//go:build !linux

package cgroup

// Session is a session's control groups: none on this system.
type Session struct{}

// Group is the control groups of one program: none.
type Group struct{}

// New returns the groups of a session.
func New(Idle) *Session { return &Session{} }

// Close does nothing.
func (*Session) Close() error { return nil }

// How reports that nothing is limited.
func (*Session) How() (string, bool) { return "not at all", false }

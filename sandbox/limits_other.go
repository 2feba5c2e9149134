//go:build !linux

package sandbox

import "rein/sandbox/internal/cgroup"

func newGroups() *cgroup.Session { return cgroup.New(nil) }

func countsProcesses(*cgroup.Session, Backend) bool { return false }

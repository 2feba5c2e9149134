package sandbox

// The files view_… work out what a session's programs see of the file system and may write there. All backends that
// can hide things use the same view.

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// backendPolicy defines what the programs of one session may see and change, as backends need it. The fields that
// Policy has too are the same.
type backendPolicy struct {
	Workspace   string
	Writable    []string
	Readable    []string
	Home        string
	Hidden      []string
	Private     string
	EnvFiles    bool
	HostNetwork bool
	Servers     []Server // that all programs find; see Opened
	Debuggers   bool
	Proxy       func(net.Listener)
	Parent      []string
	Warn        func(string)
	Limits      Limits
	Elsewhere   Elsewhere

	Own          privateDirs     // made when the sandbox is prepared
	Groups       *sessionCgroups // nil: no control groups
	Index        *viewIndex      // of the session; nil: each view has its own
	Trees        *Trees          // what is known of the names in the user's directories; nil: nothing
	WarnOfMemory *sync.Once      // for the warning that the memory of each process is limited, not of all

	hosts              string   // what programs see as the file of names; "": that of the machine
	readOnly           bool     // nothing of the user's can be written
	unlocked, unmasked []string // protected or closed places of the workspace that the user opened
}

// Resolved checks the paths of a policy, takes the links out of them, and opens places.
func (p backendPolicy) Resolved(o Opened) (backendPolicy, error) {
	if p.Home == "" {
		p.Home = lookupEnv(childEnv(p.Parent, nil), "HOME")
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
		if git := Repository(p.Workspace); git != "" { // without it git could not commit
			p.Writable = append(p.Writable, git)
		}
		own := slices.ContainsFunc(p.Hidden, func(dir string) bool { return isAbove(dir, p.Workspace) }) // a copy, or a place for code
		if top, git := RepositoryAround(p.Workspace, p.Home); git != "" && !own {                        // git takes files that it does not see for deleted ones
			p.Readable, p.Writable = append(slices.Clone(p.Readable), top), append(p.Writable, git)
		}
		p, _, err = p.For(Spec{Opened: o})
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

// LimitsOf are the limits that hold for a program.
func (p backendPolicy) LimitsOf(spec Spec) Limits {
	return spec.Limits.or(p.Limits).or(defaultLimits())
}

// Grants reports whether a path is in the workspace or in a further directory that programs may write.
func (p *backendPolicy) Grants(path string) bool {
	return isAbove(p.Workspace, path) || slices.ContainsFunc(p.Writable, func(dir string) bool { return isAbove(dir, path) })
}

// ReadOnly reports whether programs may change nothing of the user's.
func (p backendPolicy) ReadOnly() bool { return p.readOnly }

// Theirs reports whether a path is where programs may write, or anybody might.
func (p backendPolicy) Theirs(path string) bool {
	return p.Grants(path) || p.Private != "" && isAbove(p.Private, path) || isAbove("/tmp", path) || isAbove("/var/tmp", path)
}

// indexOf returns the index of the directories of a view: that of the session where it has the same ones. Programs that may write nothing
// see the same files, and one index reads them once.
func (p *backendPolicy) indexOf(dirs []string) (x *viewIndex, shared bool) {
	if p.Index != nil && p.Index.of(dirs) {
		return p.Index, true
	}
	return newIndex(dirs, p.Trees), false
}

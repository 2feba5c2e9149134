// Package places says what kind of place a path is: the user's work, somebody else's file, a secret, a file that
// makes programs run. The shell guard, the path guard, the file tools and the sandbox all ask this one table.
package places

import (
	"path"
	"strings"
)

// Class is the kind of a place. The zero value is Outside: what nobody knows is nobody's to touch.
type Class int

// The classes of places. What each may be used for is decided elsewhere (package guard, package sandbox).
const (
	// Outside is a place of the user or of another user that the work has no business with.
	Outside Class = iota
	// Workspace is an ordinary place inside a workspace.
	Workspace
	// Temp is scratch space: /tmp, $TMPDIR.
	Temp
	// Sink is a harmless device or stream: /dev/null, /dev/stdout, /dev/urandom.
	Sink
	// Tools is what installed tools keep in the home directory: module caches and toolchains. Read freely.
	Tools
	// System belongs to the machine and may be read by everybody: /usr, /lib, /etc/os-release.
	System
	// Machine belongs to the machine and describes its users and services: /etc/passwd, /var, /root.
	Machine
	// Protected is a file of a workspace that makes later programs run or that steers tools: .git/hooks, CI workflows.
	Protected
	// Private is a file of a workspace that may hold credentials: .env, *.pem.
	Private
	// Startup is a file of the home directory that runs or steers programs at every start: .bashrc, .gitconfig.
	Startup
	// Secret is a store of credentials: ~/.ssh, ~/.aws, /etc/shadow, the environment of another process.
	Secret
	// Settings is rein's own: its settings, rules, journals and approvals.
	Settings
	// Device is a raw device: a disk, memory, a kernel control file.
	Device
	// Socket is the control socket of a daemon that acts with more rights than we have: docker.sock.
	Socket
)

var classNames = [...]string{
	"outside", "workspace", "temp", "sink", "tools", "system", "machine", "protected", "private", "startup",
	"secret", "settings", "device", "socket",
}

// String names the class in one lower-case word.
func (c Class) String() string {
	if c < 0 || int(c) >= len(classNames) {
		return "unknown"
	}
	return classNames[c]
}

// Context says where things are on this machine. All paths are absolute and clean, on Windows in either form (see Slash); empty ones are
// not there.
type Context struct {
	// Dir is where relative paths start; empty means the first workspace.
	Dir string
	// Workspaces are the directories that the user gave to the work.
	Workspaces []string
	// Home is the user's home directory.
	Home string
	// Temp are scratch directories beside /tmp and /var/tmp, such as $TMPDIR.
	Temp []string
	// Settings are directories and files of rein itself outside any workspace (state, journals, user settings).
	Settings []string
	// Opened and Shown are places outside that the user opened to the work later: for writing, and for reading only.
	// What is there is the work's, but for what has a class of its own, such as secrets.
	Opened, Shown []string
	// Protected are further files and directories of a workspace that later programs run or obey.
	Protected []string
}

// Abs makes a path absolute and clean, without looking at the disk. A relative path starts at Dir.
func (c Context) Abs(name string) string {
	name = Slash(name)
	if strings.HasPrefix(name, "/") {
		if isClean(name) {
			return name
		}
		return path.Clean(name)
	}
	dir := c.Dir
	if dir == "" && len(c.Workspaces) > 0 {
		dir = c.Workspaces[0]
	}
	return path.Join("/", Slash(dir), name)
}

// isClean reports whether an absolute path is surely what path.Clean returns.
func isClean(name string) bool {
	for {
		i := strings.IndexByte(name, '/')
		if i < 0 {
			return true
		}
		if name = name[i+1:]; name == "" || name[0] == '/' || name[0] == '.' {
			return false
		}
	}
}

// Classify returns the class of a path by its spelling, and by the access that the user granted. It does no I/O: links are the caller's to resolve, and "~" is
// an ordinary letter. Names are compared without regard to case where a file system may do so.
func Classify(name string, c Context) Class {
	class := classify(name, c)
	switch class {
	case Outside, Tools, System, Machine, Temp:
		return c.opened(name, class)
	case Workspace:
		if InAny(c.Abs(name), c.Protected) {
			return Protected
		}
	}
	return class
}

// opened returns the class of an ordinary place outside when it may have been opened.
func (c Context) opened(name string, class Class) Class {
	abs := c.Abs(name)
	for _, dir := range c.Opened {
		if rest, ok := below(abs, dir); ok {
			return inWorkspace(rest)
		}
	}
	for _, dir := range c.Shown {
		if rest, ok := below(abs, dir); ok {
			if class := inWorkspace(rest); class != Workspace {
				return class
			}
			return Tools
		}
	}
	return class
}

// Holds reports whether a directory is, or is above, rein's own places, and whether it is above a place of the home
// directory that is known to hold credentials.
func Holds(name string, c Context) (settings, secrets bool) {
	abs := c.Abs(name)
	for _, s := range c.Settings {
		_, ok := below(s, abs)
		settings = settings || ok
	}
	for _, s := range SecretNames() {
		rest, ok := below(strings.ToLower(path.Join(Slash(c.Home), s)), strings.ToLower(abs))
		secrets = secrets || ok && rest != "" && c.Home != ""
	}
	return settings, secrets
}

func classify(name string, c Context) Class {
	abs := c.Abs(name)
	if hasOtherNames(abs) {
		return Secret
	}
	if c.isSettings(abs) {
		return Settings
	}
	if root, ok := c.workspaceOf(abs); ok {
		return inWorkspace(strings.TrimPrefix(abs[len(root):], "/"))
	}
	if rest, ok := below(abs, c.Home); ok && c.Home != "" {
		return inHome(rest)
	}
	if !c.isScratch(abs) {
		return onMachine(abs)
	}
	for _, w := range c.Workspaces { // what is beside the work, in a directory of its own, is no scratch
		for dir := path.Dir(Slash(w)); c.isScratch(path.Dir(dir)); dir = path.Dir(dir) {
			if _, ok := below(abs, dir); ok {
				return Outside
			}
		}
	}
	return Temp
}

func (c Context) isScratch(abs string) bool { return InAny(abs, c.Temp) || onMachine(abs) == Temp }

// IsRoot reports whether a path is the root of something whole: the file system, a top directory of it, a home,
// a workspace, or a directory that holds one. Removing such a place is never a tidy-up.
func IsRoot(name string, c Context) bool {
	abs := c.Abs(name)
	if abs == "/" || strings.Count(abs, "/") == 1 {
		return abs != "/tmp" && abs != "/proc"
	}
	if path.Dir(abs) == "/home" || path.Dir(abs) == "/Users" || abs == Slash(c.Home) {
		return true
	}
	for _, w := range append([]string{c.Home}, c.Workspaces...) {
		if _, ok := below(w, abs); ok && w != "" {
			return true
		}
	}
	return false
}

func (c Context) isSettings(abs string) bool { return InAny(abs, c.Settings) }

// InAny reports whether a path is one of the directories, or is in one. All are absolute and clean; "" is none.
func InAny(abs string, dirs []string) bool {
	for _, dir := range dirs {
		if _, ok := below(abs, dir); ok {
			return true
		}
	}
	return false
}

// workspaceOf finds the innermost workspace that holds the path.
func (c Context) workspaceOf(abs string) (string, bool) {
	best, found := "", false
	for _, w := range c.Workspaces {
		w = Slash(w)
		if _, ok := below(abs, w); ok && len(w) >= len(best) && w != "" {
			best, found = strings.TrimSuffix(w, "/"), true
		}
	}
	return best, found
}

// below reports whether abs is dir or inside it, and what remains of abs under dir.
func below(abs, dir string) (string, bool) {
	if dir == "" {
		return "", false
	}
	abs, dir = Slash(abs), Slash(dir)
	if abs == dir {
		return "", true
	}
	dir = strings.TrimSuffix(dir, "/")
	if len(abs) > len(dir) && abs[len(dir)] == '/' && abs[:len(dir)] == dir {
		return abs[len(dir)+1:], true
	}
	return "", false
}

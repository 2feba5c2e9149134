package sandbox

import (
	"encoding/binary"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"rein/kit/sandbox/internal/box"
)

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

// rlimits bounds the program. A limit that is already lower stays.
func (c *calls) rlimits() {
	c.rlimit("no core dumps", unix.RLIMIT_CORE, 0)
	c.rlimit("limit the file size", unix.RLIMIT_FSIZE, c.limits.FileSize)
	c.rlimit("limit the open files", unix.RLIMIT_NOFILE, c.limits.OpenFiles)
	c.rlimit("limit the processes", unix.RLIMIT_NPROC, c.limits.Processes)
	c.rlimit("limit the memory", unix.RLIMIT_DATA, c.limits.Memory)
	if c.limits.CPU > 0 {
		c.rlimit("limit the CPU time", unix.RLIMIT_CPU, max(1, int64(c.limits.CPU.Seconds())))
	}
}

func (c *calls) rlimit(name string, resource int, limit int64) {
	var now unix.Rlimit
	if limit < 0 || unix.Getrlimit(resource, &now) != nil {
		return
	}
	soft := min(uint64(limit), now.Max)
	hard := soft
	if resource == unix.RLIMIT_CPU && soft < now.Max {
		hard++ // the soft limit sends SIGXCPU, which names the cause; the hard one kills
	}
	b := binary.NativeEndian.AppendUint64(nil, soft)
	c.Do(name, unix.SYS_PRLIMIT64, c.pid, resource, c.Data(binary.NativeEndian.AppendUint64(b, hard)), 0)
}

// boundCapabilities keeps whatever is executed later, even a set-user-id program, from having any of root's powers.
func (c *calls) boundCapabilities() {
	for capability := range unix.CAP_LAST_CAP + 1 {
		c.Try("drop a capability", unix.SYS_PRCTL, unix.PR_CAPBSET_DROP, capability, 0, 0, 0)
	}
	c.Try("clear the ambient capabilities", unix.SYS_PRCTL, unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
	c.Do("give up new privileges", unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
}

// dropCapabilities takes away what root can do; the bounds are set before.
func (c *calls) dropCapabilities() {
	head := binary.NativeEndian.AppendUint32(nil, unix.LINUX_CAPABILITY_VERSION_3)
	c.Do("drop the capabilities", unix.SYS_CAPSET, c.Data(binary.NativeEndian.AppendUint32(head, 0)), c.Data(make([]byte, 24)))
	// Without capabilities we would else be open to a program that asks for our memory.
	c.Do("close our memory", unix.SYS_PRCTL, unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
}

// loadFilter puts the system call filter into the program's memory: see seccompFilter.
func (c *calls) loadFilter(sockets, tracing bool, more ...uint32) box.Ptr {
	code := seccompFilter(sockets, tracing, more...)
	steps := make([]byte, 16) // struct sock_fprog
	binary.NativeEndian.PutUint16(steps, uint16(len(code)/8))
	at := c.Data(steps)
	c.PokePtr(at+8, c.Data(code))
	return at
}

const (
	// everyThread puts the filter on all threads of process 1: those of the Go runtime, too.
	everyThread = unix.SECCOMP_FILTER_FLAG_TSYNC | unix.SECCOMP_FILTER_FLAG_TSYNC_ESRCH
	// oneThread puts it on the thread of the supervisor that starts programs.
	oneThread = 0
)

// restrict puts the file rules on the thread that starts the program, and the filter on that one or on every thread.
func (c *calls) restrict(rules any, filter box.Ptr, threads int) {
	c.Do("apply the file rules", unix.SYS_LANDLOCK_RESTRICT_SELF, rules, 0)
	c.Do("filter the system calls", unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, threads, filter)
}

// landlock makes the set of rules for the use of files, whatever the mounts allow. Where no namespace does
// it, it also locks the network and keeps signals and abstract sockets within one program.
func (c *calls) landlock(abi int, rules []rule, lockNetwork, scoped bool) box.Reg {
	all := landlockRights(abi)
	attr := binary.NativeEndian.AppendUint64(nil, all)
	var network, scopes uint64
	if lockNetwork && abi >= 4 {
		network = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if scoped && abi >= 6 {
		scopes = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	attr = binary.NativeEndian.AppendUint64(attr, network)
	attr = binary.NativeEndian.AppendUint64(attr, scopes)
	size := 8
	if abi >= 6 {
		size = 24
	} else if abi >= 4 {
		size = 16
	}
	set := c.Do("make the file rules", unix.SYS_LANDLOCK_CREATE_RULESET, c.Data(attr), size, 0)
	for _, r := range rules {
		c.allow(set, r, all)
	}
	return set
}

// rule allows rights at and below a path. A path that is not there needs no rule.
type rule struct {
	path   string
	rights uint64
}

func (c *calls) allow(set box.Reg, r rule, all uint64) {
	rights := r.rights & all
	if isFile(r.path) {
		rights &= rightsOfFiles
	}
	attr := binary.NativeEndian.AppendUint64(nil, rights)
	at := c.Data(append(attr, 0, 0, 0, 0))
	fd := c.Find("open "+r.path, unix.SYS_OPENAT, here, r.path, unix.O_PATH|unix.O_CLOEXEC)
	c.Poke(at+8, fd)
	c.Find("allow "+r.path, unix.SYS_LANDLOCK_ADD_RULE, set, unix.LANDLOCK_RULE_PATH_BENEATH, at, 0)
	c.Find("close a file", unix.SYS_CLOSE, fd)
}

const (
	rightsRead    = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	rightsAll     = ^uint64(0)
	rightsDevice  = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	rightsOfFiles = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
)

// landlockRights are the rights that a version of Landlock knows: all of them are taken away, and given back by rules.
func landlockRights(abi int) uint64 {
	rights := uint64(unix.LANDLOCK_ACCESS_FS_MAKE_SYM<<1 - 1)
	if abi >= 2 {
		rights |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if abi >= 3 {
		rights |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if abi >= 5 {
		rights |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	return rights
}

// landlockABI asks the kernel for its version of Landlock; 0 is none.
func landlockABI() int {
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(abi)
}

// isFile reports whether the host has a file at a path. What it has nothing at is a directory of the programs' own.
func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

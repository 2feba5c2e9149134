package sandbox

import (
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// The actions and fields of a seccomp filter (linux/seccomp.h), which x/sys does not name.
const (
	seccompAllow = 0x7fff0000
	seccompErrno = 0x00050000
	seccompKill  = 0x80000000 // the whole process

	dataNumber = 0
	dataArch   = 4
	dataArg0   = 16 // the low half of the first argument, on little-endian machines
	dataArg1   = 24
)

// filter is a seccomp program: a list of what is refused. A list of what is allowed would be stricter and would break
// programs that nobody thought of; the namespaces and Landlock are the walls, this closes the side doors.
type filter struct {
	code []unix.SockFilter
}

// newFilter makes the filter. With sockets false, programs can only make unix sockets: for the rung that has no
// network namespace to be alone in.
func newFilter(sockets bool) []byte {
	f := &filter{}
	f.load(dataArch)
	f.unless(unix.BPF_JEQ, auditArch, seccompKill) // another architecture's calls have other numbers
	f.load(dataNumber)
	if foreignCalls != 0 {
		f.when(unix.BPF_JGE, foreignCalls, seccompErrno|uint32(unix.ENOSYS))
	}
	for _, call := range append(refusedCalls(), archRefusedCalls()...) {
		f.when(unix.BPF_JEQ, call, seccompErrno|uint32(unix.EPERM))
	}
	// Programs know how to do without these when they seem not to exist.
	for _, call := range []uint32{unix.SYS_CLONE3, unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER} {
		f.when(unix.BPF_JEQ, call, seccompErrno|uint32(unix.ENOSYS))
	}
	f.arguments(sockets)
	f.ret(seccompAllow)
	return f.bytes()
}

// arguments refuses calls by what they are asked to do.
func (f *filter) arguments(sockets bool) {
	const newNamespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET |
		unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP
	f.call(unix.SYS_CLONE, func(f *filter) {
		f.load(dataArg0)
		f.when(unix.BPF_JSET, newNamespaces, seccompErrno|uint32(unix.EPERM))
	})
	f.call(unix.SYS_IOCTL, func(f *filter) {
		f.load(dataArg1)
		f.when(unix.BPF_JEQ, unix.TIOCSTI, seccompErrno|uint32(unix.EPERM))
		f.when(unix.BPF_JEQ, tioclinux, seccompErrno|uint32(unix.EPERM))
	})
	f.call(unix.SYS_PERSONALITY, func(f *filter) {
		f.load(dataArg0)
		for _, harmless := range []uint32{0, 0xffffffff, addrNoRandomize} {
			f.when(unix.BPF_JEQ, harmless, seccompAllow)
		}
		f.ret(seccompErrno | uint32(unix.EPERM))
	})
	f.call(unix.SYS_SOCKET, func(f *filter) { f.socket(sockets) })
}

// addrNoRandomize is what debuggers and some runtimes ask of personality(2).
const addrNoRandomize = 0x0040000

// tioclinux pastes the selection of a virtual console into its input.
const tioclinux = 0x541c

// socket lets the families through that ordinary programs use; vsock, packet, and kernel crypto sockets are ways
// around a network namespace.
func (f *filter) socket(sockets bool) {
	f.load(dataArg0)
	f.when(unix.BPF_JEQ, unix.AF_UNIX, seccompAllow)
	if !sockets {
		f.ret(seccompErrno | uint32(unix.EACCES))
		return
	}
	f.when(unix.BPF_JEQ, unix.AF_NETLINK, seccompAllow)
	f.jump(unix.BPF_JEQ, unix.AF_INET, 2, 0)
	f.jump(unix.BPF_JEQ, unix.AF_INET6, 1, 0)
	f.ret(seccompErrno | uint32(unix.EAFNOSUPPORT))
	f.load(dataArg1)
	f.code = append(f.code, unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: 0xf})
	f.when(unix.BPF_JEQ, unix.SOCK_RAW, seccompErrno|uint32(unix.EPERM))
	f.when(unix.BPF_JEQ, unix.SOCK_PACKET, seccompErrno|uint32(unix.EPERM))
}

// call adds what is asked about one call. The number is loaded again after it.
func (f *filter) call(number uint32, ask func(*filter)) {
	inner := &filter{}
	ask(inner)
	inner.ret(seccompAllow)
	f.jump(unix.BPF_JEQ, number, 0, uint8(len(inner.code)))
	f.code = append(f.code, inner.code...)
}

func (f *filter) load(offset uint32) {
	f.code = append(f.code, unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset})
}

func (f *filter) ret(action uint32) {
	f.code = append(f.code, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: action})
}

// jump skips yes or no instructions as the comparison says.
func (f *filter) jump(test uint16, k uint32, yes, no uint8) {
	f.code = append(f.code, unix.SockFilter{Code: unix.BPF_JMP | test | unix.BPF_K, Jt: yes, Jf: no, K: k})
}

// when answers with an action if the comparison holds, unless if it does not.
func (f *filter) when(test uint16, k, action uint32) {
	f.jump(test, k, 0, 1)
	f.ret(action)
}

func (f *filter) unless(test uint16, k, action uint32) {
	f.jump(test, k, 1, 0)
	f.ret(action)
}

func (f *filter) bytes() []byte {
	var b []byte
	for _, c := range f.code {
		b = binary.NativeEndian.AppendUint16(b, c.Code)
		b = append(b, c.Jt, c.Jf)
		b = binary.NativeEndian.AppendUint32(b, c.K)
	}
	return b
}

// refusedCalls have no use in the work of a coding agent and are doors elsewhere: into other processes, the kernel,
// the clock, the mounts, new namespaces.
func refusedCalls() []uint32 {
	return []uint32{
		unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PROCESS_MADVISE, unix.SYS_KCMP, unix.SYS_PIDFD_GETFD,
		unix.SYS_PERF_EVENT_OPEN, unix.SYS_BPF, unix.SYS_USERFAULTFD,
		unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
		unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_FSOPEN,
		unix.SYS_FSMOUNT, unix.SYS_FSCONFIG, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR, unix.SYS_UNSHARE, unix.SYS_SETNS,
		unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_FANOTIFY_INIT,
		unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_REBOOT,
		unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_SYSLOG, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_VHANGUP,
		unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_CLOCK_ADJTIME, unix.SYS_ADJTIMEX, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME,
		unix.SYS_MOVE_PAGES, unix.SYS_MIGRATE_PAGES, unix.SYS_MEMFD_SECRET,
		openTreeAttr, lsmSetSelfAttr,
	}
}

// Calls newer than x/sys; their numbers are the same on every architecture.
const (
	lsmSetSelfAttr = 460
	openTreeAttr   = 467
)

package sandbox

import (
	"encoding/binary"
	"maps"
	"os"
	"slices"

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
	dataArg2   = 32
	dataArg3   = 40
)

// filter is a seccomp program: a list of what is refused. A list of what is allowed would be stricter and would break
// programs that nobody thought of; namespaces and Landlock isolate, this refuses what goes around them.
type filter struct {
	code []unix.SockFilter
}

// seccompFilter makes the filter. With sockets false, programs can only make unix sockets: for the backend that has no
// network namespace to be alone in. tracing lets programs trace each other, which needs a process namespace for each command. more are further
// calls to refuse.
//
// The calls are found by halving, not one after the other: the kernel runs a new filter once for each call that there
// is, to remember which ones it always lets through, and every program would wait a quarter of a millisecond for it.
func seccompFilter(sockets, tracing bool, more ...uint32) []byte {
	answers := map[uint32][]unix.SockFilter{}
	if !tracing {
		more = append(more, tracingCalls()...)
	}
	for _, call := range slices.Concat(refusedCalls(), archRefusedCalls(), more) {
		answers[call] = answer(seccompErrno | uint32(unix.EPERM))
	}
	// Programs know how to do without these when they seem not to exist.
	for _, call := range []uint32{unix.SYS_CLONE3, unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER, unix.SYS_OPENAT2} {
		answers[call] = answer(seccompErrno | uint32(unix.ENOSYS))
	}
	for call, ask := range byArguments(sockets) {
		if answers[call] != nil {
			continue // it is refused, whatever it is asked to do
		}
		inner := &filter{}
		ask(inner)
		inner.ret(seccompAllow)
		answers[call] = inner.code
	}
	if foreignCalls != 0 {
		answers[foreignCalls] = answer(seccompErrno | uint32(unix.ENOSYS))
	}
	f := &filter{}
	f.load(dataArch)
	f.unless(unix.BPF_JEQ, auditArch, seccompKill) // another architecture's calls have other numbers
	f.load(dataNumber)
	f.code = append(f.code, halve(spans(answers))...)
	return f.bytes()
}

// span is a run of calls, up to the start of the next span, with one answer.
type span struct {
	from uint32
	code []unix.SockFilter
}

// spans lays the answers out in the order of the calls; what is between is allowed. The last one, where another
// interface's numbers start, continues forever.
func spans(answers map[uint32][]unix.SockFilter) []span {
	all := []span{{0, answer(seccompAllow)}}
	for _, call := range slices.Sorted(maps.Keys(answers)) {
		last := &all[len(all)-1]
		switch {
		case last.from == call:
			last.code = answers[call]
		case slices.Equal(last.code, answers[call]):
			continue
		default:
			all = append(all, span{call, answers[call]})
		}
		if call != foreignCalls || call == 0 {
			all = append(all, span{call + 1, answer(seccompAllow)})
		}
	}
	return all
}

// halve finds the span of a call.
func halve(all []span) []unix.SockFilter {
	if len(all) == 1 {
		return all[0].code
	}
	middle := len(all) / 2
	low, high := halve(all[:middle]), halve(all[middle:])
	test := unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, K: all[middle].from}
	code := []unix.SockFilter{test}
	if len(low) <= 255 {
		code[0].Jt = uint8(len(low))
	} else { // too far for a short jump
		code[0].Jf = 1
		code = append(code, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JA, K: uint32(len(low))})
	}
	return append(append(code, low...), high...)
}

func answer(action uint32) []unix.SockFilter {
	return []unix.SockFilter{{Code: unix.BPF_RET | unix.BPF_K, K: action}}
}

// byArguments are calls that are refused by what they are asked to do.
func byArguments(sockets bool) map[uint32]func(*filter) {
	const newNamespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET |
		unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP
	calls := map[uint32]func(*filter){
		unix.SYS_CLONE: func(f *filter) {
			f.load(dataArg0)
			f.when(unix.BPF_JSET, newNamespaces, seccompErrno|uint32(unix.EPERM))
		},
		unix.SYS_IOCTL: func(f *filter) {
			f.load(dataArg1)
			f.when(unix.BPF_JEQ, unix.TIOCSTI, seccompErrno|uint32(unix.EPERM))
			f.when(unix.BPF_JEQ, tioclinux, seccompErrno|uint32(unix.EPERM))
		},
		unix.SYS_PERSONALITY: func(f *filter) {
			f.load(dataArg0)
			for _, harmless := range []uint32{0, 0xffffffff, addrNoRandomize} {
				f.when(unix.BPF_JEQ, harmless, seccompAllow)
			}
			f.ret(seccompErrno | uint32(unix.EPERM))
		},
		unix.SYS_SOCKET: func(f *filter) { f.socket(sockets) },
		// A lease lets a program keep others from opening a file for a while.
		unix.SYS_FCNTL: func(f *filter) {
			f.load(dataArg1)
			f.when(unix.BPF_JEQ, unix.F_SETLEASE, seccompErrno|uint32(unix.EPERM))
		},
	}
	if os.Geteuid() != nobody && os.Getegid() != nobody {
		for call, owner := range ownerCalls() {
			calls[call] = func(f *filter) { f.owner(owner) }
		}
	}
	for call, mode := range modeCalls() {
		calls[call] = func(f *filter) { f.mode(mode) }
	}
	for call, flags := range openCalls() {
		calls[call] = func(f *filter) {
			f.load(flags)
			f.jump(unix.BPF_JSET, unix.O_CREAT|unix.O_TMPFILE&^unix.O_DIRECTORY, 1, 0)
			f.ret(seccompAllow) // without a new file the mode is no argument
			f.mode(flags + 8)
		}
	}
	return calls
}

// mode refuses a mode that makes a file run as its owner: outside of the sandbox, where the file is the user's.
func (f *filter) mode(argument uint32) {
	f.load(argument)
	f.when(unix.BPF_JSET, unix.S_ISUID, seccompErrno|uint32(unix.EPERM))
}

// owner refuses to give a file to an owner or group that programs do not have, as stat shows it to them, in the way that they expect.
func (f *filter) owner(argument uint32) {
	for _, at := range []uint32{argument, argument + 8} {
		f.load(at)
		f.when(unix.BPF_JEQ, nobody, seccompErrno|uint32(unix.EPERM))
	}
}

// nobody is how the kernel shows users and groups that a user namespace does not have.
const nobody = 65534

// ownerCalls are the calls that set a file's owner, with where their argument is; the group follows.
func ownerCalls() map[uint32]uint32 {
	calls := map[uint32]uint32{unix.SYS_FCHOWN: dataArg1, unix.SYS_FCHOWNAT: dataArg2}
	maps.Copy(calls, archOwnerCalls())
	return calls
}

// modeCalls are the calls that set a file's mode, with where their argument is.
func modeCalls() map[uint32]uint32 {
	calls := map[uint32]uint32{unix.SYS_FCHMOD: dataArg1, unix.SYS_FCHMODAT: dataArg2, unix.SYS_FCHMODAT2: dataArg2, unix.SYS_MKNODAT: dataArg2}
	maps.Copy(calls, archModeCalls())
	return calls
}

// openCalls are the calls that may make a file, with where their flags are; the mode follows.
func openCalls() map[uint32]uint32 {
	calls := map[uint32]uint32{unix.SYS_OPENAT: dataArg2}
	maps.Copy(calls, archOpenCalls())
	return calls
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
		unix.SYS_PROCESS_MADVISE, unix.SYS_KCMP, unix.SYS_PIDFD_GETFD,
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

// tracingCalls are what debuggers need. The kernel answers them only for processes of the caller's own namespace and user that have no more
// rights and whose memory is not closed: not for process 1.
func tracingCalls() []uint32 {
	return []uint32{unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV}
}

// metadataCalls change a file's mode, owner, times and attributes. Landlock has no rules for them: for programs that may
// change nothing they are refused everywhere.
func metadataCalls() []uint32 {
	return append(archMetadataCalls(), unix.SYS_FCHMOD, unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_FCHOWN, unix.SYS_FCHOWNAT, unix.SYS_UTIMENSAT,
		unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR,
		setxattrat, removexattrat, fileSetattr)
}

// Calls newer than x/sys; their numbers are the same on every architecture.
const (
	lsmSetSelfAttr = 460
	setxattrat     = 463
	removexattrat  = 466
	openTreeAttr   = 467
	fileSetattr    = 469
)

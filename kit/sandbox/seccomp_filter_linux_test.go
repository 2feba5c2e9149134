package sandbox

import (
	"encoding/binary"
	"testing"

	"golang.org/x/sys/unix"
)

// run is what the kernel does with a filter: it returns the action for a call.
func run(t *testing.T, code []byte, arch, call uint32, args ...uint32) uint32 {
	t.Helper()
	data := make([]byte, 64) // struct seccomp_data
	binary.NativeEndian.PutUint32(data[dataNumber:], call)
	binary.NativeEndian.PutUint32(data[dataArch:], arch)
	for i, a := range args {
		binary.NativeEndian.PutUint32(data[dataArg0+8*i:], a)
	}
	var a uint32
	for at := 0; at < len(code)/8; at++ {
		i := code[at*8:]
		op, yes, no, k := binary.NativeEndian.Uint16(i), int(i[2]), int(i[3]), binary.NativeEndian.Uint32(i[4:])
		jump := func(holds bool) {
			if holds {
				at += yes
			} else {
				at += no
			}
		}
		switch op {
		case unix.BPF_LD | unix.BPF_W | unix.BPF_ABS:
			a = binary.NativeEndian.Uint32(data[k:])
		case unix.BPF_ALU | unix.BPF_AND | unix.BPF_K:
			a &= k
		case unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K:
			jump(a == k)
		case unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K:
			jump(a >= k)
		case unix.BPF_JMP | unix.BPF_JGT | unix.BPF_K:
			jump(a > k)
		case unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K:
			jump(a&k != 0)
		case unix.BPF_JMP | unix.BPF_JA:
			at += int(k)
		case unix.BPF_RET | unix.BPF_K:
			return k
		default:
			t.Fatalf("instruction %d: unknown code %#x", at, op)
		}
	}
	t.Fatal("the filter ends without an answer")
	return 0
}

func TestFilter(t *testing.T) {
	if auditArch == 0 {
		t.Skip("there is no filter for this architecture")
	}
	refused, missing := uint32(seccompErrno|unix.EPERM), uint32(seccompErrno|unix.ENOSYS)
	for _, row := range []struct {
		rule    string
		sockets bool
		call    uint32
		args    []uint32
		want    uint32
	}{
		{"ordinary calls pass", true, unix.SYS_READ, nil, seccompAllow},
		{"the newest calls pass", true, 10000, nil, seccompAllow},
		{"tracing", true, unix.SYS_PTRACE, nil, refused},
		{"mounting", true, unix.SYS_MOUNT, nil, refused},
		{"a new namespace", true, unix.SYS_UNSHARE, []uint32{unix.CLONE_NEWUSER}, refused},
		{"a process in a new namespace", true, unix.SYS_CLONE, []uint32{unix.CLONE_NEWUSER | uint32(unix.SIGCHLD)}, refused},
		{"a process", true, unix.SYS_CLONE, []uint32{uint32(unix.SIGCHLD)}, seccompAllow},
		{"a process by the call whose flags cannot be seen", true, unix.SYS_CLONE3, nil, missing},
		{"io_uring", true, unix.SYS_IO_URING_SETUP, nil, missing},
		{"words into a terminal", true, unix.SYS_IOCTL, []uint32{0, unix.TIOCSTI}, refused},
		{"another ioctl", true, unix.SYS_IOCTL, []uint32{0, unix.TCGETS}, seccompAllow},
		{"a TCP socket", true, unix.SYS_SOCKET, []uint32{unix.AF_INET, unix.SOCK_STREAM | unix.SOCK_CLOEXEC}, seccompAllow},
		{"a TCP socket where there is no network namespace", false, unix.SYS_SOCKET, []uint32{unix.AF_INET, unix.SOCK_STREAM}, seccompErrno | uint32(unix.EACCES)},
		{"a unix socket everywhere", false, unix.SYS_SOCKET, []uint32{unix.AF_UNIX, unix.SOCK_STREAM}, seccompAllow},
		{"a raw socket", true, unix.SYS_SOCKET, []uint32{unix.AF_INET, unix.SOCK_RAW}, refused},
		{"a socket to the hypervisor", true, unix.SYS_SOCKET, []uint32{unix.AF_VSOCK, unix.SOCK_STREAM}, seccompErrno | uint32(unix.EAFNOSUPPORT)},
		{"a file for nobody", true, unix.SYS_FCHOWN, []uint32{3, nobody, 0xffffffff}, refused},
		{"a file for the group of nobody", true, unix.SYS_FCHOWNAT, []uint32{3, 0, 0xffffffff, nobody}, refused},
		{"a file for an owner", true, unix.SYS_FCHOWN, []uint32{3, 1000, 1000}, seccompAllow},
		{"an odd personality", true, unix.SYS_PERSONALITY, []uint32{0x0400000}, refused},
	} {
		if got := run(t, seccompFilter(row.sockets, false), auditArch, row.call, row.args...); got != row.want {
			t.Errorf("%s: got %#x, want %#x", row.rule, got, row.want)
		}
	}
	for _, call := range metadataCalls() {
		if got := run(t, seccompFilter(true, false), auditArch, call); got != seccompAllow {
			t.Errorf("call %d: got %#x, want it allowed", call, got)
		}
		if got := run(t, seccompFilter(true, false, metadataCalls()...), auditArch, call); got != refused {
			t.Errorf("call %d: got %#x, want it refused", call, got)
		}
	}
	for _, call := range tracingCalls() {
		if got := run(t, seccompFilter(true, true), auditArch, call); got != seccompAllow {
			t.Errorf("tracing by call %d: got %#x", call, got)
		}
	}
	if got := run(t, seccompFilter(true, false), auditArch+1, unix.SYS_READ); got != seccompKill {
		t.Errorf("a call of another architecture: got %#x", got)
	}
	if foreignCalls != 0 {
		for _, call := range []uint32{foreignCalls, foreignCalls + 1, foreignCalls + 1000} {
			if got := run(t, seccompFilter(true, false), auditArch, call); got != missing {
				t.Errorf("call %#x of another interface: got %#x", call, got)
			}
		}
	}
}

// FuzzFilter holds the filter to it that it ends with one of its answers for every call.
func FuzzFilter(f *testing.F) {
	f.Add(uint32(auditArch), uint32(1), uint32(0), uint32(0))
	code := seccompFilter(true, false)
	f.Fuzz(func(t *testing.T, arch, call, first, second uint32) {
		switch got := run(t, code, arch, call, first, second); got & 0xffff0000 {
		case seccompAllow, seccompErrno, seccompKill:
		default:
			t.Errorf("got %#x", got)
		}
	})
}

//go:build linux

package sandbox

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The attacks run inside a box, in a copy of the test binary; nil means that the attack did what it wanted. Where they
// work on files and servers, these are the test's own, and the attacker would succeed without a sandbox.

// prey are the targets that the test put outside of the box for the attacks to reach, handed over in the environment.
type prey struct {
	dir       string // a directory outside the workspace, with a file "canary" and a writable directory "sub"
	secret    string // a file with a secret in the home directory
	workspace string
	pid       int // of the test
	tcp, udp  string
	unix      string // the path of a socket
	abstract  string
}

func preyOf(env string) prey {
	f := strings.Split(env, "|")
	pid, _ := strconv.Atoi(f[3])
	return prey{f[0], f[1], f[2], pid, f[4], f[5], f[6], f[7]}
}

func (p prey) String() string {
	return strings.Join([]string{p.dir, p.secret, p.workspace, strconv.Itoa(p.pid), p.tcp, p.udp, p.unix, p.abstract}, "|")
}

func (p prey) canary() string { return filepath.Join(p.dir, "canary") }

type attack struct {
	name string
	do   func(prey) error
	harm bool // it would harm the machine without a sandbox
}

// mustWork is what a box is for; everything else in the list is an attack.
func mustWork() []string {
	return []string{"read a system file", "write in the workspace", "start a program"}
}

func attacks() []attack {
	all := []attack{
		{name: "read a system file", do: func(prey) error { _, err := os.ReadFile("/etc/os-release"); return err }},
		{name: "write in the workspace", do: func(p prey) error { return os.WriteFile(filepath.Join(p.workspace, "w"), nil, 0o644) }},
		{name: "start a program", do: func(prey) error { return exec.Command("true").Run() }},
	}
	all = append(all, fileAttacks()...)
	all = append(all, networkAttacks()...)
	all = append(all, processAttacks()...)
	return append(all, kernelAttacks()...)
}

func fileAttacks() []attack {
	return []attack{
		{name: "read outside", do: func(p prey) error { _, err := os.ReadFile(p.canary()); return err }},
		{name: "read a secret of the home directory", do: func(p prey) error { _, err := os.ReadFile(p.secret); return err }},
		{name: "list the home directory", do: func(p prey) error { _, err := os.ReadDir(filepath.Dir(p.secret)); return err }},
		{name: "stat outside", do: func(p prey) error { _, err := os.Stat(p.secret); return err }},
		{name: "write outside", do: func(p prey) error { return os.WriteFile(p.canary(), []byte("x"), 0o644) }},
		{name: "create outside", do: func(p prey) error { return os.WriteFile(filepath.Join(p.dir, "sub", "new"), nil, 0o644) }},
		{name: "truncate outside", do: func(p prey) error { return os.Truncate(p.canary(), 0) }},
		{name: "remove outside", do: func(p prey) error { return os.Remove(filepath.Join(p.dir, "victim")) }},
		{name: "rename outside", do: func(p prey) error {
			return os.Rename(filepath.Join(p.dir, "victim2"), filepath.Join(p.dir, "gone"))
		}},
		{name: "make a directory outside", do: func(p prey) error { return os.Mkdir(filepath.Join(p.dir, "sub", "d"), 0o755) }},
		{name: "chmod outside", do: func(p prey) error { return os.Chmod(p.canary(), 0o600) }},
		{name: "chown outside", do: func(p prey) error { return os.Chown(p.canary(), os.Getuid(), os.Getgid()) }},
		{name: "change times outside", do: func(p prey) error { return os.Chtimes(p.canary(), time.Now(), time.Now()) }},
		{name: "set an attribute outside", do: func(p prey) error { return unix.Setxattr(p.canary(), "user.x", []byte("y"), 0) }},
		{name: "write through a link", do: func(p prey) error {
			link := filepath.Join(p.workspace, "link")
			_ = os.Symlink(p.canary(), link)
			return os.WriteFile(link, []byte("x"), 0o644)
		}},
		{name: "hard link from outside", do: func(p prey) error { return os.Link(p.canary(), filepath.Join(p.workspace, "hard")) }},
		{name: "make a device", do: func(p prey) error {
			return unix.Mknod(filepath.Join(p.workspace, "disk"), unix.S_IFBLK|0o600, int(unix.Mkdev(254, 0)))
		}},
		{name: "write kernel settings", do: func(prey) error {
			name := "/proc/sys/kernel/printk_ratelimit"
			old, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			return os.WriteFile(name, old, 0)
		}},
		{name: "open by handle", do: func(p prey) error {
			_, _, err := unix.NameToHandleAt(unix.AT_FDCWD, p.workspace, 0)
			return err
		}},
	}
}

func networkAttacks() []attack {
	dial := func(network, address string) error {
		c, err := net.DialTimeout(network, address, time.Second)
		if err == nil {
			c.Close()
		}
		return err
	}
	socket := func(domain, kind, protocol int) error {
		fd, err := unix.Socket(domain, kind, protocol)
		if err == nil {
			unix.Close(fd)
		}
		return err
	}
	return []attack{
		{name: "connect by TCP", do: func(p prey) error { return dial("tcp4", p.tcp) }},
		{name: "connect by MPTCP", do: func(p prey) error {
			fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_MPTCP)
			if err != nil {
				return err
			}
			a, _ := net.ResolveTCPAddr("tcp4", p.tcp)
			return unix.Connect(fd, &unix.SockaddrInet4{Port: a.Port, Addr: [4]byte(a.IP.To4())})
		}},
		{name: "reach a server by UDP", do: func(p prey) error {
			c, err := net.Dial("udp4", p.udp)
			if err == nil && c.LocalAddr().String() == p.udp {
				err = errors.New("the socket has the server's address by chance, and reaches itself")
			}
			if err != nil {
				return err
			}
			_, _ = c.Write([]byte("x"))
			_ = c.SetReadDeadline(time.Now().Add(300 * time.Millisecond))
			_, err = c.Read(make([]byte, 1))
			return err
		}},
		{name: "connect to a unix socket by path", do: func(p prey) error { return dial("unix", p.unix) }},
		{name: "connect to an abstract unix socket", do: func(p prey) error { return dial("unix", p.abstract) }},
		{name: "open a raw socket", do: func(prey) error { return socket(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP) }},
		{name: "open a packet socket", do: func(prey) error { return socket(unix.AF_PACKET, unix.SOCK_RAW, 0) }},
		{name: "open a vsock socket", do: func(prey) error { return socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0) }},
		{name: "open a kernel crypto socket", do: func(prey) error { return socket(unix.AF_ALG, unix.SOCK_SEQPACKET, 0) }},
	}
}

func processAttacks() []attack {
	return []attack{
		{name: "signal a process outside", do: func(p prey) error { return unix.Kill(p.pid, 0) }},
		{name: "see a process outside", do: func(p prey) error {
			b, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.pid))
			if err == nil && !strings.Contains(string(b), ".test") {
				return errors.New("another process")
			}
			return err
		}},
		{name: "read another's environment", do: func(p prey) error {
			_, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.pid))
			return err
		}},
		{name: "open another's memory", do: func(p prey) error {
			f, err := os.OpenFile(fmt.Sprintf("/proc/%d/mem", p.pid), os.O_RDWR, 0)
			if err == nil {
				f.Close()
			}
			return err
		}},
		{name: "trace another process", do: func(p prey) error { return unix.PtraceSeize(p.pid) }},
		{name: "read another's memory", do: func(p prey) error {
			var b [8]byte
			local := []unix.Iovec{{Base: &b[0], Len: 8}}
			_, err := unix.ProcessVMReadv(p.pid, local, []unix.RemoteIovec{{Base: uintptr(unsafe.Pointer(&b)), Len: 8}}, 0)
			if errors.Is(err, unix.EFAULT) {
				return nil // it was let through; the address was a guess
			}
			return err
		}},
		{name: "trace process 1", do: func(prey) error { return unix.PtraceSeize(1) }, harm: true},
		{name: "open the memory of process 1", do: func(prey) error { _, err := os.OpenFile("/proc/1/mem", os.O_RDONLY, 0); return err }, harm: true},
		{name: "take another's open file", do: func(p prey) error {
			fd, err := unix.PidfdOpen(p.pid, 0)
			if err != nil {
				return err
			}
			_, err = unix.PidfdGetfd(fd, 0, 0)
			return err
		}},
		{name: "type into the terminal", do: func(prey) error {
			var b byte = 'x'
			_, _, errno := unix.Syscall(unix.SYS_IOCTL, 0, unix.TIOCSTI, uintptr(unsafe.Pointer(&b)))
			if errno == unix.ENOTTY || errno == unix.EIO {
				return nil // only the lack of a terminal kept it from working
			}
			return orNil(errno)
		}},
	}
}

func kernelAttacks() []attack {
	call := func(number uintptr, args ...uintptr) func(prey) error {
		return func(prey) error {
			args := append(args, 0, 0, 0, 0, 0, 0)
			_, _, errno := unix.Syscall6(number, args[0], args[1], args[2], args[3], args[4], args[5])
			return orNil(errno)
		}
	}
	return []attack{
		{name: "make a namespace", do: call(unix.SYS_UNSHARE, unix.CLONE_NEWUTS)},
		{name: "make a user namespace with clone", do: func(prey) error {
			return exited((&exec.Cmd{Path: "/bin/true", SysProcAttr: &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER}}).Run())
		}},
		{name: "mount", do: func(p prey) error { return unix.Mount("none", p.workspace, "tmpfs", 0, "") }, harm: true},
		{name: "remount the root writable", do: func(prey) error { return unix.Mount("none", "/", "", unix.MS_REMOUNT|unix.MS_BIND, "") }, harm: true},
		{name: "change the root", do: func(p prey) error { return unix.Chroot(p.workspace) }},
		{name: "make a file run as its owner", do: func(p prey) error { return unix.Chmod(filepath.Join(p.workspace, "w"), 0o4755) }},
		{name: "make a file run as its owner, by its descriptor", do: func(p prey) error {
			f, err := os.Open(filepath.Join(p.workspace, "w"))
			if err != nil {
				return err
			}
			defer f.Close()
			return unix.Fchmod(int(f.Fd()), 0o4755)
		}},
		{name: "create a file that runs as its owner", do: func(p prey) error {
			fd, err := unix.Open(filepath.Join(p.workspace, "suid"), unix.O_CREAT|unix.O_WRONLY, 0o4755)
			if err == nil {
				unix.Close(fd)
			}
			return err
		}},
		{name: "create a file that runs as its owner, with openat2", do: func(p prey) error {
			fd, err := unix.Openat2(unix.AT_FDCWD, filepath.Join(p.workspace, "suid2"), &unix.OpenHow{Flags: unix.O_CREAT | unix.O_WRONLY, Mode: 0o4755})
			if err == nil {
				unix.Close(fd)
			}
			return err
		}},
		{name: "make a device file's name that runs as its owner", do: func(p prey) error {
			return unix.Mknod(filepath.Join(p.workspace, "suid3"), unix.S_IFREG|0o4755, 0)
		}},
		{name: "keep others from opening a file", do: func(p prey) error {
			f, err := os.Open(filepath.Join(p.workspace, "w"))
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
			return err
		}},
		{name: "set up io_uring", do: func(prey) error {
			params := make([]byte, 120)
			_, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, 4, uintptr(unsafe.Pointer(&params[0])), 0)
			return orNil(errno)
		}},
		{name: "use the kernel's keys", do: func(prey) error { _, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_SESSION_KEYRING, true); return err }},
		{name: "load a BPF map", do: func(prey) error {
			attr := [16]uint32{2, 4, 4, 1} // an array of one
			_, _, errno := unix.Syscall(unix.SYS_BPF, 0, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr))
			return orNil(errno)
		}},
		{name: "watch performance events", do: func(prey) error {
			attr := unix.PerfEventAttr{Type: unix.PERF_TYPE_SOFTWARE, Size: uint32(unsafe.Sizeof(unix.PerfEventAttr{})), Bits: unix.PerfBitExcludeKernel}
			_, err := unix.PerfEventOpen(&attr, 0, -1, -1, 0)
			return err
		}},
		{name: "handle page faults", do: call(unix.SYS_USERFAULTFD, 1)},
		{name: "read the kernel's log", do: func(prey) error { _, err := unix.Klogctl(unix.SYSLOG_ACTION_SIZE_BUFFER, nil); return err }},
		{name: "load a kernel", do: forbidden(unix.SYS_KEXEC_LOAD), harm: true},
		{name: "load a module", do: forbidden(unix.SYS_INIT_MODULE), harm: true},
		{name: "change the personality", do: forbidden(unix.SYS_PERSONALITY, 0x400000), harm: true}, // READ_IMPLIES_EXEC
		{name: "make a user namespace with clone3", do: forbidden(unix.SYS_CLONE3), harm: true},
		{name: "use the old interface of 32 bits", do: foreignCall},
	}
}

// forbidden makes a call that the kernel would answer with another error, or do, if it came through.
func forbidden(number uintptr, args ...uintptr) func(prey) error {
	return func(prey) error {
		args := append(args, 0, 0, 0, 0, 0, 0)
		_, _, errno := unix.Syscall6(number, args[0], args[1], args[2], args[3], args[4], args[5])
		if errno == unix.EPERM || errno == unix.ENOSYS || errno == unix.EACCES {
			return errno
		}
		return nil
	}
}

func orNil(errno syscall.Errno) error {
	if errno == 0 {
		return nil
	}
	return errno
}

// exited makes no error of a program that ran and failed.
func exited(err error) error {
	if _, ran := errors.AsType[*exec.ExitError](err); ran {
		return nil
	}
	return err
}

package sandbox

import (
	"encoding/binary"
	"net/netip"

	"golang.org/x/sys/unix"

	"rein/kit/sandbox/internal/box"
)

// deviceNames are the devices that programs get.
func deviceNames() []string { return []string{"null", "zero", "full", "random", "urandom", "tty"} }

// devices opens the devices of the host before /dev is covered.
func (c *calls) devices() []box.Reg {
	var trees []box.Reg
	for _, name := range deviceNames() {
		trees = append(trees, c.clone("/dev/"+name))
	}
	return trees
}

// dev makes a /dev of our own: harmless devices, and a place for terminals. Where the shared memory will be, the closed places are.
func (c *calls) dev(devices []box.Reg, closed box.Reg) {
	c.Do("cover /dev", unix.SYS_MOUNT, "none", "/dev", "tmpfs", unix.MS_NOSUID|unix.MS_NOEXEC, "size=64k,mode=755")
	for i, name := range deviceNames() {
		fd := c.Do("make /dev/"+name, unix.SYS_OPENAT, here, "/dev/"+name, unix.O_CREAT|unix.O_WRONLY|unix.O_CLOEXEC, 0o666)
		c.Do("close a file", unix.SYS_CLOSE, fd)
		c.put(devices[i], "/dev/"+name)
	}
	for name, target := range map[string]string{"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2", "ptmx": "pts/ptmx"} {
		c.Do("make /dev/"+name, unix.SYS_SYMLINKAT, target, here, "/dev/"+name)
	}
	c.Do("make /dev/pts", unix.SYS_MKDIRAT, here, "/dev/pts", 0o755)
	c.Do("make /dev/shm", unix.SYS_MKDIRAT, here, "/dev/shm", 0o777)
	c.put(closed, closedPlace)
	c.Do("close /dev", unix.SYS_MOUNT, "none", "/dev", 0, unix.MS_REMOUNT|unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NOEXEC, "size=64k,mode=755")
}

// terminals gives the box terminals of its own.
func (c *calls) terminals() {
	c.Do("mount /dev/pts", unix.SYS_MOUNT, "none", "/dev/pts", "devpts", unix.MS_NOSUID|unix.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=0620")
}

// shm gives the box shared memory of its own.
func (c *calls) shm() {
	c.Do("mount /dev/shm", unix.SYS_MOUNT, "none", "/dev/shm", "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=1777,size=1g")
}

// proc mounts a /proc of the box's own processes. It is read-only: as root, kernel settings could be changed there.
func (c *calls) proc() {
	const flags = unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC
	c.Do("mount /proc", unix.SYS_MOUNT, "none", "/proc", "proc", flags, 0)
	if c.limits.Processes > 0 && countsOwnProcesses() {
		// The number of the last process of this namespace: it bounds root, too, whom RLIMIT_NPROC does not.
		fd := c.Try("open pid_max", unix.SYS_OPENAT, here, "/proc/sys/kernel/pid_max", unix.O_WRONLY|unix.O_CLOEXEC)
		text := []byte(decimal(max(c.limits.Processes, lowestPidMax)))
		c.Try("set pid_max", unix.SYS_WRITE, fd, c.Data(text), len(text))
		c.Try("close a file", unix.SYS_CLOSE, fd)
	}
	c.Do("close /proc", unix.SYS_MOUNT, "none", "/proc", 0, flags|unix.MS_REMOUNT|unix.MS_RDONLY, 0)
}

// lowestPidMax is what the kernel accepts at least.
const lowestPidMax = 301

// loopback brings the network's own loopback up.
func (c *calls) loopback() {
	request := make([]byte, 40) // struct ifreq
	copy(request, "lo")
	binary.NativeEndian.PutUint16(request[16:], unix.IFF_UP|unix.IFF_RUNNING)
	fd := c.Do("make a socket", unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	c.Do("bring up the loopback", unix.SYS_IOCTL, fd, unix.SIOCSIFFLAGS, c.Data(request))
	c.Do("close a file", unix.SYS_CLOSE, fd)
}

// proxyPort is the port of proxyAddress.
const proxyPort = 3128

// listener makes a listener at an address of the network's loopback and sends it to the parent.
func (c *calls) listener(at netip.AddrPort) {
	address := make([]byte, 16) // struct sockaddr_in
	binary.NativeEndian.PutUint16(address, unix.AF_INET)
	binary.BigEndian.PutUint16(address[2:], at.Port())
	copy(address[4:], at.Addr().AsSlice())
	fd := c.Do("make a socket", unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	c.Do("let the port be used again", unix.SYS_SETSOCKOPT, fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, c.Data([]byte{1, 0, 0, 0}), 4)
	c.Do("bind a port of the loopback", unix.SYS_BIND, fd, c.Data(address), len(address))
	c.Do("listen at a port of the loopback", unix.SYS_LISTEN, fd, 128)
	c.SendFile(fd)
	c.Do("close a file", unix.SYS_CLOSE, fd)
}

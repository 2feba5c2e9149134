//go:build darwin || freebsd

package server

import (
	"errors"
	"net"

	"golang.org/x/sys/unix"
)

const knowsPeers = true

// peerUser returns the user of the process at the other end.
func peerUser(c *net.UnixConn) (uid int, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, err
	}
	var who *unix.Xucred
	var failed error
	err = raw.Control(func(fd uintptr) { who, failed = unix.GetsockoptXucred(int(fd), solLocal, unix.LOCAL_PEERCRED) })
	if err = errors.Join(err, failed); err != nil {
		return 0, err
	}
	return int(who.Uid), nil
}

// solLocal is SOL_LOCAL: the level of the options of unix sockets.
const solLocal = 0

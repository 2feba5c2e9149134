package sandbox

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"

	"rein/kit/sandbox/internal/box"
)

// controlPair makes the socket between us and a helper. Ours is watched by the runtime's poller.
func controlPair(kind int) (ours, theirs *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, kind|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("make the control socket: %w", err)
	}
	if err := unix.SetNonblock(fds[0], true); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("make the control socket: %w", err), unix.Close(fds[0]), unix.Close(fds[1]))
	}
	return os.NewFile(uintptr(fds[0]), "control"), os.NewFile(uintptr(fds[1]), "control"), nil
}

// descriptors returns the numbers of open files for sending them; a nil file is the null device. The caller calls done
// afterwards.
func descriptors(files []*os.File) (fds []int, done func(), err error) {
	var null *os.File
	for _, f := range files {
		if f == nil {
			if null == nil {
				if null, err = os.OpenFile(os.DevNull, os.O_RDWR, 0); err != nil {
					return nil, nil, err
				}
			}
			f = null
		}
		// Fd makes the file blocking, which its new owner expects: the mode goes with the file.
		fds = append(fds, int(f.Fd()))
	}
	return fds, func() {
		if null != nil {
			null.Close()
		}
	}, nil
}

// sendPacket sends one packet with open files.
func sendPacket(control *os.File, packet []byte, fds []int) error {
	n, err := sendSome(control, packet, fds)
	if err == nil && n < len(packet) {
		return io.ErrShortWrite
	}
	return err
}

// sendStream sends bytes over a stream, open files with the first of them.
func sendStream(control *os.File, message []byte, fds []int) error {
	n, err := sendSome(control, message, fds)
	if err == nil && n < len(message) {
		_, err = control.Write(message[n:])
	}
	return err
}

func sendSome(control *os.File, b []byte, fds []int) (int, error) {
	var rights []byte
	if len(fds) > 0 {
		rights = unix.UnixRights(fds...)
	}
	raw, err := control.SyscallConn()
	if err != nil {
		return 0, err
	}
	sent, failed := 0, error(nil)
	err = raw.Write(func(fd uintptr) bool {
		sent, failed = unix.SendmsgN(int(fd), b, rights, nil, unix.MSG_NOSIGNAL)
		return failed != unix.EAGAIN && failed != unix.EINTR
	})
	return sent, errors.Join(err, failed)
}

// receive reads one report, and the open file that may come with it.
func receive(control *os.File) (box.Report, *os.File, error) {
	raw, err := control.SyscallConn()
	if err != nil {
		return box.Report{}, nil, err
	}
	var report [box.ReportSize]byte
	var file *os.File
	var failed error
	rest, rights := report[:], make([]byte, unix.CmsgSpace(4))
	err = raw.Read(func(fd uintptr) bool {
		for len(rest) > 0 {
			n, oobn, _, _, err := unix.Recvmsg(int(fd), rest, rights, unix.MSG_CMSG_CLOEXEC)
			switch {
			case err == unix.EAGAIN:
				return false
			case err == unix.EINTR:
				continue
			case err != nil:
				failed = err
				return true
			case n == 0:
				failed = io.EOF
				return true
			}
			if oobn > 0 {
				file = received(rights[:oobn])
			}
			rest = rest[n:]
		}
		return true
	})
	return box.DecodeReport(report[:]), file, errors.Join(failed, err)
}

func received(rights []byte) *os.File {
	messages, err := unix.ParseSocketControlMessage(rights)
	if err != nil || len(messages) == 0 {
		return nil
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) == 0 {
		return nil
	}
	return os.NewFile(uintptr(fds[0]), "listener")
}

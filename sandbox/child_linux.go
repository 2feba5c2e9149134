package sandbox

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"rein/internal/box"
)

// child is a program in a box, seen from outside: process 1 of the box and the socket to it.
type child struct {
	*supervised
	control *os.File
	probed  []box.Report
	handed  *os.File // an open file that the helper sent before the program ran
}

// begin sends the child its orders and waits until the program runs.
func (c *child) begin(program *box.Program, order box.Order) error {
	if _, err := c.control.Write(program.Encode(order)); err != nil {
		return fmt.Errorf("enter the sandbox: %w", err)
	}
	for {
		report, file, err := receive(c.control)
		if err != nil {
			return fmt.Errorf("enter the sandbox: the helper ended without a word: %w", err)
		}
		switch report.Kind {
		case box.Started, box.Probed:
			return nil
		case box.Attempted:
			c.probed = append(c.probed, report)
		case box.File:
			c.handed = file
		case box.Failed:
			return failure(program, report, order)
		}
	}
}

// failure tells what went wrong inside.
func failure(program *box.Program, report box.Report, order box.Order) error {
	errno := syscall.Errno(report.Errno)
	if report.Index >= 0 {
		return fmt.Errorf("enter the sandbox: %s: %w", program.Name(int(report.Index)), errno)
	}
	if errors.Is(errno, os.ErrNotExist) {
		return fmt.Errorf("start %s in %s: %w (what is outside the workspace may be out of sight in the sandbox)", order.Path, order.Dir, errno)
	}
	return fmt.Errorf("start %s in %s: %w", order.Path, order.Dir, errno)
}

// receive reads one report, and the open file that may come with it.
func receive(control *os.File) (box.Report, *os.File, error) {
	var report box.Report
	var file *os.File
	raw, err := control.SyscallConn()
	if err != nil {
		return report, nil, err
	}
	buffer, rest := report.Bytes(), unix.CmsgSpace(4)
	var failed error
	err = raw.Read(func(fd uintptr) bool {
		rights := make([]byte, rest)
		n, oobn, _, _, err := unix.Recvmsg(int(fd), buffer, rights, unix.MSG_CMSG_CLOEXEC)
		switch {
		case err == unix.EAGAIN:
			return false
		case err == unix.EINTR:
			return false
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
		buffer = buffer[n:]
		return len(buffer) == 0
	})
	return report, file, errors.Join(failed, err)
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

// Wait returns when the program has ended and everything that it left behind has been killed.
func (c *child) Wait() (Exit, error) {
	defer c.control.Close()
	report, _, err := receive(c.control)
	if err == nil && report.Kind == box.Ended {
		return exitOf(syscall.WaitStatus(report.Status), time.Duration(report.CPU)), nil
	}
	_, err = c.supervised.Wait() // the box was killed, and the program with it
	return Exit{Code: -1, Signal: syscall.SIGKILL}, err
}

// Signal sends a signal to everything in the box; SIGKILL ends the box.
func (c *child) Signal(sig syscall.Signal) error {
	if sig == syscall.SIGKILL {
		return c.supervised.Signal(sig)
	}
	_, err := c.control.Write([]byte{byte(sig)})
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}

//go:build linux

package box

import (
	"runtime"
	"syscall"
	"unsafe"
)

// initProcess is process 1 of a process namespace: it makes the sandbox around itself, starts the program as its child,
// and reaps. When it ends the kernel ends everything in the namespace.
type initProcess struct {
	lifeline int32 // -1 without one
	program  int   // the number of the program
	ended    int32 // a file that can be read when the program has ended
}

// serveInit is the life of process 1. It does not return.
//
// What the calls restrict is one thread, the one that starts the program. The other threads are the Go runtime's; nothing
// in the namespace can reach into this process, because its memory is closed, and it has no signal handlers.
func serveInit(withLifeline bool) {
	runtime.LockOSThread()
	hideMemory()
	closeOnExec()
	removeSignalHandlers()
	p := &initProcess{lifeline: -1, ended: -1}
	if withLifeline {
		p.lifeline = lifeline
	}
	program, order, streams := p.receive()
	p.takeStreams(streams)
	before := openFilesLimit()
	if _, ok := execute(program, 0); !ok {
		syscall.Exit(brokenExit)
	}
	if order.Probe {
		send(Report{Kind: Probed})
		syscall.Exit(0)
	}
	if after := openFilesLimit(); after != before {
		_ = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &after) // else package syscall gives the program the limit of before
	}
	p.start(order)
	for {
		p.wait()
	}
}

func openFilesLimit() syscall.Rlimit {
	var l syscall.Rlimit
	_ = syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l)
	return l
}

// removeSignalHandlers takes the Go runtime's handlers away. To process 1 the kernel then delivers no signal from inside
// the namespace. What is ignored stays ignored.
func removeSignalHandlers() {
	const lastSignal, maskSize = 64, 8
	var action [4]uintptr // handler, flags, restorer, mask: no architecture has more
	for sig := uintptr(1); sig <= lastSignal; sig++ {
		_, _, errno := syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, sig, 0, uintptr(unsafe.Pointer(&action)), maskSize, 0, 0)
		if errno != 0 || action[0] <= 1 {
			continue
		}
		action = [4]uintptr{}
		_, _, _ = syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, sig, uintptr(unsafe.Pointer(&action)), 0, maskSize, 0, 0)
	}
}

// receive reads the message and the program's streams, if they come with it. It ends the process when the parent or the
// supervisor is gone.
func (p *initProcess) receive() (*Program, Order, []int) {
	p.poll(-1)
	head, rights := make([]byte, 4), make([]byte, syscall.CmsgSpace(mostFiles*4))
	n, oobn := 0, 0
	for {
		var err error
		n, oobn, _, _, err = syscall.Recvmsg(Control, head, rights, messageCloseOnExec)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || n == 0 {
			syscall.Exit(brokenExit)
		}
		break
	}
	fill(head[n:])
	size := (&reader{rest: head}).u32()
	if size > MostMessage {
		p.fail(syscall.E2BIG)
	}
	message := make([]byte, size)
	fill(message)
	program, order, ok := decode(message)
	if !ok {
		p.fail(syscall.EBADMSG)
	}
	return program, order, files(rights[:oobn])
}

const messageCloseOnExec = 0x40000000 // MSG_CMSG_CLOEXEC

// fill reads from the control socket until the memory is full.
func fill(b []byte) {
	for len(b) > 0 {
		n, err := syscall.Read(Control, b)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || n == 0 {
			syscall.Exit(brokenExit)
		}
		b = b[n:]
	}
}

func (p *initProcess) fail(errno syscall.Errno) {
	send(Report{Kind: Failed, Index: -1, Errno: int32(errno)})
	syscall.Exit(brokenExit)
}

// takeStreams puts the program's streams where it expects them.
func (p *initProcess) takeStreams(streams []int) {
	for i, fd := range streams {
		if err := syscall.Dup3(fd, i, 0); err != nil || i > 2 {
			p.fail(syscall.EBADF)
		}
		_ = syscall.Close(fd)
	}
}

// start starts the program.
func (p *initProcess) start(order Order) {
	ended := -1
	pid, err := start(order, []uintptr{0, 1, 2}, &ended)
	if err != nil {
		p.fail(syscall.Errno(errnoOf(err)))
	}
	p.program, p.ended = pid, int32(ended)
	send(Report{Kind: Started})
	// Our copies of the streams would keep a pipe open that the program has closed.
	closeAll([]int{0, 1, 2})
}

// pollFile is a struct pollfd.
type pollFile struct {
	fd             int32
	events, result int16
}

const (
	pollIn = 1
	// reapInterval is how many seconds orphans of a program that continues may stay zombies.
	reapInterval = 1
)

// poll waits until the program has ended, or the parent has sent something, which it reports. Seconds below zero are no
// limit. It ends the process when the supervisor is gone.
func (p *initProcess) poll(seconds int64) (spoken bool) {
	files := [3]pollFile{{fd: p.ended, events: pollIn}, {fd: Control, events: pollIn}, {fd: p.lifeline, events: pollIn}}
	most := &syscall.Timespec{Sec: seconds}
	if seconds < 0 {
		most = nil
	}
	_, _, errno := syscall.Syscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&files)), uintptr(len(files)), uintptr(unsafe.Pointer(most)), 0, 0, 0)
	if errno == 0 && files[2].result != 0 {
		syscall.Exit(brokenExit)
	}
	return errno == 0 && files[1].result != 0
}

// wait waits for the program's end or the parent's signals, and does what there is to do then.
func (p *initProcess) wait() {
	spoken := p.poll(reapInterval)
	p.reap()
	if spoken {
		p.passSignals()
	}
}

// reap waits for the processes that have ended. When the program is among them it reports how it ended, and ends.
func (p *initProcess) reap() {
	for {
		var status syscall.WaitStatus
		var used syscall.Rusage
		pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, &used)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || pid == 0 {
			return
		}
		if pid == p.program {
			left := endOthers()
			send(Report{Kind: Ended, Status: uint32(status), CPU: used.Utime.Nano() + used.Stime.Nano(), Left: left})
			syscall.Exit(0)
		}
	}
}

const (
	lastWords  = 20        // how often we look whether what the program left behind ends by itself, as the rest of a pipe does
	lookAgain  = 1_000_000 // nanoseconds between two looks
	mostReaped = 1000      // processes that may end meanwhile: a bomb makes new ones
)

// endOthers ends all other processes of the namespace, and returns how many did not end by themselves. Our own end would end them,
// too, but the kernel then takes some milliseconds to take the mounts apart, for which the parent need not wait.
func endOthers() (left uint32) {
	for looks, reaped := 0, 0; looks < lastWords && reaped < mostReaped; reaped++ {
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		if err == syscall.ECHILD {
			break
		}
		if pid == 0 {
			looks++
			_ = syscall.Nanosleep(&syscall.Timespec{Nsec: lookAgain}, nil)
		}
	}
	for {
		if syscall.Kill(-1, syscall.SIGKILL) == syscall.ESRCH {
			return left
		}
		switch pid, err := syscall.Wait4(-1, nil, 0, nil); {
		case err == syscall.ECHILD:
			return left
		case pid > 0:
			left++
		}
	}
}

// passSignals passes the parent's signals on to everything in the namespace, and ends it when the parent is gone.
func (p *initProcess) passSignals() {
	sent := make([]byte, 64)
	n, err := syscall.Read(Control, sent)
	if err == syscall.EINTR {
		return
	}
	if err != nil || n == 0 {
		syscall.Exit(brokenExit)
	}
	for _, sig := range sent[:n] {
		_ = syscall.Kill(-1, syscall.Signal(sig))
	}
}

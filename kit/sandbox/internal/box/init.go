//go:build linux && (amd64 || arm64)

package box

import (
	"runtime"
	"syscall"
	"unsafe"
)

// initProcess is process 1 of a process namespace: it makes the sandbox around itself, starts the program as its child,
// and reaps. When it ends the kernel ends everything in the namespace.
//
// It may be a fork of a process with more threads (see template), in which no other thread goes on. Hence the rule for all of its functions
// that a forked process runs: they are nosplit (the stack cannot grow, and the scheduler cannot take over), make no memory, store no
// pointers, and call nothing but each other and raw system calls. What they need is made before, by newInit.
type initProcess struct {
	lifeline int32 // a pipe that closes when the supervisor dies; -1 without one
	program  int   // the number of the program
	ended    int32 // a file that can be read when the program has ended

	message  []byte    // the message, behind its length, with a byte after it
	words    []uintptr // results of the calls, and after them the lists of the program's arguments and environment
	at, end  int       // what is read next of the message, and where it ends
	short    bool      // something is missing in the message
	ops      int       // where the calls are
	calls    int       // how many
	next     int       // the first free of the words
	memory   int       // where their memory is
	size     int       // bytes of it
	path     int       // where the path of the program is
	dir      int
	argv     int // where its arguments are in words
	env      int
	terminal bool
	probe    bool

	// The memory of system calls.
	in, out syscall.Msghdr
	parts   [2]syscall.Iovec
	rights  [2][rightsSize]byte
	report  [ReportSize]byte
	files   [3]pollFile
	second  syscall.Timespec
	moment  syscall.Timespec
	status  uint32
	used    syscall.Rusage
	sent    [64]byte
}

// rightsSize is enough for the files of a message: CMSG_SPACE of mostFiles numbers.
const rightsSize = syscall.SizeofCmsghdr + mostFiles*4

// newInit makes the memory of process 1. The kernel gives pages for what is used of it.
func newInit(lifeline int32) (*initProcess, error) {
	const flags = syscall.MAP_ANON | syscall.MAP_PRIVATE | syscall.MAP_NORESERVE
	const mostWords = MostMessage/4 + 16 // a text has 4 bytes at least, a call more
	message, err := syscall.Mmap(-1, 0, 4+MostMessage+1, syscall.PROT_READ|syscall.PROT_WRITE, flags)
	if err != nil {
		return nil, err
	}
	words, err := syscall.Mmap(-1, 0, mostWords*wordSize, syscall.PROT_READ|syscall.PROT_WRITE, flags)
	if err != nil {
		return nil, err
	}
	p := &initProcess{lifeline: lifeline, ended: -1, message: message, words: unsafe.Slice((*uintptr)(unsafe.Pointer(&words[0])), mostWords)}
	for i, m := range []*syscall.Msghdr{&p.in, &p.out} {
		m.Iov, m.Iovlen, m.Control = &p.parts[i], 1, &p.rights[i][0]
	}
	p.parts[0].Base, p.parts[1].Base = &p.message[0], &p.report[0]
	p.second.Sec, p.moment.Nsec = reapInterval, lookAgain
	return p, nil
}

// free gives the memory back.
func (p *initProcess) free() {
	_ = syscall.Munmap(p.message)
	_ = syscall.Munmap(unsafe.Slice((*byte)(unsafe.Pointer(&p.words[0])), len(p.words)*wordSize))
}

// serveInit is the life of process 1 that was executed. It does not return.
func serveInit(withLifeline bool) {
	runtime.LockOSThread()
	hideMemory()
	removeSignalHandlers()
	held := int32(-1)
	if withLifeline {
		held = lifeline
	}
	p, err := newInit(held)
	if err != nil {
		syscall.Exit(brokenExit)
	}
	p.serve()
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

// serve is the life of process 1. It does not return.
//
//go:nosplit
//go:norace
//go:noinline
func (p *initProcess) serve() {
	raw(callCloseRange, Control, ^uintptr(0), onExec)
	p.receive()
	if !p.decode() {
		p.fail(syscall.EBADMSG)
	}
	if !p.execute() {
		exit(brokenExit)
	}
	if p.probe {
		p.tell(Probed, 0, 0)
		exit(0)
	}
	p.start()
	for {
		p.wait()
	}
}

// receive reads the message, and puts the program's streams, if they come with it, where it expects them. It ends the process when the
// parent or the supervisor is gone.
//
//go:nosplit
//go:norace
//go:noinline
func (p *initProcess) receive() {
	p.poll(false)
	var n uintptr
	for errno := syscall.EINTR; errno == syscall.EINTR; {
		p.parts[0].Len, p.in.Controllen = 4, rightsSize
		n, errno = raw(syscall.SYS_RECVMSG, Control, uintptr(unsafe.Pointer(&p.in)), messageCloseOnExec)
		if errno != 0 && errno != syscall.EINTR || errno == 0 && n == 0 {
			exit(brokenExit)
		}
	}
	p.fill(int(n), 4)
	p.at, p.end = 0, 4
	size := p.u32()
	if size > MostMessage {
		p.fail(syscall.E2BIG)
	}
	p.fill(4, 4+int(size))
	p.end = 4 + int(size)
	p.message[p.end] = 0
	p.takeStreams()
}

// fill reads from the control socket until these bytes of the message are there.
//
//go:nosplit
//go:norace
func (p *initProcess) fill(from, to int) {
	for from < to {
		n, errno := raw(syscall.SYS_READ, Control, uintptr(unsafe.Pointer(&p.message[from])), uintptr(to-from))
		if errno == syscall.EINTR {
			continue
		}
		if errno != 0 || n == 0 {
			exit(brokenExit)
		}
		from += int(n)
	}
}

// takeStreams puts the streams that came with the message where the program expects them.
//
//go:nosplit
//go:norace
func (p *initProcess) takeStreams() {
	if p.in.Controllen < syscall.SizeofCmsghdr {
		return
	}
	n := (int(p.rights[0][0]) - syscall.SizeofCmsghdr) / 4 // the first field of a header is its length
	for i := range n {
		fd := uintptr(fileNumber(&p.rights[0], i))
		if _, errno := raw(syscall.SYS_DUP3, fd, uintptr(i), 0); errno != 0 || i > 2 {
			p.fail(syscall.EBADF)
		}
		raw(syscall.SYS_CLOSE, fd, 0, 0)
	}
}

// start starts the program.
//
//go:nosplit
//go:norace
//go:noinline
func (p *initProcess) start() {
	// The filter refuses clone3. The parent waits until the program is executed, or has said why not.
	const flags = syscall.CLONE_VFORK | clonePidFile | uintptr(syscall.SIGCHLD)
	pid, _, errno := syscall.RawSyscall6(syscall.SYS_CLONE, flags, 0, uintptr(unsafe.Pointer(&p.ended)), 0, 0, 0)
	if errno != 0 {
		p.fail(errno)
	}
	if pid == 0 {
		p.become()
	}
	p.program = int(pid)
	p.tell(Started, 0, 0)
	for fd := range uintptr(3) { // our copies of the streams would keep a pipe open that the program has closed
		raw(syscall.SYS_CLOSE, fd, 0, 0)
	}
}

// become makes this process the program.
//
//go:nosplit
//go:norace
func (p *initProcess) become() {
	_, errno := raw(syscall.SYS_SETSID, 0, 0, 0)
	if errno == 0 && p.terminal {
		_, errno = raw(syscall.SYS_IOCTL, 0, syscall.TIOCSCTTY, 1)
	}
	if errno == 0 {
		_, errno = raw(syscall.SYS_CHDIR, p.place(p.dir), 0, 0)
	}
	if errno == 0 {
		_, errno = raw(syscall.SYS_EXECVE, p.place(p.path), uintptr(unsafe.Pointer(&p.words[p.argv])), uintptr(unsafe.Pointer(&p.words[p.env])))
	}
	p.fail(errno)
}

// fail reports why the program could not be started, and ends the process.
//
//go:nosplit
//go:norace
//go:noinline
func (p *initProcess) fail(errno syscall.Errno) {
	p.tell(Failed, -1, errno)
	exit(brokenExit)
}

// tell sends a report to the parent.
//
//go:nosplit
//go:norace
//go:noinline
func (p *initProcess) tell(kind uint32, index int32, errno syscall.Errno) {
	p.write32(0, kind)
	p.write32(4, uint32(index))
	p.write32(8, uint32(errno))
	for at := 12; at < ReportSize; at += 4 {
		p.write32(at, 0)
	}
	p.send()
}

// send sends the report. When the parent has ended, the next read from the control socket fails.
//
//go:nosplit
//go:norace
func (p *initProcess) send() {
	raw(syscall.SYS_WRITE, Control, uintptr(unsafe.Pointer(&p.report)), ReportSize)
}

//go:nosplit
//go:norace
func (p *initProcess) write32(at int, n uint32) {
	p.report[at], p.report[at+1], p.report[at+2], p.report[at+3] = byte(n), byte(n>>8), byte(n>>16), byte(n>>24)
}

// fileNumber reads the number of an open file that came with a message.
//
//go:nosplit
//go:norace
func fileNumber(rights *[rightsSize]byte, i int) uint32 {
	at := syscall.SizeofCmsghdr + i*4
	return uint32(rights[at]) | uint32(rights[at+1])<<8 | uint32(rights[at+2])<<16 | uint32(rights[at+3])<<24
}

// raw is a system call of which the runtime knows nothing.
//
//go:nosplit
//go:norace
func raw(call, a, b, c uintptr) (uintptr, syscall.Errno) {
	r, _, errno := syscall.RawSyscall(call, a, b, c)
	return r, errno
}

// exit ends the process.
//
//go:nosplit
//go:norace
func exit(status uintptr) {
	for {
		raw(syscall.SYS_EXIT_GROUP, status, 0, 0)
	}
}

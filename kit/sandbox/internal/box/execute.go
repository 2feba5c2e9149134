//go:build linux

package box

import (
	"runtime"
	"syscall"
	"unsafe"
)

// execution is a program that is being carried out on the current thread.
type execution struct {
	program *Program
	results []uintptr
	id      uint32 // of the run, for reports
	kept    int    // the file that the program kept; -1 is none
}

// execute carries out the calls of a program on the current thread, to which some of them apply. It reports attempts, and
// the call that failed; it is false after a failure.
func execute(p *Program, id uint32) (*execution, bool) {
	e := &execution{program: p, results: make([]uintptr, len(p.ops)), id: id, kept: -1}
	defer runtime.KeepAlive(p.memory)
	for i := range p.ops {
		o := &p.ops[i]
		errno := e.do(i, o)
		switch {
		case o.flags&attempted != 0:
			send(Report{Kind: Attempted, ID: id, Index: int32(i), Errno: int32(errno)})
		case errno != 0 && !o.forgives(errno):
			send(Report{Kind: Failed, ID: id, Index: int32(i), Errno: int32(errno)})
			return e, false
		}
	}
	return e, true
}

// do carries out one call.
func (e *execution) do(i int, o *op) syscall.Errno {
	var a [6]uintptr
	for k := range a {
		switch o.kinds[k] {
		case value:
			a[k] = uintptr(o.args[k])
		case address:
			a[k] = e.address(o.args[k])
		case register:
			a[k] = e.results[o.args[k]]
		}
	}
	memory := e.program.memory
	switch o.call {
	case callPoke32:
		*(*uint32)(unsafe.Pointer(&memory[o.args[0]])) = uint32(a[1])
	case callPokePtr:
		*(*uintptr)(unsafe.Pointer(&memory[o.args[0]])) = a[1]
	case callSendFile:
		return e.sendFile(int(a[0]))
	case callKeepFile:
		e.kept = int(a[0])
	default:
		result, _, errno := syscall.Syscall6(uintptr(o.call), a[0], a[1], a[2], a[3], a[4], a[5])
		if errno != 0 {
			result = ^uintptr(0)
		}
		e.results[i] = result
		return errno
	}
	return 0
}

// address is where a place of the memory is. The caller keeps the memory alive.
func (e *execution) address(offset uint64) uintptr {
	return uintptr(unsafe.Pointer(&e.program.memory[offset]))
}

// sendFile sends an open file to the parent.
func (e *execution) sendFile(file int) syscall.Errno {
	r := Report{Kind: File, ID: e.id}
	err := syscall.Sendmsg(Control, r.Encode(), syscall.UnixRights(file), nil, 0)
	if err != nil {
		return syscall.Errno(errnoOf(err))
	}
	return 0
}

// forgives reports whether the program continues after an error of the call.
//
//go:nosplit
//go:norace
func (o *op) forgives(errno syscall.Errno) bool {
	missing := errno == syscall.ENOENT || errno == syscall.ENOTDIR || errno == syscall.EBADF
	return o.flags&optional != 0 || o.flags&mayMiss != 0 && missing
}

// start starts a program in a session of its own, with these files as its streams.
func start(o Order, streams []uintptr) (int, error) {
	attr := &syscall.SysProcAttr{Setsid: true, Setctty: o.Terminal}
	return syscall.ForkExec(o.Path, o.Argv, &syscall.ProcAttr{Dir: o.Dir, Env: o.Env, Files: streams, Sys: attr})
}

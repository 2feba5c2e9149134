//go:build linux

package box

import (
	"runtime"
	"sync/atomic"
	"syscall"
)

// zygote is a thread of the supervisor with the mounts that all programs have in common. Process 1 of each program is a copy of its template, or is
// started from it where the kernel makes no such copies, and so gets a copy of them.
type zygote struct {
	starts   chan initStart           // closed when the zygote is to end
	template atomic.Pointer[template] // nil where there is none, or not yet
}

// initStart is a request for process 1 of a program.
type initStart struct {
	id      uint32
	control int
}

// serve makes the mounts and then starts a process for each request. The goroutine never unlocks its thread, so the
// runtime ends the thread, and the kernel removes its mounts, when this returns.
func (z *zygote) serve(s *supervisor, id uint32, p *Program) {
	runtime.LockOSThread()
	kept := s.null
	if err := syscall.Unshare(syscall.CLONE_NEWNS); err != nil {
		send(Report{Kind: Failed, ID: id, Index: -1, Errno: errnoOf(err)})
	} else if e, ok := execute(p, id); ok {
		if e.kept >= 0 {
			kept = e.kept
			defer syscall.Close(kept)
		}
		if t, err := newTemplate(s.null, kept, s.lifeline); err == nil {
			z.template.Store(t)
			defer t.close()
		}
		send(Report{Kind: Probed, ID: id})
	}
	for r := range z.starts {
		s.begin(r.id, true, func() (int, error) { return s.startInit(r.control, kept) })
		_ = syscall.Close(r.control)
	}
}

// startInit starts our own binary as process 1 of new namespaces.
func (s *supervisor) startInit(control, kept int) (int, error) {
	// The garbage collector, and more than one thread for Go code, would only cost time.
	env := []string{Role + "=" + roleZygoteInit, "GOMAXPROCS=1", "GOGC=off"}
	files := []uintptr{uintptr(s.null), uintptr(s.null), uintptr(s.null), Control: uintptr(control), Kept: uintptr(kept), lifeline: uintptr(s.lifeline)}
	attr := &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID}
	return syscall.ForkExec("/proc/self/exe", []string{"rein-init"}, &syscall.ProcAttr{Dir: "/", Env: env, Files: files, Sys: attr})
}

//go:build linux

package sandbox

import (
	"runtime"
	"syscall"
)

// zygoteThread is a thread of the supervisor with the mounts that all programs have in common. Process 1 of each program is
// started from it and so gets a copy of them.
type zygoteThread struct {
	starts chan initStart // closed when the zygote is to end
}

// initStart is a request for process 1 of a program.
type initStart struct {
	id      uint32
	control int
}

// serve makes the mounts and then starts a process for each request. The goroutine never unlocks its thread, so the
// runtime ends the thread, and the kernel removes its mounts, when this returns.
func (z *zygoteThread) serve(s *supervisorProcess, id uint32, p *callProgram) {
	runtime.LockOSThread()
	kept := s.null
	if err := syscall.Unshare(syscall.CLONE_NEWNS); err != nil {
		send(helperReport{Kind: reportFailed, ID: id, Index: -1, Errno: errnoOf(err)})
	} else if e, ok := execute(p, id); ok {
		if e.kept >= 0 {
			kept = e.kept
			defer syscall.Close(kept)
		}
		send(helperReport{Kind: reportProbed, ID: id})
	}
	for r := range z.starts {
		s.begin(r.id, true, func() (int, error) { return s.startInit(r.control, kept) })
		_ = syscall.Close(r.control)
	}
}

// requestInit starts our own binary as process 1 of new namespaces.
func (s *supervisorProcess) startInit(control, kept int) (int, error) {
	// The garbage collector, and more than one thread for Go code, would only cost time.
	env := []string{helperRole + "=" + roleZygoteInit, "GOMAXPROCS=1", "GOGC=off"}
	files := []uintptr{uintptr(s.null), uintptr(s.null), uintptr(s.null), controlFile: uintptr(control), keptFile: uintptr(kept), lifeline: uintptr(s.lifeline)}
	attr := &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID}
	return syscall.ForkExec("/proc/self/exe", []string{"rein-init"}, &syscall.ProcAttr{Dir: "/", Env: env, Files: files, Sys: attr})
}

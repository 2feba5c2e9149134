//go:build unix

package sandbox

import (
	"errors"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// session is a program in a session and process group of its own.
type session struct {
	cmd    *exec.Cmd
	mu     sync.Mutex
	reaped bool // the number may by now be another's group
}

// startSession starts a command as the leader of a new session: it has no terminal of ours to type into, and one
// signal reaches its group.
func startSession(cmd *exec.Cmd, spec Spec) (programProcess, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: spec.Terminal}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &session{cmd: cmd}, nil
}

// Wait waits for the program and kills what is left of its group.
func (s *session) Wait() (Exit, error) {
	err := s.cmd.Wait()
	_ = s.Kill()
	s.mu.Lock()
	s.reaped = true
	s.mu.Unlock()
	if state := s.cmd.ProcessState; state != nil {
		status, _ := state.Sys().(syscall.WaitStatus)
		return exitOf(status, state.UserTime()+state.SystemTime()), nil
	}
	return Exit{Code: -1}, err
}

// Signal sends a signal to the group.
func (s *session) Signal(sig syscall.Signal) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reaped {
		return nil
	}
	return gone(syscall.Kill(-s.cmd.Process.Pid, sig))
}

// Kill kills the group.
func (s *session) Kill() error { return s.Signal(syscall.SIGKILL) }

// gone makes no error of a signal to a group that has ended.
func gone(err error) error {
	if errors.Is(err, syscall.ESRCH) {
		return nil
	}
	return err
}

// exitOf makes an Exit of a wait status. A shell's exit code shows when a limit's signal ended its last program.
func exitOf(status syscall.WaitStatus, cpu time.Duration) Exit {
	exit := Exit{Code: status.ExitStatus(), CPU: cpu}
	if status.Signaled() {
		exit = Exit{Code: -1, Signal: status.Signal(), CPU: cpu}
	}
	switch {
	case exit.Signal == syscall.SIGXCPU || exit.Code == 128+int(syscall.SIGXCPU):
		exit.Limit = limitCPU
	case exit.Signal == syscall.SIGXFSZ || exit.Code == 128+int(syscall.SIGXFSZ):
		exit.Limit = limitFileSize
	}
	return exit
}

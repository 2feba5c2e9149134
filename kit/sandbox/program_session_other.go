//go:build !unix

package sandbox

import (
	"os/exec"
	"syscall"
)

// session is a program without a group: this system has none that one signal reaches.
type session struct {
	cmd *exec.Cmd
}

// startSession starts a command.
func startSession(cmd *exec.Cmd, _ Spec) (programProcess, error) {
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &session{cmd: cmd}, nil
}

// Wait waits for the program.
func (s *session) Wait() (Exit, error) {
	err := s.cmd.Wait()
	if state := s.cmd.ProcessState; state != nil {
		return Exit{Code: state.ExitCode(), CPU: state.UserTime() + state.SystemTime()}, nil
	}
	return Exit{Code: -1}, err
}

// Signal kills the program: there is no signal that asks a program to end here.
func (s *session) Signal(syscall.Signal) error { return s.Kill() }

// Kill kills the program; its children continue.
func (s *session) Kill() error { return s.cmd.Process.Kill() }

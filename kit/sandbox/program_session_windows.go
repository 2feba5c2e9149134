package sandbox

import (
	"errors"
	"fmt"
	"os/exec"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// session is a program in a job of its own: all that it starts is in the job too, and ends with it, also when rein ends in whatever way.
type session struct {
	cmd    *exec.Cmd
	mu     sync.Mutex
	job    windows.Handle
	closed bool // the handle may by now be another's
}

// startSession starts a command in a new job, with a token that has no privileges. It runs only when it is in the job.
func startSession(cmd *exec.Cmd, _ Spec) (programProcess, error) {
	token, err := plainToken()
	if err != nil {
		return nil, fmt.Errorf("make a token without privileges: %w", err)
	}
	defer token.Close()
	job, err := newJob()
	if err != nil {
		return nil, fmt.Errorf("make a job object: %w", err)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Token: token, CreationFlags: windows.CREATE_SUSPENDED | windows.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, windows.CloseHandle(job))
	}
	s := &session{cmd: cmd, job: job}
	if err := s.release(); err != nil {
		_ = cmd.Process.Kill() // it never ran
		_, _ = s.Wait()
		return nil, fmt.Errorf("start a program in its job object: %w", err)
	}
	return s, nil
}

// release puts the program into its job and lets it run.
func (s *session) release() error {
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE|windows.PROCESS_SUSPEND_RESUME, false, uint32(s.cmd.Process.Pid))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(process)
	if err := windows.AssignProcessToJobObject(s.job, process); err != nil {
		return err
	}
	if status, _, _ := resumeProcess.Call(uintptr(process)); status != 0 {
		return windows.NTStatus(status)
	}
	return nil
}

var (
	resumeProcess         = windows.NewLazySystemDLL("ntdll.dll").NewProc("NtResumeProcess")
	createRestrictedToken = windows.NewLazySystemDLL("advapi32.dll").NewProc("CreateRestrictedToken")
)

// newJob makes a job that ends its programs with its last handle, which is that of this process. They cannot log the user out, change
// the screen, or reach windows of others by their handles.
func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, err
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{
		LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | windows.JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION}}
	screen := windows.JOBOBJECT_BASIC_UI_RESTRICTIONS{UIRestrictionsClass: windows.JOB_OBJECT_UILIMIT_HANDLES | windows.JOB_OBJECT_UILIMIT_DESKTOP |
		windows.JOB_OBJECT_UILIMIT_DISPLAYSETTINGS | windows.JOB_OBJECT_UILIMIT_EXITWINDOWS | windows.JOB_OBJECT_UILIMIT_SYSTEMPARAMETERS}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err == nil {
		_, err = windows.SetInformationJobObject(job, windows.JobObjectBasicUIRestrictions, uintptr(unsafe.Pointer(&screen)), uint32(unsafe.Sizeof(screen)))
	}
	if err != nil {
		return 0, errors.Join(err, windows.CloseHandle(job))
	}
	return job, nil
}

// plainToken is the token of this process without its privileges: where rein runs as an administrator, programs may not load drivers,
// read around permissions, or look into other processes.
func plainToken() (syscall.Token, error) {
	var own windows.Token
	if err := windows.OpenProcessToken(windows.CurrentProcess(), windows.TOKEN_DUPLICATE|windows.TOKEN_ASSIGN_PRIMARY|windows.TOKEN_QUERY, &own); err != nil {
		return 0, err
	}
	defer own.Close()
	const disableMaxPrivilege = 1
	var plain syscall.Token
	if ok, _, err := createRestrictedToken.Call(uintptr(own), disableMaxPrivilege, 0, 0, 0, 0, 0, 0, uintptr(unsafe.Pointer(&plain))); ok == 0 {
		return 0, err
	}
	return plain, nil
}

// Wait waits for the program, and ends what it left running.
func (s *session) Wait() (Exit, error) {
	err := s.cmd.Wait()
	s.mu.Lock()
	s.closed = true
	_ = windows.CloseHandle(s.job)
	s.mu.Unlock()
	if state := s.cmd.ProcessState; state != nil {
		return Exit{Code: state.ExitCode(), CPU: state.UserTime() + state.SystemTime()}, nil
	}
	return Exit{Code: -1}, err
}

// Signal kills the program: there is no signal that asks a program to end here.
func (s *session) Signal(syscall.Signal) error { return s.Kill() }

// Kill kills the program with all that it started.
func (s *session) Kill() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	return windows.TerminateJobObject(s.job, 1)
}

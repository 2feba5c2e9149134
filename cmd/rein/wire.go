package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"path/filepath"
	"rein/harness/settings"
	"sync"
	"time"

	"rein/agent"
	"rein/event"
	"rein/guard"
	"rein/journal"
	"rein/redact"
	"rein/sandbox"
	"rein/spill"
	"rein/tool"
	"rein/toolcall"
	"rein/toolkit"
	"rein/toolkit/command"
	"rein/toolkit/files"
	"rein/toolkit/web"
	"rein/workspace"
)

// wired is everything that one process puts together: the workspace, the tools in the box, and the runner. There is
// no other place where parts are joined.
type wired struct {
	options  options
	dirs     settings.Dirs
	layers   []settings.Layer
	settings settings.Settings
	session  string // id
	resumed  bool

	workspace *workspace.Workspace
	spill     *spill.Store
	isolation *isolation
	jobs      sandbox.Jobs
	access    *accessGrants
	proxy     serveProxy
	mask      *redact.Filter
	secrets   []web.Secret
	journal   *journal.File
	log       *slog.Logger
	logFile   io.Closer
	running   sync.WaitGroup
	history   *files.History
	files     files.Tools
	guards    *guard.Set
	runner    *toolcall.Runner
}

// wire opens the workspace and puts the runner together. approver answers what the guards leave to ask. warn takes
// lines for the user.
func wire(o options, approver guard.Approver, warn func(string)) (*wired, error) {
	if n := sandbox.Depth(os.Environ()); n > agent.MaxDepth {
		return nil, coded{exitError, fmt.Errorf("this rein would run within %d others; more than %d are refused", n, agent.MaxDepth)}
	}
	w := &wired{options: o, dirs: settings.DefaultDirs(), session: journal.NewID(time.Now())}
	var warnings []string
	var err error
	if w.workspace, err = workspace.Open(o.dir, o.addDirs...); err != nil {
		return nil, coded{exitInput, err}
	}
	if w.layers, warnings, err = settings.Load(w.dirs, w.workspace.Dir()); err != nil {
		w.workspace.Close()
		return nil, err
	}
	w.workspace.Ask = "the tool request_access asks the user to open a place for a while, and --add-dir adds a directory"
	for _, line := range warnings {
		warn(line)
	}
	w.settings = settings.Merge(w.layers)
	if err := w.openSecrets(warn); err != nil {
		w.workspace.Close()
		return nil, err
	}
	w.openMask()
	w.spill = &spill.Store{Dir: w.dirs.Output, Prefix: w.session, Quota: w.settings.Limits.OutputQuota}
	if err := w.join(approver, warn); err != nil {
		w.workspace.Close()
		return nil, err
	}
	return w, nil
}

// join makes the runner.
func (w *wired) join(approver guard.Approver, warn func(string)) error {
	mode, err := w.options.modeOf(w.settings)
	if err != nil {
		return err
	}
	if err := w.openNetwork(); err != nil {
		return err
	}
	if w.isolation, err = w.openSandbox(warn); err != nil {
		return err
	}
	tools, err := w.tools()
	if err != nil {
		return err
	}
	w.log = w.openLog(warn)
	if err := w.openGuards(tools, warn); err != nil {
		return err
	}
	w.runner = &toolcall.Runner{
		Tools: tools, Around: w.access.around, Guard: w.guards, Approver: w.approvers(approver),
		Key: w.key, Normalize: w.normalize, Root: w.workspace.Dir(), Mode: mode,
		RootID: placeOf(w.workspace.Dir()), Epoch: w.epoch(mode),
		Isolation: w.isolation.stand, Limits: w.limits(), Spill: w.spill, Mask: w.mask, Log: w.log, Running: &w.running,
	}
	return nil
}

// tools are the tools in the box.
func (w *wired) tools() (tool.Set, error) {
	shell := command.Shell{Box: w.isolation.box, Dir: w.workspace.Dir(), Opened: w.access.of, Refused: w.access.refusedSince, Mask: w.mask, Ask: w.askFor}
	if !w.options.single {
		shell.Jobs, shell.Background = &w.jobs, time.Duration(w.settings.Limits.Background)
	}
	w.history = &files.History{Dir: w.changesDir()}
	w.files = files.Tools{Workspace: w.workspace, Spill: w.spilled, History: w.history}
	if len(w.settings.Format) > 0 {
		w.files.Tidy = shell.Tidy(w.settings.Format)
	}
	all := toolkit.Standard(w.files, shell, &toolkit.Plan{})
	web, err := w.webTools()
	if err != nil {
		return tool.Set{}, err
	}
	all = append(append(all, web...), toolkit.RequestAccess(opener{w}))
	for i, t := range all {
		if l, ok := w.settings.Limits.Tools[t.Name]; ok {
			limited := *t
			if l.Timeout > 0 {
				limited.Timeout = time.Duration(l.Timeout)
			}
			if l.Output > 0 {
				limited.Output = l.Output
			}
			all[i] = &limited
		}
	}
	return tool.NewSet(all...)
}

// spilled opens a long output of this session by the reference in its text.
func (w *wired) spilled(ref string) (io.ReaderAt, int64, bool) {
	f, err := w.spill.Open(ref)
	if err != nil {
		return nil, 0, false
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, 0, false
	}
	return f, info.Size(), true
}

func (w *wired) limits() toolcall.Limits {
	l := w.settings.Limits
	limits := toolcall.Limits{Parallel: l.Parallel, Timeout: time.Duration(l.Timeout), Output: l.Output, Calls: l.Calls, Args: l.Args}
	if w.options.parallel > 0 {
		limits.Parallel = int(w.options.parallel)
	}
	if w.options.timeout > 0 {
		limits.Timeout = time.Duration(w.options.timeout)
	}
	return limits
}

// key gives the one name of a file, whatever its spelling; a name that leads outside keeps its spelling.
func (w *wired) key(path string) string {
	if name, err := w.workspace.Resolve(path); err == nil {
		return name
	}
	return filepath.ToSlash(filepath.Clean(settings.UnderHome(path)))
}

// record begins the session's journal; what cannot be recorded is not run.
func (w *wired) record() error {
	dir, err := journal.Dir(w.dirs.Sessions, w.session)
	if err != nil {
		return coded{exitInput, err}
	}
	f, _, err := journal.Open(dir) // Load reports damage
	if err != nil {
		return fmt.Errorf("the session cannot be recorded, so nothing runs: %w", settings.Unwritable(err))
	}
	f.Mask = w.mask.Bytes
	w.journal = f
	w.warm()
	return nil
}

// calls is the session of calls without an agent.
func (w *wired) calls() toolcall.Session {
	s := toolcall.Session{ID: w.session, Depth: sandbox.Depth(os.Environ())}
	if w.journal != nil {
		s.Journal = w.journal
	}
	return s
}

// sessionOptions are those of the agent's session.
func (w *wired) sessionOptions() agent.SessionOptions {
	s := w.calls()
	return agent.SessionOptions{ID: s.ID, Journal: s.Journal, Depth: s.Depth}
}

// started is the first event of a session without a model.
func (w *wired) started(model string) event.Event {
	r := w.runner
	return event.Event{Kind: event.Started, Time: time.Now(), Session: w.session,
		Start: &event.Start{Model: model, Mode: r.Mode.String(), Dir: r.Root, Tools: r.Tools.Names(), Resumed: w.resumed, Version: version}}
}

// openLog opens the operator's log; without one the program goes on, with a word.
func (w *wired) openLog(warn func(string)) *slog.Logger {
	f, err := openLogFile(filepath.Join(w.dirs.State, "rein.log"))
	if err != nil {
		warn(fmt.Sprintf("no log is written: %v", err))
		return nil
	}
	w.logFile = f
	l := slog.New(slog.NewJSONHandler(w.mask.Each(f), nil)).With("session", w.session)
	log.SetFlags(0)
	log.SetOutput(slog.NewLogLogger(l.Handler(), slog.LevelWarn).Writer()) // net/http has words of its own, which no user can act on
	return l
}

// maxLog is the size in bytes at which the log is begun anew; the one before is kept beside it.
const maxLog = 8 << 20

func openLogFile(name string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return nil, err
	}
	if info, err := os.Stat(name); err == nil && info.Size() > maxLog {
		os.Rename(name, name+".1") // when it fails the log only grows
	}
	return os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
}

// shutdownGrace is how long tools that are still at work have to end when the program does.
const shutdownGrace = 3 * time.Second

// close waits for what still runs and closes everything.
func (w *wired) close(ctx context.Context) error {
	idle := make(chan struct{})
	go func() {
		w.running.Wait()
		close(idle)
	}()
	select {
	case <-idle:
	case <-time.After(shutdownGrace):
	}
	err := errors.Join(w.jobs.Close(), w.isolation.box.Close(), w.workspace.Close())
	if w.journal != nil {
		err = errors.Join(err, w.journal.Close())
	}
	if w.logFile != nil {
		err = errors.Join(err, w.logFile.Close())
	}
	return err
}

// useSession takes a recorded session instead of a new one.
func (w *wired) useSession(id string) {
	w.session, w.resumed = id, true
	w.spill.Prefix = id
	w.history.Dir = w.changesDir()
}

// changesDir is where the session keeps what its tools replaced.
func (w *wired) changesDir() string { return filepath.Join(w.dirs.Sessions, w.session, "changes") }

package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"rein/agent"
	"rein/app/harness"
	"rein/app/inbox"
	"rein/app/server"
	"rein/app/settings"
	"rein/guard"
	"rein/kit/providers"
	"rein/kit/sandbox"
	"rein/model"
	"rein/temporal"
)

// about is what a session has of its own: temporal.Session.About.
type about struct {
	Model string      `json:"model"`
	Mode  string      `json:"mode"`
	Clone *repository `json:"clone,omitempty"` // what its workspace is made from
}

// worker is what the flags of the command say.
type worker struct {
	temporal.Worker
	dir, mode string
	clones    string // where workspaces are made
	from      string // schemes of addresses
	keep      bool
	asks      bool
	days      int    // after which sessions are deleted; 0: never
	listen    string // where Prometheus gets the metrics; "": nowhere
	metrics   *metrics
}

func (w *worker) flags(f *flag.FlagSet) {
	f.StringVar(&w.Host, "host", "", "work on the sessions of this host: the `name` of its task queue")
	f.StringVar(&w.dir, "dir", ".", "the `directory` in which the sessions of the host work")
	f.StringVar(&w.clones, "clones", "", "instead of --dir: the `directory` in which each session gets a clone of its repository; the same on all machines of the host")
	f.StringVar(&w.from, "clone-from", "https,ssh", "where repositories may be: https, ssh, http, file")
	f.BoolVar(&w.keep, "keep-clones", false, "the clone of a session that is closed stays")
	f.StringVar(&w.mode, "mode", "supervised", "the loosest mode of the host's sessions: read-only, plan, ask, supervised, auto, full")
	f.BoolVar(&w.asks, "models", false, "ask models: the keys of the providers are in this process")
	f.Float64Var(&w.PerSecond, "requests-per-second", 0, "requests to models a second, of all workers together; 0: no limit")
	f.Float64Var(&w.PerSecond, "per-second", 0, "the same")
	f.StringVar(&w.Build, "build-id", version, "names the version of this worker on the server")
	f.BoolVar(&w.Versioned, "versioned", false, "begin with sessions when rein-temporal release names the build")
	f.IntVar(&w.days, "days", 0, "delete the sessions of the store, once a day, in which nothing has happened for so many days: see rein-temporal prune; 0: none")
	f.StringVar(&w.listen, "metrics", "", "the `address` at which Prometheus gets figures, as 127.0.0.1:9464; who reaches it need not sign in")
	f.DurationVar(&w.Drain, "drain", 30*time.Second, "how long steps may take to end when the worker stops")
}

// work runs a worker until it is interrupted. Steps that are at work may end first.
func work(ctx context.Context, p *program, args []string) error {
	var w worker
	w.flags(p.flags)
	if _, err := p.parse(args, 0, 0); err != nil {
		return err
	}
	if err := w.fits(); err != nil {
		return err
	}
	m, err := newMetrics(p.warn)
	if err != nil {
		return err
	}
	defer m.close()
	if w.metrics = m; w.listen != "" {
		at, unlisten, err := m.listen(ctx, w.listen)
		if err != nil {
			return fmt.Errorf("--metrics: %w", err)
		}
		defer unlisten()
		p.metrics = m.temporal
		fmt.Fprintf(p.err, "rein-temporal: figures for Prometheus are at http://%s/metrics\n", at)
	}
	c, err := p.dial(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	store, closed, err := p.store(ctx)
	if err != nil {
		return err
	}
	defer closed()
	w.Client, w.Store = c, store
	w.Queue, w.Models = temporal.TeamQueue(temporal.DefaultQueue, p.team), temporal.TeamQueue(temporal.DefaultModels, p.team)
	does, left, err := w.has(ctx, p)
	if err != nil {
		return err
	}
	defer left()
	stop, err := w.Start()
	if err != nil {
		return err
	}
	fmt.Fprintf(p.err, "rein-temporal: working on %s; the sessions are in %s\n", strings.Join(does, " and "), p.place())
	var pruning sync.WaitGroup
	if w.days > 0 {
		pruning.Go(func() { pruneDaily(ctx, p, &temporal.Client{Temporal: c, Store: store, Queue: w.Queue}, w.days) })
	}
	<-ctx.Done()
	pruning.Wait()
	fmt.Fprintln(p.err, "rein-temporal: stopping; steps that are at work end first")
	stop()
	return nil
}

// has opens what the flags name, and says what the worker does with it.
func (w *worker) has(ctx context.Context, p *program) (does []string, left func(), err error) {
	left = func() {}
	if w.Host != "" {
		loosest, err := guard.ParseMode(w.mode)
		if err != nil {
			return nil, nil, usageError(err.Error())
		}
		if left, err = w.files(ctx, p, loosest); err != nil {
			return nil, nil, err
		}
		does = append(does, "the sessions of "+w.Host+" in "+or(w.clones, w.dir))
	}
	if w.asks {
		if w.Model, err = models(p.getenv, w.metrics.reports); err != nil {
			left()
			return nil, nil, err
		}
		does = append(does, "requests to models")
	}
	return does, left, nil
}

// fits refuses flags that do not go together.
func (w *worker) fits() error {
	switch {
	case w.Host == "" && !w.asks:
		return usageError("a worker needs --host NAME, --models, or both")
	case w.clones != "" && w.dir != ".":
		return usageError("a host has --dir or --clones")
	}
	return rightDays(w.days)
}

// files opens the directory of the host, or that of its clones.
func (w *worker) files(ctx context.Context, p *program, loosest guard.Mode) (closed func(), err error) {
	hosts := hosting{store: p.dir, loosest: loosest, metrics: w.metrics, warn: p.warn}
	if w.clones == "" {
		h, err := hosts.open(ctx, w.dir)
		if err != nil {
			return nil, err
		}
		h.store = w.Store
		w.Open, w.End, w.Agents = h.open, h.end, levels(h.harness.Settings())
		return h.close, nil
	}
	c, err := newClones(w.clones, w.Host, strings.Split(w.from, ","), w.keep)
	if err != nil {
		return nil, err
	}
	set, err := userSettings()
	if err != nil {
		return nil, err
	}
	c.store, c.host, w.Agents = w.Store, hosts.openClone, levels(set)
	w.Open, w.End, w.Own = c.open, c.end, c.own
	return func() {}, nil
}

// levels is how deep sub-agents may be; 0: there are none.
func levels(set settings.Settings) int {
	if set.Agents.Off {
		return 0
	}
	return cmp.Or(max(set.Agents.Depth, 0), agent.MaxDepth)
}

// models are those of the user's settings and keys.
func models(getenv func(string) string, reports *harness.Reports) (func(context.Context, string) (model.Model, error), error) {
	set, err := userSettings()
	if err == nil {
		err = settings.DefaultDirs().UseKeys()
	}
	return opened(set, getenv, reports), err
}

// userSettings are those of the user, without any project's.
func userSettings() (settings.Settings, error) {
	dirs := settings.DefaultDirs()
	layers, _, err := settings.Load(dirs, dirs.Config)
	return settings.Merge(layers), err
}

// opened opens models, each once, with the addresses, sizes and prices of the user's settings.
func opened(set settings.Settings, getenv func(string) string, reports *harness.Reports) func(context.Context, string) (model.Model, error) {
	var mu sync.Mutex
	all := map[string]model.Model{}
	options := harness.ProviderOptions(set)
	options.Getenv = getenv
	return func(ctx context.Context, ref string) (model.Model, error) {
		mu.Lock()
		defer mu.Unlock()
		if m := all[ref]; m != nil {
			return m, nil
		}
		m, err := providers.Open(ctx, ref, options)
		if err != nil {
			return nil, temporal.Refused(err)
		}
		all[ref] = reports.Model(m)
		return all[ref], nil
	}
}

// host is a directory in which sessions work, as in a terminal there: with the settings, rules, hooks, tool servers and the sandbox.
type host struct {
	harness *harness.Harness
	loosest guard.Mode
	store   temporal.Store // of what a person is shown of a request
	clones  bool           // the directory was made for a session
	closed  func()         // is called when it is closed
}

// hosting is how a worker opens directories.
type hosting struct {
	store   string // of the sessions: what runs in the directory does not see it, where that is one too
	loosest guard.Mode
	metrics *metrics
	warn    func(string)
}

// open opens the directory of a host.
func (hosts hosting) open(ctx context.Context, dir string) (*host, error) {
	return hosts.openIn(ctx, dir, func(*settings.Dirs) {})
}

// openClone opens one that was made for a session, and says nothing of it.
func (hosts hosting) openClone(ctx context.Context, dir string, dirs func(*settings.Dirs)) (*host, error) {
	hosts.warn = func(string) {}
	h, err := hosts.openIn(ctx, dir, dirs)
	if err == nil {
		h.clones = true
	}
	return h, err
}

func (hosts hosting) openIn(ctx context.Context, dir string, dirs func(*settings.Dirs)) (*host, error) {
	o := harness.Options{Dir: dir, Dirs: settings.DefaultDirs(), Version: version, Reports: hosts.metrics.reports} // without warnings: the settings are looked at first
	dirs(&o.Dirs)
	if !isDatabase(hosts.store) {
		at, err := filepath.Abs(hosts.store)
		if err == nil {
			at, err = filepath.EvalSymlinks(at)
		}
		if err != nil {
			return nil, err
		}
		o.Dirs.Sessions = at
	}
	h, err := harness.Open(ctx, o)
	if err == nil {
		if h.Settings().Sandbox == "" { // who answers is not there to see that there is none
			o.Sandbox = string(sandbox.Required)
		}
		err = h.Close(ctx)
	}
	if err == nil {
		o.Warn = hosts.warn
		h, err = harness.Open(ctx, o)
	}
	if err != nil {
		return nil, fmt.Errorf("the host's directory %s: %w", dir, err)
	}
	if h.Settings().Limits.Day != (settings.Budget{}) {
		return nil, errors.Join(errors.New("the settings have limits.day, which no worker can keep, as requests are made elsewhere: take it out, or run the sessions with rein"), h.Close(ctx))
	}
	h.WarnUntrusted()
	return &host{harness: h, loosest: hosts.loosest, closed: hosts.metrics.opened(h)}, nil
}

// open makes a session for a step. Guards remember what they see, so each step has its own.
func (h *host) open(ctx context.Context, o temporal.Opening) (temporal.Opened, error) {
	s, err := h.step(ctx, o)
	if err != nil {
		return temporal.Opened{}, err
	}
	return temporal.Opened{Session: s.Session, Mask: s.Mask().String, Close: s.Close, Ends: o.Task == nil && s.HearsEnd(), Files: func(ctx context.Context, question json.RawMessage) (json.RawMessage, error) {
		return h.files(ctx, s, question)
	}}, nil
}

// end lets the hooks run that hear of the end of a session.
func (h *host) end(ctx context.Context, o temporal.Opening) error {
	s, err := h.step(ctx, o)
	if err != nil {
		return err
	}
	s.End()
	return s.Close()
}

func (h *host) step(ctx context.Context, o temporal.Opening) (s harness.StepSession, err error) {
	var is about
	if err := json.Unmarshal(o.About, &is); err != nil {
		return s, temporal.Refused(fmt.Errorf("what the session is about cannot be read: %w", err))
	}
	if is.Clone != nil && !h.clones {
		return s, temporal.Refused(errors.New("the session has --clone, and this host works in a directory of its own: name one whose worker has --clones"))
	}
	s, err = harness.Step{Session: o.Session, Journal: o.Journal, Past: o.Past, Task: o.Task, Later: o.Later, Mode: h.allows,
		Asked: func(r inbox.Request) error { return h.keep(ctx, o.Session.ID, r) }}.Open(ctx, h.harness, harness.NewSession{ModelName: is.Model, Mode: is.Mode})
	if err != nil {
		err = failure(err)
	}
	return s, err
}

// keep stores what a person is shown of a request, for those who answer from elsewhere.
func (h *host) keep(ctx context.Context, session string, r inbox.Request) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return h.store.Put(context.WithoutCancel(ctx), session, temporal.RequestName(r.Call, r.Hash), h.harness.Mask().Bytes(text))
}

// files answers what a client asks of what a session did to files.
func (h *host) files(ctx context.Context, s harness.StepSession, question json.RawMessage) (json.RawMessage, error) {
	var q server.FileQuestion
	if err := json.Unmarshal(question, &q); err != nil {
		return nil, temporal.Refused(err)
	}
	history, err := s.FileHistory()
	if err != nil {
		return nil, temporal.Refused(err)
	}
	return json.Marshal(q.Answer(ctx, h.harness, history))
}

// failure is an error of opening a session. What only a person can repair is not tried again; a disk that is full may have room later.
func failure(err error) error {
	known, ok := errors.AsType[harness.Error](err)
	_, inSettings := errors.AsType[settings.Error](err)
	if ok && known.Kind != harness.Internal || inSettings {
		return temporal.Refused(err)
	}
	return err
}

// allows refuses a mode that is looser than the host's.
func (h *host) allows(mode guard.Mode) error {
	if mode > h.loosest {
		return temporal.Refused(fmt.Errorf("the session has the mode %v, and this host allows %v at most", mode, h.loosest))
	}
	return nil
}

// close ends what the host has open.
func (h *host) close() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_ = h.harness.Close(ctx) // the process ends
	h.closed()
}

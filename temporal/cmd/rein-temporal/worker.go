package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"rein/agent"
	"rein/guard"
	"rein/kit/guards"
	"rein/kit/providers"
	"rein/kit/sandbox"
	"rein/kit/tools"
	"rein/kit/tools/command"
	"rein/kit/tools/files"
	"rein/kit/workspace"
	"rein/model"
	"rein/temporal"
	"rein/tool"
	"rein/toolcall"
)

// about is what a session has of its own: temporal.Session.About.
type about struct {
	Model string `json:"model"`
	Mode  string `json:"mode"`
}

// work runs a worker until it is interrupted. Steps that are at work may end first.
func work(ctx context.Context, p *program, args []string) error {
	host := p.flags.String("host", "", "work on the sessions of this host: the `name` of its task queue")
	dir := p.flags.String("dir", ".", "the `directory` in which the sessions of the host work")
	most := p.flags.String("mode", "supervised", "the loosest mode of the host's sessions: read-only, plan, ask, supervised, full")
	asks := p.flags.Bool("models", false, "ask models: the keys of the providers are in this process")
	rate := p.flags.Float64("per-second", 0, "requests to models a second, of all workers together; 0: no limit")
	drain := p.flags.Duration("drain", 30*time.Second, "how long steps may take to end when the worker stops")
	if _, err := p.parse(args, 0, 0); err != nil {
		return err
	}
	if *host == "" && !*asks {
		return usageError("a worker needs --host NAME, --models, or both")
	}
	loosest, err := guard.ParseMode(*most)
	if err != nil {
		return usageError(err.Error())
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
	w := temporal.Worker{Client: c, Store: store, Host: *host, PerSecond: *rate, Drain: *drain}
	if *asks {
		w.Model = opened(p.getenv)
	}
	if *host != "" {
		h, err := newHost(*dir, p.dir, loosest)
		if err != nil {
			return err
		}
		defer h.workspace.Close()
		w.Agent = h.agent
	}
	stop, err := w.Start()
	if err != nil {
		return err
	}
	var does []string
	if *host != "" {
		does = append(does, "the sessions of "+*host+" in "+*dir)
	}
	if *asks {
		does = append(does, "requests to models")
	}
	fmt.Fprintf(p.err, "rein-temporal: working on %s; the sessions are in %s\n", strings.Join(does, " and "), p.place())
	<-ctx.Done()
	fmt.Fprintln(p.err, "rein-temporal: stopping; steps that are at work end first")
	stop()
	return nil
}

// opened opens models, each once.
func opened(getenv func(string) string) func(context.Context, string) (model.Model, error) {
	var mu sync.Mutex
	all := map[string]model.Model{}
	return func(ctx context.Context, ref string) (model.Model, error) {
		mu.Lock()
		defer mu.Unlock()
		if m := all[ref]; m != nil {
			return m, nil
		}
		m, err := providers.Open(ctx, ref, &providers.Options{Getenv: getenv})
		if err != nil {
			return nil, temporal.Refused(err)
		}
		all[ref] = m
		return m, nil
	}
}

// host is a directory in which sessions work: with the tools for files, and commands in the sandbox of the operating system.
type host struct {
	workspace *workspace.Workspace
	box       *sandbox.Box
	loosest   guard.Mode
}

// newHost opens a directory. Commands in it do not see the store, where that is a directory.
func newHost(dir, store string, loosest guard.Mode) (*host, error) {
	ws, err := workspace.Open(dir)
	if err != nil {
		return nil, err
	}
	policy := sandbox.Policy{Workspace: ws.Dir(), Mode: sandbox.Required}
	if !isDatabase(store) {
		if store, err = filepath.Abs(store); err == nil {
			store, err = filepath.EvalSymlinks(store)
		}
		if within, relErr := filepath.Rel(ws.Dir(), store); err == nil && relErr == nil && filepath.IsLocal(within) {
			err = fmt.Errorf("the sessions are in %s, within the directory in which sessions work: their own files could be changed there; name another --store", store)
		}
		if err != nil {
			return nil, errors.Join(err, ws.Close())
		}
		policy.Hidden = []string{store}
	}
	box, err := sandbox.New(policy)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("commands cannot run in a sandbox here: %w", err), ws.Close())
	}
	return &host{workspace: ws, box: box, loosest: loosest}, nil
}

// agent makes the agent of a session. Guards remember what they see, so each step has its own.
func (h *host) agent(_ context.Context, _ string, raw json.RawMessage) (*agent.Agent, func(), error) {
	var is about
	if err := json.Unmarshal(raw, &is); err != nil {
		return nil, nil, temporal.Refused(fmt.Errorf("what the session is about cannot be read: %w", err))
	}
	mode, err := guard.ParseMode(is.Mode)
	if err == nil && mode > h.loosest {
		err = fmt.Errorf("the session has the mode %v, and this host allows %v at most", mode, h.loosest)
	}
	if err == nil && is.Model == "" {
		err = errors.New("the session has no model")
	}
	if err != nil {
		return nil, nil, temporal.Refused(err)
	}
	set, err := tool.NewSet(tools.Standard(files.Tools{Workspace: h.workspace}, command.Shell{Dir: h.workspace.Dir(), Box: h.box}, &tools.Plan{})...)
	if err != nil {
		return nil, nil, err
	}
	provider, name, _ := strings.Cut(is.Model, "/")
	return &agent.Agent{Model: named{info: model.Info{Provider: provider, Name: name}},
		System: "You are a careful engineer. You work on the files of one directory with the tools that you have. Say briefly what you did.",
		Calls: &toolcall.Runner{Tools: set, Root: h.workspace.Dir(), Mode: mode,
			Isolation: func() guard.Isolation { return h.box.Isolation(context.Background()) }, Guard: guards.New(guards.Options{Confined: set.Names()})}}, nil, nil
}

// named is a model that another worker asks.
type named struct {
	model.Model
	info model.Info
}

func (n named) Info() model.Info { return n.info }

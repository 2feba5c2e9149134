package harness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"rein/harness/ondemand"
	"rein/harness/past"
	"rein/harness/settings"
	"rein/internal/plainfile"
	"rein/journal"
	"rein/kit/tools"
	"rein/kit/tools/command"
	"rein/kit/tools/files"
	"rein/kit/tools/git"
	"rein/kit/tools/media"
	"rein/kit/tools/web"
	"rein/spill"
	"rein/tool"
	"rein/toolcall"
)

// tools makes the session's tools, with the limits of the settings.
func (s *Session) tools() (tool.Set, error) {
	shell := command.Shell{Box: s.box, Dir: s.workspace.Dir(), Opened: s.access.Of, Lost: s.access.LostSince, Elsewhere: s.access.Elsewhere, ReadOnly: s.readOnlyCall, Mask: s.h.mask, Ask: s.access.AskFor}
	if !s.h.options.OneCall {
		shell.Jobs, shell.Background = &s.jobs, time.Duration(s.h.settings.Limits.Background)
	}
	s.files = files.Tools{Workspace: s.workspace, Spill: s.spilled, LastChange: s.lastChange(), Run: shell.RunSystem, Diagnose: s.diagnose, Other: func(ctx context.Context, o files.Other, r *tool.Reply) (bool, error) {
		return s.media().Read(ctx, media.Part(o), r)
	}}
	if len(s.h.settings.Format) > 0 {
		s.files.Tidy = shell.Tidy(s.h.settings.Format)
	}
	if !s.h.options.OneCall && !s.h.settings.Agents.Off {
		s.files.Copied = s.copied
	}
	all := append(tools.Standard(s.files, shell, &tools.Plan{}), tools.RequestAccess(s.access))
	if !s.h.options.OneCall {
		all = append(all, tools.Recall(past.Journal{File: filepath.Join(s.Dir(), journal.FileName)}))
	}
	for _, f := range s.features {
		all = append(all, f.tools...)
	}
	all = slices.DeleteFunc(all, func(t *tool.Tool) bool { return !s.offers(t.Name) })
	var more []ondemand.Provider
	for _, f := range s.features {
		for _, p := range f.more {
			if len(s.how.Tools) > 0 {
				p = ondemand.Only{Provider: p, Offers: s.offers}
			}
			more = append(more, p)
		}
	}
	for i, t := range all {
		all[i] = s.limited(t)
	}
	l := s.h.settings.ToolSearch
	catalog := &ondemand.Catalog{Providers: more, Limits: ondemand.Limits{Off: l.Off || s.h.options.OneCall, Share: l.Share, Count: l.Count}, Window: s.window}
	return catalog.Set(all, s.offers(ondemand.SearchName))
}

// network is the feature of the tools that use the network. The guard judges each call; what the settings deny stays
// closed.
func (s *Session) network() (feature, error) {
	agent := "rein/" + s.h.options.Version
	o := web.Options{Policy: s.access.ToolsOf, Secrets: s.h.secrets, Agent: agent, Ask: s.access.AskForHost, Document: s.media().Text}
	if s.h.settings.SmallModel != "" {
		o.Answer = s.askSmall
	}
	w, err := web.New(o)
	find, wrong := web.NewSearch(web.SearchOptions{Policy: s.access.ToolsOf, Engines: s.searchEngines(), Agent: agent})
	if err := errors.Join(err, wrong); err != nil {
		return feature{}, settings.Error{Err: fmt.Errorf("settings: %w", err)}
	}
	return feature{tools: []*tool.Tool{w.Fetch(), w.Request(), find.Search()}}, nil
}

// limited returns a tool with the limits that the settings and the options set for it.
func (s *Session) limited(t *tool.Tool) *tool.Tool {
	l := s.h.settings.Limits.Tools[t.Name]
	limited := *t
	if l.Timeout > 0 {
		limited.Timeout = time.Duration(l.Timeout)
	}
	if most := time.Duration(s.h.options.Timeout); most > 0 && limited.Timeout > 0 {
		limited.Timeout = min(limited.Timeout, most)
	}
	if l.Output > 0 {
		limited.Output = l.Output
	}
	general := s.limits()
	if most := time.Duration(l.Most.Timeout); most > 0 {
		limited.Timeout = min(cmp.Or(limited.Timeout, general.Timeout, toolcall.DefaultTimeout), most)
	}
	if l.Most.Output > 0 {
		limited.Output = min(cmp.Or(limited.Output, general.Output, spill.DefaultLimit), l.Most.Output)
	}
	return &limited
}

// Tools returns the tools that a new session would have, without starting one.
func (h *Harness) Tools() (tool.Set, error) {
	how, err := h.How()
	if err != nil {
		return tool.Set{}, err
	}
	s, err := h.newSession(journal.NewID(time.Now()), how)
	if err != nil {
		return tool.Set{}, err
	}
	set := s.Tools()
	if s.team != nil {
		set, err = set.Add(s.team.Tools(nil)...) // a conversation has them from its team: they are listed, and not called
	}
	return set, errors.Join(err, s.Close(context.Background()))
}

// GitChanges compares the workspace with the last commit, as the tool git_diff does: git runs in the sandbox of a new session,
// and runs no code of the repository. Lines of files whose names say that they hold secrets are left out.
func (h *Harness) GitChanges(ctx context.Context) (out git.Changes, err error) {
	how, err := h.How()
	if err != nil {
		return out, err
	}
	s, err := h.newSession(journal.NewID(time.Now()), how)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, s.Close(ctx)) }()
	out, err = git.Repository{Box: s.box, Dir: h.root, Secret: s.secretName}.Changes(ctx)
	return out, inputError(err)
}

// newRunner makes the runner of the session's calls.
func (s *Session) newRunner(tools tool.Set) *toolcall.Runner {
	r := &toolcall.Runner{
		Tools: tools, Hooks: s.hooks, Around: s.around, Guard: s.guards, Approver: s.approvers(), Key: s.key, Normalize: s.normalize,
		Root: s.workspace.Dir(), RootID: rootID(s.workspace.Dir()), Now: s.policy, Isolation: s.isolation,
		Limits: s.limits(), Spill: s.spill, Mask: s.h.mask, Log: s.log, Running: &s.running,
	}
	if s.keeper != nil {
		r.Snapshot = s.keeper.Step
	}
	return r
}

// around searches for secrets that a call could show, also for those that it made, and gives the call what was opened for it.
func (s *Session) around(g toolcall.Granted) (end func(error)) {
	s.secrets.Look()
	if g.Effect()&tool.Runs != 0 {
		s.secrets.BeginHistory()
	}
	closes := s.access.Around(g.Call(), g.Intent(), g.Mode())
	if g.Effect()&(tool.Writes|tool.Runs) == 0 {
		return closes
	}
	return func(err error) {
		closes(err)
		s.secrets.Again()
	}
}

// limits are those of the settings; the options come first.
func (s *Session) limits() toolcall.Limits {
	l, o := s.h.settings.Limits, s.h.options
	limits := toolcall.Limits{Parallel: l.Parallel, Timeout: time.Duration(l.Timeout), Output: l.Output, Calls: l.Calls, Args: l.Args,
		Parts: l.Parts, Bytes: l.PartBytes}
	if o.Parallel > 0 {
		limits.Parallel = o.Parallel
	}
	if o.Timeout > 0 {
		limits.Timeout = time.Duration(o.Timeout)
	}
	return limits
}

// key returns the one name of a file, whatever its spelling. The name of a file outside the workspace keeps its spelling.
func (s *Session) key(path string) string {
	if name, err := s.workspace.Resolve(path); err == nil {
		return name
	}
	return filepath.ToSlash(filepath.Clean(settings.UnderHome(path)))
}

// rootID is the identity of a directory: an approval becomes void when another directory takes its path.
func rootID(dir string) string {
	info, err := os.Stat(dir)
	if err != nil {
		return ""
	}
	return plainfile.ID(info)
}

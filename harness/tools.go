package harness

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"time"

	"rein/harness/past"
	"rein/harness/settings"
	"rein/journal"
	"rein/spill"
	"rein/tool"
	"rein/toolcall"
	"rein/toolkit"
	"rein/toolkit/command"
	"rein/toolkit/files"
	"rein/toolkit/web"
)

// tools makes the session's tools, with the limits of the settings.
func (s *Session) tools() (tool.Set, error) {
	shell := command.Shell{Box: s.box, Dir: s.workspace.Dir(), Opened: s.access.of, Refused: s.access.refusedSince, ReadOnly: s.readOnly, Mask: s.h.mask, Ask: s.askFor}
	if !s.h.options.OneCall {
		shell.Jobs, shell.Background = &s.jobs, time.Duration(s.h.settings.Limits.Background)
	}
	s.files = files.Tools{Workspace: s.workspace, Spill: s.spilled, LastChange: s.lastChange(), Run: shell.RunSystem}
	if len(s.h.settings.Format) > 0 {
		s.files.Tidy = shell.Tidy(s.h.settings.Format)
	}
	all := toolkit.Standard(s.files, shell, &toolkit.Plan{})
	network, err := s.webTools()
	if err != nil {
		return tool.Set{}, err
	}
	all = append(append(all, network...), toolkit.RequestAccess(accessTool{s}))
	if !s.h.options.OneCall {
		all = append(all, toolkit.Recall(past.Journal{File: filepath.Join(s.Dir(), journal.FileName)}))
	}
	for i, t := range all {
		all[i] = s.limited(t)
	}
	return tool.NewSet(all...)
}

// webTools are the tools that use the network. The guard judges each call; what the settings deny stays closed.
func (s *Session) webTools() ([]*tool.Tool, error) {
	w, err := web.New(web.Options{Policy: s.access.toolsOf, Secrets: s.h.secrets, Agent: "rein/" + s.h.options.Version, Ask: s.askForHost})
	if err != nil {
		return nil, settings.Error{Err: fmt.Errorf("settings: secrets: %w", err)}
	}
	return []*tool.Tool{w.Fetch(), w.Request()}, nil
}

// limited gives a tool with the limits that the settings and the options set for it.
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

// Tools gives the tools that a new session would have, without starting one.
func (h *Harness) Tools() (tool.Set, error) {
	how, err := h.howNew()
	if err != nil {
		return tool.Set{}, err
	}
	s, err := h.newSession(journal.NewID(time.Now()), how)
	if err != nil {
		return tool.Set{}, err
	}
	return s.Tools(), s.Close(context.Background())
}

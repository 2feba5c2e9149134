package harness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"rein/agent"
	"rein/app/extend"
	"rein/app/inbox"
	"rein/app/notify"
	"rein/app/settings"
	"rein/guard"
	"rein/hook"
	"rein/journal"
	toolkit "rein/kit/tools"
	"rein/kit/tools/command"
	"rein/kit/tools/files"
	"rein/kit/tools/media"
	"rein/tool"
	"rein/toolcall"
)

// equipped is a session with its tools, and with all else that its features gave it.
type equipped struct {
	*confined
	featureParts
	spill *tool.OutputStore
	files files.Tools
	set   tool.Set // the tools on offer, with the limits of the settings
}

// featureParts are what one feature gives a session, and what all of them gave it. Nothing of it is opened or started before its first use.
type featureParts struct {
	tools    []*tool.Tool
	more     []toolProvider            // tools that come and go
	system   []string                  // parts of the system prompt, the same bytes each time
	checks   []guard.Guard             // they are asked beside the standard ones
	commands []func() []extend.Command // slash commands of the user
	closers  []func() error            // end what the features started

	// At most one feature gives each of these; nil: none does.
	secrets  *secretFinder
	hooks    *hook.Set
	reviewer *inbox.Reviewer
	notes    *notify.Watch // notifies the user
	servers  *ToolServers  // tool servers
	team     agent.Team    // gives the conversation its sub-agents
	diagnose func(ctx context.Context, before, after map[string]string) string
}

// add adds what another feature gives.
func (p *featureParts) add(q featureParts) {
	p.tools, p.more, p.system = append(p.tools, q.tools...), append(p.more, q.more...), append(p.system, q.system...)
	p.checks, p.commands, p.closers = append(p.checks, q.checks...), append(p.commands, q.commands...), append(p.closers, q.closers...)
	p.secrets, p.hooks, p.reviewer = cmp.Or(p.secrets, q.secrets), cmp.Or(p.hooks, q.hooks), cmp.Or(p.reviewer, q.reviewer)
	p.notes, p.servers, p.team = cmp.Or(p.notes, q.notes), cmp.Or(p.servers, q.servers), cmp.Or(p.team, q.team)
	if q.diagnose != nil {
		p.diagnose = q.diagnose
	}
}

// close ends what the features started, the last one first.
func (p *featureParts) close() (err error) {
	for _, end := range slices.Backward(p.closers) {
		err = errors.Join(err, end())
	}
	return err
}

// equip gives the session its features and its tools.
func (c *confined) equip() (*equipped, error) {
	all, err := c.features()
	if err != nil {
		return nil, err
	}
	e := &equipped{confined: c, featureParts: all, spill: &tool.OutputStore{Dir: c.h.dirs.Output, Prefix: c.id, Quota: c.h.settings.Limits.OutputQuota}}
	shell := c.shell()
	e.files = files.Tools{Workspace: c.workspace, Spill: e.spilled, LastChange: c.lastChange(), Run: shell.RunSystem, Diagnose: all.diagnose, Other: func(ctx context.Context, o files.Other, r *tool.Reply) (bool, error) {
		return c.media().Read(ctx, media.Part(o), r)
	}}
	if c.keeper != nil {
		c.keeper.Searching = all.secrets.searching
	}
	if len(c.h.settings.Format) > 0 {
		e.files.Tidy = shell.Tidy(c.h.settings.Format)
	}
	if !c.h.options.OneCall && !c.h.settings.Agents.Off && c.later == nil {
		e.files.Copied = func(name string) (files.Copy, error) { return c.copies.copied(c.workspace.Dir(), name) }
	}
	tools := append(toolkit.Standard(e.files, shell, &toolkit.Plan{}), toolkit.RequestAccess(c.access))
	if !c.h.options.OneCall {
		tools = append(tools, toolkit.Recall(pastJournal{File: filepath.Join(c.h.dirs.Sessions, c.id, journal.FileName)}))
	}
	if e.set, err = c.offered(append(tools, all.tools...), all.more); err != nil {
		return nil, errors.Join(err, all.close())
	}
	return e, nil
}

// shell is what runs commands.
func (c *confined) shell() command.Shell {
	shell := command.Shell{Box: c.box, Dir: c.workspace.Dir(), Opened: c.access.Of, Hold: c.access.Hold, Lost: c.access.LostSince, Elsewhere: c.access.Elsewhere, ReadOnly: c.readOnlyCall, Mask: c.h.mask, Ask: c.access.AskFor, Env: c.traceEnv}
	if !c.h.options.OneCall && c.later == nil {
		shell.Jobs, shell.Background = &c.jobs, time.Duration(c.h.settings.Limits.Background)
	}
	return shell
}

// offered makes the set of those tools that are on offer, with the limits of the settings.
func (c *confined) offered(all []*tool.Tool, more []toolProvider) (tool.Set, error) {
	names := settings.ToolNames()
	for _, t := range all {
		names = append(names, t.Name)
	}
	for _, p := range c.terms.now().Offer {
		p = strings.TrimPrefix(p, "-")
		if !strings.Contains(p, "__") && !slices.ContainsFunc(names, func(name string) bool { return settings.Offers([]string{p}, name) }) { // those of servers come later
			c.h.options.Warn(fmt.Sprintf("no tool has the name %q (--tools, or tools in the settings): rein tools lists them", p))
		}
	}
	all = slices.DeleteFunc(all, func(t *tool.Tool) bool { return !c.offers(t.Name) })
	for i, t := range all {
		all[i] = c.h.limited(t)
		if c.replace != nil {
			all[i] = c.replace(all[i])
		}
	}
	if t := c.terms.now(); len(t.Offer)+len(t.Only) > 0 {
		for i, p := range more {
			more[i] = offeredTools{toolProvider: p, Offers: c.offers}
		}
	}
	l := c.h.settings.ToolSearch
	catalog := &toolCatalog{Providers: more, Limits: deferLimits{Off: l.Off || c.h.options.OneCall, Share: l.Share, Count: l.Count}, Window: c.record.window}
	return catalog.Set(all, c.offers(searchName))
}

// spilled opens a long output of this session, or of one of this workspace that it is a copy of, by the reference in its text.
func (e *equipped) spilled(ref string) (io.ReaderAt, int64, bool) {
	f, err := e.spill.Open(ref)
	for id, more := e.id, mostForks; errors.Is(err, fs.ErrNotExist) && more > 0; more-- {
		from, found := e.h.store.Get(id)
		if found != nil || from.Origin == nil || from.Origin.Program != "rein" || from.Dir != e.workspace.Dir() {
			break
		}
		id = from.Origin.Session
		f, err = (&tool.OutputStore{Dir: e.spill.Dir, Prefix: id}).Open(ref)
	}
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

// mostForks is how many copies of copies of a session are followed.
const mostForks = 20

// limited returns a tool with the limits that the settings and the options set for it.
func (h *Harness) limited(t *tool.Tool) *tool.Tool {
	t = h.bySettings(t)
	if most := time.Duration(h.options.Timeout); most > 0 && t.Timeout > 0 {
		t.Timeout = min(t.Timeout, most)
	}
	return t
}

// bySettings returns a tool with the limits that the settings set for it by its name.
func (h *Harness) bySettings(t *tool.Tool) *tool.Tool {
	l := h.settings.Limits.Tools[t.Name]
	limited := *t
	if l.Timeout > 0 {
		limited.Timeout = time.Duration(l.Timeout)
	}
	if l.Output > 0 {
		limited.Output = l.Output
	}
	general := h.limits()
	if most := time.Duration(l.Most.Timeout); most > 0 {
		limited.Timeout = min(cmp.Or(limited.Timeout, general.Timeout, toolcall.DefaultTimeout), most)
	}
	if l.Most.Output > 0 {
		limited.Output = min(cmp.Or(limited.Output, general.Output, tool.DefaultOutputLimit), l.Most.Output)
	}
	return &limited
}

// limits are those of the settings; the options come first.
func (h *Harness) limits() toolcall.Limits {
	l, o := h.settings.Limits, h.options
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

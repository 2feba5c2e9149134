package harness

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"rein/agent"
	"rein/app/extend"
	"rein/app/memory"
	"rein/app/notify"
	"rein/app/schedule"
	"rein/app/sessions"
	"rein/app/settings"
	"rein/event"
	"rein/guard"
	"rein/internal/plainfile"
	"rein/kit/guards"
	"rein/kit/places"
	"rein/kit/sandbox"
	"rein/kit/tools"
	"rein/kit/tools/browser"
	"rein/kit/tools/git"
	"rein/kit/tools/media"
	"rein/kit/workspace"
	"rein/model"
	"rein/tool"
)

// features makes what the session has beside the tools that all have. Each feature is a function from the stage before to its parts, and knows of no
// other. The order is that of their parts in the system prompt.
func (c *confined) features() (all featureParts, err error) {
	const inCopies = true // it belongs to a copy of the workspace, too: see copies
	if c.above != nil {
		all.hooks, all.reviewer = c.above.hooks, c.above.reviewer
	}
	for _, feature := range []struct {
		of       func(*confined) (featureParts, error)
		inCopies bool
	}{
		{networkFeature, inCopies},
		{secretsFeature, inCopies},
		{viewFeature, inCopies},
		{hooksFeature, false},
		{planFeature, false},
		{reviewFeature, false},
		{peopleFeature, false},
		{scheduleFeature, false},
		{memoryFeature, false},
		{computeFeature, inCopies},
		{clockFeature, inCopies},
		{serversFeature, false},
		{skillsFeature, inCopies},
		{agentsFeature, false},
		{embedderFeature, inCopies},
	} {
		if c.above != nil && !feature.inCopies {
			continue
		}
		p, err := feature.of(c)
		if err != nil {
			return featureParts{}, errors.Join(err, all.close())
		}
		all.add(p)
	}
	return all, nil
}

// embedderFeature adds what the program that embeds the harness gives.
func embedderFeature(c *confined) (featureParts, error) {
	return featureParts{tools: c.h.options.Tools, checks: c.h.options.Guards}, nil
}

// secretsFeature masks what files of secrets hold.
func secretsFeature(c *confined) (featureParts, error) {
	dirs := c.workspace.Dirs()
	if top, _ := sandbox.RepositoryAround(dirs[0], settings.HomeDir()); top != "" { // programs can read it
		dirs = append(slices.Clone(dirs), top)
	}
	f := &secretFinder{Dirs: dirs, Mask: c.h.mask, Time: time.Duration(c.h.settings.Limits.SecretScan), Trees: c.h.trees,
		Git: git.Repository{Box: c.box, Dir: c.workspace.Dir()}.Copy}
	f.Begin()
	return featureParts{secrets: f, closers: closeAtEnd(f.Close)}, nil
}

// closeAtEnd is what a feature closes at the end.
func closeAtEnd(end func() error) []func() error { return []func() error{end} }

// profile is where the browser keeps its cookies for later sessions; nil: they end with it.
func (h *Harness) profile() *browser.Profile {
	name := h.settings.Browser.Profile
	if name == "" {
		return nil
	}
	file := filepath.Join(h.dirs.State, "browser", name+".json")
	return &browser.Profile{Load: func() ([]byte, error) {
		text, err := plainfile.Read(file)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return text, err
	}, Keep: func(cookies []byte) error { return plainfile.Replace(file, cookies) }, Warn: func(err error) {
		h.options.Warn(fmt.Sprintf("the profile %s of the browser: %v", name, err))
	}}
}

// viewFeature gives the tools that look at files that are no text, and show them.
func viewFeature(c *confined) (featureParts, error) {
	b := browser.New(browser.Options{Box: c.box, Proxy: sandbox.ProxyAddress, Key: browser.Key(c.access.Key()), Isolated: func() bool { return c.isolation() == guard.FullIsolation },
		Hold: c.access.Hold, Refused: c.access.RefusedSince, Ask: c.access.AskForHost, Memory: c.h.settings.Programs.Limits().Memory, Side: c.media().Side, File: c.fileOf, Save: c.saveNew, Download: c.h.settings.Browser.Download, Profile: c.h.profile()})
	offered := c.media().Offered()
	if screen, _ := notify.FindScreen(os.Getenv); screen != nil {
		offered = append(offered, c.media().Screenshot(screen.Take))
	}
	return featureParts{tools: append(offered, b.Offered()...), closers: closeAtEnd(b.Close)}, nil
}

// media is what reads images, documents and videos.
func (c *confined) media() media.Tools {
	return media.Tools{Workspace: c.workspace, Box: c.box, Helper: media.Helper(c.h.options.Program), Side: media.SideFor(c.terms.now().Model)}
}

// fileOf returns the absolute path of a file of the workspace, with all links followed.
func (c *confined) fileOf(path string) (string, error) {
	f, err := c.workspace.Open(path)
	if err != nil {
		return "", err
	}
	return c.workspace.Abs(f.Name), f.Close()
}

// saveNew makes a file of the workspace that is not there yet.
func (c *confined) saveNew(path string, data []byte) error {
	_, err := c.workspace.Store(path, data, workspace.Sum{})
	if workspace.KindOf(err) == workspace.Exists {
		return &tool.Error{Kind: tool.BadArguments, Text: path + " is there already.", Hint: "Choose another name."}
	}
	return err
}

// peopleFeature gives the tools that talk to the user, and notifications.
func peopleFeature(c *confined) (featureParts, error) {
	set := c.h.settings.Notify
	sender := func(kind string) *notify.Sender { return set.Sender(kind, c.h.mask.String) }
	notes := &notify.Watch{Dir: c.workspace.Dir(), Session: c.id, After: set.Wait(), To: sender, Go: c.running.Go, Warn: c.h.options.Warn}
	p := featureParts{notes: notes, tools: []*tool.Tool{tools.AskUser()}}
	if channels := sender(notify.Message).Channels(); len(channels) > 0 {
		p.tools = append(p.tools, tools.Notify(channels, notes.Send))
	}
	return p, nil
}

// scheduleFeature gives tasks that run later or regularly.
func scheduleFeature(c *confined) (featureParts, error) {
	set := c.h.settings.Schedule
	if set.Off {
		return featureParts{}, nil
	}
	d := &schedule.Desk{Dir: filepath.Join(c.h.dirs.State, schedule.DirName), Limits: schedule.Limits{Jobs: set.Most, Every: time.Duration(set.Every)},
		Session: c.id, Terms: c.terms.now, Zone: c.zone().Get, Mask: c.h.mask.String}
	return featureParts{tools: []*tool.Tool{d.Tool()}, checks: []guard.Guard{d}}, nil
}

// zone is the time zone of the user.
func (o *opened) zone() tools.ZoneFile {
	return tools.ZoneFile(filepath.Join(o.h.dirs.State, "timezone"))
}

// Memory returns the store of what sessions remember for later ones. Close it at the end.
func (h *Harness) Memory() *memory.Store {
	return &memory.Store{File: filepath.Join(h.dirs.State, memory.FileName), Mask: h.mask.String, Most: h.settings.Memory.Most}
}

// memoryFeature gives the tools that remember things for later sessions. A session begins with the most important of them.
func memoryFeature(c *confined) (p featureParts, err error) {
	m, store := c.h.settings.Memory, c.h.Memory()
	if m.Off {
		return p, nil
	}
	p = featureParts{closers: closeAtEnd(store.Close), tools: store.Tools(c.workspace.Dir(), c.id, func() []string { return c.judge.untrusted(c.id) }, c.readOnlyCall, c.searchPast)}
	if m.DigestSize() > 0 && !c.h.options.OneCall {
		digest, err := store.Digest(context.Background(), c.workspace.Dir(), m.DigestSize())
		if err != nil {
			c.h.options.Warn(err.Error())
		}
		p.system = []string{digest}
	}
	return p, nil
}

// searchPast searches past sessions of the workspace.
func (o *opened) searchPast(ctx context.Context, query string, most int) (all []memory.Found, err error) {
	hits, err := o.h.store.Search(ctx, query, sessions.Filter{Dir: o.workspace.Dir(), Limit: most})
	for _, h := range hits {
		f := memory.Found{ID: h.Session.ID, Title: h.Session.Title, Last: h.Session.Last}
		for _, m := range h.Matches {
			f.Matches = append(f.Matches, m.Kind+": "+strings.Join(strings.Fields(m.Text), " "))
		}
		all = append(all, f)
	}
	return all, err
}

// clockFeature gives the tools about time, use and numbers.
func clockFeature(c *confined) (featureParts, error) {
	zone := c.zone()
	used := func(context.Context) (tools.SessionUsage, error) {
		return sumUsage(c.h.store.Events(c.id, 0), c.h.settings.Limits.Session.Tokens)
	}
	return featureParts{tools: []*tool.Tool{tools.CurrentTime(zone), tools.SetTimezone(zone), tools.TokenUsage(used), tools.Calculate(zone.Get)}}, nil
}

// computeFeature gives the tools that read repositories, compute and know code.
func computeFeature(c *confined) (featureParts, error) {
	p := c.h.settings.Compute
	tools := tools.OpenCompute(tools.ComputeOptions{Box: c.box, Dir: c.workspace.Dir(), Secret: c.secretName, SecretNames: places.PrivateNames(), Scratch: c.scratch, Read: c.workspace.ReadFile,
		Isolated: func() bool { return c.isolation() != guard.NoIsolation }, Limits: tools.ComputeLimits{
			ProgramSteps: p.Program.Steps, ProgramCalls: p.Program.Calls, ProgramMemory: p.Program.Memory, ProgramTime: time.Duration(p.Program.Time),
			CodeTime: time.Duration(p.Code.Time), CodeMemory: p.Code.Memory, CodeIdle: time.Duration(p.Code.Idle), Diagnostics: time.Duration(p.Diagnostics),
		}})
	made := featureParts{tools: tools.All, closers: closeAtEnd(tools.Close)}
	if !c.h.options.OneCall {
		made.diagnose = tools.Diagnose
	}
	return made, nil
}

// serversFeature gives other people's tools (MCP). A server starts when its tools are first needed.
func serversFeature(c *confined) (featureParts, error) {
	files := c.h.options.MCPConfig
	if len(files) == 0 && !c.h.options.OneCall {
		var changed []string
		files, changed = extend.Unchanged(c.terms.now().MCPConfig)
		for _, file := range changed {
			c.h.options.Warn("the tool servers of " + file + " are left out, because the file was changed or is gone: name it again with --mcp-config")
		}
	}
	entries, err := c.h.readToolServers(files, c.terms.now().StrictMCP)
	if err != nil || len(entries) == 0 || c.h.options.OneCall {
		return featureParts{}, err
	}
	servers := c.h.servers(entries, c.policy)
	servers.Trace = c.trace
	servers.ReadOnly, servers.Limit, servers.Ask, servers.Model, servers.Mask = c.terms.readOnly, c.h.limited, c.askUserForServer, c.askForServer, c.h.mask.String
	servers.Log = func(server, text string) {
		c.log.Info("tool server", slog.String("server", server), slog.String("text", text))
	}
	servers.Failed = func(server string, err error) {
		c.h.options.Warn(c.h.mask.String(fmt.Sprintf("the tool server %q does not work: %v (rein mcp test %[1]s)", server, err)))
	}
	return featureParts{servers: servers, more: []toolProvider{servers}, checks: []guard.Guard{servers}, commands: []func() []extend.Command{servers.Commands}, closers: closeAtEnd(servers.Close)}, nil
}

// askUserForServer asks the user in the name of a tool server. What changes in files meanwhile is not the work of its call.
func (c *confined) askUserForServer(ctx context.Context, q *tool.Questions) (*tool.Chosen, error) {
	if c.keeper != nil {
		defer c.keeper.Waits(ctx)()
	}
	return c.judge.askUser(ctx, q)
}

// askForServer asks the session's model in the name of a tool server, which the user allowed.
func (o *opened) askForServer(ctx context.Context, server string, r *model.Request) (name string, answer model.Chunk, err error) {
	talk := o.record.talk()
	if talk == nil {
		return "", answer, errors.New("this session has no model")
	}
	answer, used, err := talk.Side(ctx, r)
	if used != (event.Usage{}) {
		o.record.append(event.Event{Kind: event.Audit, Usage: &used, Text: fmt.Sprintf("the tool server %s asked the model: %d tokens in, %d out", server, used.Input, used.Output)})
	}
	return talk.Agent().Model.Info().String(), answer, err
}

// agentsFeature gives sub-agents. Their tools belong to a conversation, which has them from its team. A sub-agent does not
// ask the user: it reports what it would have asked.
func agentsFeature(c *confined) (featureParts, error) {
	set := c.h.settings.Agents
	if set.Off || c.h.options.OneCall || c.later != nil && c.later.Session.Elsewhere == nil {
		return featureParts{}, nil
	}
	all, err := c.h.Agents()
	models := map[string]string{"small": c.h.settings.SmallModel}
	maps.Copy(models, set.Models)
	t := &extend.Team{Definitions: extend.AgentDefinitions(all), Models: models, Without: []string{"ask_user", "notify", schedule.ToolName}, Open: c.models.named, Isolation: true, Skill: c.skills.Text, Model: c.skills.NamesModel,
		Limit: func(kind string, only, deny, ask []string) guard.Guard {
			return guards.RuleLimits{Whose: "the agent " + kind, Only: only, Deny: deny, Ask: ask}
		}}
	if c.later != nil { // each step would warn; and what is open for a copy or another program ends with its step
		t.Isolation = false
		t.Definitions = slices.DeleteFunc(t.Definitions, func(d agent.Definition) bool { return d.Isolation != "" })
		t.Open = func(ctx context.Context, ref string) (model.Model, error) { return c.models.unasked(ctx, ref), nil }
		return featureParts{team: onOffer{t, c.offers, c.h.bySettings}}, usageError(err)
	}
	for _, line := range extend.BrokenAgents(all) {
		c.h.options.Warn(line)
	}
	programs := newExternal(externalOptions{Agents: set.External, Dir: c.workspace.Dir(), Sandbox: c.policy, ReadOnly: c.terms.readOnly, Reach: c.h.reachOf, Trace: c.traceEnv,
		Read: c.workspace.ReadFile, Known: c.workspace.Know, Version: c.h.options.Version, Log: c.log, Add: t.AddOther})
	return featureParts{team: onOffer{t, c.offers, c.h.bySettings}, more: programs.More(), closers: closeAtEnd(programs.Close)}, usageError(err)
}

// Agents returns the kinds of sub-agents, also those that do not count, with the reason.
func (h *Harness) Agents() ([]extend.AgentFile, error) {
	return extend.LoadAgents(extend.AgentOptions{Given: h.options.Agents, Folder: h.folder, Workspace: h.root, User: h.dirs.UserAgents()})
}

// Offers reports whether the options offer a tool.
func (o Options) Offers(tool string) bool { return settings.Offers(o.Offer, tool) }

// onOffer is a team without the tools that are not on offer, and with the limits of the settings for the others.
type onOffer struct {
	agent.Team
	offers  func(name string) bool
	limited func(*tool.Tool) *tool.Tool
}

// Tools returns the team's tools that are on offer.
func (o onOffer) Tools(s *agent.Session) (all []*tool.Tool) {
	for _, t := range o.Team.Tools(s) {
		if o.offers(t.Name) {
			all = append(all, o.limited(t))
		}
	}
	return all
}

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
	"rein/agent/team"
	"rein/event"
	"rein/guard"
	"rein/harness/agents"
	"rein/harness/external"
	"rein/harness/memory"
	"rein/harness/notify"
	"rein/harness/ondemand"
	"rein/harness/past"
	"rein/harness/schedule"
	"rein/harness/secretfiles"
	"rein/harness/sessions"
	"rein/harness/settings"
	"rein/harness/slash"
	"rein/harness/trust"
	"rein/internal/desktop"
	"rein/internal/plainfile"
	"rein/journal"
	"rein/kit/guards"
	"rein/kit/places"
	"rein/kit/rule"
	"rein/kit/sandbox"
	"rein/kit/tools"
	"rein/kit/tools/browser"
	"rein/kit/tools/git"
	"rein/kit/tools/media"
	"rein/kit/workspace"
	"rein/model"
	"rein/tool"
)

// feature is what one theme adds to a session. Nothing of it is opened or started before its first use.
type feature struct {
	tools    []*tool.Tool
	system   string                 // its part of the system prompt, the same bytes each time; "": none
	more     []ondemand.Provider    // tools that come and go
	guards   []guard.Guard          // they are asked beside the standard ones
	commands func() []slash.Command // slash commands of the user; nil: none
	close    func() error           // ends what the theme started; nil: nothing
}

// openFeatures prepares the themes of the session. The order is that of their parts in the system prompt.
func (s *Session) openFeatures() error {
	const inCopies = true // it belongs to a copy of the workspace, too: see Session.place
	for _, theme := range []struct {
		open     func() (feature, error)
		inCopies bool
	}{
		{s.network, inCopies},
		{s.hide, inCopies},
		{s.look, inCopies},
		{s.userHooks, false},
		{s.plan, false},
		{s.review, false},
		{s.people, false},
		{s.later, false},
		{s.remember, false},
		{s.compute, inCopies},
		{s.clock, inCopies},
		{s.toolServers, false},
		{s.skilled, inCopies},
		{s.helpers, false},
	} {
		if s.above != nil && !theme.inCopies {
			continue
		}
		f, err := theme.open()
		if err != nil {
			return errors.Join(err, s.closeFeatures())
		}
		s.features = append(s.features, f)
	}
	return nil
}

// closeFeatures ends what the themes started, the last one first.
func (s *Session) closeFeatures() (err error) {
	for i := len(s.features) - 1; i >= 0; i-- {
		if end := s.features[i].close; end != nil {
			err = errors.Join(err, end())
		}
	}
	return err
}

// hide is the feature that masks what files of secrets hold.
func (s *Session) hide() (feature, error) {
	s.secrets = &secretfiles.Finder{Dirs: s.workspace.Dirs(), Mask: s.h.mask, Time: time.Duration(s.h.settings.Limits.SecretScan),
		Git: git.Repository{Box: s.box, Dir: s.workspace.Dir()}.Copy}
	return feature{close: s.secrets.Close}, nil
}

// profile is where the browser keeps its cookies for later sessions; nil: they end with it.
func (s *Session) profile() *browser.Profile {
	name := s.h.settings.Browser.Profile
	if name == "" {
		return nil
	}
	file := filepath.Join(s.h.dirs.State, "browser", name+".json")
	return &browser.Profile{Load: func() ([]byte, error) {
		text, err := plainfile.Read(file)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return text, err
	}, Keep: func(cookies []byte) error { return plainfile.Replace(file, cookies) }, Warn: func(err error) {
		if s.h.options.Warn != nil {
			s.h.options.Warn(fmt.Sprintf("the profile %s of the browser: %v", name, err))
		}
	}}
}

// look is the feature of the tools that look at files that are no text, and show them.
func (s *Session) look() (feature, error) {
	b := browser.New(browser.Options{Box: s.box, Proxy: sandbox.ProxyAddress, Key: browser.Key(s.access.Key()), Isolated: func() bool { return s.isolation() == guard.FullIsolation },
		Hold: s.access.Hold, Refused: s.access.RefusedSince, Ask: s.access.AskForHost, Memory: s.h.settings.Programs.Limits().Memory, Side: s.media().Side, File: s.fileOf, Save: s.saveNew, Download: s.h.settings.Browser.Download, Profile: s.profile()})
	offered := s.media().Offered()
	if screen, _ := desktop.FindScreen(os.Getenv); screen != nil {
		offered = append(offered, s.media().Screenshot(screen.Take))
	}
	return feature{tools: append(offered, b.Offered()...), close: b.Close}, nil
}

// fileOf returns the absolute path of a file of the workspace, with all links followed.
func (s *Session) fileOf(path string) (string, error) {
	f, err := s.workspace.Open(path)
	if err != nil {
		return "", err
	}
	return s.workspace.Abs(f.Name), f.Close()
}

// saveNew makes a file of the workspace that is not there yet.
func (s *Session) saveNew(path string, data []byte) error {
	_, err := s.workspace.Store(path, data, workspace.Sum{})
	if workspace.KindOf(err) == workspace.Exists {
		return &tool.Error{Kind: tool.BadArguments, Text: path + " is there already.", Hint: "Choose another name."}
	}
	return err
}

// media is what reads images, documents and videos.
func (s *Session) media() media.Tools {
	return media.Tools{Workspace: s.workspace, Box: s.box, Helper: media.Helper(s.h.options.Program), Side: media.SideFor(s.how.Model)}
}

// people is the feature of the tools that talk to the user, and of notifications.
func (s *Session) people() (feature, error) {
	set := s.h.settings.Notify
	sender := func(kind string) *notify.Sender { return set.Sender(kind, s.h.mask.String) }
	s.notes = &notify.Watch{Dir: s.workspace.Dir(), Session: s.id, After: set.Wait(), To: sender, Go: s.running.Go, Warn: s.h.options.Warn}
	f := feature{tools: []*tool.Tool{tools.AskUser()}}
	if channels := sender(notify.Message).Channels(); len(channels) > 0 {
		f.tools = append(f.tools, tools.Notify(channels, s.notes.Send))
	}
	return f, nil
}

// later is the feature of tasks that run later or regularly.
func (s *Session) later() (feature, error) {
	set := s.h.settings.Schedule
	if set.Off {
		return feature{}, nil
	}
	d := &schedule.Desk{Dir: filepath.Join(s.h.dirs.State, schedule.DirName), Limits: schedule.Limits{Jobs: set.Most, Every: time.Duration(set.Every)},
		Session: s.id, How: func() event.Start { return s.How().start() }, Zone: s.zone().Get, Mask: s.h.mask.String}
	return feature{tools: []*tool.Tool{d.Tool()}, guards: []guard.Guard{d}}, nil
}

// zone is the time zone of the user.
func (s *Session) zone() tools.ZoneFile {
	return tools.ZoneFile(filepath.Join(s.h.dirs.State, "timezone"))
}

// Memory returns the store of what sessions remember for later ones. Close it at the end.
func (h *Harness) Memory() *memory.Store {
	return &memory.Store{File: filepath.Join(h.dirs.State, memory.FileName), Mask: h.mask.String, Most: h.settings.Memory.Most}
}

// remember is the feature of the tools that remember things for later sessions. A session begins with the most important of
// them.
func (s *Session) remember() (f feature, err error) {
	m, store := s.h.settings.Memory, s.h.Memory()
	if m.Off {
		return f, nil
	}
	f = feature{close: store.Close, tools: store.Tools(s.workspace.Dir(), s.id, func() []string { return s.guards.Untrusted(s.id) }, s.searchPast)}
	if m.DigestSize() > 0 && !s.h.options.OneCall {
		if f.system, err = store.Digest(context.Background(), s.workspace.Dir(), m.DigestSize()); err != nil {
			s.h.options.Warn(err.Error())
		}
	}
	return f, nil
}

// searchPast searches past sessions of the workspace.
func (s *Session) searchPast(ctx context.Context, query string, most int) (all []memory.Found, err error) {
	hits, err := s.h.store.Search(ctx, query, sessions.Filter{Dir: s.workspace.Dir(), Limit: most})
	for _, h := range hits {
		f := memory.Found{ID: h.Session.ID, Title: h.Session.Title, Last: h.Session.Last}
		for _, m := range h.Matches {
			f.Matches = append(f.Matches, m.Kind+": "+strings.Join(strings.Fields(m.Text), " "))
		}
		all = append(all, f)
	}
	return all, err
}

// clock is the feature of the tools about time, use and numbers.
func (s *Session) clock() (feature, error) {
	zone := s.zone()
	used := func(context.Context) (tools.SessionUsage, error) {
		return past.Usage(s.Events(), s.budgets().Session.Tokens)
	}
	return feature{tools: []*tool.Tool{tools.CurrentTime(zone), tools.SetTimezone(zone), tools.TokenUsage(used), tools.Calculate(zone.Get)}}, nil
}

// compute is the feature of the tools that read repositories, compute and know code.
func (s *Session) compute() (feature, error) {
	p := s.h.settings.Compute
	c := tools.OpenCompute(tools.ComputeOptions{Box: s.box, Dir: s.workspace.Dir(), Secret: s.secretName, Scratch: s.scratch, Read: s.workspace.ReadFile,
		Isolated: func() bool { return s.isolation() != guard.NoIsolation }, Limits: tools.ComputeLimits{
			ProgramSteps: p.Program.Steps, ProgramCalls: p.Program.Calls, ProgramMemory: p.Program.Memory, ProgramTime: time.Duration(p.Program.Time),
			CodeTime: time.Duration(p.Code.Time), CodeMemory: p.Code.Memory, CodeIdle: time.Duration(p.Code.Idle), Diagnostics: time.Duration(p.Diagnostics),
		}})
	if !s.h.options.OneCall {
		s.diagnose = c.Diagnose
	}
	return feature{tools: c.All, close: c.Close}, nil
}

// scratch makes the sandbox of a directory for code: it has no network and does not see the workspace.
func (s *Session) scratch(dir string) (*sandbox.Box, error) {
	hidden := s.h.ownDirs()
	if !settings.IsHome(s.workspace.Dir()) {
		hidden = append(hidden, s.workspace.Dirs()...)
	}
	private := s.privateDir(s.workspace.Dirs()) // the caches of compilers stay
	if private != "" {
		private += "-code"
	}
	return sandbox.New(sandbox.Policy{Workspace: dir, Mode: sandbox.Mode(s.how.Sandbox), Only: s.h.options.Backend, Limits: s.h.settings.Programs.Limits(),
		Private: private, Hidden: hidden})
}

// toolServers is the feature of other people's tools (MCP). A server starts when its tools are first needed.
func (s *Session) toolServers() (feature, error) {
	files := s.h.options.MCPConfig
	if len(files) == 0 && !s.h.options.OneCall {
		var changed []string
		files, changed = trust.Unchanged(s.how.MCPConfig)
		for _, file := range changed {
			s.h.options.Warn("the tool servers of " + file + " are left out, because the file was changed or is gone: name it again with --mcp-config")
		}
	}
	entries, err := s.h.readToolServers(files, s.how.StrictMCP)
	if err != nil || len(entries) == 0 || s.h.options.OneCall {
		return feature{}, err
	}
	servers := s.h.servers(entries, s.confine)
	servers.ReadOnly, servers.Limit, servers.Ask, servers.Model, servers.Mask = s.readOnly, s.limited, s.askUser, s.askForServer, s.h.mask.String
	servers.Log = func(server, text string) {
		s.log.Info("tool server", slog.String("server", server), slog.String("text", text))
	}
	servers.Failed = func(server string, err error) {
		s.h.options.Warn(s.h.mask.String(fmt.Sprintf("the tool server %s does not work: %v (rein mcp test %[1]s)", server, err)))
	}
	s.servers = servers
	return feature{more: []ondemand.Provider{servers}, guards: []guard.Guard{servers}, commands: servers.Commands, close: servers.Close}, nil
}

// askForServer asks the session's model in the name of a tool server, which the user allowed.
func (s *Session) askForServer(ctx context.Context, server string, r *model.Request) (name string, answer model.Chunk, err error) {
	talk := s.root().conversation
	if talk == nil {
		return "", answer, errors.New("this session has no model")
	}
	answer, used, err := talk.Side(ctx, r)
	if used != (event.Usage{}) {
		s.append(event.Event{Kind: event.Audit, Usage: &used, Text: fmt.Sprintf("the tool server %s asked the model: %d tokens in, %d out", server, used.Input, used.Output)})
	}
	return talk.Agent().Model.Info().String(), answer, err
}

// Resources returns the resources of tool servers as a message mentions them, without the @: server:uri.
func (s *Session) Resources() []string {
	if s.servers == nil {
		return nil
	}
	return s.servers.Names()
}

// askUser asks the user in the name of somebody else than the model. A nil answer means that nobody answered.
func (s *Session) askUser(ctx context.Context, q *tool.Questions) (*tool.Chosen, error) {
	mode, epoch := s.policy()
	c := guard.Case{Session: s.id, Call: tool.Call{ID: journal.NewID(time.Now()), Name: "elicitation"}, Intent: tool.Intent{Questions: q}, Mode: mode, Epoch: epoch, Root: s.workspace.Dir()}
	answer, err := s.runner.Approver.Approve(ctx, c, guards.Questions{}.Judge(ctx, c))
	if err != nil || answer.Choice != guard.Approved {
		return nil, err
	}
	return answer.Chosen, nil
}

// secretName reports whether the name of a file says that it holds secrets.
func (s *Session) secretName(path string) bool {
	class := places.Classify(path, places.Context{Workspaces: s.workspace.Dirs()})
	return class == places.Private || class == places.Secret || class == places.Settings
}

// helpers is the feature of sub-agents. Their tools belong to a conversation, which has them from its team. A sub-agent does not
// ask the user: it reports what it would have asked.
func (s *Session) helpers() (feature, error) {
	set := s.h.settings.Agents
	if set.Off || s.h.options.OneCall {
		return feature{}, nil
	}
	all, err := s.h.Agents()
	models := map[string]string{"small": s.h.settings.SmallModel}
	maps.Copy(models, set.Models)
	t := &team.Team{Definitions: agents.Definitions(all), Models: models, Without: []string{"ask_user", "notify", schedule.ToolName}, Open: s.openNamed, Isolation: true, Skill: s.skills.Text, Model: s.skills.NamesModel,
		Limit: func(kind string, only, deny, ask []string) guard.Guard {
			return rule.Limits{Whose: "the agent " + kind, Only: only, Deny: deny, Ask: ask}
		}}
	s.team = onOffer{t, s.offers}
	programs := external.New(external.Options{Agents: set.External, Dir: s.workspace.Dir(), Sandbox: s.confine, ReadOnly: s.readOnly, Reach: s.h.reachOf,
		Read: s.workspace.ReadFile, Known: s.workspace.Know, Version: s.h.options.Version, Log: s.log, Add: t.AddOther})
	return feature{more: programs.More(), close: programs.Close}, usageError(err)
}

// Agents returns the kinds of sub-agents, also those that do not count, with the reason.
func (h *Harness) Agents() ([]agents.Agent, error) {
	return agents.Load(agents.Options{JSON: h.options.Agents, Folder: h.folder, Workspace: h.root, User: h.dirs.UserAgents()})
}

// Offers reports whether the options offer a tool.
func (o Options) Offers(tool string) bool { return settings.Offers(o.Tools, tool) }

// offers reports whether a tool is on offer.
func (s *Session) offers(name string) bool { return settings.Offers(s.how.Tools, name) }

// onOffer is a team without the tools that are not on offer.
type onOffer struct {
	agent.Team
	offers func(name string) bool
}

// Tools returns the team's tools that are on offer.
func (o onOffer) Tools(s team.Session) []*tool.Tool {
	return slices.DeleteFunc(o.Team.Tools(s), func(t *tool.Tool) bool { return !o.offers(t.Name) })
}

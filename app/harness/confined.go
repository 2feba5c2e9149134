package harness

import (
	"cmp"
	"context"
	"iter"
	"path/filepath"
	"strings"
	"sync"

	"rein/app/settings"
	"rein/event"
	"rein/guard"
	"rein/kit/places"
	"rein/kit/sandbox"
	"rein/kit/tools/browser"
	"rein/kit/undo"
	"rein/model"
	"rein/tool"
)

// confined is a session with its sandbox, and with the access beyond it that was granted. What changes files can be undone.
type confined struct {
	*opened
	access   *accessGrants
	policy   sandbox.Policy // of programs, without network and granted access
	box      *sandbox.Box
	prepared sync.Once // the backend of the sandbox is recorded
	was      string    // the record of the backend in an earlier step of the session; "": there is none
	jobs     sandbox.Jobs
	keeper   *fileKeeper // nil: undo is switched off

	judge judge
}

// judge is what tools and hooks ask the guards of their session while calls run. The stage that has the guards sets it.
type judge interface {
	// denies reports whether a request for access would be denied, whoever is asked.
	denies(tool.Intent) bool
	// untrusted names the untrusted texts that a session has read.
	untrusted(session string) []string
	// askUser asks the user in the name of somebody else than the model. A nil answer means that nobody answered.
	askUser(context.Context, *tool.Questions) (*tool.Chosen, error)
}

// confine makes the session's sandbox. It starts nothing: the first program does, or preparing.
func (o *opened) confine() (*confined, error) {
	c := &confined{opened: o}
	n, err := settings.NetworkOf(o.h.layers)
	if err != nil {
		return nil, err
	}
	files, err := settings.FilesOf(o.h.layers)
	if err != nil {
		return nil, err
	}
	c.access, err = newAccess(accessOptions{
		Network: n, Workspace: o.workspace, Denied: func(i tool.Intent) bool { return c.judge.denies(i) },
		CheckOpened: func(path string) error { return c.box.CheckOpened(path) },
		Isolated:    func() bool { return c.isolation() != guard.NoIsolation },
		Proxied: func() bool {
			backend, err := c.backend()
			return err == nil && backend != sandbox.BackendLandlock && backend != sandbox.BackendSeatbelt
		},
		Forwards: func() bool {
			backend, err := c.backend()
			return err == nil && backend.Forwards()
		},
		Reached: func(text string) { o.record.append(event.Event{Kind: event.Reached, Text: text}) },
	})
	if err != nil {
		return nil, err
	}
	dirs := o.workspace.Dirs()
	c.policy = programsOf(o.h, o.terms.now().Sandbox, sandbox.Policy{
		Workspace: dirs[0], Writable: dirs[1:], Warn: o.h.options.Warn, Private: o.privateDir(dirs), Hidden: ownDirs(o.h.dirs), Readable: o.readable,
		Trees: o.h.trees,
	})
	own := c.policy
	own.Proxy, own.Opened = c.access.Proxy(), c.access.Settle(files, o.h.options.Warn)
	if c.box, err = sandbox.New(own); err != nil {
		return nil, settings.Error{Err: settings.Unwritable(err)}
	}
	c.keeper, err = c.newKeeper()
	return c, err
}

// programsOf completes a policy: how programs are bounded, and where they run.
func programsOf(h *Harness, mode string, p sandbox.Policy) sandbox.Policy {
	p.Mode, p.Only, p.Limits = sandbox.Mode(mode), h.options.Backend, h.settings.Programs.Limits()
	p.Debuggers = h.settings.Programs.Debuggers
	return h.settings.Backend.Apply(p)
}

// newKeeper makes what keeps files around the session's calls; nil: nothing is kept.
func (c *confined) newKeeper() (*fileKeeper, error) {
	if c.h.settings.Undo.Off || c.above != nil { // what a sub-agent does in its copy changes nothing of the user's
		return nil, nil
	}
	store, err := c.h.undoStore(c.workspace.Dirs())
	if err != nil {
		return nil, err
	}
	keeper := &fileKeeper{Store: store, Session: c.id, Mask: c.h.mask.String, Goes: c.jobOf, Record: c.record.append}
	if len(c.h.settings.Format) == 0 { // a formatter may change other files
		keeper.Exact = ConfinedTools()
	}
	return keeper, nil
}

// lastChange gives undo_edit the last change of a file.
func (c *confined) lastChange() func(string) (undo.Replaced, bool, error) {
	if c.keeper == nil {
		return nil
	}
	return func(name string) (undo.Replaced, bool, error) {
		return c.keeper.Store.LastOf(context.Background(), undo.Filter{Session: c.id, Path: name}, "undo_edit")
	}
}

// jobOf returns a channel that is closed when the job that a call left running ends; nil when it left none.
func (c *confined) jobOf(call string) <-chan struct{} {
	for _, job := range c.jobs.Running() {
		if job.Call == call {
			return job.Done()
		}
	}
	return nil
}

// ownDirs are where rein keeps settings, records and keys. No program sees them.
func ownDirs(d settings.Dirs) []string {
	return []string{d.Config, d.Sessions, d.State, d.Private, d.Output, filepath.Dir(settings.ManagedFile())}
}

// privateDir is where programs of this workspace keep caches and settings of their own. It is "", a directory for this
// session only, where it would be in a directory that programs may write, as when the workspace is the home directory.
func (o *opened) privateDir(writable []string) string {
	private := filepath.Join(o.h.dirs.Private, cmp.Or(o.h.options.Private, settings.WorkspaceName(writable[0])))
	for _, dir := range writable {
		if rel, err := filepath.Rel(dir, private); err != nil || filepath.IsLocal(rel) {
			return ""
		}
	}
	return private
}

// scratch makes the sandbox of a directory for code: it has no network and does not see the workspace.
func (o *opened) scratch(dir string) (*sandbox.Box, error) {
	hidden := ownDirs(o.h.dirs)
	if !settings.IsHome(o.workspace.Dir()) {
		hidden = append(hidden, o.workspace.Dirs()...)
	}
	private := o.privateDir(o.workspace.Dirs()) // the caches of compilers stay
	if private != "" {
		private += "-code"
	}
	return sandbox.New(programsOf(o.h, o.terms.now().Sandbox, sandbox.Policy{Workspace: dir, Private: private, Hidden: hidden}))
}

// isolation gives the guards what the sandbox enforces. It prepares the sandbox if nothing has done so yet.
func (c *confined) isolation() guard.Isolation {
	c.backend() // records which one it is
	return c.box.Isolation(context.Background())
}

// aboutBackend is how the record of the backend begins.
const aboutBackend = "sandbox backend: "

// backend prepares the sandbox if nothing has done so yet, and records, the first time, which backend it has.
func (c *confined) backend() (sandbox.Backend, error) {
	backend, err := c.box.Backend(context.Background())
	c.prepared.Do(func() {
		text := aboutBackend + backend.String()
		if err != nil {
			text = err.Error()
		}
		if text != c.was {
			c.record.append(event.Event{Kind: event.Audit, Text: text})
		}
	})
	return backend, err
}

// readOnlyCall reports whether a call, which may be that of a sub-agent with less rights, changes nothing.
func (c *confined) readOnlyCall(call string) bool {
	return c.access.ReadOnly(call) || c.terms.readOnly()
}

// knownHost reports whether a host is allowed to a tool already, by the settings or by access that was granted.
func (c *confined) knownHost(tool, host string) bool {
	name, _, _ := strings.Cut(host, ":")
	return name == browser.OwnHost || c.access.Knows(tool, host)
}

// secretName reports whether the name of a file says that it holds secrets.
func (o *opened) secretName(path string) bool {
	class := places.Classify(path, places.Context{Workspaces: o.workspace.Dirs()})
	return class == places.Private || class == places.Secret || class == places.Settings
}

// preparing is a model that prepares the session's sandbox when an answer begins the call of a tool that does more than read: while the rest of
// the call comes, and not before anything needs it.
type preparing struct {
	model.Model
	session *confined
	tools   tool.Set
	begun   *sync.Once
}

// needs reports whether a call of the tool is judged by what the sandbox enforces.
func (p preparing) needs(name string) bool {
	t := p.tools.Get(name)
	return t == nil || t.Effect&^tool.Reads != 0
}

// Stream passes the answer on.
func (p preparing) Stream(ctx context.Context, r *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		for chunk, err := range p.Model.Stream(ctx, r) {
			if chunk.Kind == model.CallStart && p.needs(chunk.Name) {
				p.begun.Do(func() { p.session.running.Go(func() { _, _ = p.session.backend() }) })
			}
			if !yield(chunk, err) {
				return
			}
		}
	}
}

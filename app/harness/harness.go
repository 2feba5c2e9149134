// Package harness assembles a ready rein from settings: the workspace, the sandbox, the guards, the tools, the model,
// and sessions over them. Every front end (command line, terminal, server, editor) starts from it.
//
//	h, err := Open(ctx, Options{Dir: "."})
//	s, err := h.Start(ctx, NewSession{})
//	for e, err := range s.Send(ctx, model.Text("make the tests pass")) { … }
//
// A session comes about in stages (see opened), and each part of what it can do is a feature: sub-agents, other programs as
// agents, tool servers, tools on demand, access beyond the sandbox, secrets, undo, plan mode.
//
// A Harness holds what all sessions of one directory share and what does not change: settings, secrets, the log. All that
// belongs to one session (id, journal, permission memory, granted access, sandbox, mode, budget) is made once for each
// Session.
package harness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"rein/agent"
	"rein/app/extend"
	"rein/app/inbox"
	"rein/app/sessions"
	"rein/app/settings"
	"rein/event"
	"rein/guard"
	"rein/hook"
	"rein/kit/mcp"
	"rein/kit/sandbox"
	"rein/kit/telemetry"
	"rein/kit/tools/git"
	"rein/kit/tools/web"
	"rein/kit/undo"
	"rein/kit/workspace"
	"rein/model"
	"rein/redact"
	"rein/tool"
)

// Options say how a harness is opened. The zero value works: the current directory, the user's settings, and nobody who
// approves.
type Options struct {
	Dir  string        // the workspace; "" is the current directory
	Dirs settings.Dirs // where rein keeps things; the zero value means settings.DefaultDirs()

	// Terms for new sessions. What they leave open is as the settings say, then as the defaults. A resumed session keeps what was recorded
	// unless they name something else. Dir and MCPConfig of the options hold instead of those of the terms.
	Terms
	ForNew bool // as for a server: Model and Mode are for new sessions only, and Sandbox loosens no resumed one

	MCPConfig []string // files with tool servers, beside those of the settings and of the project
	Trust     bool     // the user trusts what the folder would make sessions obey, as it is now
	Answer    string   // a JSON Schema that the last answer to each message has to fit; "": any text
	System    string   // added to the system prompt
	Backend   string   // the only sandbox backend to use; "" is the best that works
	Parallel  int      // calls that run at once
	Timeout   Duration // of one call; it bounds tools with their own limit too
	OneCall   bool     // one call and no more: nothing is left in the background
	Private   string   // name of the directory that programs keep between sessions; "" is the workspace's own

	Sampling model.Sampling // how models choose their words; it comes before that of the settings, and is not recorded
	Hooks    []hook.Hook    // functions of the embedder that run at events, before the hooks of files

	Agents     []agent.Definition // kinds of sub-agents of the embedder, before those of files
	MCPServers []ToolServer       // of the embedder or of an editor; an entry of the settings with the same name counts instead

	Tools  []*tool.Tool           // of the embedder, beside those of rein; their calls take the same checks. All sessions share them
	Guards []guard.Guard          // asked beside the standard ones; those that are observers observe. All sessions share them
	Models map[string]model.Model // of the embedder, by "provider/name": they come before those of the providers; "reviewer" reviews calls in the mode auto

	Person     Person       // who answers approval requests; nil: see Unattended
	Unattended Unattended   // what happens to a request when there is no Person
	Warn       func(string) // receives lines for the user; nil drops them
	Program    string       // path of the rein program, which reads documents in the sandbox; "": only PDF files, where pdftotext is
	Version    string       // of the program, for the record and for servers

	Reports *Reports // what reports sessions, for several harnesses; nil: what the variables OTEL_* say, from Open to Close
}

// ToolServer is an entry of a tool server: see docs/mcp.md. It needs a Name, and a Command or a URL.
type ToolServer = mcp.ServerEntry

// Terms are how a session runs.
type Terms = event.Terms

// Duration is a limit as settings and flags write it: "90s", "2m".
type Duration = settings.Duration

// Unattended decides what happens to a call that needs an approval when no person is connected. The zero value denies it.
type Unattended uint8

// What to do with calls that need an approval.
const (
	Refuse  Unattended = iota // the call fails, and the model reads why
	Suspend                   // the session is suspended until somebody answers; Resume continues
	Wait                      // the call waits until the inbox has an answer
)

// Harness is the shared part of the sessions of one directory. It may be used by several goroutines at once.
type Harness struct {
	options  Options
	dirs     settings.Dirs
	layers   []settings.Layer
	settings settings.Settings
	root     string // absolute path of the workspace, links resolved
	project  string // the workspace whose settings and rules hold: root, but for a copy of it
	folder   *extend.Folder
	inbox    *inbox.Inbox
	store    *sessions.Store
	mask     *redact.Filter
	secrets  []web.Secret
	log      *slog.Logger
	logFile  *os.File
	reports  *Reports

	suspended context.Context // done when sessions must not wait for answers any more
	suspend   context.CancelFunc

	sessions sync.Map // those that have their journal: *Session by id
	mu       sync.Mutex
	stores   map[string]*undo.Store // what is kept of files, by the directories
	trees    *sandbox.Trees         // the names in workspaces
	copies   *git.Worktrees         // of workspaces, for sub-agents
	pruning  pruning
}

// maxLog is the size in bytes at which the operator's log starts again.
const maxLog = 8 << 20

// Open reads the settings for a directory and prepares everything that its sessions share. Close it at the end.
func Open(ctx context.Context, o Options) (*Harness, error) { return OpenCopy(ctx, o, "") }

// OpenCopy is Open for a copy of a workspace: the settings and rules of the original hold.
func OpenCopy(_ context.Context, o Options, original string) (*Harness, error) {
	if n := sandbox.Depth(os.Environ()); n > agent.MaxDepth {
		return nil, fmt.Errorf("this rein would run inside others, at depth %d; at most %d may be nested", n, agent.MaxDepth)
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	h := &Harness{options: o, dirs: o.Dirs, project: original, stores: map[string]*undo.Store{}}
	h.suspended, h.suspend = context.WithCancel(context.Background())
	if h.dirs == (settings.Dirs{}) {
		h.dirs = settings.DefaultDirs()
	}
	if h.dirs.Worktrees == "" {
		h.dirs.Worktrees = filepath.Join(filepath.Dir(h.dirs.Private), "worktrees")
	}
	h.trees = &sandbox.Trees{Kept: filepath.Join(h.dirs.State, "searches")}
	if err := h.open(); err != nil {
		return nil, err
	}
	return h, nil
}

func (h *Harness) open() error {
	if h.options.Dir == "" {
		h.options.Dir = "."
	}
	ws, err := workspace.Open(h.options.Dir, h.options.AddDirs...)
	if err != nil {
		return inputError(err)
	}
	h.root = ws.Dir()
	h.project = cmp.Or(h.project, h.root)
	if err := ws.Close(); err != nil {
		return inputError(err)
	}
	for _, root := range append([]string{h.root}, h.options.AddDirs...) {
		if err := settings.CheckWorkspace(root, ownDirs(h.dirs)); err != nil {
			return inputError(err)
		}
	}
	if settings.IsHome(h.root) {
		h.options.Warn("the workspace is your home directory: the model may read and change all of it that is not protected, and other programs of yours may use what commands write there. Commands cannot write rein's own directories and the start files of shells and desktops. Go into a project, or name one with --cwd")
	}
	var warnings []string
	if h.layers, warnings, err = settings.Load(h.dirs, h.project); err != nil {
		return err
	}
	for _, line := range warnings {
		h.options.Warn(line)
	}
	h.settings = settings.Merge(h.layers)
	if err := h.checkOptions(); err != nil {
		return err
	}
	secrets, err := settings.SecretsOf(h.layers, h.options.Warn)
	if err != nil {
		return err
	}
	for _, s := range secrets {
		h.secrets = append(h.secrets, web.Secret(s))
	}
	h.mask = newMask(h.secrets)
	h.inbox = inbox.New(h.dirs.Sessions)
	h.store = SessionStore(h.dirs, h.options.Warn)
	h.openCopies()
	h.openLog()
	if h.reports = h.options.Reports; h.reports == nil {
		h.reports = telemetry.Open(telemetry.Options{Version: h.options.Version, Mask: h.mask.String, Warn: h.options.Warn})
	}
	top := extend.TopOfFolder(h.root)
	h.folder = extend.OpenFolder(h.dirs.TrustFile(top), top, h.settings.TrustsFolder(top))
	if h.options.Trust {
		return h.folder.Accept(h.folder.Found(h.root, true))
	}
	return nil
}

// openLog opens the operator's log. When it cannot be written, the program continues without it and warns.
func (h *Harness) openLog() {
	h.log = slog.New(slog.DiscardHandler)
	f, err := openLog(filepath.Join(h.dirs.State, "rein.log"), maxLog)
	if err != nil {
		h.options.Warn(fmt.Sprintf("no log is written: %v", err))
		return
	}
	h.logFile = f
	h.log = slog.New(slog.NewJSONHandler(h.mask.Each(f), nil))
}

// checkOptions refuses values that no session could start with.
func (h *Harness) checkOptions() error {
	_, err := settings.Mode(cmp.Or(h.options.Mode, h.settings.Mode, guard.Supervised.String()))
	_, wrong := agent.ParseOutput(h.options.Answer)
	known := func(refs ...string) error {
		return ProviderOptions(h.settings).Known(slices.DeleteFunc(slices.Clone(refs), func(ref string) bool { return h.options.Models[ref] != nil })...)
	}
	return errors.Join(usageError(err), wrongValue("sampling", "--sampling", h.options.Sampling.Check()), wrongValue("json-schema", h.options.Answer, wrong), wrongValue("model", h.options.Model, known(h.options.Model)),
		wrongValue("fallback-model", strings.Join(h.options.Fallback, ","), known(h.options.Fallback...)), usageError(settings.CheckEffort(h.options.Effort)), usageError(settings.CheckSandbox(h.options.Sandbox)), usageError(settings.CheckOffer(h.options.Offer)))
}

// Root returns the absolute path of the workspace, with links resolved.
func (h *Harness) Root() string { return h.root }

// Trust returns what the user answered about the folder that the workspace is in.
func (h *Harness) Trust() *extend.Folder { return h.folder }

// WarnUntrusted warns about what sessions do not obey of the folder because the user does not trust it. A front end that can ask the
// user asks instead.
func (h *Harness) WarnUntrusted() {
	if line := h.folder.Warning(h.root); line != "" {
		h.options.Warn(line)
	}
}

// Dirs returns the directories where this harness keeps things.
func (h *Harness) Dirs() settings.Dirs { return h.dirs }

// Settings returns the settings that hold here: all layers, merged.
func (h *Harness) Settings() settings.Settings { return h.settings }

// Inbox returns the approval requests of all sessions, also of those in other processes.
func (h *Harness) Inbox() *inbox.Inbox { return h.inbox }

// settle takes a request whose end is recorded out of the inbox. Where that fails, the session settles it when it is resumed.
func (h *Harness) settle(session, call string) {
	if err := h.inbox.Settle(session, call); err != nil {
		h.log.Warn("an approval request stays in the inbox", "session", session, "call", call, "error", err)
	}
}

// Mask returns the filter that hides secrets in all that rein writes.
func (h *Harness) Mask() *redact.Filter { return h.mask }

// Reopened opens the same directory with the settings that the files have now. Sessions of h continue with the settings that they
// began with. Both share the inbox, and both must be closed.
func (h *Harness) Reopened(ctx context.Context) (*Harness, error) {
	fresh, err := Open(ctx, h.options)
	if err != nil {
		return nil, err
	}
	fresh.inbox = h.inbox
	return fresh, nil
}

// Suspend suspends all sessions that wait for an approval, now and later: their turns end, the requests stay in the inbox,
// and Resume continues them in this process or in another one. What works continues. A program calls it before it ends.
func (h *Harness) Suspend() { h.suspend() }

// Close ends all sessions that are still open and closes the log.
func (h *Harness) Close(ctx context.Context) error {
	var err error
	for _, s := range h.sessions.Range {
		err = errors.Join(err, s.(*Session).Close(ctx))
	}
	h.suspend()
	h.pruning.work.Wait()
	err = errors.Join(err, h.store.Close())
	for _, store := range h.stores {
		err = errors.Join(err, store.Close())
	}
	if h.options.Reports == nil {
		h.reports.Close(ctx)
	}
	if h.logFile != nil {
		err = errors.Join(err, h.logFile.Close())
	}
	return err
}

// ErrorKind names who can repair a failure to open a harness or a session.
type ErrorKind uint8

// The kinds.
const (
	Internal ErrorKind = iota // none of the others
	Usage                     // an option has a value that it may not have
	Input                     // something that an option names is not there, or not usable
	Auth                      // no model can be asked: a key is missing
)

// Error is a failure with its kind. A fault in a settings file is a settings.Error instead.
type Error struct {
	Kind ErrorKind
	Err  error
}

// Error returns the text of the failure.
func (e Error) Error() string { return e.Err.Error() }

// Unwrap gives the failure.
func (e Error) Unwrap() error { return e.Err }

func withKind(k ErrorKind, err error) error {
	if err == nil {
		return nil
	}
	return Error{k, err}
}

func usageError(err error) error { return withKind(Usage, err) }
func inputError(err error) error { return withKind(Input, err) }

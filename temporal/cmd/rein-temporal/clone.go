package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"rein/app/settings"
	"rein/journal"
	"rein/kit/sandbox"
	"rein/temporal"
)

// repository is what the workspace of a session is made from.
type repository struct {
	URL string `json:"url"`
	At  string `json:"at,omitempty"` // a commit, branch or tag; "": the default branch
}

var commitName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._/-]{0,199}$`)

// check refuses what no host clones. What is in it is recorded, so it has no password.
func (r repository) check() error {
	u, err := url.Parse(r.URL)
	_, secret := u.User.Password()
	switch {
	case err != nil || u.Scheme == "" || u.Host == "" && u.Scheme != "file":
		return fmt.Errorf("%q is no address of a repository: https://HOST/PATH, or ssh://git@HOST/PATH", r.URL)
	case secret || u.User != nil && u.Scheme != "ssh":
		return errors.New("the address of the repository has a password or a name in it: git on the host has to know them (a credential helper, a key of ssh)")
	case r.At != "" && (!commitName.MatchString(r.At) || strings.Contains(r.At, "..")):
		return fmt.Errorf("%q is no name of a commit, branch or tag", r.At)
	}
	return nil
}

// clones are the workspaces that a host makes, each in a directory of its session below dir:
//
//	work    the clone, in which the session works
//	output  long outputs of calls
//	state   what undo keeps
//	base    what the clone was when it was made: see kept
type clones struct {
	dir     string
	own     string   // the queue of this worker alone
	schemes []string // of addresses
	keep    bool     // the directories of sessions that end stay
	store   temporal.Store
	host    func(ctx context.Context, dir string, dirs func(*settings.Dirs)) (*host, error)

	mu   sync.Mutex
	busy map[string]*sync.Mutex // by session: two steps of one may follow each other closely
}

// newClones prepares the directory. The worker keeps its own name there.
func newClones(dir, hostName string, schemes []string, keep bool) (*clones, error) {
	for _, s := range schemes {
		if !slices.Contains([]string{"https", "ssh", "http", "file"}, s) {
			return nil, usageError(fmt.Sprintf("--clone-from: %q is none of https, ssh, http, file", s))
		}
	}
	if _, err := exec.LookPath("git"); err != nil {
		return nil, errors.New("--clones needs git, which is not installed")
	}
	dir, err := filepath.Abs(dir)
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return nil, err
	}
	name := filepath.Join(dir, "worker")
	id, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		var random [4]byte
		_, _ = rand.Read(random[:]) // it does not fail
		id = []byte(hex.EncodeToString(random[:]))
		err = os.WriteFile(name, id, 0o600)
	}
	if err != nil {
		return nil, err
	}
	return &clones{dir: dir, own: hostName + "." + string(id), schemes: schemes, keep: keep, busy: map[string]*sync.Mutex{}}, nil
}

// hold waits until no other step of the session is at work here.
func (c *clones) hold(session string) (release func()) {
	c.mu.Lock()
	m := c.busy[session]
	if m == nil {
		m = &sync.Mutex{}
		c.busy[session] = m
	}
	c.mu.Unlock()
	m.Lock()
	return m.Unlock
}

// open makes a session for a step, and its workspace where it is not here.
func (c *clones) open(ctx context.Context, o temporal.Opening) (opened temporal.Opened, err error) {
	var is about
	if err := json.Unmarshal(o.About, &is); err != nil {
		return opened, temporal.Refused(fmt.Errorf("what the session is about cannot be read: %w", err))
	}
	release := func() {}
	if o.Task == nil { // the step above a sub-agent holds the workspace
		release = c.hold(o.Session.ID)
	}
	defer func() {
		if opened.Close == nil {
			release()
		}
	}()
	w, err := c.workspace(ctx, o, is.Clone)
	if err != nil {
		return opened, err
	}
	defer func() {
		if err != nil && w.fresh { // nobody would remove it
			_ = sandbox.RemoveAll(w.dir)
		}
	}()
	h, err := c.host(ctx, w.work(), w.dirs)
	if err != nil {
		return opened, err
	}
	h.store = c.store
	opened, err = h.open(ctx, o)
	closing := opened.Close
	opened.Close = func() error {
		defer release()
		defer h.close()
		if closing == nil {
			return nil
		}
		return closing()
	}
	if err != nil {
		return opened, err
	}
	if opened.Host = c.own; o.Task != nil {
		return opened, nil
	}
	opened.Ends, opened.Tell = true, w.news()
	opened.Keep = func(ctx context.Context, told bool) (string, error) {
		if told {
			_ = os.Remove(w.file("news")) // told twice does no harm
		}
		return w.keep(ctx, o.Kept)
	}
	return opened, nil
}

// end lets the hooks run that hear of the end of a session, and removes its directory.
func (c *clones) end(ctx context.Context, o temporal.Opening) error {
	dir, err := journal.Dir(c.dir, o.Session.ID)
	if err != nil {
		return err
	}
	defer c.hold(o.Session.ID)()
	w := &workspace{dir: dir}
	if _, err := os.Stat(w.file("base")); err == nil && c.host != nil {
		h, err := c.host(ctx, w.work(), w.dirs)
		if err == nil {
			err = h.end(ctx, o)
			h.close()
		}
		if err != nil {
			return err
		}
	}
	if c.keep {
		return nil
	}
	return sandbox.RemoveAll(dir)
}

// workspace finds the workspace of a session, or makes it.
func (c *clones) workspace(ctx context.Context, o temporal.Opening, wanted *repository) (*workspace, error) {
	dir, err := journal.Dir(c.dir, o.User())
	if err != nil {
		return nil, temporal.Refused(err)
	}
	w := &workspace{dir: dir, store: c.store, session: o.User()}
	if _, err := os.Stat(w.file("base")); err == nil {
		return w, nil
	}
	if o.Task != nil {
		return nil, errors.New("the workspace of the sub-agent is not on this machine: the session above it makes it")
	}
	had, err := w.last(ctx, o.Kept)
	if err != nil {
		return nil, err
	}
	var from repository
	switch {
	case had.URL != "": // whatever is named when a closed session goes on
		from.URL = had.URL
	case wanted != nil:
		from = *wanted
	default:
		return nil, temporal.Refused(errors.New("this host makes the workspaces of its sessions: start the session with --clone URL"))
	}
	if had.Commit != "" {
		from.At = had.Commit
	}
	if err := from.check(); err != nil {
		return nil, temporal.Refused(err)
	}
	if scheme, _, _ := strings.Cut(from.URL, ":"); !slices.Contains(c.schemes, scheme) {
		return nil, temporal.Refused(fmt.Errorf("this host clones from %s, and not from %s: --clone-from of its worker names more", strings.Join(c.schemes, ", "), scheme))
	}
	if err := sandbox.RemoveAll(dir); err != nil { // of one that was not finished
		return nil, err
	}
	w.fresh, w.url = true, from.URL
	if err = w.clone(ctx, from, c.schemes); err == nil {
		err = w.begin(ctx, had, o)
	}
	if err != nil {
		_ = sandbox.RemoveAll(dir) // the next try removes it else
		return nil, err
	}
	return w, nil
}

// workspace is the directory of a session.
type workspace struct {
	dir, session string
	store        temporal.Store
	url, commit  string
	fresh        bool // it was made for this step
}

func (w *workspace) file(name string) string { return filepath.Join(w.dir, name) }
func (w *workspace) work() string            { return w.file("work") }

// dirs puts what the session keeps beside its workspace.
func (w *workspace) dirs(d *settings.Dirs) {
	d.Output, d.State = w.file("output"), w.file("state")
}

// news is what the model has to know of the workspace; "": nothing.
func (w *workspace) news() string {
	text, _ := os.ReadFile(w.file("news")) // there is none
	return string(text)
}

const cloneTime = 30 * time.Minute

// clone makes the workspace. The credentials of the host's user count when git gets the repository, and nothing that the repository names runs: no hook,
// no filter, no submodule.
func (w *workspace) clone(ctx context.Context, from repository, schemes []string) error {
	ctx, cancel := context.WithTimeout(ctx, cloneTime)
	defer cancel()
	if err := os.MkdirAll(w.dir, 0o700); err != nil {
		return err
	}
	get := []string{"-c", "core.hooksPath=/dev/null", "-c", "protocol.allow=never"}
	for _, s := range schemes {
		get = append(get, "-c", "protocol."+s+".allow=always")
	}
	if _, err := w.git(ctx, false, append(get, "clone", "--quiet", "--no-checkout", "--template=", "--no-recurse-submodules", "--", from.URL, w.work())...); err != nil {
		return fmt.Errorf("the repository %s: %w", from.URL, err)
	}
	commit := "HEAD"
	if from.At != "" {
		commit = from.At
	}
	var err error
	for _, name := range []string{commit, "origin/" + commit} {
		if w.commit, err = w.git(ctx, true, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}"); err == nil {
			break
		}
	}
	if err != nil {
		return temporal.Refused(fmt.Errorf("the repository %s has no commit %s", from.URL, commit))
	}
	checkout := []string{"checkout", "--quiet", "--force", "--no-recurse-submodules"}
	if from.At != "" {
		checkout = append(checkout, "--detach", w.commit)
	}
	_, err = w.git(ctx, true, checkout...)
	return err
}

// git runs git in the clone, while nobody else has been there. alone means without the settings of the user and of the machine.
func (w *workspace) git(ctx context.Context, alone bool, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false"}, args...)...)
	cmd.Dir, cmd.Env = w.dir, append(os.Environ(), "GIT_TERMINAL_PROMPT=0", "LC_ALL=C", "GIT_LFS_SKIP_SMUDGE=1")
	if os.Getenv("GIT_SSH_COMMAND") == "" {
		cmd.Env = append(cmd.Env, "GIT_SSH_COMMAND=ssh -o BatchMode=yes")
	}
	if alone {
		cmd.Dir, cmd.Env = w.work(), append(cmd.Env, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_ATTR_NOSYSTEM=1", "GIT_ALLOW_PROTOCOL=none")
	}
	var says bytes.Buffer
	cmd.Stderr, cmd.WaitDelay = &says, 10*time.Second
	out, err := cmd.Output()
	if err != nil && ctx.Err() == nil && says.Len() > 0 {
		err = errors.New(short(errors.New(strings.TrimSpace(says.String()))))
	}
	return strings.TrimSpace(string(out)), err
}

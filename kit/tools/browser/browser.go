// Package browser makes the tools that use a web browser, with the names of Playwright's server: browser_navigate,
// browser_snapshot, browser_click and others.
//
// The browser is an installed Chromium, Chrome or Edge. It starts at the first call, as a program in the sandbox: it sees no
// file of the workspace that it could change, has its own profile in a directory that is removed with it, and reaches hosts
// only through the proxy of the sandbox. rein talks to it over a pipe, which no page and no other program can use.
package browser

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"strings"
	"sync"
	"time"

	"rein/kit/sandbox"
	"rein/tool"
)

// Options are what the tools need. The zero value offers no tools.
type Options struct {
	Box   sandbox.Sandbox                               // where the browser runs; nil: there is no browser
	Proxy string                                        // the address of the proxy inside the sandbox, such as "127.0.0.1:3128"; "" goes to hosts directly
	Key   Key                                           // what the proxy knows the browser by; the zero value: it is a program like others
	Look  func(program string) (path string, err error) // finds a program; nil is exec.LookPath

	// Isolated reports whether the sandbox has a network of its own. A browser starts only where it has. Nil: it has.
	Isolated func() bool
	// Hold keeps what was opened for a call open until the browser ends, or release is called. Nil: there is nothing to keep.
	Hold func(call string) (release func())
	// Refused returns the hosts that the proxy refused since a time. Nil: that is not known.
	Refused func(since time.Time) []string
	// Ask returns the call of request_access that the model should send for a host; "" if no access can be granted. Nil: there
	// is no such tool.
	Ask func(host string) string

	// File returns the absolute path of a file of the workspace, as the sandbox names it; it refuses others with a *tool.Error. Nil: no
	// page gets files.
	File func(path string) (abs string, err error)

	// Save makes a new file of the workspace. Nil: downloads are refused.
	Save     func(path string, data []byte) error
	Download int64 // bytes of one download; 0 means 64 MiB

	// Profile keeps cookies for the next browser. Nil: nothing outlives the browser.
	Profile *Profile

	Temp   string // a directory in which programs may make files, as the sandbox names it; "" is /tmp
	Memory int64  // bytes of memory of the browser; 0 means 2 GiB
	Side   int    // pixels of the longer side of a screenshot; 0 means 1568
}

// Key is how the browser shows its proxy that it is the browser, and no other program beside it.
type Key struct {
	Address  string // where the proxy asks for the password
	Password string
}

// Browser is the browser of one session.
type Browser struct {
	options Options

	calls sync.Mutex // one call at a time

	mu      sync.Mutex // guards what follows
	running *running   // nil: none has been started, or it has ended
	going   string     // host:port of the navigation that was judged last
	ended   string     // why the last one ended; told once

	limits limits
}

// limits are how long each kind of call may take.
type limits struct {
	navigate time.Duration // until a page begins to come
	load     time.Duration // after it a page is shown as far as it has come
	act      time.Duration
	evaluate time.Duration // a script of the model
	answer   time.Duration // a page that takes longer to answer hangs: its tab is replaced
	replace  time.Duration // to put a new tab in the place of one that hangs
}

func standardLimits() limits {
	return limits{navigate: 30 * time.Second, load: 10 * time.Second, act: 15 * time.Second, evaluate: 10 * time.Second, answer: 5 * time.Second, replace: 10 * time.Second}
}

// New makes the browser of a session. Nothing starts before the first call.
func New(o Options) *Browser {
	if o.Look == nil {
		o.Look = exec.LookPath
	}
	return &Browser{options: o, limits: standardLimits()}
}

// programs are the browsers that can be used, the best first. Distributions wrap some in scripts that fail in a sandbox.
func programs() []string {
	return []string{"/usr/lib/chromium/chromium", "/usr/lib/chromium-browser/chromium-browser", "chromium", "chromium-browser", "google-chrome-stable",
		"google-chrome", "microsoft-edge-stable", "microsoft-edge"}
}

// Program is the path of the browser; "" where none is installed.
func (b *Browser) Program() string {
	if b.options.Box == nil {
		return ""
	}
	for _, name := range programs() {
		if path, err := b.options.Look(name); err == nil {
			return path
		}
	}
	return ""
}

// Offered returns the tools; none where no browser is installed.
func (b *Browser) Offered() []*tool.Tool {
	if b.Program() == "" {
		return nil
	}
	return b.tools()
}

// Close ends the browser, and what it kept.
func (b *Browser) Close() error {
	r := b.take()
	if r == nil {
		return nil
	}
	r.keep(context.Background())
	return r.end()
}

// take is the running browser, or nil; it is no longer that of later calls.
func (b *Browser) take() *running {
	b.mu.Lock()
	defer b.mu.Unlock()
	r := b.running
	b.running = nil
	return r
}

// current is the running browser, or nil.
func (b *Browser) current() *running {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.running
}

// do runs one call with the page that is open.
func (b *Browser) do(ctx context.Context, limit time.Duration, work func(context.Context, *tab) error) error {
	return b.use(ctx, limit, func(ctx context.Context, r *running) error { return r.onPage(ctx, work) })
}

// use runs one call with the browser that runs. One that has ended is reported once; the next call starts a new one.
func (b *Browser) use(ctx context.Context, limit time.Duration, work func(context.Context, *running) error) error {
	b.calls.Lock()
	defer b.calls.Unlock()
	r := b.current()
	if r == nil {
		return b.none()
	}
	return b.within(ctx, limit, r, work)
}

// within runs work with a limit of time, and makes its error one for the model. Its caller holds calls.
func (b *Browser) within(ctx context.Context, limit time.Duration, r *running, work func(context.Context, *running) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errSlow)
	defer cancel()
	err := work(ctx, r)
	r.keep(ctx)
	return b.explain(ctx, err)
}

// none is the error of a call that needs a page.
func (b *Browser) none() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := &tool.Error{Kind: tool.Failed, Text: "No page is open.", Hint: "Open one with browser_navigate."}
	if b.ended != "" {
		e.Text, b.ended = b.ended, ""
	}
	return e
}

var (
	errSlow    = errors.New("the page did not answer in time")
	errCrashed = errors.New("the page crashed")
	errDialog  = errors.New("a dialog is open")
)

// explain makes an error for the model.
func (b *Browser) explain(ctx context.Context, err error) error {
	if _, ours := errors.AsType[*tool.Error](err); ours || err == nil {
		return err
	}
	switch {
	case errors.Is(err, errClosed):
		why := ""
		if r := b.take(); r != nil {
			why = r.why()
		}
		return &tool.Error{Kind: tool.Failed, Text: "The browser has ended" + why + ". Its pages and logins are gone.", Hint: "browser_navigate starts a new one."}
	case errors.Is(err, errCrashed):
		return &tool.Error{Kind: tool.Failed, Text: "The page crashed.", Hint: "Navigate again; a page that needs too much memory crashes again."}
	case errors.Is(err, errSlow):
		return &tool.Error{Kind: tool.TimedOut, Text: "The page did not answer in time: it may hang.", Hint: "Open another page with browser_navigate: a tab that hangs is replaced. browser_tabs closes it."}
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	if e, ok := errors.AsType[*cdpError](err); ok {
		return fmt.Errorf("the browser refused: %s", e.Message)
	}
	return err
}

// hostIntent is the intent of a call that acts on the page: it may contact the host of the page.
func (b *Browser) hostIntent() (tool.Intent, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	host := b.going
	if b.running != nil {
		if at := b.running.host(); at != "" {
			host = at
		}
	}
	if host == "" {
		return tool.Intent{}, &tool.Error{Kind: tool.Failed, Text: "No page is open.", Hint: "Open one with browser_navigate."}
	}
	return tool.Intent{Hosts: []string{host}}, nil
}

// OwnHost is how intents name the network of the sandbox itself, which the browser calls localhost: servers that the session
// started. No host rule needs to allow it.
const OwnHost = "sandbox.rein.internal"

// own reports whether a host is one of the sandbox's own network, which no proxy is asked about.
func own(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

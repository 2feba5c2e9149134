package extend

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"sync"
	"time"

	"rein/hook"
)

// HookRunner makes hooks of entries. Its fields do not change while it is used.
type HookRunner struct {
	Dir string // absolute path of the workspace, where programs start
	// Command runs a program in the sandbox of the session, with a text on its standard input. Nil: command hooks fail.
	Command func(ctx context.Context, p HookProgram, input []byte) (code int, stdout, stderr string, err error)
	// Client returns the client for an http hook: its policy decides which hosts may be reached. Nil: http hooks fail.
	Client  func(address string, project bool) (*http.Client, error)
	Approve bool                // hooks of the user's own files may answer approval requests
	Open    bool                // hooks that fail before a call do not deny it
	Timeout time.Duration       // of hooks that name none; 0 means hook.DefaultTimeout
	Getenv  func(string) string // for the headers of http hooks; nil means os.Getenv

	// Ask returns the answer of a model, named as provider/name; "" is the session's own. Nil: prompt hooks fail.
	Ask func(ctx context.Context, ref, system, text string) (string, error)

	// Fits reports whether a call is one that a permission rule is about, for "if". Nil: hooks with "if" fail.
	Fits func(rule, tool string, args json.RawMessage) (bool, error)

	// Trace returns the trace context of a call, or of the session for "": hooks get it. Nil: they get none.
	Trace func(call string) string

	// Running counts the async hooks that are at work. It may be nil.
	Running *sync.WaitGroup
}

// endTimeout is how long a hook may take that runs when a session is closed and names no timeout.
const endTimeout = 1500 * time.Millisecond

// Hooks makes hooks of the entries that run.
func (r HookRunner) Hooks(entries []HookEntry) []hook.Hook {
	var all []hook.Hook
	for _, e := range entries {
		if e.Skipped == "" && !e.Untrusted {
			all = append(all, r.hook(e))
		}
	}
	return all
}

func (r HookRunner) trace(in hook.Input) string {
	if r.Trace == nil {
		return ""
	}
	return r.Trace(in.Call)
}

func (r HookRunner) hook(e HookEntry) hook.Hook {
	h := hook.Hook{Name: e.Handler.Name(), Event: e.Event, Timeout: r.Timeout, Open: r.Open || e.Handler.Async,
		Approves: r.Approve && !e.File.Project, Run: func(ctx context.Context, in hook.Input) (hook.Output, error) { return r.run(ctx, e, in) }}
	h.Match, _ = e.matcher() // it could be read: see Entry.check
	if e.Event == hook.SessionEnd {
		h.Timeout = endTimeout
	}
	if s := e.Handler.Timeout; s > 0 {
		h.Timeout = time.Duration(s * float64(time.Second))
	}
	switch e.Handler.OnFailure {
	case "continue":
		h.Open = true
	case "block":
		h.Open = false
	}
	return h
}

// run runs the handler of an entry for one event.
func (r HookRunner) run(ctx context.Context, e HookEntry, in hook.Input) (hook.Output, error) {
	if e.Handler.If != "" {
		fits, err := r.fits(e.Handler.If, in)
		if err != nil || in.Tool == "" || !fits {
			return hook.Output{}, err
		}
	}
	if !e.Handler.Async {
		return r.answer(ctx, e, in)
	}
	limit := r.hook(e).Timeout
	if limit <= 0 {
		limit = hook.DefaultTimeout
	}
	work := func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
		defer cancel()
		_, _ = r.answer(ctx, e, in) // nobody waits for what it answers
	}
	if r.Running != nil {
		r.Running.Go(work)
	} else {
		go work()
	}
	return hook.Output{}, nil
}

func (r HookRunner) fits(rule string, in hook.Input) (bool, error) {
	if r.Fits == nil {
		return false, errors.New("permission rules cannot be read here")
	}
	return r.Fits(rule, in.Tool, in.Args)
}

func (r HookRunner) answer(ctx context.Context, e HookEntry, in hook.Input) (hook.Output, error) {
	text, err := encodeInput(in, e.format())
	if err != nil {
		return hook.Output{}, err
	}
	var done hookEnd
	switch e.Handler.Type {
	case "command":
		done, err = r.command(ctx, e, in, text)
	case "http":
		done, err = r.post(ctx, e, in, text)
	case "prompt":
		return r.prompt(ctx, e.Handler, text)
	}
	if err != nil {
		return hook.Output{}, err
	}
	return decodeOutput(in, e.format(), done)
}

func (r HookRunner) getenv(name string) string {
	if r.Getenv != nil {
		return r.Getenv(name)
	}
	return os.Getenv(name)
}

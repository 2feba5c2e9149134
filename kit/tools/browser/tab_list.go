package browser

import (
	"context"
	"errors"
	"slices"
	"time"

	"rein/tool"
)

// tab is the tab that is open. One is made where there is none.
func (r *running) tab(ctx context.Context) (*tab, error) {
	r.mu.Lock()
	open := r.open
	r.mu.Unlock()
	if open != nil {
		return open, nil
	}
	return r.openTab(ctx)
}

// onPage runs work with the open tab, whose page must answer.
func (r *running) onPage(ctx context.Context, work func(context.Context, *tab) error) error {
	t, err := r.tab(ctx)
	if err != nil {
		return err
	}
	if err := t.prepare(ctx); err != nil {
		return err
	}
	if err = work(ctx, t); errors.Is(err, errDialog) {
		return t.dialogError()
	}
	return err
}

// openTab makes a tab and opens it.
func (r *running) openTab(ctx context.Context) (*tab, error) {
	var made struct{ TargetID string }
	if err := r.conn.Call(ctx, "", "Target.createTarget", map[string]any{"url": "about:blank"}, &made); err != nil {
		return nil, err
	}
	t, err := r.await(ctx, made.TargetID, true)
	if err == nil {
		r.choose(t)
	}
	return t, err
}

// closeTab closes a tab, whatever its page does.
func (r *running) closeTab(ctx context.Context, t *tab) error {
	if err := r.conn.Call(ctx, "", "Target.closeTarget", map[string]any{"targetId": t.target}, nil); err != nil {
		return err
	}
	_, err := r.await(ctx, t.target, false)
	return err
}

// await waits until the browser has reported that there is, or no longer is, a tab with an id.
func (r *running) await(ctx context.Context, target string, there bool) (*tab, error) {
	for {
		r.mu.Lock()
		i, more := slices.IndexFunc(r.tabs, func(t *tab) bool { return t.target == target }), r.more
		var t *tab
		if i >= 0 {
			t = r.tabs[i]
		}
		r.mu.Unlock()
		if (t != nil) == there {
			return t, nil
		}
		select {
		case <-more:
		case <-r.conn.Done():
			return nil, errClosed
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// replace puts a new tab in the place of one whose page does not answer.
func (r *running) replace(ctx context.Context, old *tab, limit time.Duration) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errSlow)
	defer cancel()
	t, err := r.openTab(ctx)
	if err != nil {
		return err
	}
	if err := r.closeTab(ctx, old); err != nil {
		return err
	}
	r.choose(t)
	return t.prepare(ctx)
}

// ready starts the browser, or makes the one that runs ready to open a page: no page can keep its tab for itself. A tab that
// hangs is replaced, and where that fails the browser.
func (b *Browser) ready(ctx context.Context, r *tool.Reply) (*running, error) {
	before := b.current()
	run, err := b.start(ctx)
	if err != nil || run != before {
		return run, err
	}
	t, err := run.tab(ctx)
	if err == nil {
		if t.answers(ctx, b.limits.answer) {
			return run, nil
		}
		err = run.replace(ctx, t, b.limits.replace)
	}
	switch {
	case err == nil:
		r.Note("the previous page did not answer: its tab was replaced by a new one")
		return run, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	}
	_ = b.take().kill()
	r.Note("the browser did not answer: a new one was started, without the pages and logins of the old one")
	return b.start(ctx)
}

// answers reports whether the page of a tab answers in a time. An open dialog is dismissed, and so are those that follow.
func (t *tab) answers(ctx context.Context, limit time.Duration) bool {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errSlow)
	defer cancel()
	t.mu.Lock()
	open, crashed := t.dialog != nil, t.crashed
	t.dialogs = max(t.dialogs, mostDialogs)
	t.mu.Unlock()
	if crashed {
		return false
	}
	if open {
		_ = t.r.conn.Call(ctx, t.session, "Page.handleJavaScriptDialog", map[string]any{"accept": false}, nil) // the next call shows whether it helped
	}
	return t.prepare(ctx) == nil && t.r.conn.Call(ctx, t.session, "Runtime.evaluate", map[string]any{"expression": "1"}, nil) == nil
}

func (r *running) add(t *tab) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tabs = append(r.tabs, t)
	r.open = t // a page that opens another one shows it
	close(r.more)
	r.more = make(chan struct{})
}

func (r *running) remove(session string) {
	r.conn.Fail(session, errCrashed)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tabs = slices.DeleteFunc(slices.Clone(r.tabs), func(t *tab) bool { return t.session == session })
	if r.open != nil && r.open.session == session {
		if r.open = nil; len(r.tabs) > 0 {
			r.open = r.tabs[len(r.tabs)-1]
		}
	}
	close(r.more)
	r.more = make(chan struct{})
}

func (r *running) bySession(session string) *tab {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range r.tabs {
		if t.session == session {
			return t
		}
	}
	return nil
}

func (r *running) list() []*tab {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.tabs)
}

func (r *running) choose(t *tab) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open = t
}

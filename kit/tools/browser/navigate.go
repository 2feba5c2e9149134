package browser

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"rein/tool"
)

type navigateArgs struct {
	URL string `json:"url" jsonschema:"address, with http:// or https://" minLength:"1" maxLength:"4096"`
}

// address reads the address of a page. Only web pages are opened: other schemes show files and settings.
func (a navigateArgs) address() (*url.URL, error) {
	text := strings.TrimSpace(a.URL)
	if !strings.Contains(text, "://") && text != "about:blank" {
		scheme := "https://"
		if own(strings.SplitN(text, "/", 2)[0]) {
			scheme = "http://"
		}
		text = scheme + text
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, &tool.Error{Kind: tool.BadArguments, Text: "This is not an address: " + a.URL}
	case text == "about:blank":
		return u, nil
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, &tool.Error{Kind: tool.BadArguments, Text: "Only http and https addresses open here.", Hint: "Read files with read_file; serve them with bash to see them in the browser."}
	case u.User != nil:
		return nil, &tool.Error{Kind: tool.BadArguments, Text: "An address must not have a user name and a password.", Hint: "Leave them out."}
	}
	return u, nil
}

// navigateIntent contacts the host of the address.
func (b *Browser) navigateIntent(in navigateArgs) (tool.Intent, error) {
	u, err := in.address()
	if err != nil {
		return tool.Intent{}, err
	}
	t := &tab{url: u.String()}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.going = t.host(); b.going == "" { // about:blank
		b.going = OwnHost
	}
	return tool.Intent{Hosts: []string{b.going}}, nil
}

func (b *Browser) navigate(ctx context.Context, in navigateArgs, r *tool.Reply) error {
	u, err := in.address()
	if err != nil {
		return err
	}
	b.calls.Lock()
	defer b.calls.Unlock()
	run, err := b.ready(ctx, r)
	if err != nil {
		return err
	}
	if b.options.Hold != nil {
		run.mu.Lock()
		run.release = append(run.release, b.options.Hold(r.Call()))
		run.mu.Unlock()
	}
	return b.within(ctx, b.limits.navigate, run, func(ctx context.Context, run *running) error {
		return run.onPage(ctx, func(ctx context.Context, t *tab) error { return b.load(ctx, t, u, r) })
	})
}

// load opens an address in a tab and shows the page.
func (b *Browser) load(ctx context.Context, t *tab, u *url.URL, r *tool.Reply) error {
	began := time.Now()
	var gone struct{ ErrorText string }
	err := t.call(ctx, "Page.navigate", map[string]any{"url": u.String()}, &gone)
	if err == errSlow {
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancel()
		_ = t.r.conn.Call(stop, t.session, "Page.stopLoading", nil, nil)
		return &tool.Error{Kind: tool.TimedOut, Text: fmt.Sprintf("No answer from %s in %v.", u.Host, b.limits.navigate), Hint: "Try once more, or use another page."}
	}
	if err != nil {
		return err
	}
	if gone.ErrorText != "" {
		return b.unreachable(u, t.leads(u), gone.ErrorText, began)
	}
	t.settle(ctx, 200*time.Millisecond, b.limits.load)
	return b.shown(ctx, t, 0, snapshotBytes, r)
}

// unreachable is the error of a page that was not loaded: from is its address, u that to which it redirects.
func (b *Browser) unreachable(from, u *url.URL, text string, since time.Time) error {
	e := &tool.Error{Kind: tool.Failed, Text: "The page was not loaded: " + text + ".", Hint: "Check the address."}
	host := (&tab{url: u.String()}).host()
	refused := false
	if b.options.Refused != nil {
		for _, name := range b.options.Refused(since) {
			bare, _, _ := strings.Cut(name, ":")
			refused = refused || bare == u.Hostname()
		}
	}
	if refused {
		e.Kind, e.Text = tool.Denied, "The network policy refuses "+host+"."
		if b.options.Ask != nil {
			if call := b.options.Ask(host); call != "" {
				e.Hint = "If the task needs it, request access with this call: " + call
			}
		}
	}
	if u.Host != from.Host {
		e.Text = fmt.Sprintf("%s redirects to %s. %s", from.Host, u.Host, e.Text)
	}
	return e
}

type backArgs struct{}

func (b *Browser) back(ctx context.Context, _ backArgs, r *tool.Reply) error {
	return b.do(ctx, b.limits.navigate, func(ctx context.Context, t *tab) error {
		var history struct {
			CurrentIndex int
			Entries      []struct{ ID int }
		}
		if err := t.call(ctx, "Page.getNavigationHistory", nil, &history); err != nil {
			return err
		}
		if history.CurrentIndex < 1 || history.CurrentIndex > len(history.Entries) {
			return &tool.Error{Kind: tool.Failed, Text: "There is no earlier page."}
		}
		if err := t.call(ctx, "Page.navigateToHistoryEntry", map[string]any{"entryId": history.Entries[history.CurrentIndex-1].ID}, nil); err != nil {
			return err
		}
		return b.after(ctx, t, r)
	})
}

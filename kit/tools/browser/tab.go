package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"
	"time"

	"rein/tool"
)

// The limits of what is kept of a tab.
const (
	mostMessages = 200
	mostRequests = 500
	mostDialogs  = 3   // that wait for an answer, in one document; more are dismissed
	mostRefused  = 200 // that are dismissed; after them the page waits until its tab is replaced
)

// tab is one page of the browser.
type tab struct {
	r       *running
	session string
	target  string
	key     string // of the tab that shows the key to the proxy; "": it is another one

	preparing sync.Mutex
	prepared  bool

	mu       sync.Mutex // guards what follows
	url      string
	frame    string // id of the main frame
	loading  bool
	crashed  bool
	dialog   *dialog
	dialogs  int      // of this document
	chooser  *chooser // the page waits for files; nil: it does not
	messages []string
	requests []*request
	refs     map[string]int64 // elements of this document
	names    map[int64]string
	stop     context.CancelCauseFunc // ends the call that runs now
	changed  chan struct{}           // closed at each event that a call may wait for
	notes    []string                // what happened since the last call
	count    *int                    // of references, over all documents
}

type dialog struct{ Type, Message, URL string }

// request is a request of the page.
type request struct {
	id, method, url, kind string
	status                int
	failed                string
}

func newTab(r *running, session, target string) *tab {
	return &tab{r: r, session: session, target: target, refs: map[string]int64{}, names: map[int64]string{}, changed: make(chan struct{}), count: new(int)}
}

// prepare makes the page report what happens in it.
func (t *tab) prepare(ctx context.Context) error {
	t.preparing.Lock()
	defer t.preparing.Unlock()
	if t.prepared {
		return nil
	}
	for _, method := range []string{"Page.enable", "Runtime.enable", "Network.enable", "Log.enable", "Inspector.enable", "DOM.enable", "Accessibility.enable"} {
		if err := t.r.conn.Call(ctx, t.session, method, nil, nil); err != nil {
			return err
		}
	}
	if t.r.uploads {
		if err := t.r.conn.Call(ctx, t.session, "Page.setInterceptFileChooserDialog", map[string]any{"enabled": true}, nil); err != nil {
			return err
		}
	}
	var tree struct {
		FrameTree struct {
			Frame struct{ ID, URL string }
		}
	}
	if err := t.r.conn.Call(ctx, t.session, "Page.getFrameTree", nil, &tree); err != nil {
		return err
	}
	t.mu.Lock()
	t.frame, t.url = tree.FrameTree.Frame.ID, tree.FrameTree.Frame.URL
	t.mu.Unlock()
	t.prepared = true
	return nil
}

// call calls a method of the page. It ends early when a dialog opens: until it is answered the page answers nothing.
func (t *tab) call(ctx context.Context, method string, params, result any) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t.mu.Lock()
	if t.dialog != nil && method != "Page.handleJavaScriptDialog" {
		t.mu.Unlock()
		return errDialog
	}
	t.stop = cancel
	t.mu.Unlock()
	return t.r.conn.Call(ctx, t.session, method, params, result)
}

// see takes an event of the page.
func (t *tab) see(e cdpEvent) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch e.Method {
	case "Page.frameNavigated":
		t.navigated(e.Params)
	case "Page.navigatedWithinDocument":
		var p struct{ FrameID, URL string }
		if _ = json.Unmarshal(e.Params, &p); p.FrameID == t.frame {
			t.url = p.URL
		}
	case "Page.frameStartedLoading", "Page.frameStoppedLoading":
		var p struct{ FrameID string }
		if _ = json.Unmarshal(e.Params, &p); p.FrameID == t.frame {
			t.loading = e.Method == "Page.frameStartedLoading"
		}
	case "Page.javascriptDialogOpening":
		t.opened(e.Params)
	case "Page.javascriptDialogClosed":
		t.dialog = nil
	case "Fetch.requestPaused", "Fetch.authRequired":
		t.paused(e)
	case "Page.fileChooserOpened":
		t.chooses(e.Params)
	case "Inspector.targetCrashed":
		t.crashed = true
		t.r.conn.Fail(t.session, errCrashed)
	case "Page.downloadWillBegin":
		if t.r.most > 0 {
			return // see running.downloading
		}
		var p struct{ URL string }
		_ = json.Unmarshal(e.Params, &p)
		t.notes = append(t.notes, "the page wanted to download "+shorter(p.URL, 200)+": downloads are refused; http_request or bash can get it")
	case "Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded":
		t.message(e)
	case "Network.requestWillBeSent", "Network.responseReceived", "Network.loadingFailed":
		t.network(e)
	default:
		return
	}
	close(t.changed)
	t.changed = make(chan struct{})
}

// navigated begins a new document: the references of the old one are void.
func (t *tab) navigated(params json.RawMessage) {
	var p struct {
		Frame struct{ ID, ParentID, URL string }
	}
	if _ = json.Unmarshal(params, &p); p.Frame.ParentID != "" {
		return
	}
	t.frame, t.url, t.crashed, t.dialogs = p.Frame.ID, p.Frame.URL, false, 0
	t.refs, t.names = map[string]int64{}, map[int64]string{}
	t.messages, t.dialog, t.chooser = nil, nil, nil
}

// opened takes a dialog. A page that opens one after the other does not stop the work.
func (t *tab) opened(params json.RawMessage) {
	d := &dialog{}
	_ = json.Unmarshal(params, d)
	t.dialogs++
	if d.Type == "beforeunload" || t.dialogs > mostDialogs && t.dialogs <= mostDialogs+mostRefused {
		if t.dialogs == mostDialogs+1 {
			t.notes = append(t.notes, "the page opens many dialogs: they are dismissed")
		}
		accept := d.Type == "beforeunload"
		go func() { // the reader of events must not call
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
			defer cancel()
			_ = t.r.conn.Call(ctx, t.session, "Page.handleJavaScriptDialog", map[string]any{"accept": accept}, nil)
		}()
		return
	}
	t.dialog = d
	if t.stop != nil {
		t.stop(errDialog)
	}
}

// dialogError says which dialog is open.
func (t *tab) dialogError() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.dialog == nil {
		return &tool.Error{Kind: tool.Failed, Text: "A dialog was open.", Hint: "Try again."}
	}
	return &tool.Error{Kind: tool.Failed, Text: fmt.Sprintf("A dialog of the page is open (%s): %q.", t.dialog.Type, shorter(t.dialog.Message, 500)), Hint: "Answer it with browser_handle_dialog."}
}

// message keeps a line of the console.
func (t *tab) message(e cdpEvent) {
	var p struct {
		Type string
		Args []struct {
			Value       any
			Description string
		}
		ExceptionDetails struct {
			Text      string
			Exception struct{ Description string }
		}
		Entry struct{ Level, Text, URL string }
	}
	_ = json.Unmarshal(e.Params, &p)
	line := ""
	switch e.Method {
	case "Runtime.consoleAPICalled":
		var parts []string
		for _, a := range p.Args {
			if a.Value != nil {
				parts = append(parts, fmt.Sprint(a.Value))
			} else {
				parts = append(parts, a.Description)
			}
		}
		line = p.Type + ": " + strings.Join(parts, " ")
	case "Runtime.exceptionThrown":
		line = "error: " + p.ExceptionDetails.Text + " " + p.ExceptionDetails.Exception.Description
	default:
		line = p.Entry.Level + ": " + p.Entry.Text + " " + p.Entry.URL
	}
	if len(t.messages) < mostMessages {
		t.messages = append(t.messages, shorter(strings.Join(strings.Fields(line), " "), 500))
	}
}

// network keeps a request of the page, and how it ended.
func (t *tab) network(e cdpEvent) {
	var p struct {
		RequestID, Type, ErrorText, FrameID, LoaderID string
		Request                                       struct{ URL, Method string }
		Response                                      struct{ Status int }
	}
	_ = json.Unmarshal(e.Params, &p)
	if e.Method == "Network.requestWillBeSent" {
		if p.Type == "Document" && p.FrameID == t.frame && p.RequestID == p.LoaderID {
			t.requests = nil // of the page before
		}
		if len(t.requests) < mostRequests && !strings.HasPrefix(p.Request.URL, "data:") {
			t.requests = append(t.requests, &request{id: p.RequestID, method: p.Request.Method, url: p.Request.URL, kind: p.Type})
		}
		return
	}
	for i := len(t.requests) - 1; i >= 0; i-- {
		if r := t.requests[i]; r.id == p.RequestID {
			if e.Method == "Network.responseReceived" {
				r.status = p.Response.Status
			} else {
				r.failed = p.ErrorText
			}
			return
		}
	}
}

// leads is the address to which the last navigation led, after redirects; u where that is not known.
func (t *tab) leads(u *url.URL) *url.URL {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range t.requests {
		if to, err := url.Parse(r.url); err == nil && r.kind == "Document" && to.Host != "" {
			return to
		}
	}
	return u
}

// host is host:port of the page; "" where it has none.
func (t *tab) host() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	u, err := url.Parse(t.url)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	if own(u.Hostname()) {
		return net.JoinHostPort(OwnHost, port)
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// settle waits until the page has loaded, or for a while.
func (t *tab) settle(ctx context.Context, first, most time.Duration) {
	select {
	case <-ctx.Done():
		return
	case <-time.After(first):
	}
	deadline := time.After(most)
	for {
		t.mu.Lock()
		loading, changed, open := t.loading, t.changed, t.dialog != nil
		t.mu.Unlock()
		if !loading || open {
			return
		}
		select {
		case <-changed:
		case <-deadline:
			return
		case <-ctx.Done():
			return
		}
	}
}

// takeNotes returns what happened since the last call.
func (t *tab) takeNotes() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	notes := t.notes
	t.notes = nil
	return notes
}

func shorter(text string, most int) string {
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

package browser

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"sync"
	"time"

	"rein/kit/sandbox"
	"rein/tool"
)

const (
	startTime     = 20 * time.Second
	defaultMemory = 2 << 30
	politeTime    = 5 * time.Second // to end by itself and to remove its files
	mostTabs      = 8
	mostLog       = 4 << 10 // of what the browser writes about itself
)

// running is a browser that was started.
type running struct {
	conn    *cdpConn
	process sandbox.Process
	pipes   []*os.File
	waited  chan struct{} // closed when the process has ended
	exit    sandbox.Exit
	uploads bool   // pages may ask for files
	dir     string // of the browser alone, as the sandbox names it: its profile and downloads
	most    int64  // bytes of a download; 0: there are none

	mu      sync.Mutex // guards what follows
	log     []byte
	tabs    []*tab
	open    *tab
	started time.Time
	release []func()
	more    chan struct{} // closed when the list of tabs, or a download, changes

	downloads []*download

	profile *Profile // nil: nothing outlives the browser
	keeping sync.Mutex
	kept    string // the cookies that the profile has; guarded by keeping
}

// flags of the browser. It has no sandbox of its own: it runs in ours, where it cannot make namespaces.
func flags(proxy string) []string {
	all := []string{"--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--no-default-browser-check",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-default-apps", "--disable-extensions",
		"--disable-breakpad", "--disable-crash-reporter", "--no-zygote", "--disable-quic", "--metrics-recording-only", "--mute-audio",
		"--password-store=basic", "--use-mock-keychain", "--hide-scrollbars", "--no-startup-window", "--window-size=1280,800", "--remote-debugging-pipe",
		"--disable-features=IsolateOrigins,site-per-process,Translate", "--disable-site-isolation-trials",
		"--force-webrtc-ip-handling-policy=disable_non_proxied_udp"}
	if proxy != "" {
		all = append(all, "--proxy-server=http://"+proxy, "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1, EXCLUDE localhost, EXCLUDE ::1")
	}
	return all
}

// script starts the browser with its pipes where it expects them, and a profile that nobody else sees. It is removed with the
// private files of the sandbox.
const script = `d=$1; shift; mkdir -m 700 "$d" || exit 1; trap 'rm -rf "$d"' EXIT; export HOME="$d"; "$@" --user-data-dir="$d" 3<&0 4>&1 </dev/null >/dev/null`

// start starts the browser, or returns the one that runs.
func (b *Browser) start(ctx context.Context) (*running, error) {
	if r := b.current(); r != nil {
		select {
		case <-r.conn.Done():
			_ = b.Close()
		default:
			return r, nil
		}
	}
	if b.options.Isolated != nil && !b.options.Isolated() {
		return nil, &tool.Error{Kind: tool.Unsupported, Text: "The sandbox has no network of its own here, so no browser is started.", Hint: "Use web_fetch."}
	}
	r, err := b.launch(ctx)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	b.running, b.ended = r, ""
	b.mu.Unlock()
	return r, nil
}

func (b *Browser) launch(ctx context.Context) (*running, error) {
	r := &running{waited: make(chan struct{}), started: time.Now(), more: make(chan struct{}), uploads: b.options.File != nil}
	var files [6]*os.File // read and write ends: input, output, errors
	for i := 0; i < len(files); i += 2 {
		var err error
		if files[i], files[i+1], err = os.Pipe(); err != nil {
			return nil, err
		}
	}
	memory := b.options.Memory
	if memory == 0 {
		memory = defaultMemory
	}
	r.dir = path.Join(cmp.Or(b.options.Temp, "/tmp"), "rein-browser-"+rand.Text()[:10])
	if b.options.Save != nil {
		r.most = cmp.Or(b.options.Download, defaultDownload)
	}
	argv := append([]string{"sh", "-c", script, "sh", r.dir, b.Program()}, flags(b.options.Proxy)...)
	process, err := b.options.Box.Start(ctx, sandbox.Spec{Argv: argv, Dir: "/", Stdin: files[0], Stdout: files[3], Stderr: files[5], ReadOnly: true,
		Env: []string{"DBUS_SESSION_BUS_ADDRESS=disabled:"}, Limits: sandbox.Limits{Memory: memory, FileSize: 256 << 20}})
	files[0].Close()
	files[3].Close()
	files[5].Close()
	r.pipes = []*os.File{files[1], files[2], files[4]}
	if err != nil {
		r.closePipes()
		return nil, fmt.Errorf("the browser was not started: %w", err)
	}
	r.process = process
	go r.keepLog(files[4])
	go func() {
		r.exit, _ = process.Wait() // why it ended is in the log
		close(r.waited)
	}()
	r.conn = newCDPConn(files[2], files[1], r.see)
	ctx, cancel := context.WithTimeoutCause(ctx, startTime, errSlow)
	defer cancel()
	if err := r.attach(ctx, b.options.Key, b.options.Profile); err != nil {
		why := r.why()
		_ = r.end()
		return nil, &tool.Error{Kind: tool.Failed, Text: "The browser did not start" + why + ".", Hint: "rein doctor says more; use web_fetch."}
	}
	return r, nil
}

// attach makes the browser report its tabs and their events. Files are downloaded only where they can be saved, under names of the
// browser's own.
func (r *running) attach(ctx context.Context, k Key, p *Profile) error {
	behavior := map[string]any{"behavior": "deny", "eventsEnabled": true}
	if r.most > 0 {
		behavior = map[string]any{"behavior": "allowAndName", "downloadPath": path.Join(r.dir, downloadDir), "eventsEnabled": true}
	}
	err := r.conn.Call(ctx, "", "Browser.setDownloadBehavior", behavior, nil)
	if err != nil {
		return err
	}
	err = r.conn.Call(ctx, "", "Target.setAutoAttach", map[string]any{"autoAttach": true, "waitForDebuggerOnStart": false, "flatten": true,
		"filter": []map[string]any{{"type": "page"}}}, nil)
	if err != nil {
		return err
	}
	if k.Password != "" {
		if err := r.identify(ctx, k); err != nil {
			return err
		}
	}
	r.restore(ctx, p)
	t, err := r.tab(ctx)
	if err != nil {
		return err
	}
	return t.prepare(ctx)
}

// see takes an event of the browser.
func (r *running) see(e cdpEvent) {
	switch e.Method {
	case "Target.attachedToTarget":
		var p struct {
			Session string `json:"sessionId"`
			Target  struct {
				ID   string `json:"targetId"`
				Type string `json:"type"`
			} `json:"targetInfo"`
		}
		_ = json.Unmarshal(e.Params, &p)
		if p.Target.Type == "page" {
			r.add(newTab(r, p.Session, p.Target.ID))
		}
	case "Target.detachedFromTarget":
		var p struct {
			Session string `json:"sessionId"`
		}
		_ = json.Unmarshal(e.Params, &p)
		r.remove(p.Session)
	case "Browser.downloadWillBegin", "Browser.downloadProgress":
		if r.most > 0 {
			r.downloading(e)
		}
	default:
		if t := r.bySession(e.Session); t != nil {
			t.see(e)
		}
	}
}

// host is that of the open page; "" where it has none.
func (r *running) host() string {
	r.mu.Lock()
	t := r.open
	r.mu.Unlock()
	if t == nil {
		return ""
	}
	return t.host()
}

// keepLog keeps the end of what the browser writes about itself.
func (r *running) keepLog(in io.Reader) {
	buf := make([]byte, 4096)
	for {
		n, err := in.Read(buf)
		r.mu.Lock()
		r.log = append(r.log, buf[:n]...)
		r.log = r.log[max(0, len(r.log)-mostLog):]
		r.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// why says why the browser ended, if that is known.
func (r *running) why() string {
	select {
	case <-r.waited:
	case <-time.After(time.Second):
		return ""
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch lines := strings.Split(strings.TrimSpace(string(r.log)), "\n"); {
	case r.exit.Limit != "":
		return " (it reached the limit: " + r.exit.Limit + ")"
	case r.exit.Code > 0 && lines[len(lines)-1] != "":
		return fmt.Sprintf(" (exit code %d: %.200s)", r.exit.Code, lines[len(lines)-1])
	}
	return ""
}

// end ends the browser and all it started. It has a moment to end by itself.
func (r *running) end() error {
	ctx, cancel := context.WithTimeout(context.Background(), politeTime)
	defer cancel()
	if r.conn != nil && r.conn.Call(ctx, "", "Browser.close", nil, nil) == nil {
		select {
		case <-r.waited:
		case <-ctx.Done():
		}
	}
	return r.kill()
}

// kill ends the browser and all it started at once.
func (r *running) kill() error {
	err := r.process.Kill()
	select {
	case <-r.waited:
	case <-time.After(2 * time.Second):
		err = errors.Join(err, errors.New("the browser did not end"))
	}
	r.closePipes()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, release := range r.release {
		release()
	}
	r.release = nil
	return err
}

func (r *running) closePipes() {
	for _, p := range r.pipes {
		p.Close()
	}
}

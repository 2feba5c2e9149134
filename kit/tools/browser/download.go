package browser

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"time"

	"rein/kit/document"
	"rein/kit/sandbox"
	"rein/tool"
)

// downloadDir is where the browser puts files that pages give, in its own directory.
const downloadDir = "downloads"

const (
	defaultDownload = 64 << 20
	mostDownloads   = 10 // of one browser; more are refused
)

// download is a file that a page gave. It is in the browser's own directory until it is saved.
type download struct {
	id, url, name string
	state         string // inProgress, completed or canceled
	size          int64  // bytes that came
	large         bool   // it was cancelled because of its size
}

type downloadArgs struct {
	Path string `json:"path" jsonschema:"new file in the workspace" minLength:"1"`
	Name string `json:"name,omitempty" jsonschema:"name of the file as the page calls it; default: the last one"`
}

// downloadTool is the tool browser_download. A page never writes into the workspace: this call does, and is judged as a write.
func (b *Browser) downloadTool() *tool.Tool {
	t := tool.New("browser_download", "Save a file that the page offered for download as a new file in the workspace.", tool.Reads|tool.Writes, b.save)
	t.Intent = tool.IntentBy(func(in downloadArgs) (tool.Intent, error) {
		return tool.Intent{Reads: []string{in.Path}, Writes: []string{in.Path}}, nil
	})
	return t
}

func (b *Browser) save(ctx context.Context, in downloadArgs, r *tool.Reply) error {
	return b.use(ctx, b.limits.navigate, func(ctx context.Context, run *running) error {
		d, err := run.downloaded(ctx, in.Name)
		if err != nil {
			return err
		}
		data, err := b.fetched(ctx, run, d)
		if err != nil {
			return err
		}
		if err := b.options.Save(in.Path, data); err != nil {
			return err
		}
		fmt.Fprintf(r, "Saved %s: %d bytes from %s. What it says was written by others.\n", in.Path, len(data), document.Printable(hostOf(d.url)))
		return nil
	})
}

// beginsWithin is how long a click may take until its download begins: the call that saves the file often comes at once.
const beginsWithin = 3 * time.Second

// downloaded waits for a file: the last one with the name.
func (r *running) downloaded(ctx context.Context, name string) (download, error) {
	late := time.After(beginsWithin)
	for {
		r.mu.Lock()
		var found *download
		for _, d := range r.downloads {
			if name == "" || d.name == name {
				found = d
			}
		}
		var d download
		if found != nil {
			d = *found
		}
		more := r.more
		r.mu.Unlock()
		switch {
		case d.large:
			return d, &tool.Error{Kind: tool.TooLarge, Text: fmt.Sprintf("%s is larger than %d MiB: the download was stopped.", shorter(d.name, 100), r.most>>20), Hint: "The user can raise browser.download in the settings."}
		case d.state == "canceled":
			return d, &tool.Error{Kind: tool.Failed, Text: "The download of " + shorter(d.name, 100) + " failed.", Hint: "Start it again."}
		case d.state == "completed":
			return d, nil
		}
		if found != nil {
			late = nil
		}
		select {
		case <-more:
		case <-late:
			return d, &tool.Error{Kind: tool.NotFound, Text: "The page offered no such file for download.", Hint: "Click what starts the download first; a note names the file."}
		case <-r.conn.Done():
			return d, errClosed
		case <-ctx.Done():
			return d, context.Cause(ctx)
		}
	}
}

// fetched reads a file out of the browser's directory, with a program in the sandbox: rein itself does not see it.
func (b *Browser) fetched(ctx context.Context, r *running, d download) ([]byte, error) {
	var out bytes.Buffer
	spec := sandbox.Spec{Argv: []string{"cat", path.Join(r.dir, downloadDir, d.id)}, Dir: "/", ReadOnly: true, Limits: sandbox.Limits{Output: r.most + 1}}
	result, err := sandbox.Run(ctx, b.options.Box, spec, &out, 20*time.Second)
	switch {
	case err != nil:
		return nil, err
	case result.Code != 0 || result.TimedOut || result.Limit != "":
		return nil, &tool.Error{Kind: tool.Failed, Text: "The file could not be read: " + shorter(out.String(), 200), Hint: "Start the download again."}
	case int64(out.Len()) > r.most:
		return nil, &tool.Error{Kind: tool.TooLarge, Text: fmt.Sprintf("%s is larger than %d MiB.", shorter(d.name, 100), r.most>>20)}
	}
	return out.Bytes(), nil
}

// downloading takes an event about a download.
func (r *running) downloading(e cdpEvent) {
	var p struct {
		GUID, URL, SuggestedFilename, State string
		ReceivedBytes, TotalBytes           float64
	}
	_ = json.Unmarshal(e.Params, &p)
	if strings.ContainsAny(p.GUID, "/\\.") {
		return
	}
	cancel := false
	r.mu.Lock()
	defer func() {
		close(r.more)
		r.more = make(chan struct{})
		r.mu.Unlock()
		if cancel { // the reader of events must not wait
			go func() {
				_ = r.conn.Call(context.Background(), "", "Browser.cancelDownload", map[string]any{"guid": p.GUID}, nil)
			}()
		}
	}()
	if e.Method == "Browser.downloadWillBegin" {
		if len(r.downloads) >= mostDownloads {
			cancel = true
			r.tell("the page wants to download more files than are kept: it is refused")
			return
		}
		d := &download{id: p.GUID, url: p.URL, name: document.Printable(shorter(path.Base(p.SuggestedFilename), 200)), state: "inProgress"}
		r.downloads = append(r.downloads, d)
		r.tell(fmt.Sprintf("the page offers the file %q for download: browser_download saves it", d.name))
		return
	}
	for _, d := range r.downloads {
		if d.id != p.GUID {
			continue
		}
		d.state, d.size = p.State, int64(p.ReceivedBytes)
		if max(d.size, int64(p.TotalBytes)) > r.most && !d.large {
			d.large, cancel = true, true
			r.tell(fmt.Sprintf("the download of %q was stopped: it is larger than %d MiB", d.name, r.most>>20))
		}
	}
}

// tell keeps a note for the next result. The caller holds mu.
func (r *running) tell(note string) {
	if t := r.open; t != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.notes = append(t.notes, note)
	}
}

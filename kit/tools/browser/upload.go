package browser

import (
	"context"
	"encoding/json"
	"fmt"

	"rein/tool"
)

// mostFiles is how many files one call gives to a page.
const mostFiles = 10

type uploadArgs struct {
	Paths []string `json:"paths,omitempty" jsonschema:"files of the workspace; none: choose no file" maxItems:"10"`
}

// chooser is a page that waits for files.
type chooser struct {
	Mode          string // selectSingle, selectMultiple
	BackendNodeID int64
}

// uploadTool is the tool browser_file_upload. The files leave the machine, so each call needs an approval.
func (b *Browser) uploadTool() *tool.Tool {
	t := tool.New("browser_file_upload", "Upload files to the page, after a click on its file field has opened a file chooser.", tool.Reads|tool.Reaches, b.upload)
	t.Intent = tool.IntentBy(func(in uploadArgs) (tool.Intent, error) {
		i, err := b.hostIntent()
		if err == nil && len(in.Paths) > 0 {
			_, err = b.files(in.Paths)
			i.Reads, i.Unknown = in.Paths, true
		}
		return i, err
	})
	return t
}

// files returns the absolute paths of files of the workspace.
func (b *Browser) files(paths []string) (all []string, err error) {
	if len(paths) > mostFiles {
		return nil, &tool.Error{Kind: tool.TooLarge, Text: fmt.Sprintf("%d files, at most %d go in one call.", len(paths), mostFiles)}
	}
	for _, p := range paths {
		abs, err := b.options.File(p)
		if err != nil {
			return nil, err
		}
		all = append(all, abs)
	}
	return all, nil
}

func (b *Browser) upload(ctx context.Context, in uploadArgs, r *tool.Reply) error {
	files, err := b.files(in.Paths)
	if err != nil {
		return err
	}
	return b.do(ctx, b.limits.act, func(ctx context.Context, t *tab) error {
		t.mu.Lock()
		c := t.chooser
		t.mu.Unlock()
		switch {
		case c == nil:
			return &tool.Error{Kind: tool.Failed, Text: "No file chooser is open.", Hint: "Click the field for files first (browser_click)."}
		case c.Mode == "selectSingle" && len(files) > 1:
			return &tool.Error{Kind: tool.BadArguments, Text: "The page takes one file.", Hint: "Send one path."}
		}
		if len(files) > 0 {
			if err := t.call(ctx, "DOM.setFileInputFiles", map[string]any{"files": files, "backendNodeId": c.BackendNodeID}, nil); err != nil {
				return err
			}
		}
		t.mu.Lock()
		t.chooser = nil
		t.mu.Unlock()
		fmt.Fprintf(r, "Files chosen: %d.\n", len(files))
		return b.after(ctx, t, r)
	})
}

// chooses notes that the page waits for files. The caller holds mu.
func (t *tab) chooses(params json.RawMessage) {
	c := &chooser{}
	if json.Unmarshal(params, c) == nil && c.BackendNodeID != 0 {
		t.chooser = c
		t.notes = append(t.notes, "the page waits for a file: upload one with browser_file_upload")
	}
}

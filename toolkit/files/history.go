package files

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"rein/workspace"
)

// History keeps what the tools of one session replaced, so that it can be restored: contents in Dir/objects under their
// SHA-256, changes in Dir/changes.jsonl. A nil *History keeps nothing. Several goroutines may use it at once.
type History struct {
	Dir string // of the session, outside of the workspace; made when it is needed

	mu      sync.Mutex
	changes []Changed
	loaded  bool
}

// Changed is one change of one file. An empty sum means that there was no file.
type Changed struct {
	ID     int       `json:"id"` // from one
	Time   time.Time `json:"time"`
	Call   string    `json:"call,omitempty"` // the call that made it
	Path   string    `json:"path"`           // canonical
	Before string    `json:"before,omitempty"`
	After  string    `json:"after,omitempty"`
	Undoes int       `json:"undoes,omitempty"` // the change that this one undid
}

// Keep stores the two contents of a change before it is made; nil means that there is no file. The
// caller gives the result to Note when the change is made.
func (h *History) Keep(path string, before, after []byte) (Changed, error) {
	c := Changed{Path: path}
	if h == nil {
		return c, nil
	}
	var err error
	if before != nil {
		if c.Before, err = h.store(before); err != nil {
			return c, err
		}
	}
	if after != nil {
		c.After, err = h.store(after)
	}
	return c, err
}

// store writes a content under its sum, unless it exists.
func (h *History) store(data []byte) (string, error) {
	sum := fmt.Sprintf("%x", workspace.SumOf(data))
	dir := filepath.Join(h.Dir, "objects", sum[:2])
	name := filepath.Join(dir, sum[2:])
	if _, err := os.Stat(name); err == nil {
		return sum, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dir, ".new-")
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Close()) // not synced: Content sees by its sum what a power cut has taken
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // what counts is why it was not written
		return "", err
	}
	return sum, nil
}

// Content returns a content by its sum. A damaged content is an error.
func (h *History) Content(sum string) ([]byte, error) {
	if len(sum) < 3 {
		return nil, fs.ErrNotExist
	}
	data, err := os.ReadFile(filepath.Join(h.Dir, "objects", sum[:2], sum[2:]))
	if err == nil && fmt.Sprintf("%x", workspace.SumOf(data)) != sum {
		return nil, fmt.Errorf("the kept content %s is damaged", sum[:8])
	}
	return data, err
}

// Note records that a change was made.
func (h *History) Note(c Changed) error {
	if h == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.load(); err != nil {
		return err
	}
	c.ID, c.Time = len(h.changes)+1, time.Now().UTC()
	line, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(h.Dir, 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(h.Dir, "changes.jsonl"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	if err = errors.Join(err, f.Close()); err == nil {
		h.changes = append(h.changes, c)
	}
	return err
}

// load reads the changes of an earlier process of the same session. An incomplete last line is ignored.
func (h *History) load() error {
	if h.loaded {
		return nil
	}
	data, err := os.ReadFile(filepath.Join(h.Dir, "changes.jsonl"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, len(data)+1)
	for lines.Scan() {
		var c Changed
		if json.Unmarshal(lines.Bytes(), &c) == nil && c.Path != "" {
			h.changes = append(h.changes, c)
		}
	}
	h.loaded = true
	return nil
}

// Last is the last change of a file that was not undone; ok is false if there is none.
func (h *History) Last(path string) (c Changed, ok bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.load(); err != nil {
		return c, false, err
	}
	undone := map[int]bool{}
	for i := len(h.changes) - 1; i >= 0; i-- {
		switch c := h.changes[i]; {
		case c.Undoes > 0:
			undone[c.Undoes] = true
		case c.Path == path && !undone[c.ID]:
			return c, true, nil
		}
	}
	return c, false, nil
}

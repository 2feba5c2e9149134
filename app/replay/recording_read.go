package replay

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"rein/internal/plainfile"
)

// Recording is what a recording holds.
type Recording struct {
	Systems   map[string]string         // system prompts by their sums
	Tools     map[string][]RecordedTool // the tools of requests by their sums
	Exchanges []Exchange
	Full      bool // the limit was reached: later exchanges are missing
}

// schemas are the definitions of the tools by their names, the last one of each.
func (r *Recording) schemas() map[string]json.RawMessage {
	all := map[string]json.RawMessage{}
	if r == nil {
		return all
	}
	for _, e := range r.Exchanges {
		for _, t := range r.Tools[e.Tools] {
			all[t.Name] = t.Schema
		}
	}
	return all
}

// last returns what the last request of a session had: its system prompt and its tools.
func (r *Recording) last(session string) (system string, tools map[string]string) {
	tools = map[string]string{}
	if r == nil {
		return "", tools
	}
	for _, e := range slices.Backward(r.Exchanges) {
		if e.Session == session {
			for _, t := range r.Tools[e.Tools] {
				tools[t.Name] = t.Description + "\n" + canonical(t.Schema)
			}
			return r.Systems[e.System], tools
		}
	}
	return "", tools
}

// CompareRecordings says how what the models of two runs got differs: the system prompt and the tools. Nil where one is not recorded.
func (d *Diff) CompareRecordings(a, b *Recording) (all []Change) {
	if a == nil || b == nil {
		return nil
	}
	x, toolsA := a.last(d.A.Session)
	y, toolsB := b.last(d.B.Session)
	if x, y := d.A.short(x), d.B.short(y); x != y {
		all = append(all, Change{"system prompt", x, y})
	}
	names := maps.Clone(toolsA)
	maps.Copy(names, toolsB)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if toolsA[name] != toolsB[name] {
			all = append(all, Change{Aspect("tool " + name), toolsA[name], toolsB[name]})
		}
	}
	return all
}

// ReadRecording reads the recording in the directory of a session. There is none: fs.ErrNotExist. What a crash cut off at the end is left
// out.
func ReadRecording(dir string) (*Recording, error) {
	r := &Recording{Systems: map[string]string{}, Tools: map[string][]RecordedTool{}}
	err := readLines(filepath.Join(dir, RecordingName), func(l recordedLine) {
		switch {
		case l.Exchange != nil:
			r.Exchanges = append(r.Exchanges, *l.Exchange)
		case l.Full:
			r.Full = true
		case l.Tools != nil:
			r.Tools[l.Sum] = l.Tools
		case l.Sum != "":
			r.Systems[l.Sum] = l.System
		}
	})
	return r, err
}

// readLines reads the lines of a file. One that is no JSON is left out: a crash cut it off.
func readLines(name string, see func(recordedLine)) error {
	f, err := plainfile.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	for lines := bufio.NewReader(f); ; {
		text, err := lines.ReadBytes('\n')
		var l recordedLine
		if json.Unmarshal(text, &l) == nil {
			see(l)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

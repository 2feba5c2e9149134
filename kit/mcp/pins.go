package mcp

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Definition is what a server says about one of its tools.
type Definition struct {
	Name        string          `json:"name"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"schema"` // of the arguments, compact
	Annotations json.RawMessage `json:"annotations,omitempty"`
	Output      json.RawMessage `json:"output,omitempty"` // the schema of its results
}

// Hash identifies all of the definition.
func (d *Definition) Hash() string {
	text, _ := json.Marshal(d)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// suspicions are those of every text of the definition that the model reads.
func (d *Definition) suspicions() []string {
	return findSuspicions(d.Name + "\n" + d.Title + "\n" + d.Description + "\n" + texts(d.Schema) + "\n" + texts(d.Output))
}

// texts joins all texts of a JSON document, its keys too.
func texts(doc json.RawMessage) string {
	var b strings.Builder
	dec := json.NewDecoder(bytes.NewReader(doc))
	for {
		token, err := dec.Token()
		if err != nil {
			return b.String()
		}
		if s, ok := token.(string); ok {
			b.WriteString(s)
			b.WriteByte('\n')
		}
	}
}

// pin is a tool as it was when it was first seen, or last approved.
type pin struct {
	Definition
	Approved bool        `json:"approved,omitempty"` // a person has seen what the scanner found
	Changed  *Definition `json:"changed,omitempty"`  // what the server says now, where that is something else

	scanned bool // nothing suspicious was found
}

// pins are the pinned definitions of one server, in a file. Several processes may use it: the last writer wins, and what it
// did not know is asked again. Its methods may be called at once.
type pins struct {
	File string `json:"-"` // "": in memory only

	mu    sync.Mutex
	read  bool
	Tools []pin `json:"tools"`
}

// load reads the file once. A file that cannot be read counts as empty and is reported.
func (p *pins) load() error {
	if p.read || p.File == "" {
		return nil
	}
	p.read = true
	text, err := os.ReadFile(p.File)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(text, p)
	}
	if err != nil {
		p.Tools = nil
		return fmt.Errorf("the pinned definitions cannot be read: %w", err)
	}
	return nil
}

// save writes the file whole or not at all.
func (p *pins) save() error {
	if p.File == "" {
		return nil
	}
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(p.File), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(p.File), ".pins-*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), p.File)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// Take compares what the server lists with what is pinned. What is new is pinned; what changed waits for an approval and
// keeps its pinned definition until then.
func (p *pins) Take(listed []Definition) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.load() // reported by the first reader
	var before []string
	for i := range p.Tools {
		before = append(before, p.Tools[i].Name)
	}
	changed := false
	for _, d := range listed {
		i := slices.Index(before, d.Name)
		switch {
		case i < 0:
			p.Tools, before, changed = append(p.Tools, pin{Definition: d}), append(before, d.Name), true
		case p.Tools[i].Hash() == d.Hash():
			changed = changed || p.Tools[i].Changed != nil
			p.Tools[i].Changed = nil
		case p.Tools[i].Changed == nil || p.Tools[i].Changed.Hash() != d.Hash():
			p.Tools[i].Changed, changed = &d, true
		}
	}
	if !changed {
		return nil
	}
	return p.save()
}

// get returns the pin of a tool.
func (p *pins) get(name string) (pin, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := p.index(name); i >= 0 {
		return p.Tools[i], true
	}
	return pin{}, false
}

func (p *pins) index(name string) int {
	_ = p.load()
	return slices.IndexFunc(p.Tools, func(t pin) bool { return t.Name == name })
}

// All returns the pinned definitions, in the order in which they came.
func (p *pins) All() ([]Definition, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	err := p.load()
	list := make([]Definition, len(p.Tools))
	for i := range p.Tools {
		list[i] = p.Tools[i].Definition
	}
	return list, err
}

// Question is what a person must approve before the tool may be called; "" when nothing. hash identifies what is asked.
func (p *pins) Question(name string) (question, hash string) {
	t, ok := p.get(name)
	switch {
	case !ok:
		return "", ""
	case t.Changed != nil:
		question = "its server changed the definition since it was first used:\n" + diffDefinitions(t.Definition, *t.Changed)
		for _, s := range t.Changed.suspicions() {
			question += "\nnow " + s
		}
		return question, t.Changed.Hash()
	case !t.Approved && !t.scanned:
		if found := t.suspicions(); len(found) > 0 {
			return "its description looks as if it were meant to steer the model: " + strings.Join(found, "; "), t.Hash()
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		if i := p.index(name); i >= 0 && p.Tools[i].Changed == nil {
			p.Tools[i].scanned = true
		}
	}
	return "", ""
}

// Approve takes the definition with that hash as the pinned one.
func (p *pins) Approve(name, hash string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := p.index(name)
	if i < 0 {
		return nil
	}
	t := &p.Tools[i]
	switch {
	case t.Changed != nil && t.Changed.Hash() == hash:
		t.Definition, t.Changed, t.scanned = *t.Changed, nil, false
	case t.Changed != nil || t.Hash() != hash:
		return nil // it changed again since the question
	}
	t.Approved = true
	return p.save()
}

// diffDefinitions shows what is different between two definitions of a tool, a line with "-" and one with "+" for each.
func diffDefinitions(before, now Definition) string {
	var b strings.Builder
	side := func(what, a, z string) {
		if a != z {
			a, z = withoutSameBeginning(a, z)
			fmt.Fprintf(&b, "- %s: %s\n+ %s: %s\n", what, shorten(a), what, shorten(z))
		}
	}
	side("title", quoted(before.Title), quoted(now.Title))
	side("description", quoted(before.Description), quoted(now.Description))
	side("annotations", string(before.Annotations), string(now.Annotations))
	side("results", string(before.Output), string(now.Output))
	was, is := members(before.Schema), members(now.Schema)
	for _, key := range keysOf(was, is) {
		side(key, was[key], is[key])
	}
	if b.Len() == 0 && string(before.Schema) != string(now.Schema) {
		side("schema", string(before.Schema), string(now.Schema))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// quoted shows a text with all that is hidden in it.
func quoted(s string) string { return fmt.Sprintf("%+q", s) }

// longestSide is how much of a text that changed is shown, in bytes.
const longestSide = 4000

// withoutSameBeginning leaves out a long beginning that two texts share, so that what is cut off at the end is not the difference.
func withoutSameBeginning(a, z string) (string, string) {
	same := 0
	for same < min(len(a), len(z)) && a[same] == z[same] {
		same++
	}
	if same -= 100; same < 300 { // what stands before the difference is shown, too
		return a, z
	}
	return "…" + strings.ToValidUTF8(a[same:], ""), "…" + strings.ToValidUTF8(z[same:], "")
}

func shorten(s string) string {
	if len(s) > longestSide {
		return strings.ToValidUTF8(s[:longestSide], "") + fmt.Sprintf("… (%d bytes)", len(s))
	}
	if s == "" {
		return "(none)"
	}
	return s
}

// members are the parts of a schema: each argument, and what else the schema says.
func members(schema json.RawMessage) map[string]string {
	var top map[string]json.RawMessage
	if json.Unmarshal(schema, &top) != nil {
		return nil
	}
	parts := map[string]string{}
	for key, value := range top {
		var properties map[string]json.RawMessage
		if key == "properties" && json.Unmarshal(value, &properties) == nil {
			for name, v := range properties {
				parts["argument "+name] = string(v)
			}
			continue
		}
		parts[key] = string(value)
	}
	return parts
}

func keysOf(maps ...map[string]string) (keys []string) {
	for _, m := range maps {
		for k := range m {
			if !slices.Contains(keys, k) {
				keys = append(keys, k)
			}
		}
	}
	slices.Sort(keys)
	return keys
}

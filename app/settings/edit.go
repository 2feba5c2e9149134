package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"rein/internal/plainfile"
	"rein/kit/jsonc"
)

// Edit is a settings file with changes that are not written yet. Comments stay.
type Edit struct {
	file string
	doc  hujson.Value
}

// OpenEdit reads a settings file. A file that is not there is empty.
func OpenEdit(file string) (*Edit, error) {
	old, err := plainfile.Read(file)
	if errors.Is(err, fs.ErrNotExist) {
		old, err = []byte("{}"), nil
	}
	if err != nil {
		return nil, err
	}
	doc, err := hujson.Parse(old)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, jsonc.Broken(err))
	}
	return &Edit{file, doc}, nil
}

// Add adds a value to the end of a list, at a path of two names: "/permissions/allow".
func (e *Edit) Add(list string, value any) error {
	encoded, err := json.Marshal(value)
	if err != nil {
		return err
	}
	for _, step := range []struct{ path, value string }{{path.Dir(list), `{}`}, {list, `[]`}, {list + "/-", string(encoded)}} {
		if e.doc.Find(step.path) != nil {
			continue
		}
		if err := e.patch("add", step.path, step.value); err != nil {
			return err
		}
	}
	if a, ok := e.doc.Find(list).Value.(*hujson.Array); ok && len(a.Elements) > 1 { // each in a line: a rule is named by its line
		if last := &a.Elements[len(a.Elements)-1]; !bytes.Contains(last.BeforeExtra, []byte("\n")) {
			last.BeforeExtra = append(hujson.Extra("\n"), last.BeforeExtra...)
		}
	}
	return nil
}

// Remove takes the first text that is the one out of a list, also where it is the "rule" of an object. It reports whether there
// was one.
func (e *Edit) Remove(list string, is func(text string) bool) (was bool, err error) {
	found := e.doc.Find(list)
	if found == nil {
		return false, nil
	}
	plain := found.Clone()
	plain.Standardize()
	var all []json.RawMessage
	if err := json.Unmarshal(plain.Pack(), &all); err != nil {
		return false, fmt.Errorf("%s: %s is not a list", e.file, list)
	}
	i := slices.IndexFunc(all, func(raw json.RawMessage) bool {
		var o struct{ Rule string }
		return json.Unmarshal(raw, &o.Rule) == nil && is(o.Rule) || json.Unmarshal(raw, &o) == nil && is(o.Rule)
	})
	if i < 0 {
		return false, nil
	}
	return true, e.patch("remove", fmt.Sprintf("%s/%d", list, i), "null")
}

// Set sets what is under a path of names, such as "mcpServers" and the name of a server; nil takes it away. It reports whether
// the path was there before.
func (e *Edit) Set(value any, names ...string) (was bool, err error) {
	pointer := ""
	for i, name := range names {
		pointer += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
		was = e.doc.Find(pointer) != nil
		op, encoded := "add", []byte("{}")
		if i == len(names)-1 {
			if value == nil {
				op = "remove"
			} else if encoded, err = json.Marshal(value); err != nil {
				return was, err
			}
		} else if was {
			continue
		}
		if op == "remove" && !was || i < len(names)-1 && value == nil {
			return false, nil
		}
		if err := e.patch(op, pointer, string(encoded)); err != nil {
			return was, err
		}
	}
	return was, nil
}

func (e *Edit) patch(op, pointer, value string) error {
	if err := e.doc.Patch(fmt.Appendf(nil, `[{"op":%q,"path":%q,"value":%s}]`, op, pointer, value)); err != nil {
		return fmt.Errorf("%s: %w", e.file, err)
	}
	return nil
}

// Text returns the file with the changes as JSON without comments.
func (e *Edit) Text() []byte {
	plain := e.doc.Clone()
	plain.Format()
	plain.Standardize()
	return plain.Pack()
}

// Write replaces the file.
func (e *Edit) Write() error {
	e.doc.Format()
	return plainfile.Replace(e.file, e.doc.Pack())
}

// ByHand are the settings that no front end changes for its user: they name programs that run, servers that get keys, or what is open
// beyond the sandbox. Who changes them edits the file.
func ByHand() []string {
	return []string{"$schema", "providers", "secrets", "hooks", "hookPolicy", "mcpServers", "search", "format", "trustedFolders", "agents", "sandbox", "sandboxBackend", "network", "files",
		"permissions", "notify", "compute", "programs", "instructions", "skills", "models", "sampling", "server"}
}

// ErrByHand is the error for a setting of ByHand.
var ErrByHand = errors.New("this setting names programs, servers or what is open beyond the sandbox: change it in the file itself")

// Change sets a setting of the user in a file; nil takes it away. What would stop the next start, what nothing reads and what is
// changed by hand fails, and the file stays as it was. check only looks.
func Change(file string, value any, check bool, names ...string) error {
	if len(names) == 0 || slices.ContainsFunc(ByHand(), func(name string) bool { return strings.EqualFold(name, names[0]) }) {
		return ErrByHand
	}
	e, err := OpenEdit(file)
	if err != nil {
		return err
	}
	before, err := (&Layer{Name: "user", Path: file}).Parse(e.Text())
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if _, err := e.Set(value, names...); err != nil {
		return err
	}
	after, err := (&Layer{Name: "user", Path: file}).Parse(e.Text())
	if err != nil {
		return err
	}
	for _, line := range after {
		if !slices.Contains(before, line) {
			return errors.New(strings.TrimPrefix(line, file+": "))
		}
	}
	if check {
		return nil
	}
	return e.Write()
}

// AddAllow adds one rule to permissions.allow of a settings file.
func AddAllow(file, rule string) error { return AddTo(file, "/permissions/allow", rule) }

// AddTo adds a text to a list in a settings file, at a path of two names.
func AddTo(file, list, text string) error {
	e, err := OpenEdit(file)
	if err != nil {
		return err
	}
	if err := e.Add(list, text); err != nil {
		return err
	}
	return e.Write()
}

// AddAll adds texts as AddTo does. When check fails afterwards, those that were added are taken out again.
func AddAll(file, list string, texts []string, check func() error) error {
	for i, text := range texts {
		err := AddTo(file, list, text)
		if err == nil {
			err = check()
		}
		if err != nil {
			for _, added := range texts[:i+1] {
				_, _ = RemoveFrom(file, list, added) // the first error says what is wrong
			}
			return err
		}
	}
	return nil
}

// RemoveFrom takes a text out of a list in a settings file: see AddTo. An object of the list is named by its field "rule". It reports
// whether the text was there.
func RemoveFrom(file, list, text string) (was bool, err error) {
	e, err := OpenEdit(file)
	if err != nil {
		return false, err
	}
	if was, err = e.Remove(list, func(x string) bool { return x == text }); err != nil || !was {
		return was, err
	}
	return true, e.Write()
}

// Put sets what a settings file has under a path of names, such as "mcpServers" and the name of a server; Put with nil takes
// it away. It reports whether the path was there before.
func Put(file string, value any, names ...string) (was bool, err error) {
	e, err := OpenEdit(file)
	if err != nil {
		return false, err
	}
	if was, err = e.Set(value, names...); err != nil || value == nil && !was {
		return was, err
	}
	return was, e.Write()
}

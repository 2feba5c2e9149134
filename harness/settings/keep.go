package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/tailscale/hujson"

	"rein/internal/plainfile"
)

// AddAllow adds one rule to permissions.allow of a settings file.
func AddAllow(file, rule string) error { return AddTo(file, "/permissions/allow", rule) }

// AddTo adds a text to a list in a settings file, at a path of two names.
func AddTo(file, list, text string) error {
	old, err := plainfile.Read(file)
	if errors.Is(err, fs.ErrNotExist) {
		old, err = []byte("{}"), nil
	}
	if err != nil {
		return err
	}
	value, err := hujson.Parse(old)
	if err != nil {
		return fmt.Errorf("%s: %w", file, noJSON(err))
	}
	encoded, err := json.Marshal(text)
	if err != nil {
		return err
	}
	for _, step := range []struct{ path, value string }{
		{path.Dir(list), `{}`}, {list, `[]`}, {list + "/-", string(encoded)},
	} {
		if step.value[0] != '"' && value.Find(step.path) != nil {
			continue
		}
		if err := value.Patch(fmt.Appendf(nil, `[{"op":"add","path":%q,"value":%s}]`, step.path, step.value)); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	value.Format()
	return plainfile.Replace(file, value.Pack())
}

// RemoveFrom takes a text out of a list in a settings file: see AddTo. An object of the list is named by its field "rule". It reports
// whether the text was there.
func RemoveFrom(file, list, text string) (was bool, err error) {
	old, err := plainfile.Read(file)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	doc, err := hujson.Parse(old)
	if err != nil {
		return false, fmt.Errorf("%s: %w", file, noJSON(err))
	}
	found := doc.Find(list)
	if found == nil {
		return false, nil
	}
	plain := found.Clone()
	plain.Standardize()
	var all []json.RawMessage
	if err := json.Unmarshal(plain.Pack(), &all); err != nil {
		return false, fmt.Errorf("%s: %s is no list", file, list)
	}
	for i, raw := range all {
		var one struct {
			Rule string `json:"rule"`
		}
		if json.Unmarshal(raw, &one.Rule) != nil && json.Unmarshal(raw, &one) != nil || one.Rule != text {
			continue
		}
		if err := doc.Patch(fmt.Appendf(nil, `[{"op":"remove","path":"%s/%d"}]`, list, i)); err != nil {
			return false, fmt.Errorf("%s: %w", file, err)
		}
		doc.Format()
		return true, plainfile.Replace(file, doc.Pack())
	}
	return false, nil
}

// Put sets what a settings file has under a path of names, such as "mcpServers" and the name of a server; Put with nil takes
// it away. It reports whether the path was there before.
func Put(file string, value any, names ...string) (was bool, err error) {
	old, err := plainfile.Read(file)
	if errors.Is(err, fs.ErrNotExist) {
		old, err = []byte("{}"), nil
	}
	if err != nil {
		return false, err
	}
	doc, err := hujson.Parse(old)
	if err != nil {
		return false, fmt.Errorf("%s: %w", file, noJSON(err))
	}
	pointer := ""
	for i, name := range names {
		pointer += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
		was = doc.Find(pointer) != nil
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
		if op == "remove" && !was {
			return false, nil
		}
		if err := doc.Patch(fmt.Appendf(nil, `[{"op":%q,"path":%q,"value":%s}]`, op, pointer, encoded)); err != nil {
			return was, fmt.Errorf("%s: %w", file, err)
		}
	}
	doc.Format()
	return was, plainfile.Replace(file, doc.Pack())
}

package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"

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

package eval

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"rein/app/settings"
	"rein/internal/plainfile"
	"rein/model"
)

// Config is how the sessions of a run work: what a comparison compares. The zero value takes what the settings say, and the scripts of cases.
type Config struct {
	Name     string           `yaml:"name" json:"name,omitempty"`
	Model    string           `yaml:"model" json:"model,omitempty"` // provider/name; "": that of each case
	Judge    string           `yaml:"judge" json:"judge,omitempty"` // the model that judges; "": what the check says, else Model
	Effort   string           `yaml:"effort" json:"effort,omitempty"`
	Dialect  string           `yaml:"dialect" json:"dialect,omitempty"`
	Sampling model.Sampling   `yaml:"-" json:"sampling,omitzero"`
	Sandbox  string           `yaml:"sandbox" json:"sandbox,omitempty"`
	Settings string           `yaml:"settings" json:"settings,omitempty"` // directory with a settings.json, in place of the user's
	Limits   Limits           `yaml:"limits" json:"limits,omitzero"`
	Terms    `yaml:",inline"` // those of a case come before the mode, and beside the rest
}

// ReadConfig reads a configuration from a YAML file.
func ReadConfig(file string) (c Config, err error) {
	text, err := plainfile.ReadNamed(file)
	if err != nil {
		return c, err
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&c); err != nil && err != io.EOF {
		return c, errors.Join(plainly(file, err)...)
	}
	if _, err := settings.Mode(cmp.Or(c.Mode, usualMode)); err != nil {
		return c, fmt.Errorf("%s: %w", file, err)
	}
	if c.Settings != "" && !filepath.IsAbs(c.Settings) {
		c.Settings = filepath.Join(filepath.Dir(file), c.Settings)
	}
	if c.Name == "" {
		c.Name = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	}
	return c, nil
}

// key names an attempt by everything that it depends on; "": it cannot be named, and is not used again.
func (r *runner) key(c *Case, n int) string {
	if r.Cache == "" || c.sum == "" || r.Model != nil {
		return ""
	}
	cfg := r.Config
	cfg.Name = ""
	parts := []any{format, c.sum, n, cfg, r.Version, stampOf(r.Program), contentOf(filepath.Join(r.Dirs.Config, "settings.json"))}
	for _, ref := range []string{cfg.Model, c.Model, cfg.Judge} {
		if file, ok := strings.CutPrefix(ref, "script/"); ok {
			parts = append(parts, contentOf(file))
		}
	}
	text, err := json.Marshal(parts)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

// stampOf tells builds of the program apart that have the same version.
func stampOf(program string) string {
	info, err := os.Stat(program)
	if err != nil {
		return ""
	}
	return plainfile.Stamp(info)
}

func contentOf(file string) string {
	text, _ := plainfile.Read(file) // what is not there has no content
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

// load returns an attempt that was made before.
func (r *runner) load(key string) *Attempt {
	if key == "" {
		return nil
	}
	text, err := plainfile.Read(filepath.Join(r.Cache, key+".json"))
	if err != nil {
		return nil
	}
	a := new(Attempt)
	if json.Unmarshal(text, a) != nil {
		return nil
	}
	if _, err := os.Stat(a.Home); err != nil {
		a.Home, a.Session = "", ""
	}
	a.Cached = true
	return a
}

// store keeps an attempt of which something is known.
func (r *runner) store(key string, a *Attempt) {
	if key == "" || a.Status != Passed && a.Status != Failed {
		return
	}
	text, err := json.Marshal(a)
	if err == nil {
		err = os.MkdirAll(r.Cache, 0o700)
	}
	if err == nil {
		err = plainfile.Replace(filepath.Join(r.Cache, key+".json"), text)
	}
	if err != nil {
		r.Warn(fmt.Sprintf("the attempt %d of %s is not kept: %v", a.Number, a.Case, err))
	}
}

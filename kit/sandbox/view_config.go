package sandbox

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"

	"rein/internal/plainfile"
)

// configNames are settings of the home directory that programs need and that may hold credentials among others.
func configNames() []string { return []string{".gitconfig", ".config/git/config"} }

// config is a file of settings of which programs see a copy, without the lines that hold credentials.
type config struct {
	real, copy string
	mu         sync.Mutex
	seen       os.FileInfo // of the real file when it was copied; nil: never
}

// credentialLine matches a line of git's settings that holds a password or a token: an address with a password in it, a
// header, a key of such a name.
var credentialLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)://[^/\s"@]*:[^/\s"@]+@|://[^/\s":@]{20,}@|extraheader|\bauthorization\b|bearer |` +
		`^\s*[\w.-]*(password|passwd|passphrase|token|secret|apikey|api_key|smtppass)[\w.-]*\s*=|password=|[?&](token|access_token|key)=`)
})

// withoutCredentials returns the text of settings without the lines that hold credentials.
func withoutCredentials(text []byte) []byte {
	var kept [][]byte
	for line := range bytes.Lines(text) {
		if !credentialLine().Match(line) {
			kept = append(kept, line)
		}
	}
	return bytes.Join(kept, nil)
}

// showConfigs shows the copies.
func (v *view) showConfigs(p backendPolicy) {
	for i, name := range configNames() {
		path := filepath.Join(p.Home, name)
		info, err := os.Stat(path)
		if _, seen := v.Innermost(path); err != nil || seen || !info.Mode().IsRegular() || p.Grants(path) {
			continue
		}
		c := &config{real: path, copy: filepath.Join(p.Own.Session(), "config-"+strconv.Itoa(i))}
		c.refresh()
		v.configs = append(v.configs, c)
		v.show(viewBind{Source: c.copy, Target: path})
	}
}

// GitEnv points git to the copy of its settings, on backends that cannot put it in their place. It has no pair if there are
// no settings.
func (v *view) GitEnv() []string {
	if len(v.configs) == 0 {
		return nil
	}
	return []string{"GIT_CONFIG_GLOBAL=" + v.configs[0].copy}
}

// Refresh brings the copies of settings up to date. Backends call it before each program.
func (v *view) Refresh() {
	for _, c := range v.configs {
		c.refresh()
	}
}

// refresh writes the copy again where the file has changed. The copy stays the same file: programs see it by a mount.
func (c *config) refresh() {
	c.mu.Lock()
	defer c.mu.Unlock()
	info, err := os.Stat(c.real)
	if err == nil && c.seen != nil && os.SameFile(info, c.seen) && info.ModTime().Equal(c.seen.ModTime()) && info.Size() == c.seen.Size() {
		return
	}
	text, err := plainfile.Read(c.real)
	if err != nil {
		text = nil // it is gone, or nothing that git could read
	}
	if os.WriteFile(c.copy, withoutCredentials(text), 0o644) == nil {
		c.seen = info
	}
}

// Package secretfiles knows the secrets in the files of a workspace: in .env files, keys and credentials, at any depth. They are
// hidden by value in all that rein shows, wherever a program or a tool copies them to.
package secretfiles

import (
	"bufio"
	"bytes"
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"rein/internal/plainfile"
	"rein/places"
	"rein/redact"
)

// Defaults and bounds of a search.
const (
	DefaultTime = 5 * time.Second        // of a search in the background, which 200,000 files take about a second of
	Wait        = 250 * time.Millisecond // that the first call waits for the first search
	Pause       = 10 * time.Second       // between two searches at least, and twenty times what one takes
)

// Finder searches the directories of one workspace and adds what it finds to a filter. Its methods may be called at once by many.
type Finder struct {
	Dirs []string       // where it looks, links resolved
	Mask *redact.Filter // gets the values
	Time time.Duration  // of one search; 0: DefaultTime. Files that it does not reach in this time are left out

	mu    sync.Mutex
	first chan struct{} // closed when the first search has ended; nil before it begins
	busy  bool
	ended time.Time
	pause time.Duration // until the next search
	stop  context.CancelFunc
	work  sync.WaitGroup
}

// Look begins a search, unless one runs or ended just now. It waits only for the first one, and for no longer than Wait.
func (f *Finder) Look() {
	f.mu.Lock()
	if f.first == nil {
		f.first = make(chan struct{})
	}
	first := f.first
	if !f.busy && time.Since(f.ended) > f.pause {
		limit := f.Time
		if limit <= 0 {
			limit = DefaultTime
		}
		ctx, stop := context.WithTimeout(context.Background(), limit)
		f.busy, f.stop = true, stop
		f.work.Go(func() { f.search(ctx) })
	}
	f.mu.Unlock()
	select {
	case <-first:
	case <-time.After(Wait):
	}
}

// Close ends a search that runs.
func (f *Finder) Close() error {
	f.mu.Lock()
	if f.stop != nil {
		f.stop()
	}
	f.mu.Unlock()
	f.work.Wait()
	return nil
}

func (f *Finder) search(ctx context.Context) {
	began := time.Now()
	var all []redact.Value
	for _, dir := range f.Dirs {
		_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error { // what cannot be read has no secrets for us
			switch {
			case ctx.Err() != nil:
				return fs.SkipAll
			case err != nil:
				return nil
			case e.IsDir() && e.Name() == "objects" && filepath.Base(filepath.Dir(path)) == ".git":
				return fs.SkipDir
			case e.Type().IsRegular() && f.isSecret(path):
				all = append(all, valuesOf(path)...)
			}
			return nil
		})
	}
	f.Mask.Add(all)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stop()
	if f.ended.IsZero() {
		close(f.first)
	}
	f.busy, f.ended, f.pause = false, time.Now(), max(Pause, 20*time.Since(began))
}

func (f *Finder) isSecret(path string) bool {
	class := places.Classify(path, places.Context{Workspaces: f.Dirs})
	return class == places.Private || class == places.Secret
}

// isAddress reports whether a value says where something is. Passwords in it are detected apart.
func isAddress(value string) bool {
	for _, start := range []string{"./", "../", "~/", "$"} {
		if strings.HasPrefix(value, start) {
			return true
		}
	}
	return strings.Contains(value, "://")
}

// isSecretName is less strict than for a variable of the environment: the file holds secrets.
func isSecretName(name string) bool {
	name = strings.ToUpper(name[strings.LastIndexAny(name, "/:.")+1:])
	return strings.HasSuffix(name, "KEY") || slices.ContainsFunc([]string{"SECRET", "TOKEN", "PASS", "PWD", "AUTH", "CREDENTIAL"}, func(part string) bool {
		return strings.Contains(name, part)
	})
}

// valuesOf gives the secrets of a file: what has the name of a secret, what looks like a key, and a text of one word.
func valuesOf(path string) (all []redact.Value) {
	text, err := plainfile.Read(path)
	if err != nil {
		return nil
	}
	file := filepath.Base(path)
	add := func(name, value string) {
		if isAddress(value) {
			return
		}
		all = append(all, redact.Value{Name: name + " of " + file, Text: value})
	}
	if words := bytes.Fields(text); len(words) == 1 && !bytes.ContainsAny(text, "=") {
		add("the text", string(words[0]))
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		name, value, ok := strings.Cut(lines.Text(), "=")
		if !ok {
			name, value, _ = strings.Cut(lines.Text(), ":")
		}
		name = strings.Trim(strings.TrimPrefix(strings.TrimSpace(name), "export "), " \t\"'")
		if value = strings.Trim(value, " \t\"',;"); isSecretName(name) {
			add(name, value)
		}
	}
	for _, found := range redact.Detect(text) {
		add(found.Name, found.Text)
	}
	return all
}

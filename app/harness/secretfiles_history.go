package harness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"rein/internal/plainfile"
	"rein/internal/plaintext"
	"rein/redact"
)

// Bounds of the search in histories.
const (
	historyTimes = 12               // times the limit of a search that a search in histories takes at most
	historyWait  = 10 * time.Second // that History waits at most: who waits is not asked for what is harmless
	mostTrees    = 200_000          // directories of commits that one run of git prints
	mostBlobs    = 20_000           // files of secrets in one history
	mostHistory  = redact.MaxValues / 2
	settledAfter = 100 * time.Millisecond // after a change of a repository, a change at the same time shows in its times
)

// gitRunner runs git, reads input, and writes what git prints to out. An error means that not all was printed.
type gitRunner func(ctx context.Context, input []byte, out io.Writer, args ...string) error

// gitHistory is what is known of the repositories of a workspace. Only one search uses it at a time.
type gitHistory struct {
	stores map[string]*repositoryStore // by the directory that holds the objects
	stamps map[string]string           // of repositories of which all was read, by the directory of git
	names  map[string]bool             // whether a name is that of a file of secrets
	values int                         // that were added to the filter
	hidden []string                    // names of files with secrets that it holds, and that no program may open in the work tree
}

// repositoryStore is what is known of one repository.
type repositoryStore struct {
	known map[objectID]struct{} // what was read of it
	blobs bytes.Buffer          // the names of files of secrets that are to be read, a line each
	dirs  bytes.Buffer          // the same for directories of secrets
	files map[string]string     // what these are called, by the names of their objects
}

// objectID is the beginning of an object's name: enough to know it again.
type objectID [8]byte

// History adds the secrets of files that the histories of the workspace's repositories hold, such as a .env that was removed
// later. Dirs are directories in which git will run. It waits for no longer than historyWait. An error says why some may not be known.
func (f *secretFinder) History(ctx context.Context, dirs []string) error {
	ctx, stop := context.WithTimeoutCause(ctx, historyWait, errors.New("the search for secrets in the history of git has not ended"))
	defer stop()
	f.Look()
	f.mu.Lock()
	first := f.done
	f.mu.Unlock()
	if err := waitFor(ctx, first); err != nil {
		return err
	}
	f.mu.Lock()
	f.see(dirs)
	running, cut := f.pastDone, f.cut
	f.mu.Unlock()
	if running != nil { // it may have passed what came since
		if err := waitFor(ctx, running); err != nil {
			return err
		}
	}
	if err := waitFor(ctx, f.BeginHistory()); err != nil {
		return err
	}
	if cut {
		return errors.New("the search for repositories did not come to its end")
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.pastErr
}

// Open says what programs may show although it is hidden: what the histories hold of files that no program may open, and files that hold
// more values than the filter takes. It waits for the first search only, as History does. "" means nothing.
func (f *secretFinder) Open(ctx context.Context, dirs []string) string {
	f.mu.Lock()
	first := !f.pastEnded
	f.mu.Unlock()
	if first {
		_ = f.History(ctx, dirs) // what prints the history asks where it is not known
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case len(f.unmasked) > 0:
		return "there are more values in files of secrets than can be hidden in outputs: " + plaintext.FirstOf(f.names(f.unmasked), 3)
	case len(f.hidden) > 0:
		return "the history of git holds what hidden files held: " + plaintext.FirstOf(f.hidden, 3)
	}
	return ""
}

// names are files without the directory that holds them.
func (f *secretFinder) names(files []string) (all []string) {
	for _, file := range files {
		if rest, err := filepath.Rel(f.Dirs[0], file); err == nil {
			file = rest
		}
		all = append(all, file)
	}
	return all
}

func waitFor(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// see adds the repositories that git finds from directories. The caller holds mu.
func (f *secretFinder) see(dirs []string) {
	for _, dir := range dirs {
		for at := dir; at != filepath.Dir(at); at = filepath.Dir(at) {
			if name := filepath.Join(at, ".git"); entryExists(name) {
				f.repositories = append(f.repositories, name)
				break
			}
			if _, is := repositoryAt(at, "objects", true); is {
				f.repositories = append(f.repositories, at)
				break
			}
		}
	}
}

// BeginHistory begins a search in the histories of the repositories that are known, unless one runs. The channel closes when
// it has ended. One for which nothing changed ends in a moment.
func (f *secretFinder) BeginHistory() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.pastDone != nil {
		select {
		case <-f.pastDone:
		default:
			return f.pastDone
		}
	}
	done := make(chan struct{})
	ctx, stop := context.WithTimeout(context.Background(), historyTimes*f.limit())
	f.pastDone, f.pastStop = done, stop
	f.repositories = slices.Compact(slices.Sorted(slices.Values(f.repositories)))
	go func(repositories []string) { // Close waits for it
		defer stop()
		err := f.past.search(ctx, f, repositories)
		f.mu.Lock()
		defer f.mu.Unlock()
		f.pastEnded, f.pastErr, f.hidden = true, err, slices.Sorted(slices.Values(f.past.hidden))
		close(done)
	}(slices.Clone(f.repositories))
	return done
}

// search reads what is new in the repositories.
func (h *gitHistory) search(ctx context.Context, f *secretFinder, repositories []string) error {
	if f.Git == nil {
		return nil
	}
	if h.stores == nil {
		h.stores, h.stamps, h.names = map[string]*repositoryStore{}, map[string]string{}, map[string]bool{}
	}
	var all error
	for _, dir := range repositories {
		own, common := gitDirectories(dir)
		s := h.stores[common]
		if s == nil {
			s = &repositoryStore{known: map[objectID]struct{}{}, files: map[string]string{}}
			h.stores[common] = s
		}
		stamp := repositoryStamp(own, common)
		if stamp != "" && stamp == h.stamps[dir] {
			continue
		}
		if err := (&historyReader{ctx: ctx, f: f, history: h, store: s, dir: dir}).all(); err != nil {
			all, stamp = errors.Join(all, fmt.Errorf("the history of git could not be searched for secrets: %w", err)), ""
		}
		h.stamps[dir] = stamp
	}
	return all
}

// isSecret is secretFinder.isSecret for a name in any directory.
func (h *gitHistory) isSecret(f *secretFinder, name string) bool {
	is, known := h.names[name]
	if !known {
		if len(h.names) > mostTrees {
			clear(h.names)
		}
		is = f.isSecret(filepath.Join(f.Dirs[0], name))
		h.names[name] = is
	}
	return is
}

// gitDirectories returns the own directory of a repository or a worktree, which dir may name as a file, and the one that holds the objects.
func gitDirectories(dir string) (own, common string) {
	own = dir
	if text, err := plainfile.Read(dir); err == nil {
		own = namedDirectory(strings.TrimPrefix(string(text), "gitdir:"), filepath.Dir(dir))
	}
	if text, err := plainfile.Read(filepath.Join(own, "commondir")); err == nil {
		return own, namedDirectory(string(text), own)
	}
	return own, own
}

// repositoryStamp changes when objects or an index come to a repository. It is "" where it cannot be trusted.
func repositoryStamp(own, common string) string {
	var out strings.Builder
	newest := time.Time{}
	see := func(path string) bool {
		info, err := os.Lstat(path)
		if err != nil {
			out.WriteString("-\n")
			return false
		}
		out.WriteString(strconv.FormatInt(info.ModTime().UnixNano(), 36) + "/" + strconv.FormatInt(info.Size(), 36) + "\n")
		if info.ModTime().After(newest) {
			newest = info.ModTime()
		}
		return true
	}
	see(filepath.Join(own, "index"))
	objects := filepath.Join(common, "objects")
	if !see(objects) || see(filepath.Join(objects, "info/alternates")) {
		return "" // an object may come to another place
	}
	entries, err := os.ReadDir(objects)
	if err != nil {
		return ""
	}
	for _, e := range entries {
		out.WriteString(e.Name() + " ")
		see(filepath.Join(objects, e.Name()))
	}
	if time.Since(newest) < settledAfter {
		return ""
	}
	return out.String()
}

// namedDirectory returns the directory that a text names, from another one.
func namedDirectory(text, from string) string {
	if text = strings.TrimSpace(text); filepath.IsAbs(text) {
		return text
	}
	return filepath.Join(from, text)
}

// repositoryAt returns the directory of git that an entry of a directory shows: a file .git, or a store of objects beside a HEAD.
func repositoryAt(dir, name string, isDir bool) (string, bool) {
	switch {
	case name == ".git" && !isDir:
		return filepath.Join(dir, name), true
	case name == "objects" && isDir && entryExists(filepath.Join(dir, "HEAD")):
		return dir, entryExists(filepath.Join(dir, name))
	}
	return "", false
}

func entryExists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

package harness

// The files secretfiles*.go know the secrets in the files of a workspace: in .env files, keys and credentials, at any depth. They are
// hidden by value in all that rein shows, wherever a program or a tool copies them to.

import (
	"context"
	"slices"
	"sync"
	"time"

	"rein/internal/plainfile"
	"rein/kit/places"
	"rein/kit/sandbox"
	"rein/redact"
)

// Defaults and bounds of a search.
const (
	defaultTime = 5 * time.Second        // of a search in the background, which 200,000 files take about a second of
	searchWait  = 250 * time.Millisecond // that a call waits for a search at most
	shortWait   = 25 * time.Millisecond  // what a search may take for which calls wait, after the first one
	searchPause = 20                     // times what a search takes are between its end and the next one
)

// secretFinder searches the directories of one workspace and adds what it finds to a filter. Its methods may be called at once by many.
type secretFinder struct {
	Dirs []string       // where it looks, links resolved
	Mask *redact.Filter // gets the values
	Time time.Duration  // of one search; 0: defaultTime. Files that it does not reach in this time are left out
	Git  gitRunner      // reads the histories of repositories; nil: they are not read
	// Trees has the names in the directories, for others too.
	Trees *sandbox.Trees

	mu           sync.Mutex
	done         chan struct{} // closed when the last search has ended; nil before the first one
	took         time.Duration // of the last search that ended
	ended        time.Time     // of the last search; zero while one runs
	stop         context.CancelFunc
	repositories []string      // that the last search found: the directories of git
	cut          bool          // the last search did not see all
	files        []string      // files of secrets, of the last search
	unmasked     []string      // files of secrets that hold more than the filter takes, of the last search
	pastDone     chan struct{} // closed when the last search in histories has ended; nil before the first one
	pastStop     context.CancelFunc
	pastEnded    bool
	pastErr      error    // of the last one
	hidden       []string // what it found: see gitHistory
	past         gitHistory
	known        map[string]*secretFile // by path, of the last search; only the one that runs uses it
}

// Begin begins the first search, and waits for nothing.
func (f *secretFinder) Begin() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.done == nil {
		f.begin()
	}
}

// Look begins a search, unless one runs or ended just now. It waits for the first search and for short ones, and for no
// longer than Wait.
func (f *secretFinder) Look() { f.look(searchPause) }

// Again is Look after something that may have written files: where searches are short, it always begins one.
func (f *secretFinder) Again() {
	f.mu.Lock()
	began := f.done
	runs := f.done != nil && f.ended.IsZero()
	f.mu.Unlock()
	if runs { // it may have passed the new file
		f.await(began)
	}
	f.look(0)
}

// Files are the files of secrets of the workspace, relative to it, as the last search found them. Where that did not see all, one is
// called ".env" although it may not be there.
func (f *secretFinder) Files() []string {
	f.Look()
	f.mu.Lock()
	defer f.mu.Unlock()
	files := f.names(f.files)
	if f.cut || f.took == 0 {
		files = append(files, ".env")
	}
	return files
}

// searching reports whether the first search runs.
func (f *secretFinder) searching() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.done != nil && f.took == 0
}

// short reports whether the last search was so short that calls wait for the next one.
func (f *secretFinder) short() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.took > 0 && f.took <= shortWait
}

func (f *secretFinder) look(pause time.Duration) {
	f.mu.Lock()
	if f.took > shortWait {
		pause = searchPause
	}
	if f.done == nil || !f.ended.IsZero() && time.Since(f.ended) > pause*f.took {
		f.begin()
	}
	done := f.done
	f.mu.Unlock()
	f.await(done)
}

// await waits for the end of a search, where that comes soon.
func (f *secretFinder) await(done chan struct{}) {
	select {
	case <-done:
		return
	default:
	}
	f.mu.Lock()
	soon := f.took <= shortWait // and for the first search
	f.mu.Unlock()
	if !soon {
		return
	}
	timer := time.NewTimer(searchWait)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}

// limit is what one search may take.
func (f *secretFinder) limit() time.Duration {
	if f.Time > 0 {
		return f.Time
	}
	return defaultTime
}

// begin starts a search.
func (f *secretFinder) begin() {
	ctx, stop := context.WithTimeout(context.Background(), f.limit())
	f.done, f.ended, f.stop = make(chan struct{}), time.Time{}, stop
	go f.search(ctx) // Close waits for it
}

// Close ends a search that runs. One that hangs in a file system that does not answer is left alone after a second.
func (f *secretFinder) Close() error {
	f.mu.Lock()
	all := []chan struct{}{f.done, f.pastDone}
	for _, stop := range []context.CancelFunc{f.stop, f.pastStop} {
		if stop != nil {
			stop()
		}
	}
	f.mu.Unlock()
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	for _, done := range all {
		if done == nil {
			continue
		}
		select {
		case <-done:
		case <-timer.C:
			return nil
		}
	}
	f.Trees.Keep()
	return nil
}

func (f *secretFinder) search(ctx context.Context) {
	began := time.Now()
	s := &treeSearch{ctx: ctx, old: f.known, known: map[string]*secretFile{}}
	for _, dir := range f.Dirs {
		if above := sandbox.RepositoryAbove(dir); above != "" {
			s.repositories = append(s.repositories, above)
		}
		if slices.ContainsFunc(f.Dirs, func(other string) bool { return other != dir && plainfile.IsWithin(other, dir) }) { // it is walked with the other
			continue
		}
		s.collect(f.Trees.Walk(ctx, dir, f.short()), dir) // where a search is short, to start others takes as long
	}
	f.known = s.known
	_, left := f.Mask.AddShared(s.values, redact.MaxValues)
	for i, n := range left {
		if n > 0 && !slices.Contains(s.unmasked, s.files[i]) {
			s.unmasked = append(s.unmasked, s.files[i])
		}
	}
	cut := ctx.Err() != nil
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stop()
	f.took, f.ended, f.repositories, f.cut = time.Since(began), time.Now(), s.repositories, cut
	f.files, f.unmasked = s.files, s.unmasked
	close(f.done)
}

func (f *secretFinder) isSecret(path string) bool {
	class := places.Classify(path, places.Context{Workspaces: f.Dirs})
	return class == places.Private || class == places.Secret
}

package workspace

import (
	"io/fs"
	"os"
	"sort"
	"sync"
)

// seen is what one session has seen of each file: enough to refuse that it overwrites content that it does not know.
type seen struct {
	mu    sync.Mutex
	files map[string]*sight // by canonical name
	kept  int               // bytes of contents, of dropped sights too
}

// sight is what was shown of one version of a file. A file that was shown as a whole is recognised by its content. A file
// that was shown in parts is recognised by its size and time: reading all of a large file for some lines would be slow.
type sight struct {
	sum   Sum         // zero: only parts were shown
	info  fs.FileInfo // nil: an earlier process of the session saw it
	parts []span      // bytes shown, in order, merged
	data  []byte      // the content; nil where only parts were shown, or it was too much to keep
}

// The contents that are kept, in bytes: of one file, and of all files.
const (
	keepFile = 1 << 20
	keepAll  = 64 << 20
)

type span struct{ from, to int64 }

// Saw notes that this session has been shown all of a version of a file, or has written it.
func (w *Workspace) Saw(v *Version) {
	w.seen.mu.Lock()
	defer w.seen.mu.Unlock()
	s := &sight{sum: v.Sum, info: v.Info}
	if len(v.Data) <= keepFile {
		s.data = v.Data
		w.seen.keep(len(v.Data))
	}
	w.seen.files[v.Name] = s
}

// keep counts n more bytes. If there are too many, all contents are dropped; the sums are kept.
func (s *seen) keep(n int) {
	if s.kept += n; s.kept <= keepAll {
		return
	}
	for _, f := range s.files {
		f.data = nil
	}
	s.kept = n
}

// Recall notes that an earlier process of this session was shown, or has written, all of a version with this sum.
func (w *Workspace) Recall(name string, sum Sum) {
	w.seen.mu.Lock()
	defer w.seen.mu.Unlock()
	w.seen.files[name] = &sight{sum: sum}
}

// Know marks the present content of a file as seen, if it can be read: whoever writes it next knows what they replace.
func (w *Workspace) Know(name string) {
	if v, err := w.Load(name); err == nil {
		w.Saw(v)
	}
}

// SeenSum returns the sum of the version of a file that this session was shown whole, or has written.
func (w *Workspace) SeenSum(name string) (sum Sum, ok bool) {
	w.seen.mu.Lock()
	defer w.seen.mu.Unlock()
	if s := w.seen.files[name]; s != nil {
		sum = s.sum
	}
	return sum, sum != Sum{}
}

// Known returns the content of a file as this session was last shown it, or has written it; ok is false where it was
// shown in parts only or is no longer kept. The bytes must not be changed.
func (w *Workspace) Known(name string) (data []byte, ok bool) {
	w.seen.mu.Lock()
	defer w.seen.mu.Unlock()
	if s := w.seen.files[name]; s != nil && s.data != nil {
		return s.data, true
	}
	return nil, false
}

// SawPart notes that this session has been shown the bytes [from, to) of a file whose Info was taken from the open
// file. Parts of one version add up, and take nothing from one that was shown whole.
func (w *Workspace) SawPart(name string, info fs.FileInfo, from, to int64) {
	w.seen.mu.Lock()
	defer w.seen.mu.Unlock()
	s := w.seen.files[name]
	if s == nil || !sameFile(s.info, info) {
		s = &sight{info: info}
		w.seen.files[name] = s
	}
	s.parts = merge(append(s.parts, span{from, to}))
}

// Forget drops what is known of a file, for example after it was deleted.
func (w *Workspace) Forget(name string) {
	w.seen.mu.Lock()
	defer w.seen.mu.Unlock()
	delete(w.seen.files, name)
}

// moved moves what is known of a file to its new name.
func (s *seen) moved(from, to string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.files, to)
	if known := s.files[from]; known != nil {
		s.files[to] = known
		delete(s.files, from)
	}
}

// SeenSome returns an Unread or Changed error for a version of a file of which this session has seen nothing.
func (w *Workspace) SeenSome(v *Version) error {
	_, err := w.sight(v)
	return err
}

// SeenAll returns an Unread or Changed error for a version of a file of which this session has not seen everything.
func (w *Workspace) SeenAll(v *Version) error {
	s, err := w.sight(v)
	if err != nil || s.sum == v.Sum || len(v.Data) == 0 {
		return err
	}
	if len(s.parts) == 1 && s.parts[0].from == 0 && s.parts[0].to >= int64(len(v.Data)) {
		return nil
	}
	return &Error{Kind: Unread, Name: v.Name, Text: "only a part of " + quote(v.Name) + " has been read",
		Hint: "Read the rest first, or use edit_file."}
}

// sight returns what was shown of exactly this version.
func (w *Workspace) sight(v *Version) (*sight, error) {
	w.seen.mu.Lock()
	defer w.seen.mu.Unlock()
	s := w.seen.files[v.Name]
	switch {
	case s == nil && len(v.Data) == 0:
		return &sight{sum: v.Sum}, nil // an empty file has no content to lose
	case s == nil:
		return nil, &Error{Kind: Unread, Name: v.Name, Text: quote(v.Name) + " exists and has not been read in this session",
			Hint: "Read it first."}
	case s.sum == v.Sum, s.sum == (Sum{}) && sameFile(s.info, v.Info):
		return s, nil
	}
	return nil, changed(v.Name, "has changed since it was read", v.Sum)
}

// sameFile reports whether two FileInfo describe the same version of a file, as far as the file system can say.
func sameFile(a, b fs.FileInfo) bool {
	if x, ok := a.(unsavedInfo); ok {
		y, ok := b.(unsavedInfo)
		return ok && x.sum == y.sum && sameFile(x.FileInfo, y.FileInfo)
	}
	return a != nil && b != nil && os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// merge sorts spans and joins those that touch.
func merge(all []span) []span {
	sort.Slice(all, func(i, j int) bool { return all[i].from < all[j].from })
	out := all[:1]
	for _, s := range all[1:] {
		if end := &out[len(out)-1]; s.from <= end.to {
			end.to = max(end.to, s.to)
		} else {
			out = append(out, s)
		}
	}
	return out
}

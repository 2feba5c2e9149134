package tool

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"sync"
	"time"
)

// DefaultOutputQuota is the size that all spilled outputs may have together when Store.Quota is 0.
const DefaultOutputQuota = 1 << 30

// OutputScheme begins the reference of a spilled output.
const OutputScheme = "output://"

// OutputStore keeps whole outputs in files of one directory, named by us, the oldest removed when the quota is reached.
// It is safe for concurrent use; several processes may share a directory.
type OutputStore struct {
	Dir    string // made at the first spill, mode 0700
	Prefix string // begins every name; letters, digits and '-' (a session's id)
	Quota  int64  // bytes of all files in Dir; 0 means DefaultOutputQuota

	mu   sync.Mutex
	next int
	used int64 // bytes in Dir by our count
	read bool
}

func (s *OutputStore) quota() int64 {
	if s.Quota > 0 {
		return s.Quota
	}
	return DefaultOutputQuota
}

// file is one output being spilled.
type file struct {
	f     *os.File
	store *OutputStore
	ref   string
	name  string
	size  int64 // bytes written
	room  int64 // bytes reserved in the store
}

const reserveStep = 16 << 20

var errQuota = errors.New("the quota of kept outputs is used up")

func (s *OutputStore) create() (*file, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return nil, err
	}
	if !s.read {
		s.used, s.read = total(s.list()), true
	}
	for {
		s.next++
		name := fmt.Sprintf("%s-%d", s.Prefix, s.next)
		f, err := os.OpenFile(filepath.Join(s.Dir, name+".txt"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return &file{f: f, store: s, ref: OutputScheme + name, name: name + ".txt"}, nil
	}
}

func (f *file) Write(p []byte) (int, error) {
	for f.size+int64(len(p)) > f.room {
		if !f.store.reserve(f.name, f.room) {
			return 0, errQuota
		}
		f.room += reserveStep
	}
	n, err := f.f.Write(p)
	f.size += int64(n)
	return n, err
}

func (f *file) Close() error {
	f.store.release(f.room - f.size)
	return f.f.Close()
}

// reserve makes room for another step of the named file, removing the oldest others. have is what it has already.
func (s *OutputStore) reserve(name string, have int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	step := min(reserveStep, s.quota())
	if have+step > s.quota() {
		return false
	}
	if s.used+step > s.quota() {
		s.evict(name, s.used+step-s.quota())
	}
	s.used += reserveStep
	return true
}

func (s *OutputStore) release(n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used -= n
}

type kept struct {
	name string
	size int64
	when time.Time
}

func (s *OutputStore) list() []kept {
	entries, err := os.ReadDir(s.Dir)
	if err != nil {
		return nil
	}
	var all []kept
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() && strings.HasSuffix(e.Name(), ".txt") {
			all = append(all, kept{e.Name(), info.Size(), info.ModTime()})
		}
	}
	sort.Slice(all, func(i, j int) bool {
		return cmp.Or(all[i].when.Compare(all[j].when), strings.Compare(all[i].name, all[j].name)) < 0
	})
	return all
}

func total(all []kept) (sum int64) {
	for _, k := range all {
		sum += k.size
	}
	return sum
}

// evict removes the oldest files other than keep until need bytes are free.
func (s *OutputStore) evict(keep string, need int64) {
	for _, k := range s.list() {
		if need <= 0 {
			return
		}
		if k.name == keep {
			continue
		}
		if os.Remove(filepath.Join(s.Dir, k.name)) == nil {
			need -= k.size
			s.used -= k.size
		}
	}
}

var refPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^output://([A-Za-z0-9-]{1,80})$`) })

// Open opens an output of this store's prefix by its reference. It fails with os.ErrNotExist when the output was never kept here,
// has another prefix, or has been removed for the quota.
func (s *OutputStore) Open(ref string) (*os.File, error) {
	m := refPattern().FindStringSubmatch(ref)
	if m == nil || !s.own(m[1]) {
		return nil, fmt.Errorf("%q is not a reference to an output: %w", ref, os.ErrNotExist)
	}
	return os.Open(filepath.Join(s.Dir, m[1]+".txt"))
}

// own reports whether a name is the prefix with a number.
func (s *OutputStore) own(name string) bool {
	number, ok := strings.CutPrefix(name, s.Prefix+"-")
	return ok && number != "" && strings.Trim(number, "0123456789") == ""
}

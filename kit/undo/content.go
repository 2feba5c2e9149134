package undo

// The files content_… keep contents of files under their SHA-256 in a few append-only files, the segments.
//
// A segment is a row of records. Each has a header with the length, the sum and a CRC, so that a reader finds what a
// crash cut off and what a disk damaged. Beside the segments there is an index, which is only a cache: what is missing
// from it is read from the segments.
//
// A content of up to maxWholeContent bytes is one record. A larger one is cut in chunks, and its record is the list of their sums.

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// contentSum names a content: the SHA-256 of its bytes, or, for a content in chunks, of the list of their sums.
type contentSum [sha256.Size]byte

// The sizes, in bytes.
const (
	maxWholeContent    = 1 << 20   // a content up to this size is one record
	contentChunkSize   = 256 << 10 // of a larger content
	contentSegmentSize = 64 << 20  // after this a new segment begins
)

// The ways in which a record holds its content.
const (
	raw  = 0
	comp = 1 // compressed with zstd
	list = 2 // the sums of the chunks
	kept = 3 // as it is: compressing made it no smaller
)

// contentStore is the contents in one directory. Methods that read may be called at once from several goroutines and processes.
// Methods that write may be called by several goroutines of the one process that holds the lock of the directory.
type contentStore struct {
	dir string

	// Fault is called before each change of a file, with what is about to happen. Tests end the process there, or make the
	// change fail. It may be nil.
	Fault func(what string) error

	mu     sync.Mutex
	loaded bool
	index  map[contentSum]place
	fresh  []contentSum // not in the file of the index yet

	segments []*segment // in order
	out      *bufio.Writer
	file     *os.File // of the last segment, for writing
	dirty    bool     // written and not synced
	unzip    *zstd.Decoder
}

// place is where a record is.
type place struct {
	segment uint32
	codec   uint8
	at      int64 // of the header
	size    uint32
	stored  uint32
}

// segment is one file.
type segment struct {
	number uint32
	end    int64 // of the last good record
}

// errContentMissing is the error for a content that the store does not have, or of which it has only a damaged record.
var errContentMissing = errors.New("the kept content is missing or damaged")

// openContentStore opens the contents in a directory, which exists. Nothing is read yet.
func openContentStore(dir string) *contentStore { return &contentStore{dir: dir} }

func (s *contentStore) fault(what string) error {
	if s.Fault == nil {
		return nil
	}
	return s.Fault(what)
}

func (s *contentStore) name(n uint32) string { return filepath.Join(s.dir, fmt.Sprintf("seg-%06d", n)) }

func (s *contentStore) indexName() string { return filepath.Join(s.dir, "sums") }

// Size is how many bytes the segments have.
func (s *contentStore) Size() (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.load(); err != nil {
		return 0, err
	}
	var total int64
	for _, g := range s.segments {
		total += g.end
	}
	return total, nil
}

// Has reports whether a content is there.
func (s *contentStore) Has(sum contentSum) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.load() != nil {
		return false
	}
	_, ok := s.index[sum]
	return ok
}

// Close closes the files. What was put and not synced may be lost.
func (s *contentStore) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.closeOut()
	if s.unzip != nil {
		s.unzip.Close()
		s.unzip = nil
	}
	s.loaded = false
	return err
}

func (s *contentStore) closeOut() error {
	if s.file == nil {
		return nil
	}
	err := s.out.Flush()
	err = errors.Join(err, s.file.Close())
	s.file, s.out = nil, nil
	return err
}

package undo

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"io"
	"os"
)

// Put keeps a content of at most maxWholeContent bytes and returns its sum. New is false if it was there already.
func (s *contentStore) Put(data []byte) (sum contentSum, isNew bool, err error) {
	sum = sha256.Sum256(data)
	isNew, err = s.put(sum, raw, data)
	return sum, isNew, err
}

// PutList keeps the list of the chunks of a content, which are there already.
func (s *contentStore) PutList(chunks []contentSum) (sum contentSum, isNew bool, err error) {
	data := joined(chunks)
	sum = sha256.Sum256(data)
	isNew, err = s.put(sum, list, data)
	return sum, isNew, err
}

func joined(chunks []contentSum) []byte {
	data := []byte("chunks\n")
	for _, c := range chunks {
		data = append(data, c[:]...)
	}
	return data
}

func (s *contentStore) put(sum contentSum, codec uint8, data []byte) (isNew bool, err error) {
	s.mu.Lock()
	if err := s.load(); err != nil {
		s.mu.Unlock()
		return false, err
	}
	_, known := s.index[sum]
	s.mu.Unlock()
	if known {
		return false, nil
	}
	h := head(sum, codec, len(data), data)
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.index[sum]; known {
		return false, nil
	}
	return true, s.append(sum, h, codec, len(data), data)
}

// append writes one record to the last segment.
func (s *contentStore) append(sum contentSum, h [header]byte, codec uint8, size int, data []byte) error {
	if err := s.openOut(); err != nil {
		return err
	}
	g := s.last()
	if err := s.fault("record"); err != nil {
		return err
	}
	_, err := s.out.Write(h[:])
	if err == nil {
		_, err = s.out.Write(data)
	}
	if err != nil {
		s.abandon()
		return err
	}
	p := place{segment: g.number, codec: codec, at: g.end, size: uint32(size), stored: uint32(len(data))}
	g.end = p.end()
	s.index[sum] = p
	s.fresh = append(s.fresh, sum)
	s.dirty = true
	return nil
}

// abandon forgets what is in memory after a failed write: the files are the truth.
func (s *contentStore) abandon() {
	if s.file != nil {
		s.out.Reset(io.Discard)
		s.file.Close()
		s.file, s.out = nil, nil
	}
	s.loaded, s.dirty = false, false
}

// openOut opens the segment that takes the next record. A tail that a crash left is cut off.
func (s *contentStore) openOut() error {
	g := s.last()
	if s.file != nil && g.end < contentSegmentSize {
		return nil
	}
	if s.file != nil || g == nil || g.end >= contentSegmentSize {
		if err := s.closeFull(); err != nil {
			return err
		}
		n := uint32(1)
		if g != nil {
			n = g.number + 1
		}
		g = &segment{number: n}
		s.segments = append(s.segments, g)
	}
	if err := s.fault("segment"); err != nil {
		return err
	}
	f, err := os.OpenFile(s.name(g.number), os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err := f.Truncate(g.end); err != nil {
		return errors.Join(err, f.Close())
	}
	if _, err := f.Seek(g.end, io.SeekStart); err != nil {
		return errors.Join(err, f.Close())
	}
	s.file, s.out = f, bufio.NewWriterSize(f, 256<<10)
	return nil
}

// closeFull ends a segment that is full: it is on disk before the next one begins.
func (s *contentStore) closeFull() error {
	if s.file == nil {
		return nil
	}
	if err := s.flush(); err != nil {
		return err
	}
	return s.closeOut()
}

// flush writes what is buffered and waits until the disk has it.
func (s *contentStore) flush() error {
	if !s.dirty {
		return nil
	}
	err := s.fault("flush")
	if err == nil {
		err = s.out.Flush()
	}
	if err == nil {
		err = s.fault("sync")
	}
	if err == nil {
		err = datasync(s.file)
	}
	if err != nil {
		s.abandon()
		return err
	}
	s.dirty = false
	return nil
}

// Sync waits until the disk has everything that was put. It costs nothing when nothing was.
func (s *contentStore) Sync() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.dirty {
		return nil
	}
	if err := s.flush(); err != nil {
		return err
	}
	s.saveIndex()
	return nil
}

package undo

import (
	"errors"
	"os"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// Tidy frees room: it rewrites one segment of which less than half is alive, or, with compress, one that has records
// which are not compressed, and removes the old one. live has all contents that are still needed; the chunks of lists
// need not be in it. done is false when there was nothing to do. The caller holds the lock of the directory.
func (s *contentStore) Tidy(live map[contentSum]bool, compress bool) (done bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.load(); err != nil {
		return false, err
	}
	if err := s.flush(); err != nil {
		return false, err
	}
	all := s.withChunks(live)
	alive, uncompressed := map[uint32]int64{}, map[uint32]int64{}
	for sum, p := range s.index {
		if !all[sum] {
			continue
		}
		alive[p.segment] += int64(header) + int64(p.stored)
		if p.codec == raw && p.size >= smallest {
			uncompressed[p.segment] += int64(p.stored)
		}
	}
	for _, g := range s.segments {
		if alive[g.number] < g.end/2 || compress && uncompressed[g.number] > g.end/2 {
			return true, s.rewrite(g, all)
		}
	}
	return false, nil
}

// smallest is the size in bytes below which a content is not compressed.
const smallest = 512

// withChunks adds the chunks of the lists that are alive.
func (s *contentStore) withChunks(live map[contentSum]bool) map[contentSum]bool {
	all := make(map[contentSum]bool, len(live))
	for sum := range live {
		all[sum] = true
		if s.index[sum].codec != list {
			continue
		}
		chunks, _, err := s.read(sum)
		if err != nil {
			continue // reported when it is wanted
		}
		for _, c := range chunks {
			all[c] = true
		}
	}
	return all
}

// rewrite copies what is alive in a segment to a new one, compressed, and removes the old one.
func (s *contentStore) rewrite(g *segment, live map[contentSum]bool) error {
	zip, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	defer zip.Close()
	if err := s.closeOut(); err != nil {
		return err
	}
	s.segments = append(s.segments, &segment{number: s.last().number + 1})
	if err := s.copyAlive(g, live, zip); err != nil {
		return err
	}
	if err := s.flush(); err != nil {
		return err
	}
	return s.drop(g)
}

// copyAlive appends what is alive in a segment to the last one.
func (s *contentStore) copyAlive(g *segment, live map[contentSum]bool, zip *zstd.Encoder) error {
	f, err := os.Open(s.name(g.number))
	if err != nil {
		return err
	}
	defer f.Close()
	for _, sum := range s.inSegment(g.number) {
		p := s.index[sum]
		if !live[sum] {
			delete(s.index, sum)
			continue
		}
		data, err := s.recordIn(f, sum, p)
		if err != nil {
			delete(s.index, sum) // damaged: it could not be restored
			continue
		}
		codec, stored := p.codec, data
		if codec == comp || codec == raw && len(data) >= smallest {
			codec, stored = comp, zip.EncodeAll(data, nil)
			if len(stored) >= len(data) {
				codec, stored = kept, data
			}
		}
		if err := s.append(sum, head(sum, codec, len(data), stored), codec, len(data), stored); err != nil {
			return err
		}
	}
	return nil
}

// inSegment returns the contents of a segment in the order of their records.
func (s *contentStore) inSegment(n uint32) (all []contentSum) {
	for sum, p := range s.index {
		if p.segment == n {
			all = append(all, sum)
		}
	}
	slices.SortFunc(all, func(a, b contentSum) int { return int(s.index[a].at - s.index[b].at) })
	return all
}

// drop removes a segment. The index is written again: an entry of the old one must not name a segment of the same number.
func (s *contentStore) drop(g *segment) error {
	if err := s.fault("drop"); err != nil {
		return err
	}
	if err := os.Remove(s.indexName()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	s.fresh = s.fresh[:0]
	for sum := range s.index {
		s.fresh = append(s.fresh, sum)
	}
	s.segments = slices.DeleteFunc(s.segments, func(o *segment) bool { return o == g })
	err := os.Remove(s.name(g.number))
	s.saveIndex()
	return err
}

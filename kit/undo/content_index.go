package undo

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
)

// An entry of the index: sum, segment, codec, offset, sizes, CRC.
const entrySize = len(contentSum{}) + 4 + 1 + 8 + 4 + 4 + 4

func appendEntry(b []byte, sum contentSum, p place) []byte {
	from := len(b)
	b = append(b, sum[:]...)
	b = binary.LittleEndian.AppendUint32(b, p.segment)
	b = append(b, p.codec)
	b = binary.LittleEndian.AppendUint64(b, uint64(p.at))
	b = binary.LittleEndian.AppendUint32(b, p.size)
	b = binary.LittleEndian.AppendUint32(b, p.stored)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[from:], castagnoli))
}

func parseEntry(b []byte) (sum contentSum, p place, ok bool) {
	n := entrySize - 4
	if binary.LittleEndian.Uint32(b[n:]) != crc32.Checksum(b[:n], castagnoli) {
		return sum, p, false
	}
	copy(sum[:], b)
	b = b[len(sum):]
	p.segment, p.codec = binary.LittleEndian.Uint32(b), b[4]
	p.at = int64(binary.LittleEndian.Uint64(b[5:]))
	p.size, p.stored = binary.LittleEndian.Uint32(b[13:]), binary.LittleEndian.Uint32(b[17:])
	return sum, p, true
}

func (p place) end() int64 { return p.at + int64(header) + int64(p.stored) }

// load reads the index, and what the segments have beyond it.
func (s *contentStore) load() error {
	if s.loaded {
		return nil
	}
	s.index, s.fresh, s.segments = map[contentSum]place{}, nil, nil
	sizes, err := s.list()
	if err != nil {
		return err
	}
	text, err := os.ReadFile(s.indexName())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	ends := map[uint32]int64{}
	for ; len(text) >= entrySize; text = text[entrySize:] {
		sum, p, ok := parseEntry(text)
		if !ok {
			break
		}
		if size, there := sizes[p.segment]; there && p.end() <= size {
			s.index[sum] = p
			ends[p.segment] = max(ends[p.segment], p.end())
		}
	}
	for n := range sizes {
		s.segments = append(s.segments, &segment{number: n, end: ends[n]})
	}
	slices.SortFunc(s.segments, func(a, b *segment) int { return int(a.number) - int(b.number) })
	s.loaded = true
	return s.catchUp(sizes)
}

// catchUp reads what the segments have beyond what is known.
func (s *contentStore) catchUp(sizes map[uint32]int64) error {
	for _, g := range s.segments {
		if g.end >= sizes[g.number] {
			continue
		}
		f, err := os.Open(s.name(g.number))
		if err != nil {
			return err
		}
		g.end, err = scan(f, g.number, g.end, sizes[g.number], s.add)
		f.Close()
		if err != nil {
			return fmt.Errorf("read %s: %w", s.name(g.number), err)
		}
	}
	return nil
}

func (s *contentStore) add(sum contentSum, p place) {
	if _, known := s.index[sum]; !known {
		s.index[sum] = p
		s.fresh = append(s.fresh, sum)
	}
}

// list returns the segments and their sizes.
func (s *contentStore) list() (map[uint32]int64, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, err
	}
	sizes := map[uint32]int64{}
	for _, e := range entries {
		digits, ok := strings.CutPrefix(e.Name(), "seg-")
		n, err := strconv.ParseUint(digits, 10, 32)
		if !ok || err != nil {
			continue
		}
		if info, err := e.Info(); err == nil {
			sizes[uint32(n)] = info.Size()
		}
	}
	return sizes, nil
}

// Refresh takes note of what another process did to the segments. The caller holds the lock of the directory.
func (s *contentStore) Refresh() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.loaded {
		return nil
	}
	sizes, err := s.list()
	if err != nil {
		return err
	}
	known := len(sizes) >= len(s.segments)
	for _, g := range s.segments {
		size, there := sizes[g.number]
		known = known && there && size >= g.end
	}
	if !known {
		return s.forgetAll()
	}
	for n := range sizes {
		if !slices.ContainsFunc(s.segments, func(g *segment) bool { return g.number == n }) {
			if err := s.closeOut(); err != nil {
				return err
			}
			s.segments = append(s.segments, &segment{number: n})
		}
	}
	slices.SortFunc(s.segments, func(a, b *segment) int { return int(a.number) - int(b.number) })
	before := s.last()
	if before == nil {
		return nil
	}
	end := before.end
	if err := s.catchUp(sizes); err != nil {
		return err
	}
	if before.end != end {
		return s.closeOut() // another process has written after what we wrote
	}
	return nil
}

// forgetAll makes the next access read everything again.
func (s *contentStore) forgetAll() error {
	s.loaded = false
	return s.closeOut()
}

func (s *contentStore) last() *segment {
	if len(s.segments) == 0 {
		return nil
	}
	return s.segments[len(s.segments)-1]
}

// saveIndex appends the new entries to the file of the index. It is a cache: an error costs a scan later.
func (s *contentStore) saveIndex() {
	if len(s.fresh) == 0 || s.fault("index") != nil {
		return
	}
	var b []byte
	for _, sum := range s.fresh {
		if p, ok := s.index[sum]; ok {
			b = appendEntry(b, sum, p)
		}
	}
	f, err := os.OpenFile(s.indexName(), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size()%int64(entrySize) != 0 {
		_ = f.Truncate(info.Size() / int64(entrySize) * int64(entrySize)) // a crash cut the last entry off
	}
	if _, err := f.Write(b); err == nil {
		s.fresh = nil
	}
}

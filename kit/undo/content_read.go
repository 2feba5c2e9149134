package undo

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"
)

// Read returns a content of any size.
func (s *contentStore) Read(sum contentSum) ([]byte, error) {
	var b bytes.Buffer
	if err := s.Copy(&b, sum); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Copy writes a content of any size to w, chunk by chunk. Each is checked before it is written. A damaged content is an
// errContentMissing with its sum.
func (s *contentStore) Copy(w io.Writer, sum contentSum) error {
	chunks, data, err := s.open(sum)
	if err != nil {
		return err
	}
	if chunks == nil {
		_, err = w.Write(data)
		return err
	}
	for _, c := range chunks {
		_, data, err := s.open(c)
		if err != nil {
			return err
		}
		if _, err := w.Write(data); err != nil {
			return err
		}
	}
	return nil
}

// open reads one record: the data, or the chunks of a list. When the index is wrong, it is built again.
func (s *contentStore) open(sum contentSum) (chunks []contentSum, data []byte, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for range 2 {
		if err = s.load(); err != nil {
			return nil, nil, err
		}
		chunks, data, err = s.read(sum)
		if err == nil {
			return chunks, data, nil
		}
		if s.dirty {
			break // what is in the buffer is known to the index alone
		}
		if err := s.forgetAll(); err != nil {
			return nil, nil, err
		}
		_ = os.Remove(s.indexName()) // a cache
	}
	return nil, nil, fmt.Errorf("%w: %x (%v)", errContentMissing, sum[:6], err)
}

func (s *contentStore) read(sum contentSum) ([]contentSum, []byte, error) {
	p, ok := s.index[sum]
	if !ok {
		return nil, nil, fmt.Errorf("no record")
	}
	if s.dirty && s.out != nil && p.segment == s.last().number {
		if err := s.out.Flush(); err != nil {
			return nil, nil, err
		}
	}
	data, err := s.record(sum, p)
	if err != nil || p.codec != list {
		return nil, data, err
	}
	data = bytes.TrimPrefix(data, []byte("chunks\n"))
	chunks := make([]contentSum, len(data)/len(sum))
	for i := range chunks {
		copy(chunks[i][:], data[i*len(sum):])
	}
	return chunks, nil, nil
}

// record reads the data of a record and checks it.
func (s *contentStore) record(sum contentSum, p place) ([]byte, error) {
	f, err := os.Open(s.name(p.segment))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return s.recordIn(f, sum, p)
}

// recordIn is record in the open segment.
func (s *contentStore) recordIn(segment io.ReaderAt, sum contentSum, p place) ([]byte, error) {
	buf := make([]byte, header+int(p.stored))
	_, err := segment.ReadAt(buf, p.at)
	if err != nil {
		return nil, err
	}
	data := buf[header:]
	if p.codec == comp {
		if s.unzip == nil {
			if s.unzip, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxStored)); err != nil {
				return nil, err
			}
		}
		if data, err = s.unzip.DecodeAll(data, make([]byte, 0, p.size)); err != nil {
			return nil, err
		}
	}
	if sha256.Sum256(data) != sum {
		return nil, fmt.Errorf("damaged record in segment %d at %d", p.segment, p.at)
	}
	return data, nil
}

package undo

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
)

// A record is a header and its data: magic, codec, size of the content, size of the data, sum, CRC of all but itself.
const (
	magic  = "rUc1"
	header = 4 + 1 + 4 + 4 + len(contentSum{}) + 4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// head makes the header of a record.
func head(sum contentSum, codec uint8, size int, data []byte) (h [header]byte) {
	copy(h[:], magic)
	h[4] = codec
	binary.LittleEndian.PutUint32(h[5:], uint32(size))
	binary.LittleEndian.PutUint32(h[9:], uint32(len(data)))
	copy(h[13:], sum[:])
	crc := crc32.Update(crc32.Checksum(h[:header-4], castagnoli), castagnoli, data)
	binary.LittleEndian.PutUint32(h[header-4:], crc)
	return h
}

// parseHead reads a header. ok is false if it is none.
func parseHead(h []byte) (sum contentSum, p place, ok bool) {
	if len(h) < header || string(h[:4]) != magic || h[4] > kept {
		return sum, p, false
	}
	p.codec, p.size, p.stored = h[4], binary.LittleEndian.Uint32(h[5:]), binary.LittleEndian.Uint32(h[9:])
	copy(sum[:], h[13:])
	return sum, p, p.stored <= maxStored
}

// maxStored is more than any record has.
const maxStored = 64 << 20

// intact reports whether the CRC of a header fits the header and the data.
func intact(h, data []byte) bool {
	crc := crc32.Update(crc32.Checksum(h[:header-4], castagnoli), castagnoli, data)
	return binary.LittleEndian.Uint32(h[header-4:]) == crc
}

// scan reads the records of a segment from an offset on and returns the good ones to see. It leaves out damaged ones and
// continues at the next good one. end is where the last good one ends.
func scan(f io.ReaderAt, n uint32, from, size int64, see func(contentSum, place)) (end int64, err error) {
	end = from
	var h [header]byte
	var data []byte
	for at := from; at+int64(header) <= size; {
		if _, err := f.ReadAt(h[:], at); err != nil {
			return end, err
		}
		sum, p, ok := parseHead(h[:])
		if ok = ok && at+int64(header)+int64(p.stored) <= size; ok {
			if cap(data) < int(p.stored) {
				data = make([]byte, p.stored)
			}
			data = data[:p.stored]
			if _, err := f.ReadAt(data, at+int64(header)); err != nil {
				return end, err
			}
			ok = intact(h[:], data)
		}
		if !ok {
			if at, err = next(f, at+1, size); err != nil {
				return end, err
			}
			continue
		}
		p.segment, p.at = n, at
		see(sum, p)
		at += int64(header) + int64(p.stored)
		end = at
	}
	return end, nil
}

// next finds where the next record may begin.
func next(f io.ReaderAt, from, size int64) (int64, error) {
	buf := make([]byte, 256<<10)
	for from < size {
		n, err := f.ReadAt(buf[:min(int64(len(buf)), size-from)], from)
		if i := bytes.Index(buf[:n], []byte(magic)); i >= 0 {
			return from + int64(i), nil
		}
		if err != nil && err != io.EOF {
			return size, err
		}
		if n <= len(magic) {
			break
		}
		from += int64(n - len(magic) + 1)
	}
	return size, nil
}

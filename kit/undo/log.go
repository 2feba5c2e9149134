package undo

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// kind is what a record of the log is about.
type kind string

// The kinds.
const (
	began    kind = "began"    // a call began: Call, Owner
	ended    kind = "ended"    // it ended: Of
	changed  kind = "changed"  // files changed while the calls of Of ran; none: nobody of ours changed them
	undoing  kind = "undoing"  // an undo begins: Of are the steps that it takes back, changes what it will do
	undone   kind = "undone"   // it ended: Of has the number of its beginning, changes are what it did
	released kind = "released" // the owner of calls has gone without ending them: Of
)

// record is one entry of the log.
type record struct {
	N     uint64      `json:"n"` // its number: 1, 2, 3, …
	Kind  kind        `json:"kind"`
	Time  time.Time   `json:"time"`
	Of    []uint64    `json:"of,omitempty"`
	Call  *Call       `json:"call,omitempty"`
	Owner string      `json:"owner,omitempty"` // of a call or an undo: the process, see owner
	Redo  bool        `json:"redo,omitempty"`  // the undo takes back an undo
	Paths []string    `json:"paths,omitempty"` // of a call: all that it can change; none is anything
	Void  bool        `json:"void,omitempty"`  // the undo ended before it did anything
	Lost  []Uncovered `json:"lost,omitempty"`  // of changes: files outside of the workspace that a file tool changed
	Left  []uint64    `json:"left,omitempty"`  // steps of the undo of which paths failed: they can be taken back again
	Temp  string      `json:"temp,omitempty"`  // of an undo: what the names of its temporary files begin with

	changes []treeChange
}

var table = crc32.MakeTable(crc32.Castagnoli)

// frame is a record as the log has it: length, CRC, length of the JSON, JSON, changes.
func (r *record) frame() ([]byte, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	b := make([]byte, 8, 8+len(text)+16+256*len(r.changes))
	b = appendText(b, string(text))
	b = appendChanges(b, r.changes)
	binary.LittleEndian.PutUint32(b, uint32(len(b)-8))
	binary.LittleEndian.PutUint32(b[4:], crc32.Checksum(b[8:], table))
	return b, nil
}

// parseRecord reads the first record. n is its length; 0 when it is not whole, or damaged.
func parseRecord(b []byte) (r *record, n int) {
	if len(b) < 8 {
		return nil, 0
	}
	size := int(binary.LittleEndian.Uint32(b))
	if size > len(b)-8 || crc32.Checksum(b[8:8+size], table) != binary.LittleEndian.Uint32(b[4:]) {
		return nil, 0
	}
	d := newTreeDecoder(b[8 : 8+size])
	r = &record{}
	if json.Unmarshal([]byte(d.Text()), r) != nil {
		return nil, 0
	}
	if r.changes = d.Changes(); d.Bad() {
		return nil, 0
	}
	return r, 8 + size
}

// objects returns the bytes of git's objects that the record can put back.
func (r *record) objects() (n int64) {
	for _, c := range r.changes {
		if c.Before.Object() && c.Before.Stat.Mode.IsRegular() {
			n += c.Before.Stat.Size
		}
	}
	return n
}

// history is the log: what happened, as far as it is kept.
type history struct {
	dir     string
	fault   func(string) error
	records []*record
	file    *os.File
	info    os.FileInfo // of the file when it was opened
	end     int64       // of the last good record
	next    uint64
	pinned  []uint64 // steps that are being taken back, and the undo that does it: they are not forgotten
	objects int64    // bytes of git's objects that the records can put back
}

// pin keeps steps from being forgotten until unpin is called.
func (h *history) pin(steps []Step) (unpin func()) {
	for _, st := range steps {
		h.pinned = append(h.pinned, st.N)
	}
	return func() { h.pinned = nil }
}

func (h *history) name() string { return filepath.Join(h.dir, "log") }

// refresh reads what was added since the last time, by any process. replaced reports that the whole log was written again.
func (h *history) refresh() (more []*record, replaced bool, err error) {
	now, err := os.Stat(h.name())
	if errors.Is(err, fs.ErrNotExist) {
		replaced = h.file != nil
		h.close()
		h.records, h.end, h.next, h.objects = nil, 0, 1, 0
		return nil, replaced, nil
	}
	if err != nil {
		return nil, false, err
	}
	if h.file == nil || !os.SameFile(now, h.info) || now.Size() < h.end {
		h.close()
		h.records, h.end, h.next, h.objects = nil, 0, 1, 0
		replaced = true
		if h.file, err = os.OpenFile(h.name(), os.O_RDWR, 0); err != nil {
			return nil, false, err
		}
		h.info = now
	}
	if now.Size() == h.end {
		return h.records[len(h.records):], replaced, nil
	}
	text, err := io.ReadAll(io.NewSectionReader(h.file, h.end, now.Size()-h.end))
	if err != nil {
		return nil, false, err
	}
	from := len(h.records)
	for {
		r, n := parseRecord(text)
		if n == 0 {
			n = damaged(text)
		}
		if n == 0 {
			break
		}
		if r != nil {
			h.records = append(h.records, r)
			h.objects += r.objects()
			h.next = max(h.next, r.N+1)
		}
		h.end += int64(n)
		text = text[n:]
	}
	return h.records[from:], replaced, nil
}

// damaged returns the length of a record that cannot be read, where a good one follows; else 0. Only that record is lost then.
func damaged(b []byte) int {
	if len(b) < 8 {
		return 0
	}
	n := 8 + int(binary.LittleEndian.Uint32(b))
	if n >= len(b) {
		return 0
	}
	if _, next := parseRecord(b[n:]); next == 0 {
		return 0
	}
	return n
}

// cut removes what follows the last good record: a crash cut it off, or the disk damaged it. It is kept beside the log.
// Only the holder of the lock may do this.
func (h *history) cut() error {
	if h.file == nil {
		return nil
	}
	now, err := h.file.Stat()
	if err != nil || now.Size() == h.end {
		return err
	}
	rest, err := io.ReadAll(io.NewSectionReader(h.file, h.end, now.Size()-h.end))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(h.dir, "damaged"), rest, 0o600); err != nil {
		return err
	}
	return h.file.Truncate(h.end)
}

// add appends a record. It is written at once, and with sync on disk when add returns.
func (h *history) add(r *record, sync bool) error {
	if h.file == nil {
		f, err := os.OpenFile(h.name(), os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return err
		}
		if h.info, err = f.Stat(); err != nil {
			f.Close()
			return err
		}
		h.file, h.next = f, max(h.next, 1)
	}
	r.N, r.Time = h.next, time.Now().UTC()
	b, err := r.frame()
	if err != nil {
		return err
	}
	if err := h.fault("log"); err != nil {
		return err
	}
	if _, err := h.file.WriteAt(b, h.end); err != nil {
		_ = h.file.Truncate(h.end) // the next one cuts it off otherwise
		return fmt.Errorf("write %s: %w", h.name(), err)
	}
	if sync {
		if err := h.fault("log sync"); err != nil {
			return err
		}
		if err := h.file.Sync(); err != nil {
			return err
		}
	}
	h.end += int64(len(b))
	h.next++
	h.objects += r.objects()
	h.records = append(h.records, r)
	return nil
}

// replace writes a log that has only these records.
func (h *history) replace(records []*record) error {
	var b []byte
	for _, r := range records {
		one, err := r.frame()
		if err != nil {
			return err
		}
		b = append(b, one...)
	}
	if err := writeFile(h.name(), b, h.fault); err != nil {
		return err
	}
	h.close()
	_, _, err := h.refresh()
	return err
}

func (h *history) close() {
	if h.file != nil {
		h.file.Close()
		h.file = nil
	}
}

// writeFile writes a file as a whole.
func writeFile(name string, data []byte, fault func(string) error) error {
	if err := fault("write " + filepath.Base(name)); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".new-")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = fault("rename " + filepath.Base(name))
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

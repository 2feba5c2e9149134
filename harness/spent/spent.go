// Package spent keeps what the sessions of a day have spent, those of all processes of the user together, so that spending can be
// bounded for each day.
package spent

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"rein/agent/budget"
	"rein/internal/plainfile"
)

// Days is a directory with a file for each day: a line of JSON for each time that something was spent. A day begins at midnight of
// the local time. Its methods may be called from many goroutines at once.
type Days struct {
	Dir string
	Now func() time.Time // nil: time.Now

	mu     sync.Mutex
	day    string
	offset int64         // bytes of the file that sum has
	sum    budget.Amount // of the lines up to offset
	lost   budget.Amount // what could not be written: it still counts here
}

// keptDays is after how many days a file is removed.
const keptDays = 40

// Today gives what was spent since midnight.
func (d *Days) Today() budget.Amount {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.read()
	return plus(d.sum, d.lost)
}

// Add notes that something was spent.
func (d *Days) Add(a budget.Amount) {
	if a == (budget.Amount{}) {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	file := d.file()
	if d.write(file, a) != nil {
		d.lost = plus(d.lost, a)
	}
}

// file is the one of today. A new day begins with nothing.
func (d *Days) file() string {
	now := time.Now
	if d.Now != nil {
		now = d.Now
	}
	if day := now().Format(time.DateOnly); day != d.day {
		d.day, d.offset, d.sum, d.lost = day, 0, budget.Amount{}, budget.Amount{}
	}
	return filepath.Join(d.Dir, d.day+".jsonl")
}

// read takes the lines that have come since it was called last. A line that another process has not written whole is read later;
// one that is damaged counts nothing.
func (d *Days) read() {
	f, err := plainfile.Open(d.file())
	if err != nil {
		return
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Size() < d.offset { // it was removed and made again
		d.offset, d.sum = 0, budget.Amount{}
	}
	text, err := io.ReadAll(io.NewSectionReader(f, d.offset, 1<<62))
	if err != nil {
		return
	}
	end := bytes.LastIndexByte(text, '\n') + 1
	for line := range bytes.Lines(text[:end]) {
		var a budget.Amount
		if json.Unmarshal(line, &a) == nil {
			d.sum = plus(d.sum, a)
		}
	}
	d.offset += int64(end)
}

// write appends a line. The system writes what is appended at once as a whole, so processes do not wait for each other.
func (d *Days) write(file string, a budget.Amount) error {
	line, err := json.Marshal(a)
	if err != nil {
		return err
	}
	f, err := plainfile.Append(file)
	if errors.Is(err, os.ErrNotExist) {
		if err = os.MkdirAll(d.Dir, 0o700); err == nil {
			f, err = plainfile.Append(file)
		}
	}
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil && info.Size() == 0 {
		d.forget()
	}
	_, writeErr := f.Write(append(line, '\n'))
	return errors.Join(err, writeErr, f.Close())
}

// forget removes the files of days long ago. What cannot be removed stays.
func (d *Days) forget() {
	entries, err := os.ReadDir(d.Dir)
	if err != nil {
		return
	}
	today, err := time.Parse(time.DateOnly, d.day)
	for _, e := range entries {
		day, wrong := time.Parse(time.DateOnly, strings.TrimSuffix(e.Name(), ".jsonl"))
		if err == nil && wrong == nil && today.Sub(day) > keptDays*24*time.Hour {
			_ = os.Remove(filepath.Join(d.Dir, e.Name()))
		}
	}
}

func plus(a, b budget.Amount) budget.Amount {
	return budget.Amount{Tokens: a.Tokens + b.Tokens, USD: a.USD + b.USD, Time: a.Time + b.Time, Calls: a.Calls + b.Calls,
		Requests: a.Requests + b.Requests, SubAgents: a.SubAgents + b.SubAgents}
}

// Limit is what all sessions of a day may spend; zero means no limit.
type Limit budget.Amount

// Account is the account of all sessions of a day, under a limit. It is nil where there is none.
func (d *Days) Account(limit Limit) *budget.Account {
	if limit == (Limit{}) {
		return nil
	}
	return budget.NewShared("today", budget.Amount(limit), d.Today, d.Add)
}

package harness

// What the sessions of a day have spent is kept, that of all processes of the user together, so that spending can be
// bounded for each day.

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"rein/agent"
	"rein/internal/plainfile"
)

// spentDays is a directory with a file for each day: a line of JSON for each time that something was spent. A day begins at midnight of
// the local time. Its methods may be called from many goroutines at once.
type spentDays struct {
	Dir string
	Now func() time.Time // nil: time.Now

	mu     sync.Mutex
	day    string
	offset int64        // bytes of the file that sum and held have
	sum    agent.Amount // spent, in the lines up to offset
	held   []spentLine  // the holds that no line takes back, in order
	lost   agent.Amount // what could not be written: it still counts here
}

// spentLine is one line of the file.
type spentLine struct {
	agent.Amount
	Hold string `json:"hold,omitempty"` // the amount is not spent yet: what something may cost at most
	PID  int    `json:"pid,omitempty"`  // of the process that holds it
	Done string `json:"done,omitempty"` // takes a hold back: the amount is what was spent
}

// keptDays is after how many days a file is removed.
const keptDays = 40

// Spent returns what was spent since midnight. What a process held that has gone counts as spent: nobody knows better.
func (d *spentDays) Spent() agent.Amount {
	spent, _ := d.Before("")
	return spent
}

// Hold notes what something may cost. See budget.Ledger.
func (d *spentDays) Hold(most agent.Amount) (id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	id = rand.Text()
	if d.write(d.file(), spentLine{Amount: most, Hold: id, PID: os.Getpid()}) != nil {
		return ""
	}
	return id
}

// Before returns what was spent since midnight, and what those hold whose notes came before this one; "" is all notes.
func (d *spentDays) Before(id string) (spent, held agent.Amount) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.read()
	spent = addAmounts(d.sum, d.lost)
	before := true
	for _, h := range d.held {
		before = before && h.Hold != id
		switch {
		case hasEnded(h.PID):
			spent = addAmounts(spent, h.Amount)
		case before:
			held = addAmounts(held, h.Amount)
		}
	}
	return spent, held
}

// hasEnded reports whether a process has ended. Where that cannot be found out it has not.
func hasEnded(pid int) bool {
	p, err := os.FindProcess(pid)
	return err != nil || errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

// Done notes what was spent, and takes a hold back; "" is none.
func (d *spentDays) Done(id string, spent agent.Amount) {
	if spent == (agent.Amount{}) && id == "" {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.write(d.file(), spentLine{Amount: spent, Done: id}) != nil {
		d.lost = addAmounts(d.lost, spent)
	}
}

// file is the one of today. A new day begins with nothing.
func (d *spentDays) file() string {
	now := time.Now
	if d.Now != nil {
		now = d.Now
	}
	if day := now().Format(time.DateOnly); day != d.day {
		d.day, d.offset, d.sum, d.held, d.lost = day, 0, agent.Amount{}, nil, agent.Amount{}
	}
	return filepath.Join(d.Dir, d.day+".jsonl")
}

// read takes the lines that have come since it was called last. A line that another process has not written whole is read later;
// one that is damaged counts nothing.
func (d *spentDays) read() {
	f, err := plainfile.Open(d.file())
	if err != nil {
		return
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Size() < d.offset { // it was removed and made again
		d.offset, d.sum, d.held = 0, agent.Amount{}, nil
	}
	text, err := io.ReadAll(io.NewSectionReader(f, d.offset, 1<<62))
	if err != nil {
		return
	}
	end := bytes.LastIndexByte(text, '\n') + 1
	for text := range bytes.Lines(text[:end]) {
		var l spentLine
		switch {
		case json.Unmarshal(text, &l) != nil:
		case l.Hold != "":
			d.held = append(d.held, l)
		default:
			d.sum = addAmounts(d.sum, l.Amount)
			d.held = slices.DeleteFunc(d.held, func(h spentLine) bool { return h.Hold == l.Done })
		}
	}
	d.offset += int64(end)
}

// write appends a line. The system writes what is appended at once as a whole, so processes do not wait for each other.
func (d *spentDays) write(file string, l spentLine) error {
	text, err := json.Marshal(l)
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
	_, writeErr := f.Write(append(text, '\n'))
	return errors.Join(err, writeErr, f.Close())
}

// forget removes the files of days long ago. What cannot be removed stays.
func (d *spentDays) forget() {
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

func addAmounts(a, b agent.Amount) agent.Amount {
	return agent.Amount{Tokens: a.Tokens + b.Tokens, USD: a.USD + b.USD, Time: a.Time + b.Time, Calls: a.Calls + b.Calls,
		Requests: a.Requests + b.Requests, SubAgents: a.SubAgents + b.SubAgents}
}

// spentLimit is what all sessions of a day may spend; zero means no limit.
type spentLimit agent.Amount

// Account is the account of all sessions of a day, under a limit. It is nil where there is none.
func (d *spentDays) Account(limit spentLimit) *agent.Account {
	if limit == (spentLimit{}) {
		return nil
	}
	return agent.NewSharedAccount("today", agent.Amount(limit), d)
}

// Calls returns a function that counts calls of a session without a model, under the limits of the session and of the day. Its error
// is *budget.Exceeded, or that of the context: then none of the calls may run.
func (d *spentDays) Calls(session, day spentLimit) func(ctx context.Context, calls int) error {
	account := agent.NewAccount("this session", agent.Amount(session), d.Account(day))
	return func(ctx context.Context, calls int) error {
		n := agent.Amount{Calls: int64(calls)}
		err := account.Take(ctx, n)
		if err == nil {
			account.Spend(n, n)
		}
		return err
	}
}

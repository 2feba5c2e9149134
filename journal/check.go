package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"rein/event"
)

// Report is what Check found in the directory of a session.
type Report struct {
	Events   int       `json:"events"`
	Problems []Problem `json:"problems,omitempty"`
	Copy     string    `json:"copy,omitempty"` // the journal as it was before a repair
}

// Problem is one thing that is not as it should be.
type Problem struct {
	Line     int    `json:"line,omitempty"` // of the journal, from 1
	Text     string `json:"text"`           // what is wrong
	Repaired string `json:"repaired,omitempty"`

	rewrite bool // the repair writes the journal again
	joined  bool // and joins two lines
}

// Check reads a journal to its end and looks at the blobs beside it. With repair it repairs what can be repaired, and the
// report says how: lines that cannot be read go to DamagedName, and a note takes their place in the journal, of which a copy
// is kept. Nothing else is removed from a journal. A repair fails with ErrHeld while a process has the session open, a
// journal of a newer format with ErrNewer.
func Check(dir string, repair bool) (r Report, err error) {
	c := &check{dir: dir, name: filepath.Join(dir, FileName), blobs: map[string]bool{}, started: map[string]bool{}, calls: map[string]string{}}
	if repair {
		lock, err := hold(dir)
		if err != nil {
			return r, err
		}
		MarkChanged(dir)
		defer func() { err = errors.Join(err, release(dir, lock)) }()
	}
	if err := c.read(); err != nil {
		return c.Report, err
	}
	if err := c.checkBlobs(repair); err != nil {
		return c.Report, err
	}
	if repair && c.broken() {
		return c.Report, c.rewrite()
	}
	return c.Report, nil
}

// check is a check while it is made.
type check struct {
	Report
	dir, name string
	seq       int64 // of the last event
	lost      int64 // lines since then that cannot be read
	damage    Damage
	blobs     map[string]bool   // those that the journal refers to
	started   map[string]bool   // sub-agents
	calls     map[string]string // calls without a result, by id, with the name of the tool
}

func (c *check) problem(line int, rewrite bool, format string, args ...any) {
	c.Problems = append(c.Problems, Problem{Line: line, Text: fmt.Sprintf(format, args...), rewrite: rewrite})
}

func (c *check) broken() bool {
	return slices.ContainsFunc(c.Problems, func(p Problem) bool { return p.rewrite })
}

func (c *check) read() error {
	for l, err := range joinedLines(c.name) {
		switch {
		case errors.Is(err, ErrTorn):
			c.damage.Torn = string(l.Text)
			c.problem(l.Number, true, "a crash cut off the last line (%d bytes)", len(l.Text))
			return c.rest()
		case err != nil:
			return err
		case l.Err != nil:
			c.damage.Lines = append(c.damage.Lines, DamagedLine{l.Number, string(l.Text), l.Err})
			c.problem(l.Number, true, "the line cannot be read: %v", l.Err)
			c.lost++
		default:
			if l.split {
				c.Problems = append(c.Problems, Problem{Line: l.Number, Text: "the line is broken in two", rewrite: true, joined: true})
			}
			c.Events++
			c.line(l.Line)
		}
	}
	return c.rest()
}

// line checks an event that can be read.
func (c *check) line(l Line) {
	e := l.Event
	switch {
	case e.Seq != 0 && e.Seq <= c.seq:
		c.problem(l.Number, false, "the event has the number %d and comes after %d", e.Seq, c.seq)
	case e.Seq > c.seq+c.lost+1:
		c.problem(l.Number, false, "the events %d to %d are missing", c.seq+c.lost+1, e.Seq-1)
	}
	if e.Seq == 0 {
		c.seq += c.lost + 1
	}
	c.seq, c.lost = max(c.seq, e.Seq), 0
	for _, hash := range e.Blobs {
		c.blobs[hash] = true
		if _, err := ReadBlob(c.dir, hash); err != nil {
			c.problem(l.Number, false, "%v", err)
		}
	}
	if len(e.Message) > 0 {
		var m struct {
			Role  string            `json:"role"`
			Parts []json.RawMessage `json:"parts"`
		}
		if err := json.Unmarshal(e.Message, &m); err != nil || m.Role == "" {
			c.problem(l.Number, false, "the message cannot be read and is left out")
		}
	}
	switch {
	case e.Kind == event.Requested: // it had a result of each call
		clear(c.calls)
	case e.Call == nil:
	case e.MayAct():
		c.calls[e.Call.ID] = e.Call.Name
	case e.Kind == event.Replied:
		delete(c.calls, e.Call.ID)
	}
}

// rest reports what is known only at the end.
func (c *check) rest() error {
	for id, name := range c.calls {
		c.problem(0, false, "the call %s of %s may have run and has no result: the model is informed when the session continues", id, name)
	}
	return nil
}

// checkBlobs looks for files that nothing refers to.
func (c *check) checkBlobs(repair bool) error {
	entries, err := os.ReadDir(filepath.Join(c.dir, BlobsName))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, f := range entries {
		if c.blobs[f.Name()] {
			continue
		}
		p := Problem{Text: "nothing refers to the file " + filepath.Join(BlobsName, f.Name())}
		if repair && strings.HasPrefix(f.Name(), ".new-") { // a crash left it; a whole one is kept
			if err := os.Remove(filepath.Join(c.dir, BlobsName, f.Name())); err != nil {
				return err
			}
			p.Repaired = "removed"
		}
		c.Problems = append(c.Problems, p)
	}
	return nil
}

// rewrite writes the journal again, with a note in the place of each line that cannot be read.
func (c *check) rewrite() error {
	if err := c.damage.keep(filepath.Join(c.dir, DamagedName)); err != nil {
		return err
	}
	c.Copy = fmt.Sprintf("%s.before-repair-%s", c.name, time.Now().UTC().Format("20060102-150405"))
	if err := copyFile(c.name, c.Copy); err != nil {
		return err
	}
	next := c.name + ".new"
	if err := c.writeGood(next); err != nil {
		return errors.Join(err, os.Remove(next))
	}
	if err := os.Rename(next, c.name); err != nil {
		return err
	}
	for i := range c.Problems {
		switch p := &c.Problems[i]; {
		case p.joined:
			p.Repaired = "joined"
		case p.rewrite:
			p.Repaired = "moved to " + DamagedName
		}
	}
	return nil
}

// joinedLine is a line of a journal; split: it was broken in two by a line break, and both halves are in it.
type joinedLine struct {
	Line
	split bool
}

// joinedLines returns the lines of a journal as ReadFrom does. Two lines that cannot be read, and are one event together, are one line.
func joinedLines(name string) iter.Seq2[joinedLine, error] {
	return func(yield func(joinedLine, error) bool) {
		var half *joinedLine // a line that cannot be read, until the next one is there
		flush := func() bool {
			l := half
			half = nil
			return l == nil || yield(*l, nil)
		}
		for l, err := range ReadFrom(name, 0) {
			now := joinedLine{Line: l}
			now.Text = bytes.Clone(l.Text)
			switch {
			case err == nil && l.Err != nil && half != nil && now.join(half):
				half = nil
			case !flush():
				return
			case err == nil && l.Err != nil:
				half = &now
				continue
			}
			if !yield(now, err) || err != nil {
				return
			}
		}
		flush()
	}
}

// join makes one line of this and the half before it; false: they are no event together.
func (l *joinedLine) join(before *joinedLine) bool {
	whole := joinedLine{Line: Line{Number: before.Number, Text: append(bytes.Clone(before.Text), l.Text...), Next: l.Next}, split: true}
	if whole.decode(); whole.Err != nil || known(whole.Event.Format) != nil {
		return false
	}
	*l = whole
	return true
}

func (c *check) writeGood(name string) (err error) {
	out, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Sync(), out.Close()) }()
	var seq int64
	var lost []int // the numbers of lines since the last event that cannot be read
	for l, err := range joinedLines(c.name) {
		switch {
		case errors.Is(err, ErrTorn):
			return writeLost(out, lost, seq, seq+int64(len(lost))+1)
		case err != nil:
			return err
		case l.Err != nil:
			lost = append(lost, l.Number)
			continue
		}
		next := l.Event.Seq
		if next == 0 {
			next = seq + int64(len(lost)) + 1
		}
		if err := writeLost(out, lost, seq, next); err != nil {
			return err
		}
		seq, lost = max(seq, next), nil
		if _, err := out.Write(append(l.Text, '\n')); err != nil {
			return err
		}
	}
	return writeLost(out, lost, seq, seq+int64(len(lost))+1)
}

// writeLost writes a note in the place of each line that cannot be read, with the numbers between those of the events before and after
// them. A line for which no number is left gets none: it was part of another.
func writeLost(out io.Writer, lost []int, before, after int64) error {
	for i, line := range lost {
		seq := before + int64(i) + 1
		if seq >= after {
			return nil
		}
		note := event.Event{Kind: event.Damaged, Time: time.Now(), Seq: seq, Text: fmt.Sprintf("line %d of the journal was damaged; %s has it", line, DamagedName)}
		text, err := note.Line(nil)
		if err != nil {
			return err
		}
		if _, err := out.Write(text); err != nil {
			return err
		}
	}
	return nil
}

func copyFile(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Sync(), out.Close())
}

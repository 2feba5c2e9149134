package journal

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"

	"rein/event"
)

// ErrTorn means that a journal ends in a line that a crash cut off. What comes before it is whole.
var ErrTorn = errors.New("a crash cut off the last line, and it is left out")

// ErrNewer means that a newer version of the program wrote the journal, in a format that this one does not know.
var ErrNewer = errors.New("a newer version of the program wrote this journal")

// Read returns the events of a journal file in order, with the data of their blobs. A damaged line gives an event of the
// kind event.Damaged, and reading continues. Where the data of a blob is missing, it is empty, and an event of the kind
// event.Notice without a number follows. A torn last line ends it with ErrTorn, a newer format with ErrNewer.
func Read(name string) iter.Seq2[event.Event, error] { return Rest(name, 0) }

// Rest returns the events from the line at an offset on, as Read does.
func Rest(name string, offset int64) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		dir := filepath.Dir(name)
		for l, err := range ReadFrom(name, offset) {
			var missing []event.Event
			if err == nil {
				missing, err = l.complete(dir)
			}
			if !yield(l.Event, err) || err != nil {
				return
			}
			for _, e := range missing {
				if !yield(e, nil) {
					return
				}
			}
		}
	}
}

// Line is a line of a journal.
type Line struct {
	Number int    // from 1, counted from where reading began
	Text   []byte // without the line break; valid until the next line is read
	Err    error  // why the line is no event; nil for one that is
	Event  event.Event
	Next   int64 // offset of the line after it, in bytes
}

// ReadFrom returns the lines of a journal file from an offset on, which must be 0 or the Next of a line. Data that is in
// blobs stays there. A damaged line gives an event of the kind event.Damaged. Errors are those of Read.
func ReadFrom(name string, offset int64) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		for l, err := range rawLines(name, offset) {
			if err == nil {
				l.decode()
				err = known(l.Event.Format)
			}
			if !yield(l, err) || err != nil {
				return
			}
		}
	}
}

// rawLines returns the lines of a journal file from an offset on, without their events.
func rawLines(name string, offset int64) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		f, err := os.Open(name)
		if err != nil {
			yield(Line{}, err)
			return
		}
		defer f.Close()
		lines(f, offset)(yield)
	}
}

// decode sets the event of a line. That of a line that is no event is Damaged, with its format where it has one.
func (l *Line) decode() {
	if l.Err = l.Event.Parse(l.Text); l.Err == nil {
		l.Err = l.Event.Whole()
	}
	if l.Err != nil {
		text := fmt.Sprintf("line %d of the journal is damaged and is left out (%v)", l.Number, l.Err)
		l.Event = event.Event{Kind: event.Damaged, Text: text, Format: format(l.Text)}
	}
}

// complete gives the event of a line the data of its blobs. missing reports what is not there; it has one event at most.
func (l *Line) complete(dir string) (missing []event.Event, err error) {
	if len(l.Event.Blobs) == 0 {
		return nil, nil
	}
	text, lost := restore(dir, l.Text, l.Event.Blobs)
	var e event.Event
	if err := e.Parse(text); err != nil {
		return nil, fmt.Errorf("line %d of the journal: %w", l.Number, err)
	}
	e.Blobs = nil
	l.Event = e
	if len(lost) > 0 {
		text := fmt.Sprintf("event %[2]d: the data of images or documents is missing: %[1]d", len(lost), e.Seq)
		missing = []event.Event{{Kind: event.Notice, Time: e.Time, Session: e.Session, Text: text}}
	}
	return missing, nil
}

// known refuses a format that is newer than ours.
func known(format int) error {
	if format > event.Format {
		return fmt.Errorf("%w (its format is %d, and this one reads up to %d): update the program", ErrNewer, format, event.Format)
	}
	return nil
}

// format is the format in a line that is no event as we know it; 0 when there is none.
func format(text []byte) int {
	var e struct {
		Format int `json:"format"`
	}
	if json.Unmarshal(text, &e) != nil {
		return 0
	}
	return e.Format
}

// lines returns the lines of a journal from an offset on, without their events. The error of a last line without its line
// break is ErrTorn.
func lines(r io.ReaderAt, offset int64) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		in := bufio.NewReaderSize(io.NewSectionReader(r, offset, 1<<62-offset), 64<<10)
		var long []byte
		for n := 1; ; n++ {
			text, err := in.ReadSlice('\n')
			if errors.Is(err, bufio.ErrBufferFull) {
				text, err = longLine(in, append(long[:0], text...))
				long = text
			}
			if err == io.EOF && len(text) == 0 {
				return
			}
			if err != nil {
				if err == io.EOF {
					err = ErrTorn
				}
				yield(Line{Number: n, Text: text, Next: offset}, err)
				return
			}
			offset += int64(len(text))
			if !yield(Line{Number: n, Text: text[:len(text)-1], Next: offset}, nil) {
				return
			}
		}
	}
}

// longLine reads the rest of a line that is longer than the buffer.
func longLine(in *bufio.Reader, line []byte) ([]byte, error) {
	for {
		more, err := in.ReadSlice('\n')
		line = append(line, more...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// inspected is what a journal has before it is appended to.
type inspected struct {
	size   int64 // bytes of the whole lines
	seq    int64 // of the last event
	format int   // the highest
	damage Damage
}

// inspect reads a journal from its beginning. It reads of each line only what it needs, and checks that the line is JSON.
func inspect(f io.ReaderAt) (found inspected, err error) {
	for l, err := range lines(f, 0) {
		if found.torn(l, err) {
			break
		}
		if err != nil {
			return found, err
		}
		h, ok := headOf(l.Text)
		if !ok {
			l.decode()
			h = head{seq: l.Event.Seq, format: l.Event.Format}
		}
		if err := found.take(l, h); err != nil {
			return found, err
		}
	}
	return found, nil
}

// torn reports whether a line is the last one, which a crash cut off, and notes it.
func (i *inspected) torn(l Line, err error) bool {
	if errors.Is(err, ErrTorn) {
		i.damage.Torn = string(l.Text)
		return true
	}
	return false
}

// take notes the next line.
func (i *inspected) take(l Line, h head) error {
	i.size = l.Next
	if err := known(h.format); err != nil {
		return err
	}
	i.format = max(i.format, h.format)
	if l.Err != nil {
		i.damage.Lines = append(i.damage.Lines, DamagedLine{l.Number, string(l.Text), l.Err})
		i.seq++ // the damaged line had a number too
		return nil
	}
	i.seq = max(i.seq+1, h.seq)
	return nil
}

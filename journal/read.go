package journal

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"rein/event"
)

// ErrTorn means that a journal ends in a line that a crash cut off. What comes before it is whole.
var ErrTorn = errors.New("a crash cut off the last line, and it is left out")

// ErrNewer means that a newer version of the program wrote the journal, in a format that this one does not know.
var ErrNewer = errors.New("a newer version of the program wrote this journal")

// Read gives the events of a journal file in order. A damaged line gives an event of the kind event.Damaged, and reading
// goes on. A torn last line ends it with ErrTorn, a newer format with ErrNewer.
func Read(name string) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		f, err := os.Open(name)
		if err != nil {
			yield(event.Event{}, err)
			return
		}
		defer f.Close()
		for l, err := range lines(f) {
			var damaged damagedError
			switch {
			case errors.As(err, &damaged):
				l.event, err = event.Event{Kind: event.Damaged, Text: damaged.Error()}, nil
			case err == nil:
				err = known(l.event)
			}
			if err != nil {
				yield(event.Event{}, err)
				return
			}
			if !yield(l.event, nil) {
				return
			}
		}
	}
}

// known refuses a format that is newer than ours.
func known(e event.Event) error {
	if e.Format > event.Format {
		return fmt.Errorf("%w (its format is %d, and this one reads up to %d): update the program", ErrNewer, e.Format, event.Format)
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

// line is a line of a journal.
type line struct {
	text  []byte
	event event.Event
}

// damagedError means that a line is no event.
type damagedError struct {
	number int
	err    error
}

func (e damagedError) Error() string {
	return fmt.Sprintf("line %d of the journal is damaged and is left out (%v)", e.number, e.err)
}

// lines gives the lines of a journal with their events. The error of a line that is no event is a damagedError, and the
// next line follows; that of a last line without its line break is ErrTorn.
func lines(r io.Reader) iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		in := bufio.NewReaderSize(r, 64<<10)
		for n := 1; ; n++ {
			text, err := in.ReadBytes('\n')
			if err == io.EOF && len(text) == 0 {
				return
			}
			if err != nil {
				if err == io.EOF {
					err = ErrTorn
				}
				yield(line{text: text}, err)
				return
			}
			l := line{text: text[:len(text)-1]}
			if err := json.Unmarshal(l.text, &l.event); err != nil {
				l.event = event.Event{}
				if err := known(event.Event{Format: format(l.text)}); err != nil {
					yield(l, err)
					return
				}
				if !yield(l, damagedError{n, err}) {
					return
				}
				continue
			}
			if !yield(l, nil) {
				return
			}
		}
	}
}

// inspected is what a journal has before it is appended to.
type inspected struct {
	size   int64 // bytes of the whole lines
	seq    int64 // of the last event
	damage Damage
}

// inspect reads a journal from its beginning.
func inspect(f *os.File) (found inspected, err error) {
	for l, err := range lines(io.NewSectionReader(f, 0, 1<<62)) {
		var damaged damagedError
		switch {
		case errors.Is(err, ErrTorn):
			found.damage.Torn = string(l.text)
			return found, nil
		case errors.As(err, &damaged):
			found.damage.Lines = append(found.damage.Lines, Line{damaged.number, string(l.text), damaged.err})
			found.seq++ // the damaged line had a number too
		case err != nil:
			return found, err
		default:
			if err := known(l.event); err != nil {
				return found, err
			}
			found.seq = max(found.seq+1, l.event.Seq)
		}
		found.size += int64(len(l.text)) + 1
	}
	return found, nil
}

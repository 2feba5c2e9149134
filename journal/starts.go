package journal

import (
	"bytes"
	"errors"

	"rein/event"
)

// LastStart gives how a session ran last: the Start of its last event that has one. It decodes only those events, so it is
// much faster than Read.
func LastStart(name string) (last event.Start, err error) {
	for l, err := range rawLines(name, 0) {
		if errors.Is(err, ErrTorn) {
			break
		}
		if err != nil {
			return last, err
		}
		if !bytes.Contains(l.Text, []byte(`"start":`)) {
			continue
		}
		if l.decode(); l.Event.Start != nil {
			last = *l.Event.Start
		}
		if err := known(l.Event.Format); err != nil {
			return last, err
		}
	}
	return last, nil
}

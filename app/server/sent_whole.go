package server

import (
	"errors"
	"iter"
	"os"

	"rein/event"
)

// errNotKept means that the result of a call holds all of its output, or that the whole output is not kept any more.
var errNotKept = errors.New("there is no longer output of this call")

// openWhole opens the whole output of a call whose result holds only a part. outputs is the directory of kept outputs, session the
// id of the call's session, events are those of that session. An output of another session is never opened, whatever the
// events say: a session may come from elsewhere. The caller closes the file.
func openWhole(outputs, session string, events iter.Seq2[event.Event, error], call string) (*os.File, error) {
	for e, err := range events {
		if err != nil {
			return nil, err
		}
		if e.Kind != event.Replied || e.Call == nil || e.Call.ID != call || e.Result == nil || e.Result.Cut == nil {
			continue
		}
		f, err := e.Result.Cut.Open(outputs, session)
		if errors.Is(err, os.ErrNotExist) {
			return nil, errors.Join(errNotKept, err)
		}
		return f, err
	}
	return nil, errNotKept
}

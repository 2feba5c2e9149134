package sent

import (
	"errors"
	"iter"
	"os"
	"strings"

	"rein/event"
	"rein/spill"
)

// ErrNotKept means that the result of a call holds all of its output, or that the whole output is not kept any more.
var ErrNotKept = errors.New("there is no longer output of this call")

// Whole opens the whole output of a call whose result holds only a part. outputs is the directory of kept outputs, session the
// id of the call's session, events are those of that session. An output of another session is never opened, whatever the
// events say: a session may come from elsewhere. The caller closes the file.
func Whole(outputs, session string, events iter.Seq2[event.Event, error], call string) (*os.File, error) {
	ref := ""
	for e, err := range events {
		if err != nil {
			return nil, err
		}
		if e.Kind == event.Replied && e.Call != nil && e.Call.ID == call && e.Result != nil && e.Result.Cut != nil {
			ref = e.Result.Cut.Ref
		}
	}
	if session == "" || !strings.HasPrefix(ref, spill.Scheme+session+"-") {
		return nil, ErrNotKept
	}
	f, err := (&spill.Store{Dir: outputs}).Open(ref)
	if errors.Is(err, os.ErrNotExist) {
		return nil, errors.Join(ErrNotKept, err)
	}
	return f, err
}

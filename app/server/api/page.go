package api

import (
	"iter"

	"rein/event"
)

// Page returns recorded events before an event (0: to the end), at most most of them, the last ones. more says whether there are earlier
// ones.
func Page(recorded iter.Seq2[event.Event, error], before int64, most int) (all []event.Event, more bool, err error) {
	all = []event.Event{}
	for e, err := range recorded {
		if err != nil {
			return all, more, err
		}
		if before > 0 && e.Seq >= before {
			break
		}
		if all = append(all, e); len(all) >= 2*most {
			all, more = append(all[:0], all[len(all)-most:]...), true
		}
	}
	if over := len(all) - most; over > 0 {
		all, more = all[over:], true
	}
	return all, more, nil
}

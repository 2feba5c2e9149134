package api

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// maxWatch is how many sessions one stream brings.
const maxWatch = 64

// Watch is what a client watches in one stream.
type Watch struct {
	Inbox, Lists bool // approval requests; lists of sessions
	Sessions     []string
}

// ParseWatch reads "inbox,sessions,s:ID,…".
func ParseWatch(text string) (w Watch, err error) {
	for part := range strings.SplitSeq(text, ",") {
		id, isSession := strings.CutPrefix(part, "s:")
		switch {
		case part == "inbox":
			w.Inbox = true
		case part == "sessions":
			w.Lists = true
		case isSession && !slices.Contains(w.Sessions, id):
			w.Sessions = append(w.Sessions, id)
		case !isSession:
			return w, errors.New("watch takes inbox, sessions and s:ID")
		}
	}
	if len(w.Sessions) > maxWatch {
		return w, fmt.Errorf("at most %d sessions in one stream", maxWatch)
	}
	return w, nil
}

// Topics returns the topics of the hub, in the workspaces that the user sees.
func (w Watch) Topics(dirs []string) (all []string) {
	for _, dir := range dirs {
		if w.Inbox {
			all = append(all, "inbox:"+dir)
		}
		if w.Lists {
			all = append(all, "sessions:"+dir)
		}
	}
	return append(all, w.Sessions...)
}

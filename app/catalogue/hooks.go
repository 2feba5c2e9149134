package catalogue

import (
	"cmp"
	"context"

	"rein/app/harness"
)

func (l Local) listHooks(_ context.Context, h *harness.Harness) (list List, _ error) {
	all, warnings := h.Hooks()
	for _, e := range all {
		runs := "yes"
		if why := e.Why(); why != "" {
			runs = "no: " + why
		}
		list.Entries = append(list.Entries, Entry{ID: string(e.Event), Name: string(e.Event), About: e.Matcher + "   " + e.Handler.Name(),
			Fields: Fields("event", string(e.Event), "matches", cmp.Or(e.Matcher, "*"), "runs", runs, "hook", e.Handler.Name(), "file", e.File.Path),
			Value:  map[string]any{"event": e.Event, "matcher": e.Matcher, "handler": e.Handler, "file": e.File.Path, "runs": e.Why() == "", "why": e.Why()}})
	}
	if l.Options.Warn != nil {
		for _, line := range warnings {
			l.Options.Warn(line)
		}
	}
	return list, nil
}

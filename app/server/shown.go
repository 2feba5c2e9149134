package server

import (
	"cmp"
	"slices"
	"time"

	"rein/app/server/api"
	"rein/event"
)

// Shown is the session as lists show it; pending is how many approval requests of it wait.
func (s pastSession) Shown(pending int) api.Session {
	v := api.Session{ID: s.ID, Title: s.Title, Dir: s.Dir, Model: s.Model, Stop: s.Stop, Started: s.Start, Last: s.Last, Calls: s.Calls, Pending: pending, Usage: &s.Usage, Damaged: s.Damaged, Unreadable: s.Unreadable}
	if s.engine != nil {
		v.Working = s.Title != "" && (s.Stop == "" || s.Stop == event.Waiting)
		v.Trouble = s.engine.Trouble(s.ID)
	}
	v.State = sessionState(v)
	return v
}

// sessionState says what a session does.
func sessionState(v api.Session) api.State {
	switch {
	case v.Unreadable, v.Unrecorded != "" && !v.Working:
		return api.Failed
	case v.Trouble != nil && v.Trouble.Stuck:
		return api.Stuck
	case v.Pending > 0:
		return api.Waiting
	case v.Working:
		return api.Working
	}
	switch v.Stop {
	case event.Done, event.Denied:
		return api.Idle
	case event.Cancelled, event.Halted:
		return api.Cancelled
	case "", event.Waiting:
		if v.Title == "" {
			return api.Idle
		}
		return api.Interrupted
	}
	return api.Failed
}

// spentSince adds up what the sessions that keep accepts have used since the day of a time, by day, directory and model. A
// sub-agent's tokens are in its parent's already.
func spentSince(all []pastSession, since time.Time, keep func(dir string) bool) []api.Spent {
	out := []api.Spent{}
	at := map[[3]string]int{}
	for _, r := range all {
		if !r.Since(since) || !keep(r.Dir) {
			continue
		}
		day := r.Start.UTC().Format(time.DateOnly)
		key := [3]string{day, r.Dir, r.Model}
		i, ok := at[key]
		if !ok {
			i = len(out)
			at[key] = i
			out = append(out, api.Spent{Day: day, Dir: r.Dir, Model: r.Model})
		}
		out[i].Sessions++
		out[i].Calls += r.Calls
		out[i].Failed += r.Failed
		if r.Parent == "" {
			out[i].Usage = out[i].Usage.Plus(r.Usage)
		}
	}
	slices.SortFunc(out, func(a, b api.Spent) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Dir, b.Dir), cmp.Compare(a.Model, b.Model))
	})
	return out
}

// Since reports whether a session began on the day of a time or later, in UTC.
func (s pastSession) Since(since time.Time) bool {
	return s.Start.UTC().Format(time.DateOnly) >= since.UTC().Format(time.DateOnly)
}

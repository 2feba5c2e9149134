package main

import (
	"iter"
	"strings"
	"sync"

	"rein/event"
	"rein/guard"
	"rein/journal"
	"rein/tool"
	"rein/toolcall"
)

// witness reports to the guards that remember what happened in the session: from its events as they are recorded, and,
// when a session is resumed, from those in its journal.
type witness struct {
	guards *guard.Set
	runner *toolcall.Runner

	lock sync.Mutex
	open map[string]seenCall // calls without a result, by id
}

// seenCall is a call on its way.
type seenCall struct {
	is    guard.Case
	asked bool
}

func newWitness(g *guard.Set, r *toolcall.Runner) *witness {
	return &witness{guards: g, runner: r, open: map[string]seenCall{}}
}

// witnessed is a journal whose events are told to a witness.
type witnessed struct {
	journal.Journal
	witness *witness
}

// Append records the events, and then tells of them.
func (j witnessed) Append(events ...event.Event) error {
	if err := j.Journal.Append(events...); err != nil {
		return err
	}
	for _, e := range events {
		j.witness.saw(e, false)
	}
	return nil
}

// of reports recorded events as they are read.
func (w *witness) of(events iter.Seq2[event.Event, error]) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		for e, err := range events {
			if err == nil {
				w.saw(e, true)
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// saw reports one event. The runner itself reports the calls that run now; recorded ones are reported here.
func (w *witness) saw(e event.Event, recorded bool) {
	w.lock.Lock()
	defer w.lock.Unlock()
	switch {
	case e.Kind == event.Prompted && e.Parent == "":
		w.guards.Prompted(w.runner.Session)
	case e.Call == nil:
	case e.Kind == event.Called:
		w.open[e.Parent+"/"+e.Call.ID] = seenCall{is: w.caseOf(e)}
	case e.Kind == event.ApprovalRequested:
		w.open[e.Parent+"/"+e.Call.ID] = seenCall{is: w.caseOf(e), asked: true}
	case e.Kind == event.Granted:
		if e.Grant != nil {
			w.guards.Granted(w.open[e.Parent+"/"+e.Call.ID].is, guard.Answer{Choice: guard.Approved, By: e.Grant.By})
		}
	case e.Kind == event.Replied && e.Result != nil:
		w.ended(w.open[e.Parent+"/"+e.Call.ID], e.Result, recorded)
		delete(w.open, e.Parent+"/"+e.Call.ID)
	}
}

// ended reports a call that has its result: a person refused it, or it ran.
func (w *witness) ended(c seenCall, r *tool.Result, recorded bool) {
	switch r.Kind {
	case tool.Denied:
		if c.asked && c.is.Call.ID != "" {
			_, words, _ := strings.Cut(r.Text, toolcall.SaidNo+": ")
			w.guards.Refused(c.is, guard.Answer{By: guard.ByUser, Words: words})
		}
	case tool.Unapproved, tool.Waiting, tool.BadArguments, tool.Unrecorded:
	default:
		if recorded {
			w.guards.Ran(c.is, *r) // the note was for the model then
		}
	}
}

func (w *witness) caseOf(e event.Event) guard.Case {
	r := w.runner
	c := guard.Case{Session: r.Session, Call: *e.Call, Mode: r.Mode, Root: r.Root, Depth: r.Depth}
	if r.Isolation != nil && e.Kind == event.ApprovalRequested {
		c.Isolation = r.Isolation()
	}
	if e.Intent != nil {
		c.Intent = *e.Intent
	}
	if t := r.Tools.Get(e.Call.Name); t != nil {
		c.Effect = t.Effect
	}
	return c
}

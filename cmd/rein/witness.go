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

// witness tells the guards that remember what happened in the session: from its events as they are recorded, and, when
// a session goes on, from those that its journal holds.
type witness struct {
	guards *guards
	runner *toolcall.Runner

	lock sync.Mutex
	open map[string]seenCall // calls without a result, by id
}

// seenCall is a call on its way.
type seenCall struct {
	is    guard.Case
	asked bool
}

func newWitness(g *guards, r *toolcall.Runner) *witness {
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
		j.witness.saw(e)
	}
	return nil
}

// of tells of events as they are read.
func (w *witness) of(events iter.Seq2[event.Event, error]) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		for e, err := range events {
			if err == nil {
				w.saw(e)
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

func (w *witness) saw(e event.Event) {
	w.lock.Lock()
	defer w.lock.Unlock()
	switch {
	case e.Kind == event.Prompted && e.Parent == "":
		w.guards.refusals.Said(w.runner.Session)
		w.guards.exposure.Said(w.runner.Session)
	case e.Call == nil:
	case e.Kind == event.Called:
		w.open[e.Parent+"/"+e.Call.ID] = seenCall{is: w.caseOf(e)}
	case e.Kind == event.ApprovalRequested:
		w.open[e.Parent+"/"+e.Call.ID] = seenCall{is: w.caseOf(e), asked: true}
	case e.Kind == event.Granted:
		if e.Grant != nil && strings.HasPrefix(e.Grant.By, "user") {
			w.guards.refusals.Granted(w.open[e.Parent+"/"+e.Call.ID].is)
		}
	case e.Kind == event.Replied && e.Result != nil:
		w.ended(w.open[e.Parent+"/"+e.Call.ID], e.Result)
		delete(w.open, e.Parent+"/"+e.Call.ID)
	}
}

// ended tells of a call that has its result: a person refused it, or it ran.
func (w *witness) ended(c seenCall, r *tool.Result) {
	switch r.Kind {
	case tool.Denied:
		if c.asked && c.is.Call.ID != "" {
			_, words, _ := strings.Cut(r.Text, toolcall.SaidNo+": ")
			w.guards.refusals.Refused(c.is, words)
		}
	case tool.Unapproved, tool.Waiting, tool.BadArguments, tool.Unrecorded:
	default:
		w.guards.exposure.Ran(c.is)
		w.guards.trail.Ran(c.is)
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

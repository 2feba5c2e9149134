package main

import (
	"strings"

	"rein/app/tui/text"
	"rein/event"
)

// shownEvent makes an event of the journal one that the screen shows: the model's text was live then.
func shownEvent(e event.Event, own text.Words) event.Event {
	switch e.Kind {
	case event.Responded:
		e.Kind = event.Delta
		if e.Text != "" {
			e.Text += "\n"
		}
	case event.Rewound:
		e.Kind, e.Text = event.Notice, own.Of("The user went back to message %d; what follows it is not in the conversation.", e.At)
	case event.Forked, event.Imported:
		e.Kind, e.Text = event.Notice, originText(e, own)
	}
	return e
}

func originText(e event.Event, own text.Words) string {
	o := event.Origin{}
	if e.Origin != nil {
		o = *e.Origin
	}
	if e.Kind == event.Imported {
		return strings.TrimSpace(own.Of("The session was imported from %s.", o.Program) + " " + e.Text)
	}
	return own.Of("Up to here the session is a copy of session %s.", o.Session)
}

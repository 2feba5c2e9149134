package main

import (
	"fmt"

	"rein/event"
)

// shownEvent makes an event of the journal one that the screen shows: the model's text was live then.
func shownEvent(e event.Event) event.Event {
	switch e.Kind {
	case event.Responded:
		e.Kind = event.Delta
		if e.Text != "" {
			e.Text += "\n"
		}
	case event.Rewound:
		e.Kind, e.Text = event.Notice, fmt.Sprintf("The user went back to message %d; what follows it is not in the conversation.", e.At)
	case event.Forked, event.Imported:
		e.Kind, e.Text = event.Notice, originText(e)
	}
	return e
}

func originText(e event.Event) string {
	o := event.Origin{}
	if e.Origin != nil {
		o = *e.Origin
	}
	text := fmt.Sprintf("Up to here the session is a copy of session %s.", o.Session)
	if e.Kind == event.Imported {
		text = fmt.Sprintf("The session was imported from %s.", o.Program)
		if e.Text != "" {
			text += " " + e.Text
		}
	}
	return text
}

package main

import (
	"bytes"
	"errors"
	"testing"

	"rein/event"
)

// An answer that was recorded before the terminal follows is shown, and no answer is shown twice.
func TestAttachShowsEachAnswerOnce(t *testing.T) {
	var out bytes.Buffer
	a := attached{id: "s1", screen: &plainScreen{Out: &out}, last: 2, writing: map[string]bool{}}
	for _, e := range []event.Event{
		{Seq: 2, Kind: event.Responded, Text: "shown as the past"},
		{Seq: 3, Kind: event.Requested},
		{Seq: 4, Kind: event.Responded, Text: "one"},
		{Seq: 5, Kind: event.Requested},
		{Kind: event.Delta, Text: "tw"},
		{Kind: event.Delta, Text: "o"},
		{Seq: 6, Kind: event.Responded, Text: "two"},
		{Seq: 7, Kind: event.Responded, Text: "\nthree"},
	} {
		e.Session = "s1"
		a.see(e)
	}
	if want := "one\ntwo\nthree\n"; out.String() != want {
		t.Errorf("%q and not %q", out.String(), want)
	}
}

// A command of the user's own is never sent to the model as a message.
func TestAttachSendsNoCommand(t *testing.T) {
	if err := (&attached{}).do(t.Context(), "!ls"); !errors.Is(err, errNoOwnCommands) {
		t.Error(err)
	}
}

package sessions

import (
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"rein/event"
	"rein/tool"
)

// TranscriptFormat is a form of the document.
type TranscriptFormat string

// The formats.
const (
	MarkdownFormat TranscriptFormat = "markdown" // for people and for other programs
	htmlFormat     TranscriptFormat = "html"     // one page, without requests to other places; text cannot become script
	jsonFormat     TranscriptFormat = "json"     // all that is recorded: Read reads it
)

// transcriptVersion is the version of the JSON document.
const transcriptVersion = 1

// transcriptDocument is a session as JSON. Its events are those of the journal, with the data of images and documents.
type transcriptDocument struct {
	Program string        `json:"program"` // always rein
	Version int           `json:"version"` // of the document: see Version
	ID      string        `json:"id"`
	Name    string        `json:"name,omitempty"`
	Tags    []string      `json:"tags,omitempty"`
	Events  []event.Event `json:"events"`
}

// transcriptAbout is what the document says of the session.
type transcriptAbout struct {
	ID, Name, Title, Dir, Model string
	Tags                        []string
	Start, Last                 time.Time
	Messages, Calls             int
	Usage                       event.Usage
}

// heading is the document's title.
func (a transcriptAbout) heading() string {
	switch {
	case a.Name != "":
		return a.Name
	case a.Title != "":
		return a.Title
	}
	return "Session " + a.ID
}

// writeTranscript writes a session. events are those of its journal. Markdown and HTML have the conversation as it is now, without
// what the user went back from; JSON has everything.
func writeTranscript(w io.Writer, f TranscriptFormat, a transcriptAbout, events iter.Seq2[event.Event, error]) error {
	if f == jsonFormat {
		return writeJSON(w, a, events)
	}
	items, err := readItems(events)
	if err != nil {
		return err
	}
	switch f {
	case MarkdownFormat:
		return writeMarkdown(w, a, items)
	case htmlFormat:
		return writeHTML(w, a, items)
	}
	return fmt.Errorf("no such format: %q (expected markdown, html or json)", f)
}

func writeJSON(w io.Writer, a transcriptAbout, events iter.Seq2[event.Event, error]) error {
	d := transcriptDocument{Program: "rein", Version: transcriptVersion, ID: a.ID, Name: a.Name, Tags: a.Tags}
	for e, err := range events {
		if err != nil {
			return err
		}
		d.Events = append(d.Events, e)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(d)
}

// transcriptItem is one thing in the document.
type transcriptItem struct {
	kind     string // user, model, call, note
	by       string // the name of the user; "": there is one, or it is not known
	seq      int64
	time     time.Time
	text     string // of the message; of a note
	thinking string
	images   []transcriptImage

	// Of a call.
	id, name, args string
	changed        string // by whom
	answer         string // of the person who approved or denied it
	result         string
	failed, done   bool
	changes        []tool.Change
	took           time.Duration
}

// transcriptImage is a picture or a document in a message or a result.
type transcriptImage struct {
	mediaType, name string
	data            []byte
}

// readItems makes the items of a session. What the user went back from is left out.
func readItems(events iter.Seq2[event.Event, error]) (items []*transcriptItem, err error) {
	var calls CallCount
	for e, err := range events {
		if err != nil {
			return nil, err
		}
		known := calls.Calls
		calls.See(&e)
		switch e.Kind {
		case event.Rewound:
			for i, it := range items {
				if it.seq >= e.At {
					items = items[:i]
					break
				}
			}
		case event.Prompted, event.Responded:
			items = append(items, messageItem(&e))
		case event.Called:
			call := &transcriptItem{kind: "call", seq: e.Seq, time: e.Time, id: e.Call.ID, name: e.Call.Name, args: string(e.Call.Args)}
			if calls.Calls == known { // it continues, or was changed
				items = slices.DeleteFunc(items, func(it *transcriptItem) bool {
					again := it.kind == "call" && it.id == e.Call.ID && !it.done
					if again {
						call.changed, call.answer = it.changed, it.changed
					}
					return again
				})
			}
			items = append(items, call)
		case event.ApprovalVoid, event.Granted, event.Refused, event.Replied:
			addToCall(items, &e)
		case event.Notice, event.Damaged, event.Forked, event.Imported:
			items = append(items, noteItem(&e))
		case event.Hooked:
			items = append(items, &transcriptItem{kind: "note", seq: e.Seq, time: e.Time, text: strings.TrimSpace(e.Hook.String() + "\n" + e.Text)})
		case event.Stopped:
			if e.Stop != event.Done {
				items = append(items, &transcriptItem{kind: "note", seq: e.Seq, time: e.Time, text: "Stopped: " + string(e.Stop) + ". " + e.Text})
			}
		}
	}
	return items, nil
}

// AuthorOf is the name of the user of a server who wrote the message, or changed the call; "" where there is one user, or it is not known.
func AuthorOf(e *event.Event) string {
	if name, ok := strings.CutPrefix(e.By, "user "); ok {
		return name
	}
	return ""
}

func messageItem(e *event.Event) *transcriptItem {
	it := &transcriptItem{kind: "model", seq: e.Seq, time: e.Time, text: e.Text}
	if e.Kind == event.Prompted {
		it.kind = "user"
		if name := AuthorOf(e); name != "" {
			it.by = " " + name
		}
	}
	for _, p := range e.MessageParts() {
		switch {
		case p.Kind == "thinking" && p.Text != "":
			it.thinking += p.Text + "\n"
		case len(p.Data) > 0:
			it.images = append(it.images, transcriptImage{p.MediaType, p.Name, p.Data})
		}
	}
	return it
}

// addToCall adds what happened to a call.
func addToCall(items []*transcriptItem, e *event.Event) {
	if e.Call == nil {
		return
	}
	var it *transcriptItem
	for i := len(items) - 1; i >= 0 && it == nil; i-- {
		if items[i].kind == "call" && items[i].id == e.Call.ID {
			it = items[i]
		}
	}
	if it == nil {
		return
	}
	if e.Reason == event.WasEdited && e.By != "" {
		it.changed = "changed by " + e.By
	}
	if e.Answer != nil {
		it.answer = strings.TrimPrefix(it.changed+", ", ", ") + e.Answer.Choice + " by " + e.Answer.By
		if e.Answer.Words != "" {
			it.answer += ": " + e.Answer.Words
		}
	}
	if r := e.Result; r != nil {
		detail := tool.ParseDetail(r.Detail)
		it.result, it.done, it.took, it.changes = r.Text, true, r.Duration, detail.Changes
		it.failed = r.Failed || detail.Command != nil && !detail.Command.Running && detail.Command.Failed()
		for _, p := range r.Parts {
			if len(p.Data) > 0 {
				it.images = append(it.images, transcriptImage{p.MediaType, p.Name, p.Data})
			}
		}
	}
}

func noteItem(e *event.Event) *transcriptItem {
	it := &transcriptItem{kind: "note", seq: e.Seq, time: e.Time, text: e.Text}
	switch {
	case e.Kind == event.Forked && e.Origin != nil:
		it.text = "The session up to here is a copy of session " + e.Origin.Session + "."
	case e.Kind == event.Imported && e.Origin != nil:
		it.text = "Imported from " + e.Origin.Program + ". " + e.Text
	}
	return it
}

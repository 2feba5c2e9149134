package sessions

import (
	"encoding/json"
	"slices"

	"rein/event"
	"rein/model"
	"rein/tool"
)

// document reads the JSON of rein sessions export.
func document(text []byte) (events []event.Event, t Transcript, ok bool) {
	var d transcriptDocument
	if json.Unmarshal(text, &d) != nil || d.Program != "rein" || d.Version < 1 || d.Version > transcriptVersion {
		return nil, t, false
	}
	return d.Events, Transcript{ID: d.ID, Name: d.Name, Tags: d.Tags}, true
}

// journalLines reads a journal. The data of images in blobs is not in it.
func journalLines(b *builder, lines [][]byte) *Transcript {
	var events []event.Event
	for _, l := range lines {
		var e event.Event
		if json.Unmarshal(l, &e) != nil {
			b.lose("lines that cannot be read", 1)
			continue
		}
		b.lose("images and documents (export the session as JSON to keep them)", len(e.Blobs))
		e.Blobs = nil
		events = append(events, e)
	}
	t := ours(b.Transcript, events)
	for _, what := range b.order {
		t.Lost = append(t.Lost, Lost{what, b.lost[what]})
	}
	return t
}

// ours takes the conversation out of recorded events: messages, calls and results. Approvals and how the session ran are
// left out.
func ours(t Transcript, recorded []event.Event) *Transcript {
	b := newBuilder()
	b.Transcript, b.Program = t, "rein"
	numbers := map[int64]int64{} // of the messages, there and here; here two events come first
	for _, e := range recorded {
		if e.Whole() != nil {
			b.lose("lines that cannot be read", 1)
			continue
		}
		if e.Session != "" && b.ID == "" {
			b.ID = e.Session
		}
		old := e.Seq
		switch e.Kind {
		case event.Started:
			if e.Start != nil && b.Dir == "" {
				b.Dir = e.Start.Dir
			}
		case event.Prompted, event.Hinted, event.Responded:
			calls, ok := foreign(&e)
			if !ok {
				b.lose("messages that cannot be read", 1)
				continue
			}
			b.interrupt()
			b.open = calls
			b.keep(event.Event{Kind: e.Kind, Text: e.Text, Message: e.Message, Usage: e.Usage}, e)
			numbers[old] = int64(len(b.Events)) + 2
		case event.Called:
			if e.Call != nil {
				b.keep(event.Event{Kind: e.Kind, Call: e.Call, Intent: e.Intent}, e)
			}
		case event.Replied:
			if e.Call != nil && e.Result != nil {
				e.Result.Detail = unknown(e.Result.Detail)
				b.open = slices.DeleteFunc(b.open, func(c tool.Call) bool { return c.ID == e.Call.ID })
				b.keep(event.Event{Kind: e.Kind, Call: e.Call, Result: e.Result}, e)
			}
		case event.Rewound:
			if at, ok := numbers[e.At]; ok {
				b.open = nil
				b.keep(event.Event{Kind: e.Kind, At: at, Text: e.Text}, e)
			}
		case event.SubAgentStarted:
			b.lose("sessions of sub-agents", 1)
		case event.Granted, event.Refused:
			b.lose("approvals and denials", 1)
		}
	}
	out, err := b.done()
	if err != nil {
		return &b.Transcript
	}
	return out
}

func (b *builder) keep(e event.Event, from event.Event) { b.add(e, from.Time) }

// foreign makes a recorded message one that no model takes for its own: what a provider signed, and its own form of the
// message, are not taken from a file. It returns the calls in it.
func foreign(e *event.Event) (calls []tool.Call, ok bool) {
	var m model.Message
	if json.Unmarshal(e.Message, &m) != nil || m.Role == "" {
		return nil, false
	}
	parts := make([]model.Part, len(m.Parts))
	for i, p := range m.Parts {
		p.Signature, p.ProviderID = "", ""
		parts[i] = p
	}
	clean := &model.Message{Role: m.Role, Parts: parts}
	if m.From != "" {
		clean.From = "rein-import/" + m.From
	}
	e.Message = encoded(clean)
	for _, p := range clean.Calls() {
		calls = append(calls, tool.Call{ID: p.ID, Name: p.Name})
	}
	return calls, true
}

// unknown takes out of the data for the screen what says that the model knows a file.
func unknown(raw json.RawMessage) json.RawMessage {
	d := tool.ParseDetail(raw)
	for i := range d.Changes {
		d.Changes[i].Sum = ""
	}
	if d.Read != nil {
		d.Read.Sum = ""
	}
	text, err := json.Marshal(d)
	if err != nil || string(text) == "{}" {
		return nil
	}
	return text
}

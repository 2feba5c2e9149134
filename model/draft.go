package model

import (
	"encoding/json"
	"strings"

	"rein/internal/jsontext"
)

// Draft gathers an answer while it streams. It is for adapters: each method takes what has come, as bytes that it copies,
// and returns the chunk to yield. A piece costs what the piece is long, never what has come before, and allocates
// nothing of its own: Chunk.Text is a window into the growing text. The zero Draft is ready.
type Draft struct {
	// Before are the messages that the answer follows: ids of their calls are not used again.
	Before []*Message

	parts []*draftPart
	calls []int // positions in parts
	ids   map[string]bool
}

type draftPart struct {
	Part
	text strings.Builder // of a call: its arguments
}

// Text adds to the answer's text.
func (d *Draft) Text(piece []byte) Chunk {
	return Chunk{Kind: TextChunk, Text: d.last(TextKind).add(piece)}
}

// Thinking adds to the answer's thinking.
func (d *Draft) Thinking(piece []byte) Chunk {
	return Chunk{Kind: ThinkingChunk, Text: d.last(ThinkingKind).add(piece)}
}

// Sign closes the thinking that is being written with its signature; a text that follows begins a new part.
func (d *Draft) Sign(signature string) {
	p := d.last(ThinkingKind)
	p.Signature += signature
}

// Split ends the part that is being written, so that the next piece begins a new one.
func (d *Draft) Split() { d.parts = append(d.parts, &draftPart{}) }

// Start begins a call. An id that is empty, or that this answer or a message before it had, is not kept: ours replaces it
// everywhere. The chunk's Call is what the other methods take.
func (d *Draft) Start(providerID, name string) Chunk {
	if d.ids[providerID] || d.hadBefore(providerID) {
		providerID = ""
	}
	if providerID != "" {
		if d.ids == nil {
			d.ids = make(map[string]bool)
		}
		d.ids[providerID] = true
	}
	d.parts = append(d.parts, &draftPart{Part: Part{Kind: CallKind, ID: NewID(), ProviderID: providerID, Name: name}})
	d.calls = append(d.calls, len(d.parts)-1)
	return d.chunk(CallStart, len(d.calls)-1)
}

// hadBefore reports whether an earlier message has a call with this id: servers count from zero in each answer.
func (d *Draft) hadBefore(providerID string) bool {
	for _, m := range d.Before {
		for i := range m.Parts {
			if p := &m.Parts[i]; p.Kind == CallKind && p.ProviderID == providerID {
				return true
			}
		}
	}
	return false
}

// Args adds to the arguments of a call.
func (d *Draft) Args(call int, piece []byte) Chunk {
	c := d.chunk(CallArgs, call)
	c.Text = d.parts[d.calls[call]].add(piece)
	return c
}

// Written returns the arguments of a call so far.
func (d *Draft) Written(call int) string { return d.parts[d.calls[call]].text.String() }

// Named returns the name of a call so far.
func (d *Draft) Named(call int) string { return d.parts[d.calls[call]].Name }

// Rename gives a call its name, for protocols that send it late.
func (d *Draft) Rename(call int, name string) { d.parts[d.calls[call]].Name = name }

// End marks a call's arguments as whole.
func (d *Draft) End(call int) Chunk { return d.chunk(CallEnd, call) }

// Calls returns how many calls have begun.
func (d *Draft) Calls() int { return len(d.calls) }

// Call returns a call as it is.
func (d *Draft) Call(call int) Part { return d.parts[d.calls[call]].Part }

func (d *Draft) chunk(kind ChunkKind, call int) Chunk {
	p := d.parts[d.calls[call]]
	return Chunk{Kind: kind, Call: call, ID: p.ID, Name: p.Name}
}

// last returns the part that is being written when it has this kind, else a new one.
func (d *Draft) last(kind PartKind) *draftPart {
	if n := len(d.parts); n > 0 && d.parts[n-1].Kind == kind {
		return d.parts[n-1]
	}
	d.parts = append(d.parts, &draftPart{Part: Part{Kind: kind}})
	return d.parts[len(d.parts)-1]
}

// add appends a piece and returns it as a window into the text.
func (p *draftPart) add(piece []byte) string {
	from := p.text.Len()
	p.text.Write(piece)
	return p.text.String()[from:]
}

// Done returns the last chunk: the finished message. raw is the provider's own form where the parts do not hold all,
// else nil. Calls whose arguments are not whole JSON when the answer was cut are marked truncated; an answer with calls
// stops with StopCalls whatever the provider called it, unless it was cut or refused.
func (d *Draft) Done(from string, stop Stop, usage Usage, raw json.RawMessage) Chunk {
	m := &Message{Role: Assistant, From: from}
	m.KeepRaw(raw)
	for i := range d.parts {
		if p, ok := d.parts[i].finish(stop); ok {
			m.Parts = append(m.Parts, p)
		}
	}
	if stop == StopCalls || stop == StopEnd {
		stop = StopEnd
		if len(d.calls) > 0 {
			stop = StopCalls
		}
	}
	return Chunk{Kind: Done, Message: m, Stop: stop, Usage: usage}
}

// finish returns the part with its text; ok is false for a part that holds nothing.
func (p *draftPart) finish(stop Stop) (part Part, ok bool) {
	part = p.Part
	written := jsontext.Join(p.text.String())
	if part.Kind != CallKind {
		part.Text = written
		return part, part.Kind != "" && (written != "" || part.Signature != "")
	}
	part.Truncated = stop == StopLength && !json.Valid([]byte(written))
	part.Args = written
	if strings.TrimSpace(written) == "" && !part.Truncated {
		part.Args = "{}"
	}
	return part, true
}

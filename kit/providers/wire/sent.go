package wire

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync/atomic"

	"rein/model"
	"rein/schema"
)

// Sent knows what was changed of the tools that were sent, so that calls can be written and read in the provider's terms.
// A nil Sent knows no tools. Only the fact that its notices were given changes.
type Sent struct {
	names    *schema.ToolNames
	schemas  map[string]*schema.Normalised // by our name, where arguments are written otherwise
	dropped  map[string]bool
	notices  []string
	reported atomic.Bool
	key      string
}

// drop leaves a tool out and notes it.
func (s *Sent) drop(name string, why error) {
	if s.dropped == nil {
		s.dropped = make(map[string]bool)
	}
	s.dropped[name] = true
	s.notices = append(s.notices, fmt.Sprintf("the tool %s is not offered to the model, because its schema cannot be read: %v", name, why))
}

// news returns the notices about the tools at the first call, then nothing.
func (s *Sent) news() []string {
	if s == nil || len(s.notices) == 0 || s.reported.Swap(true) {
		return nil
	}
	return s.notices
}

// Name returns the tool's name for a name on the wire.
func (s *Sent) Name(wire string) string {
	if s != nil {
		if name, ok := s.names.Original(wire); ok {
			return name
		}
	}
	return wire
}

// Wire returns the name on the wire for a tool's name. A name that is none of the tools sent, as in calls of tools that
// are gone, is made such that every provider takes it.
func (s *Sent) Wire(name string) string {
	if s != nil {
		wire := s.names.Sent(name)
		if _, ours := s.names.Original(wire); ours && s.Name(wire) == name {
			return wire
		}
	}
	return ToolName(name)
}

// Choice returns Request.Choice as it can be sent: a tool that was left out cannot be demanded.
func (s *Sent) Choice(choice string) string {
	if s != nil && s.dropped[choice] {
		return ""
	}
	return choice
}

// Object returns the arguments of a call in the history as the model would have written them for this provider: see
// Part.Object.
func (s *Sent) Object(p *model.Part) string {
	object := p.Object()
	if s != nil {
		if n := s.schemas[p.Name]; n != nil {
			return string(n.Redo([]byte(object)))
		}
	}
	return object
}

// Written is s for calls whose arguments are still as the provider sent them: names change, arguments do not.
func (s *Sent) Written() *Sent {
	if s == nil {
		return nil
	}
	return &Sent{names: s.names}
}

// Key identifies the encoding of a message: with equal keys the same history is sent in the same bytes. It is empty for
// tools of which nothing had to be changed, so that adding one costs nothing.
func (s *Sent) Key() string {
	if s == nil {
		return ""
	}
	return s.key
}

func (s *Sent) fingerprint(names []string) string {
	h := sha256.New()
	odd := false
	for _, name := range names {
		wire, n := s.names.Sent(name), s.schemas[name]
		if wire == ToolName(name) && n == nil {
			continue
		}
		odd = true
		fmt.Fprintf(h, "%q%q", name, wire)
		if n != nil {
			h.Write(n.Schema)
		}
	}
	if !odd {
		return ""
	}
	return ":" + hex.EncodeToString(h.Sum(nil)[:8])
}

// restore returns the calls of an answer the arguments that their tools know: a provider may need other names for them.
func (s *Sent) restore(m *model.Message) {
	if s == nil {
		return
	}
	for i := range m.Parts {
		p := &m.Parts[i]
		if n := s.schemas[p.Name]; p.Kind == model.CallKind && n != nil && !p.Truncated {
			args := []byte(p.Args)
			if back := n.Undo(args); !bytes.Equal(back, args) {
				p.Args = string(back)
			}
		}
	}
}

// ToolName returns a tool's name as every provider takes it: a letter or underscore, then letters, digits, underscores and
// dashes, 64 at most. A name that is right stays; another one is changed and ends in 8 digits of its hash, so that two
// names never become one.
func ToolName(name string) string {
	if nameFits(name) {
		return name
	}
	out := make([]byte, 0, 64)
	for i := 0; i < len(name) && len(out) < 55; i++ {
		if c := name[i]; nameByte(c) && (len(out) > 0 || !digitOrDash(c)) {
			out = append(out, c)
		} else {
			out = append(out, '_')
		}
	}
	sum := sha256.Sum256([]byte(name))
	return string(append(out, '_')) + hex.EncodeToString(sum[:4])
}

func nameFits(name string) bool {
	if name == "" || len(name) > 64 || digitOrDash(name[0]) {
		return false
	}
	for i := range len(name) {
		if !nameByte(name[i]) {
			return false
		}
	}
	return true
}

func nameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

func digitOrDash(c byte) bool { return c == '-' || c >= '0' && c <= '9' }

package script

import (
	"fmt"
	"strings"

	"rein/model"
)

// Asked is what the script needs to know of a request to find its answer.
type Asked struct {
	First string  // the user's first words
	Turn  int     // how many answers the conversation holds already
	Heard []Heard // all since the last answer: results first, then the user's message
}

// AskedOf reads a request.
func AskedOf(r *model.Request) Asked {
	var a Asked
	for i, m := range r.Messages {
		switch {
		case m.Role == model.Assistant:
			a.Turn, a.Heard = a.Turn+1, nil
			continue
		case i == 0:
			a.First = m.Text()
		}
		a.Heard = append(a.Heard, heardOf(m)...)
	}
	return a
}

func heardOf(m *model.Message) []Heard {
	var all []Heard
	for _, p := range m.Parts {
		switch {
		case p.Kind == model.ResultKind:
			h := Heard{Text: p.Text, Failed: p.Failed}
			for _, a := range model.Attached(m.Parts, p.ID) {
				if a.Attachment() {
					h.Text += Attached(a.MediaType, len(a.Data))
				}
			}
			all = append(all, h)
		case p.Attachment() && m.Role != model.Results:
			all = append(all, Heard{Text: Attached(p.MediaType, len(p.Data))})
		case p.Kind == model.TextKind:
			all = append(all, Heard{Text: p.Text})
		}
	}
	return all
}

// Attached returns what a script reads of an image or a document: "[image/png, 70 bytes]".
func Attached(mediaType string, size int) string {
	return fmt.Sprintf("[%s, %d bytes]", mediaType, size)
}

// Find returns the turn that answers. It is an error that the script has no such turn, or that the turn expects what does not
// hold.
func (s *Script) Find(a Asked) (*Turn, error) {
	turns := s.Turns
	for i := range s.Conversations {
		if s.Conversations[i].When.Regexp == nil || s.Conversations[i].When.MatchString(a.First) {
			turns = s.Conversations[i].Turns
			break
		}
	}
	left := a.Turn
	for i := range turns {
		if left -= max(turns[i].Repeat, 1); left < 0 {
			return &turns[i], turns[i].check(a.Turn, a.Heard)
		}
	}
	heard, _ := together(a.Heard)
	return nil, fmt.Errorf("the script ends after turn %d, but there was one more request, with %q", a.Turn, short(heard))
}

func (t *Turn) check(at int, heard []Heard) error {
	var wrong []string
	for _, e := range t.Expect {
		if err := e.check(heard); err != nil {
			wrong = append(wrong, err.Error())
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	return fmt.Errorf("turn %d of the script %s", at+1, strings.Join(wrong, "; it "))
}

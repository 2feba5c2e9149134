package tui

import (
	"cmp"
	"encoding/json"
	"errors"
	"strings"

	"rein/event"
	"rein/tui/block"
	"rein/tui/place"
	"rein/tui/session"
	"rein/tui/text"
)

// showPast prints the end of the conversation of a session that continues: its recorded events take the way that they took when
// they happened.
func (u *ui) showPast() {
	p, err := u.session.Past()
	if err != nil {
		u.note(text.Warn, "! the earlier conversation cannot be shown: "+place.Tilde(err.Error()))
	}
	if p.Turns > 0 || p.More {
		u.note(text.Dim, "… "+earlier(p.Turns, p.More)+u.howToSeeAll())
	}
	u.past = true
	for i, e := range p.Events {
		if i == 1 && p.Steps > 0 {
			u.note(text.Dim, "… "+text.Count(p.Steps, "earlier step")+" of this turn"+u.howToSeeAll())
		}
		u.happened(e)
	}
	u.printAnswer(true)
	u.past = false
	if !u.session.Waiting() { // else the open calls continue
		u.talk.end()
	}
	u.talk.usage = u.session.Usage()
	u.note(text.Dim, "session "+u.session.ID()+" continues")
}

// earlier counts the messages that are left out.
func earlier(n int, more bool) string {
	switch {
	case n == 0:
		return "earlier messages"
	case more:
		return "more than " + text.Count(n, "earlier message")
	}
	return text.Count(n, "earlier message")
}

// howToSeeAll says where the whole conversation is.
func (u *ui) howToSeeAll() string {
	if _, ok := u.here(); !ok {
		return ": the page of the server shows all"
	}
	id := u.session.ID()
	if at := strings.LastIndexByte(id, '-'); len(id)-at > 5 { // the end of an id of ours is enough
		id = id[at+1:]
	}
	return ": /sessions show " + id
}

// ofPast takes what is shown differently after it has happened: pieces and errors come only live.
func (u *ui) ofPast(e event.Event) {
	switch {
	case e.Kind == event.Responded:
		if thought := thoughtOf(e.Message); thought != "" {
			u.talk.keep(block.Finished{Thought: thought})
		}
	case e.Kind == event.Stopped && e.Stop == event.Failed:
		u.failed(errors.New(e.Text))
	}
}

// lastAnswer is the last answer of a session that has a text.
func lastAnswer(s session.Session) (answer string) {
	p, _ := s.Past() // without it there is nothing to copy
	for _, e := range p.Events {
		if e.Kind == event.Responded {
			answer = cmp.Or(e.Text, answer)
		}
	}
	return answer
}

// thoughtOf is the thinking in a message of the model.
func thoughtOf(message json.RawMessage) string {
	var m struct {
		Parts []struct{ Kind, Text string }
	}
	var all []string
	if json.Unmarshal(message, &m) == nil {
		for _, p := range m.Parts {
			if p.Kind == "thinking" && p.Text != "" {
				all = append(all, p.Text)
			}
		}
	}
	return strings.Join(all, "\n\n")
}

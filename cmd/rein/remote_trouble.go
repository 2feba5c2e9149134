package main

import (
	"rein/app/server/api"
	"rein/app/tui/text"
)

// trouble is what was said last of a session in which nothing happens on other machines. The zero value: nothing.
type trouble struct {
	own  text.Words
	said string
}

// news is the line that says what has begun or ended; "": nothing has.
func (t *trouble) news(now *api.Trouble) string {
	was := t.said
	t.said = ""
	if now != nil {
		t.said = now.Text
	}
	switch {
	case t.said == was:
		return ""
	case t.said == "":
		return t.own.Of("the trouble is over")
	}
	return t.own.Of("the session: %s", t.said)
}

// tellTrouble shows trouble as it begins and ends.
func (s *remoteSession) tellTrouble(now *api.Trouble) {
	if line := s.held.news(now); line != "" {
		s.place.person.Warn(line)
	}
}

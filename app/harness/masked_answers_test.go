package harness

import (
	"strings"
	"testing"
	"unicode/utf8"

	"rein/event"
	"rein/redact"
)

// The model's own words are masked while they come, for the loop over Send and for who watches: the deltas are what the answer is.
func TestTheWordsOfTheModelAreMaskedWhileTheyCome(t *testing.T) {
	h := inFolder(t, map[string]string{".env": "API_KEY=9f8Zq27hhdTTkl20aPq"}, Options{Trust: true})
	h.options.Mode = "full"
	var watched []event.Event
	s, err := h.Start(t.Context(), NewSession{Watch: func(e event.Event) { watched = append(watched, e) }, Model: scripted(t, `turns:
  - calls: [{name: list_dir, args: {path: .}}]
  - text: "The tokens are ghp_16C7e42F292c6912E7710c838347Ae178B4a and 9f8Zq27hhdTTkl20aPq, 就这样。"
`)})
	if err != nil {
		t.Fatal(err)
	}
	var given []event.Event
	for e, err := range s.Send(t.Context(), Message("which?")...) {
		if err != nil {
			t.Fatal(err)
		}
		given = append(given, e)
	}
	for name, events := range map[string][]event.Event{"Send": given, "Watch": watched} {
		came, answer := "", ""
		for _, e := range events {
			switch e.Kind {
			case event.Delta:
				if e.Offset != int64(len(came)) {
					t.Errorf("%s: offset %d behind %d bytes", name, e.Offset, len(came))
				}
				came += e.Text
			case event.Responded:
				answer = e.Text
			}
		}
		if want := "The tokens are [hidden: github token] and [hidden: API_KEY of .env], 就这样。"; came != want || answer != want {
			t.Errorf("%s: came %q, answer %q", name, came, answer)
		}
	}
}

// A secret that comes in pieces is masked, thinking and text each by itself; a restart forgets, and no letter is cut.
func TestASecretInPiecesOfAnAnswer(t *testing.T) {
	m := maskedAnswers{redact.New(nil), map[answerPart]*maskedAnswer{}}
	came := map[event.Kind]string{}
	give := func(kind event.Kind, session, text string) {
		for _, e := range m.pass(event.Event{Kind: kind, Session: session, Text: text}) {
			if !utf8.ValidString(e.Text) {
				t.Errorf("%q is cut", e.Text)
			}
			if came[e.Kind] += e.Text; e.Kind == event.Restarted {
				came[event.Delta] = ""
			}
		}
	}
	secret := "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	give(event.Delta, "a", "lost ghp_16C7e42F")
	give(event.Restarted, "a", "")
	for _, r := range "令牌 " + secret + " 是" {
		give(event.Thought, "a", string(r))
	}
	for _, r := range "密钥" + secret + "，好 token: 密" {
		give(event.Delta, "a", string(r))
		give(event.Output, "b", "")
	}
	if came[event.Thought] != "令牌 [hidden: github token] 是" {
		t.Errorf("thinking %q", came[event.Thought])
	}
	give(event.Responded, "a", "x "+secret)
	if strings.Contains(came[event.Delta], secret[:12]) || !strings.HasPrefix(came[event.Delta], "密钥[hidden: github token]，好 token: ") || came[event.Responded] != "x [hidden: github token]" || len(m.open) > 0 {
		t.Errorf("text %q, answer %q", came[event.Delta], came[event.Responded])
	}
}

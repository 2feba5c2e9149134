package agent

import (
	"path/filepath"
	"strings"
	"testing"

	"rein/event"
	"rein/journal"
	"rein/model"
)

// said returns the texts of the conversation and the calls in it.
func said(messages []*model.Message) string {
	var all []string
	for _, m := range messages {
		for _, p := range m.Parts {
			all = append(all, strings.TrimSpace(string(p.Kind)+" "+p.ID+p.Text))
		}
	}
	return strings.Join(all, "; ")
}

func TestRewind(t *testing.T) {
	st := newStore(t)
	f := newFixture(t, says("one"), calls("ask:1"))
	later(f)
	o := st.options("s")
	s := f.Start(o)
	for _, text := range []string{"first", "second"} {
		if _, _, err := drain(t, s.Send(t.Context(), model.Text(text))); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.Pending()) != 1 {
		t.Fatal("nothing is pending")
	}
	prompts := map[string]int64{}
	for e, err := range st.read("s") {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == event.Prompted {
			prompts[e.Text] = e.Seq
		}
	}
	usage := s.Usage()
	rewind := func(at int64) *Session {
		t.Helper()
		if err := o.Journal.Append(event.Event{Kind: event.Rewound, At: at}); err != nil {
			t.Fatal(err)
		}
		o.Journal.(*journal.File).Close()
		o = st.options("s")
		s, err := f.Load(o, journal.Read(filepath.Join(st.root, "s", journal.FileName)))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s = rewind(prompts["second"])
	if got := said(s.Messages()); got != "text first; text one" || len(s.Pending()) != 0 || s.Waiting() || s.Usage() != usage {
		t.Errorf("the conversation is %q, pending %v, waiting %v, usage %v", got, s.Pending(), s.Waiting(), s.Usage())
	}
	f.model.turns = append(f.model.turns, says("three"))
	if _, last, err := drain(t, s.Send(t.Context(), model.Text("third"))); err != nil || last.Text != "three" {
		t.Fatalf("got %+v, %v", last, err)
	}
	if s = rewind(prompts["second"]); said(s.Messages()) != "text first; text one; text third; text three" {
		t.Errorf("went back to a message that is not in the conversation: %q", said(s.Messages()))
	}
	if s = rewind(prompts["first"]); len(s.Messages()) != 0 {
		t.Errorf("the conversation is %q", said(s.Messages()))
	}
}

package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"testing"

	"rein/event"
	"rein/journal"
	"rein/model"
	"rein/schema"
	"rein/tool"
)

// shelf is a source whose tools the test sets.
type shelf struct{ tools []*tool.Tool }

func (s *shelf) Get(name string) *tool.Tool {
	if i := slices.IndexFunc(s.tools, func(t *tool.Tool) bool { return t.Name == name }); i >= 0 {
		return s.tools[i]
	}
	return nil
}

func (s *shelf) Shown(context.Context, []string) []*tool.Tool { return s.tools }

func (s *shelf) put(t *testing.T, name, description string) {
	t.Helper()
	input, err := schema.Parse([]byte(`{"type": "object", "properties": {"a": {"type": "string", "description": "<b> & c"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	put := &tool.Tool{Name: name, Description: description, Input: input, Effect: tool.Reads,
		Run: func(_ context.Context, _ json.RawMessage, r *tool.Reply) error {
			r.WriteString(name + " ran")
			return nil
		}}
	s.tools = append(slices.DeleteFunc(slices.Clone(s.tools), func(t *tool.Tool) bool { return t.Name == name }), put)
}

func sent(t *testing.T, r *model.Request) []byte {
	t.Helper()
	text, err := json.Marshal(r.Tools)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func specNames(r *model.Request) (names []string) {
	for _, s := range r.Tools {
		names = append(names, s.Name)
	}
	return names
}

// TestToolsThatComeAreAddedAtTheEndAndReplayedAlike looks at the tools of each request while tools come, change and go, and
// at those of a resumed session.
func TestToolsThatComeAreAddedAtTheEndAndReplayedAlike(t *testing.T) {
	st, from := newStore(t), &shelf{}
	f := newFixture(t, calls("do:1"), calls("do:2"), says("ready"), says("again"))
	f.Calls.Tools = f.Calls.Tools.With(from)
	own := f.Calls.Tools.Names()
	o := st.options("s")
	session, step := f.Start(o), 0
	for e, err := range session.Send(t.Context(), model.Text("go")) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind != event.Replied {
			continue
		}
		switch step++; step {
		case 1:
			from.put(t, "zz", "last of the alphabet")
			from.put(t, own[0], "hidden by the session's own tool")
		case 2:
			from.put(t, "aa", "first of the alphabet")
			from.put(t, "zz", "changed")
		}
	}
	from.tools = nil // they are gone, and the model still sees them
	if _, _, err := drain(t, session.Send(t.Context(), model.Text("more"))); err != nil {
		t.Fatal(err)
	}
	asked := f.model.asked
	want := [][]string{own, append(slices.Clone(own), "zz"), append(slices.Clone(own), "zz", "aa"), append(slices.Clone(own), "zz", "aa")}
	for i, names := range want {
		if got := specNames(asked[i]); !slices.Equal(got, names) {
			t.Errorf("request %d has the tools %v, want %v", i+1, got, names)
		}
	}
	if got := asked[3].Tools[len(own)].Description; got != "changed" {
		t.Errorf("the changed tool is described as %q", got)
	}
	live := sent(t, asked[3])
	o.Journal.(*journal.File).Close()

	f = newFixture(t, says("ready"))
	f.Calls.Tools = f.Calls.Tools.With(from)
	resumed, err := f.Load(st.options("s"), st.read("s"))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := drain(t, resumed.Send(t.Context(), model.Text("go on"))); err != nil {
		t.Fatal(err)
	}
	if got := sent(t, f.model.asked[0]); !bytes.Equal(got, live) {
		t.Errorf("live:    %s\nresumed: %s", live, got)
	}
}

// TestASubsetHasNoMoreToolsLater looks that who may use few tools does not get others when they come.
func TestASubsetHasNoMoreToolsLater(t *testing.T) {
	from := &shelf{}
	from.put(t, "allowed", "")
	from.put(t, "other", "")
	set := tool.Set{}.With(from).Only(func(t *tool.Tool) bool { return t.Name == "allowed" })
	if set.Get("allowed") == nil || set.Get("other") != nil || len(set.Later(t.Context(), nil)) != 1 {
		t.Errorf("allowed %v, other %v, later %v", set.Get("allowed"), set.Get("other"), set.Later(t.Context(), nil))
	}
}

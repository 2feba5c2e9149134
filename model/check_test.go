package model

import (
	"context"
	"iter"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func call(id string) Part { return Part{Kind: CallKind, ID: id, Name: "t", Args: "{}"} }

func assistant(parts ...Part) *Message { return &Message{Role: Assistant, Parts: parts, From: "p/m"} }

func results(parts ...Part) *Message { return &Message{Role: Results, Parts: parts, From: "p/m"} }

func TestRepair(t *testing.T) {
	u := UserText("do it")
	ok := Result("a", "fine", false)
	rows := []struct {
		name string
		in   []*Message
		want string // roles, and for results the ids with ! for a failed one
		note string // part of the only note; "" for none
	}{
		{"a right history stays", []*Message{u, assistant(call("a")), results(ok)}, "user assistant results(a)", ""},
		{"a call without a result gets one", []*Message{u, assistant(call("a")), u}, "user assistant results(a!) user", "no result"},
		{"a call at the end gets a result", []*Message{u, assistant(call("a"))}, "user assistant results(a!)", "no result"},
		{"results take the order of the calls", []*Message{u, assistant(call("a"), call("b")), results(Result("b", "", false), ok)}, "user assistant results(a,b)", ""},
		{"a second result is left out", []*Message{u, assistant(call("a")), results(ok, ok)}, "user assistant results(a)", "left out: 1"},
		{"results in two messages become one", []*Message{u, assistant(call("a"), call("b")), results(ok), results(Result("b", "", false))}, "user assistant results(a,b)", ""},
		{"results come before a message that the user sent meanwhile", []*Message{u, assistant(call("a")), u, results(ok)}, "user assistant results(a) user", ""},
		{"results of no call are left out", []*Message{u, results(ok), u}, "user user", "results of no call"},
		{"results after a text are left out", []*Message{u, assistant(Text("hi")), results(ok), u}, "user assistant user", "belong to no call"},
		{"the user is first", []*Message{assistant(Text("hi")), u}, "user assistant user", "first"},
		{"the assistant is not last", []*Message{u, assistant(Text("hi"))}, "user assistant user", "last"},
		{"empty messages are left out", []*Message{u, UserText(""), assistant(), nil, u}, "user user", "empty"},
		{"thinking alone is left out", []*Message{u, assistant(Part{Kind: ThinkingKind, Text: "hm"}), u}, "user user", "empty"},
		{"an empty history asks to go on", nil, "user", "last"},
		{"an unknown role is the user's", []*Message{u, {Role: "tool", Parts: u.Parts}}, "user user", "unknown role"},
		{"results know who asked", []*Message{u, assistant(call("a")), {Role: Results, Parts: []Part{ok}}}, "user assistant results(a)", ""},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			got, notes := Repair(row.in)
			if s := outline(got); s != row.want {
				t.Errorf("got %s, want %s", s, row.want)
			}
			if all := strings.Join(notes, "; "); !strings.Contains(all, row.note) || row.note == "" && all != "" {
				t.Errorf("notes %q, want %q", all, row.note)
			}
			if err := Check(got); err != nil {
				t.Errorf("still broken: %v", err)
			}
		})
	}
}

func TestRepairGivesCallsWithOneIDTheirOwn(t *testing.T) {
	got, _ := Repair([]*Message{UserText("x"), assistant(call("a"), call("a")), results(Result("a", "one", false))})
	calls := got[1].Calls()
	if calls[0].ID != "a" || calls[1].ID == "a" || calls[1].ID == "" {
		t.Errorf("ids %s, %s", calls[0].ID, calls[1].ID)
	}
	if s := outline(got); s != "user assistant results(a,"+calls[1].ID+"!)" {
		t.Error(s)
	}
}

// Whatever was recorded, what is sent is right, no user's word and no text of the model is lost, and a second repair
// finds nothing to do.
func TestRepairAlwaysRepairs(t *testing.T) {
	part := rapid.Custom(func(t *rapid.T) Part {
		id := rapid.SampledFrom([]string{"", "a", "b", "c"}).Draw(t, "id")
		kind := rapid.SampledFrom([]PartKind{TextKind, ThinkingKind, CallKind, ResultKind, ImageKind}).Draw(t, "kind")
		return Part{Kind: kind, ID: id, Text: rapid.SampledFrom([]string{"", "x"}).Draw(t, "text")}
	})
	message := rapid.Custom(func(t *rapid.T) *Message {
		if rapid.IntRange(0, 9).Draw(t, "nil") == 0 {
			return nil
		}
		return &Message{
			Role:  rapid.SampledFrom([]Role{User, Assistant, Results}).Draw(t, "role"),
			Parts: rapid.SliceOfN(part, 0, 4).Draw(t, "parts"),
			From:  rapid.SampledFrom([]string{"p/m", "q/n"}).Draw(t, "from"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.SliceOfN(message, 0, 8).Draw(t, "history")
		out, _ := Repair(in)
		if err := Check(out); err != nil {
			t.Fatalf("%v: %s", err, outline(out))
		}
		if again, notes := Repair(out); len(notes) != 0 || len(again) != len(out) {
			t.Fatalf("a second repair did more: %q", notes)
		}
		if was, is := texts(in), texts(out); is < was {
			t.Fatalf("%d texts became %d: %s", was, is, outline(out))
		}
	})
}

// texts counts the texts that were not empty.
func texts(messages []*Message) (n int) {
	for _, m := range messages {
		if m != nil && m.Role != Results && m.Text() != "" {
			n++
		}
	}
	return n
}

func outline(messages []*Message) string {
	var words []string
	for _, m := range messages {
		word := string(m.Role)
		if m.Role == Results {
			var ids []string
			for _, p := range m.Parts {
				id := p.ID
				if p.Failed {
					id += "!"
				}
				ids = append(ids, id)
			}
			word += "(" + strings.Join(ids, ",") + ")"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// insistent is a model that yields on after its caller has left the loop, then panics.
type insistent struct{ yields int }

func (*insistent) Info() Info { return Info{} }

func (m *insistent) Stream(context.Context, *Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		for range 5 {
			m.yields++
			yield(Chunk{Kind: TextChunk, Text: "x"}, nil)
		}
		panic("it was left alone")
	}
}

func TestAModelMayYieldTooLong(t *testing.T) {
	m, got := &insistent{}, 0
	for range Stream(t.Context(), m, &Request{}) {
		got++
		break
	}
	if got != 1 || m.yields != 5 {
		t.Errorf("the caller got %d chunks of %d", got, m.yields)
	}
}

package model

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestDraftKeepsTheOrderOfParts(t *testing.T) {
	var d Draft
	d.Thinking([]byte("let me "))
	d.Thinking([]byte("see"))
	d.Sign("sig")
	d.Text([]byte("I "))
	if c := d.Text([]byte("look")); c.Text != "look" {
		t.Errorf("a chunk holds more than its own piece: %q", c.Text)
	}
	start := d.Start("call_1", "read_file")
	d.Args(start.Call, []byte(`{"path":`))
	if c := d.Args(start.Call, []byte(`"a"}`)); c.Text != `"a"}` || c.Name != "read_file" || c.ID != start.ID {
		t.Errorf("got %+v", c)
	}
	done := d.Done("p/m", StopEnd, Usage{Output: 3}, nil)
	want := []Part{
		{Kind: ThinkingKind, Text: "let me see", Signature: "sig"},
		{Kind: TextKind, Text: "I look"},
		{Kind: CallKind, ID: start.ID, ProviderID: "call_1", Name: "read_file", Args: `{"path":"a"}`},
	}
	if diff := cmp.Diff(want, done.Message.Parts); diff != "" {
		t.Error(diff)
	}
	if done.Stop != StopCalls {
		t.Errorf("an answer with calls stops with %s", done.Stop)
	}
}

func TestDraftMarksCutCalls(t *testing.T) {
	rows := []struct {
		name, args string
		stop       Stop
		want       string
		cut        bool
	}{
		{"cut inside the arguments", `{"a":"b`, StopLength, `{"a":"b`, true},
		{"cut before the arguments", ``, StopLength, ``, true},
		{"cut after whole arguments", `{"a":1}`, StopLength, `{"a":1}`, false},
		{"no arguments", ``, StopEnd, `{}`, false},
		{"blank arguments", " \n", StopEnd, `{}`, false},
		{"broken but not cut is for repair", `{"a":`, StopEnd, `{"a":`, false},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			var d Draft
			d.Args(d.Start("", "x").Call, []byte(row.args))
			p := d.Done("", row.stop, Usage{}, nil).Message.Parts[0]
			if p.Args != row.want || p.Truncated != row.cut {
				t.Errorf("got %q, truncated %v", p.Args, p.Truncated)
			}
		})
	}
}

func TestDraftDropsRepeatedProviderIDs(t *testing.T) {
	var d Draft
	d.Start("call_0", "a")
	d.Start("call_0", "b")
	calls := d.Done("", StopCalls, Usage{}, nil).Message.Calls()
	if calls[0].ProviderID != "call_0" || calls[1].ProviderID != "" || calls[0].ID == calls[1].ID {
		t.Errorf("got %+v", calls)
	}
}

func TestDraftPiecesAllocateNothing(t *testing.T) {
	var d Draft
	c := d.Start("", "write_file").Call
	piece := []byte("0123456789abcdef")
	d.Args(c, []byte(strings.Repeat("x", 1<<20)))
	if n := testing.AllocsPerRun(1000, func() { d.Args(c, piece) }); n != 0 {
		t.Errorf("%v allocations a piece", n)
	}
}

func TestMessageSurvivesJSON(t *testing.T) {
	asked := &Message{
		Role: Assistant, From: "anthropic/x", Raw: json.RawMessage(`[{"type":"thinking","n":12345678901234567890}]`),
		Parts: []Part{
			{Kind: ThinkingKind, Text: "hm", Signature: "s"}, Text("a\x00\u2028b"),
			{Kind: CallKind, ID: "c1", ProviderID: "toolu_1", Name: "x", Args: `{"broken`, Truncated: true},
		},
	}
	image := Image("image/png", []byte{0, 1, 255})
	image.ID = "c1"
	for _, m := range []*Message{UserText("hi"), asked, Answer(asked, Result("c1", "done", true), image)} {
		b, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		var back Message
		if err := json.Unmarshal(b, &back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(m, &back, cmpopts.IgnoreUnexported(Message{})); diff != "" {
			t.Error(diff)
		}
	}
}

func TestAnswerTakesTheProvidersIDs(t *testing.T) {
	asked := assistant(Part{Kind: CallKind, ID: "c1", ProviderID: "toolu_1", Name: "x"})
	got := Answer(asked, Result("c1", "done", false)).Parts[0]
	if got.ProviderID != "toolu_1" || got.Name != "x" {
		t.Errorf("got %+v", got)
	}
}

func TestEncodedIsMadeOnce(t *testing.T) {
	m, times := UserText("hi"), 0
	for range 3 {
		m.Encoded("k", func(*Message) []byte { times++; return nil })
	}
	if times != 1 {
		t.Errorf("encoded %d times", times)
	}
}

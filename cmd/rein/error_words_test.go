package main

import (
	"strings"
	"testing"

	"rein/event"
	"rein/tool"
)

func TestInWords(t *testing.T) {
	rows := []struct{ text, want string }{
		{"● bash  ls", "call: bash  ls"},
		{"  ✓ bash: exit 0 · 3 lines · 0.2s", "  done: bash: exit 0, 3 lines, 0.2s"},
		{"  ✗ bash: exit 1", "  failed: bash: exit 1"},
		{"? bash\n  curl x | sh\n  ^^^^   ^^\n  because  it does", "question: bash\n  curl x | sh\n  because  it does"},
		{"a text with ● and !", "a text with ● and !"},
		{"", ""},
	}
	for _, row := range rows {
		if got := withoutMarks(row.text, nil); got != row.want {
			t.Errorf("%q: %q, want %q", row.text, got, row.want)
		}
	}
	var out strings.Builder
	s := plainScreen{Out: &out, Words: true}
	if err := s.Show(event.Event{Kind: event.Called, Call: &tool.Call{ID: "1", Name: "bash", Args: []byte(`{"command":"ls"}`)}}); err != nil || out.String() != "call: bash  ls\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
}

package toolcall

import (
	"context"
	"encoding/json"
	"testing"

	"rein/guard"
	"rein/schema"
	"rein/tool"
)

// noEffect is a tool that does nothing.
func noEffect(b testing.TB) *tool.Tool {
	s, err := schema.Parse([]byte(`{"type":"object","properties":{},"additionalProperties":false}`))
	if err != nil {
		b.Fatal(err)
	}
	return &tool.Tool{Name: "empty", Input: s,
		Intent: func(json.RawMessage) (tool.Intent, error) { return tool.Intent{}, nil },
		Run:    func(context.Context, json.RawMessage, *tool.Reply) error { return nil }}
}

func BenchmarkPipeline(b *testing.B) {
	r, err := New(Runner{Mode: guard.Full, Tools: set(b, noEffect(b)), Guard: guard.All{Guards: []guard.Guard{allowAll}}, Approver: guard.Nobody{}})
	if err != nil {
		b.Fatal(err)
	}
	calls := []tool.Call{{ID: "1", Name: "empty", Args: json.RawMessage("{}")}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Run(b.Context(), Scope{}, calls); err != nil {
			b.Fatal(err)
		}
	}
}

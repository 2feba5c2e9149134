package hooks

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"rein/hook"
)

// Trial is what hooks answered when they were tried.
type Trial struct {
	Hooks    []Answer `json:"hooks"` // one for each hook that ran
	Decision string   `json:"decision,omitempty"`
	Reason   string   `json:"reason,omitempty"`
}

// Answer is what one hook answered.
type Answer struct {
	Hook     string          `json:"hook"`
	Decision string          `json:"decision,omitempty"`
	Reason   string          `json:"reason,omitempty"`
	Args     json.RawMessage `json:"args,omitempty"`
	Context  string          `json:"context,omitempty"`
	Notice   string          `json:"notice,omitempty"`
	Halt     string          `json:"halt,omitempty"`
	Error    string          `json:"error,omitempty"`
	Millis   int64           `json:"duration_ms"`
}

// Try runs the hooks of an event.
func Try(ctx context.Context, set *hook.Set, in hook.Input) (Trial, error) {
	if !slices.Contains(hook.Events(), in.Event) {
		return Trial{}, fmt.Errorf("no such event: %q (the events are %s)", string(in.Event), strings.Trim(fmt.Sprint(hook.Events()), "[]"))
	}
	if in.Call = "test"; in.Tool == "" {
		in.Args, in.Call = nil, ""
	}
	o := set.Run(ctx, in)
	t := Trial{Hooks: make([]Answer, len(o.Reports)), Decision: o.Decision.String(), Reason: o.Reason}
	for i, r := range o.Reports {
		out := r.Output
		t.Hooks[i] = Answer{Hook: r.Hook, Decision: out.Decision.String(), Reason: out.Reason, Args: out.Args, Context: out.Context,
			Notice: out.Notice, Halt: out.Halt, Millis: r.Duration.Milliseconds()}
		if r.Err != nil {
			t.Hooks[i].Error = r.Err.Error()
		}
	}
	return t, nil
}

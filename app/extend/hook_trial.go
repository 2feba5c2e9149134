package extend

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"rein/hook"
)

// HookTrial is what hooks answered when they were tried.
type HookTrial struct {
	Hooks    []HookAnswer `json:"hooks"` // one for each hook that ran
	Decision string       `json:"decision,omitempty"`
	Reason   string       `json:"reason,omitempty"`
}

// HookAnswer is what one hook answered.
type HookAnswer struct {
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

// TryHook runs the hooks of an event.
func TryHook(ctx context.Context, set *hook.Set, in hook.Input) (HookTrial, error) {
	if !slices.Contains(hook.Events(), in.Event) {
		return HookTrial{}, fmt.Errorf("no such event: %q (the events are %s)", string(in.Event), strings.Trim(fmt.Sprint(hook.Events()), "[]"))
	}
	if in.Call = "test"; in.Tool == "" {
		in.Args, in.Call = nil, ""
	}
	o := set.Run(ctx, in)
	t := HookTrial{Hooks: make([]HookAnswer, len(o.Reports)), Decision: o.Decision.String(), Reason: o.Reason}
	for i, r := range o.Reports {
		out := r.Output
		t.Hooks[i] = HookAnswer{Hook: r.Hook, Decision: out.Decision.String(), Reason: out.Reason, Args: out.Args, Context: out.Context,
			Notice: out.Notice, Halt: out.Halt, Millis: r.Duration.Milliseconds()}
		if r.Err != nil {
			t.Hooks[i].Error = r.Err.Error()
		}
	}
	return t, nil
}

package agent

import (
	"context"
	"fmt"
	"time"

	"rein/event"
	"rein/tool"
)

// MaxDepth is how deep delegates may call delegates.
const MaxDepth = 4

// subAgentTimeout bounds one delegated task; its calls have their own limits.
const subAgentTimeout = time.Hour

type subAgentArgs struct {
	Task string `json:"task" jsonschema:"the whole task: the helper sees nothing else of this conversation"`
}

// Intent is empty: the helper's own calls are judged and ordered by themselves.
func (subAgentArgs) Intent() tool.Intent { return tool.Intent{} }

// Tool lends the agent out as a tool: each call is a session of its own, with the agent's own runner one floor deeper.
// Its calls go the same way, through the same guard, approver and journal.
func (a *Agent) Tool(name, description string) *tool.Tool {
	t := tool.New(name, description, 0, func(ctx context.Context, in subAgentArgs, r *tool.Reply) error {
		child, err := a.below(r.Call(), r.Depth()+1)
		if err != nil {
			return err
		}
		var stopped event.Event
		for e, err := range child.Start().Send(ctx, in.Task) {
			if err != nil {
				return err
			}
			stopped = e
		}
		if stopped.Stop != event.Done {
			return &tool.Error{Text: fmt.Sprintf("The helper stopped (%s): %s", stopped.Stop, stopped.Text)}
		}
		_, err = r.WriteString(stopped.Text)
		return err
	})
	t.Timeout = subAgentTimeout
	return t
}

// below is the agent for one delegated call.
func (a *Agent) below(call string, depth int) (*Agent, error) {
	child := *a
	if a.Calls == nil {
		return &child, nil
	}
	runner := *a.Calls
	runner.Depth = depth
	runner.Parent = call
	if depth > MaxDepth {
		return nil, &tool.Error{Kind: tool.Unsupported, Text: fmt.Sprintf("Helpers may not be nested deeper than %d.", MaxDepth)}
	}
	child.Calls = &runner
	return &child, nil
}

package harness

import (
	"context"
	"encoding/json"
	"iter"
	"slices"

	"rein/event"
	"rein/harness/slash"
	"rein/harness/toolservers"
	"rein/model"
	"rein/tool"
)

// Send gives the model a message of the user and gives all events until the model has answered: see agent.Session. Resources of
// tool servers that the message names, as @server:uri, are read first and go with it.
func (s *Session) Send(ctx context.Context, parts ...model.Part) iter.Seq2[event.Event, error] {
	s.keepAhead()
	if s.servers == nil {
		return s.conversation.Send(ctx, parts...)
	}
	return func(yield func(event.Event, error) bool) {
		parts, seen := s.mentioned(ctx, parts)
		for _, e := range seen {
			if !yield(e, nil) {
				return
			}
		}
		s.conversation.Send(ctx, parts...)(yield)
	}
}

// mentioned adds the resources that a message names. Each is read by a call of the user's own, which takes all steps of the
// pipeline. Of one that cannot be read the words stay.
func (s *Session) mentioned(ctx context.Context, parts []model.Part) (all []model.Part, seen []event.Event) {
	text := ""
	for _, p := range parts {
		if p.Kind == model.TextKind {
			text += p.Text + "\n"
		}
	}
	found := s.servers.Mentions(text)
	if len(found) == 0 {
		return parts, nil
	}
	calls := make([]tool.Call, len(found))
	for i, m := range found {
		args, err := json.Marshal(m.Args)
		if err != nil {
			return parts, nil // texts only: it cannot fail
		}
		calls[i] = tool.Call{ID: slash.UserID(), Name: toolservers.ResourcesName, Args: args}
	}
	results, _ := s.Call(ctx, calls, func(e event.Event) { seen = append(seen, e) }) // Send fails with the same error
	parts = slices.Clone(parts)
	for i, r := range results {
		if !r.Failed {
			parts = append(parts, Message(found[i].Text+":\n"+r.Text, r.Parts...)...)
		}
	}
	return parts, seen
}

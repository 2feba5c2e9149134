package agent

import (
	"context"
	"fmt"
	"reflect"

	"rein/event"
	"rein/model"
	"rein/schema"
)

// Ask gives a message to a new session of the agent, and returns its last answer. Where the turn ends without one, the error is
// a *NoAnswer. Nobody can resume the session: an approver of the agent answers at once, since guard.Later ends the turn.
func Ask(ctx context.Context, a *Agent, message string) (string, error) {
	var last event.Event
	var failure error
	for e, err := range a.Start(SessionOptions{}).Send(ctx, model.Text(message)) {
		if e.Kind == event.Stopped && e.Parent == "" {
			last, failure = e, err
		}
	}
	if last.Stop == event.Done {
		return last.Text, nil
	}
	if last.Stop == event.Cancelled {
		failure = context.Cause(ctx)
	}
	return "", &NoAnswer{Stop: last.Stop, Text: last.Text, Err: failure}
}

// AskFor is Ask for an answer of a type, which replaces Agent.Output: its schema is that of package schema, and a model whose answer does
// not fit it is asked once more. The type may be whatever an argument of a tool may be.
func AskFor[T any](ctx context.Context, a *Agent, message string) (T, error) {
	var answer struct {
		Answer T `json:"answer"`
	}
	into, described := any(&answer), reflect.TypeOf(answer)
	if t := reflect.TypeFor[T](); t.Kind() == reflect.Struct {
		into, described = &answer.Answer, t // an object needs no other around it
	}
	var err error
	typed := *a
	if typed.Output, err = schema.Of(described); err != nil {
		return answer.Answer, err
	}
	text, err := Ask(ctx, &typed, message)
	if err == nil {
		err = schema.Decode([]byte(text), into)
	}
	return answer.Answer, err
}

// NoAnswer is why a turn ended without an answer.
type NoAnswer struct {
	Stop event.Stop
	Text string // what came of an answer, or what went wrong
	Err  error  // of a turn that failed or was cancelled
}

// Error returns that of Err, or how the turn ended.
func (n *NoAnswer) Error() string {
	if n.Err != nil {
		return n.Err.Error()
	}
	return fmt.Sprintf("the turn ended without an answer (%s): %s", n.Stop, n.Text)
}

// Unwrap returns Err.
func (n *NoAnswer) Unwrap() error { return n.Err }

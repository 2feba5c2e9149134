package temporal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.temporal.io/sdk/client"
	sdk "go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// ErrFull means that so many messages wait for a session that it takes no more before its next step.
var ErrFull = errors.New("the session takes no more messages now")

// fullType is the type of the error of a message that is refused.
const fullType = "full"

// mostTelling is how long a message waits for a worker that says whether it is taken. Then the server keeps it.
const mostTelling = 5 * time.Second

// tell gives the workflow of a session a message; gone means that there is no workflow.
func (c *Client) tell(ctx context.Context, session string, m Message) (gone bool, err error) {
	telling, cancel := context.WithTimeout(ctx, mostTelling)
	defer cancel()
	h, err := c.Temporal.UpdateWorkflow(telling, client.UpdateWorkflowOptions{WorkflowID: session, UpdateID: m.ID, UpdateName: MessageName, Args: []any{m},
		WaitForStage: client.WorkflowUpdateStageCompleted})
	if err == nil {
		err = h.Get(telling, nil)
	}
	if refused := (*sdk.ApplicationError)(nil); errors.As(err, &refused) && refused.Type() == fullType {
		return false, fmt.Errorf("%w: %s", ErrFull, refused.Message())
	}
	if err != nil && ctx.Err() == nil && !Gone(err) {
		// No worker is there, or one of an earlier version. As the message has an id, it is taken once.
		err = c.Temporal.SignalWorkflow(ctx, session, "", SendName, m)
	}
	if Gone(err) {
		return true, nil
	}
	return false, err
}

// hear takes messages.
func (s *session) hear(ctx workflow.Context) error {
	workflow.Go(ctx, func(ctx workflow.Context) {
		for {
			var m Message
			workflow.GetSignalChannel(ctx, SendName).Receive(ctx, &m)
			s.wait(ctx, m)
			s.take(m)
		}
	})
	return workflow.SetUpdateHandlerWithOptions(ctx, MessageName, func(_ workflow.Context, m Message) error {
		if err := s.full(m); err != nil { // two messages may have been accepted at once
			return err
		}
		s.take(m)
		return nil
	}, workflow.UpdateHandlerOptions{Validator: s.full})
}

// wait holds a message back whose sender cannot be told that the session is full. Those that come after it stay with the server.
func (s *session) wait(ctx workflow.Context, m Message) {
	if s.full(m) == nil || workflow.GetVersion(ctx, "full-sessions-hold-signals", workflow.DefaultVersion, 1) == workflow.DefaultVersion {
		return
	}
	s.holds = true
	_ = workflow.Await(ctx, func() bool { return s.full(m) == nil }) // an error means that the workflow ends
	s.holds = false
}

// full is why a message is not taken now; nil: it is.
func (s *session) full(m Message) error {
	bytes := len(m.Text)
	for _, m := range s.Messages {
		bytes += len(m.Text)
	}
	switch {
	case slices.Contains(s.Seen, m.ID):
		return nil // it was taken
	case len(s.Messages) >= mostMessages:
		return sdk.NewApplicationError(fmt.Sprintf("as many as may wait do (%d); send this one again when it has taken them", len(s.Messages)), fullType)
	case bytes > mostWaiting:
		return sdk.NewApplicationError(fmt.Sprintf("those that wait would be too long with this one (%d of %d bytes); send it again when it has taken them", bytes, mostWaiting), fullType)
	}
	return nil
}

// take takes a message of the user, where there is room.
func (s *session) take(m Message) {
	if s.full(m) == nil {
		s.add(m)
	}
}

func (s *session) add(m Message) {
	if m.Text == "" && m.Ref == "" && m.Task == 0 || slices.Contains(s.Seen, m.ID) {
		return
	}
	if m.ID == "" {
		m.ID = fmt.Sprintf("#%d", s.Count)
	}
	s.Count++
	s.Seen = append(s.Seen, m.ID)
	s.Seen = s.Seen[max(0, len(s.Seen)-mostSeen):]
	at := len(s.Messages) // those that steer come first, as the loop takes them
	if m.Steer {
		if at = slices.IndexFunc(s.Messages, func(m Message) bool { return !m.Steer }); at < 0 {
			at = len(s.Messages)
		}
	}
	s.Messages = slices.Insert(s.Messages, at, m)
	s.again()
}

package temporal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"rein/event"
	"rein/journal"
	"rein/model"
)

// Client starts sessions, and talks to them. Its methods may be called at once.
type Client struct {
	Temporal client.Client
	Store    Store
	Queue    string // of workflows; "": DefaultQueue
	Keys     Keys   // those of Temporal, to read what lists have
}

// mostInline is the size of a message from which its parts are kept in the store: all that may wait fit into one payload of the server.
const mostInline = 4 << 10

// mostAnswer is the size of what a person adds to an answer.
const mostAnswer = 64 << 10

// Send gives a session a message; a session that has no workflow gets one, as s says. With the id of an earlier message it does
// nothing; "" is a new one. steer means that the message does not wait for the end of the turn. ErrFull: it was not taken, as too many wait.
func (c *Client) Send(ctx context.Context, s Session, id string, steer bool, parts ...model.Part) error {
	m, err := c.message(ctx, s.ID, or(id, journal.NewID(time.Now())), steer, parts)
	if err != nil {
		return err
	}
	if gone, err := c.tell(ctx, s.ID, m); err != nil || !gone {
		return err
	}
	for e, err := range c.Store.Events(ctx, s.ID, 0) {
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			return err
		}
		s.After = max(s.After, e.Seq)
	}
	if s.After > 0 {
		if s.Kept, err = c.keptBefore(ctx, s.ID); err != nil {
			return err
		}
	}
	_, err = c.Temporal.SignalWithStartWorkflow(ctx, s.ID, SendName, m, client.StartWorkflowOptions{
		ID: s.ID, TaskQueue: or(c.Queue, DefaultQueue), WorkflowIDReusePolicy: enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		Memo: s.memo(), Priority: s.turn(),
	}, WorkflowName, s)
	return err
}

// keptBefore is what a session that is closed has kept of its workspace; "": nothing, or the server has forgotten the session.
func (c *Client) keptBefore(ctx context.Context, session string) (string, error) {
	asking, cancel := context.WithTimeout(ctx, mostTelling)
	defer cancel()
	state, err := c.State(asking, session)
	if err != nil && !Gone(err) {
		return "", fmt.Errorf("the session is closed, and no worker says how it was (rein-temporal doctor looks for them): %w", err)
	}
	return state.Kept, nil
}

// message is a message for the workflow. What is large goes into the store.
func (c *Client) message(ctx context.Context, session, id string, steer bool, parts []model.Part) (Message, error) {
	m := Message{ID: id, Steer: steer}
	if len(parts) == 1 && parts[0].Kind == model.TextKind && len(parts[0].Text) <= mostInline {
		m.Text = parts[0].Text
		return m, nil
	}
	text, err := json.Marshal(parts)
	if err != nil {
		return m, err
	}
	m.Ref = "message-" + journal.NewID(time.Now())
	return m, c.Store.Put(ctx, session, m.Ref, text)
}

// Answer answers an approval request. The error says why the answer does not count; agent.ErrNotPending is in its text where nobody waits
// for one.
func (c *Client) Answer(ctx context.Context, session string, a Answer) error {
	if n := len(a.Words) + len(a.Args); n > mostAnswer {
		return fmt.Errorf("the answer has %d bytes of words and arguments, and may have %d", n, mostAnswer)
	}
	h, err := c.Temporal.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{WorkflowID: session, UpdateName: AnswerName, Args: []any{a},
		WaitForStage: client.WorkflowUpdateStageCompleted})
	if err != nil {
		return err
	}
	return h.Get(ctx, nil)
}

func (c *Client) signal(ctx context.Context, session, name string, arg any) error {
	return c.Temporal.SignalWorkflow(ctx, session, "", name, arg)
}

// Cancel stops the turn of a session.
func (c *Client) Cancel(ctx context.Context, session string) error {
	return c.signal(ctx, session, CancelName, "")
}

// Close ends the workflow of a session when nothing is at work. Send begins another one.
func (c *Client) Close(ctx context.Context, session string) error {
	return c.signal(ctx, session, CloseName, "")
}

// Retry lets a session that is in trouble try again.
func (c *Client) Retry(ctx context.Context, session string) error {
	return c.signal(ctx, session, RetryName, "")
}

// Move gives a session another host. A step that is at work on the old one is stopped; a call of it that may have run is not repeated.
func (c *Client) Move(ctx context.Context, session, host string) error {
	return c.signal(ctx, session, MoveName, host)
}

// State asks the workflow of a session for its state. A worker has to be there.
func (c *Client) State(ctx context.Context, session string) (state State, err error) {
	value, err := c.Temporal.QueryWorkflow(ctx, session, "", StateName)
	if err == nil {
		err = value.Get(&state)
	}
	return state, err
}

// Follow gives the events of a session with greater numbers, and those that come, until its turn is over or waits for an approval.
func (c *Client) Follow(ctx context.Context, session string, after int64) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		for e, err := range c.Store.Follow(ctx, session, after) {
			if !yield(e, err) || err != nil || e.Kind == event.Stopped && e.Session == session {
				return
			}
		}
	}
}

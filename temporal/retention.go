package temporal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"go.temporal.io/api/enums/v1"

	"rein/event"
)

// OldSession is a session of a user, as the store has it with its sub-agents, that may be removed.
type OldSession struct {
	ID    string    `json:"id"`
	Last  time.Time `json:"last"`            // of its last event, or of a sub-agent's
	Text  string    `json:"text"`            // its first message
	Stays string    `json:"stays,omitempty"` // why it may not be removed; "": it may

	all  []Stored // the sub-agents, each before the one above it, and the session at the end
	open bool     // its workflow runs, and waits for a message
}

// pastOf is what the journal of a session says of it.
type pastOf struct {
	parent, text string
	children     []string
	end          journalEnd
}

func (c *Client) past(ctx context.Context, id string) (p pastOf, err error) {
	for e, err := range c.Store.Events(ctx, id, 0) {
		if err != nil {
			return p, fmt.Errorf("session %s: %w", id, err)
		}
		p.end.saw(e)
		if p.parent == "" {
			p.parent = e.Parent
		}
		if p.text == "" && e.Kind == event.Prompted {
			p.text = e.Text
		}
		if e.Kind == event.SubAgentStarted && e.Child != "" && !slices.Contains(p.children, e.Child) {
			p.children = append(p.children, e.Child)
		}
	}
	return p, nil
}

// Old gives the sessions in which nothing has happened since a time, the oldest first, also those that may not be removed. What cannot be read is in
// the error, and not among them.
func (c *Client) Old(ctx context.Context, since time.Time) (old []OldSession, err error) {
	all := map[string]Stored{}
	var ids []string
	for s, fault := range c.Store.Sessions(ctx) {
		if fault != nil {
			err = errors.Join(err, fault)
			continue
		}
		all[s.ID] = s
		if s.Last.Before(since) {
			ids = append(ids, s.ID)
		}
	}
	for _, id := range ids {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		one, ok, fault := c.old(ctx, id, all)
		if fault != nil {
			err = errors.Join(err, fault)
		} else if ok && one.Last.Before(since) {
			old = append(old, one)
		}
	}
	slices.SortFunc(old, func(a, b OldSession) int { return a.Last.Compare(b.Last) })
	return old, err
}

// old looks at a session; ok is false for a sub-agent whose parent the store has.
func (c *Client) old(ctx context.Context, id string, all map[string]Stored) (o OldSession, ok bool, err error) {
	p, err := c.past(ctx, id)
	if err != nil {
		return o, false, err
	}
	if _, below := all[p.parent]; below {
		return o, false, nil
	}
	o = OldSession{ID: id, Text: p.text}
	if o.all, err = c.below(ctx, all[id], p, all, map[string]bool{}); err != nil {
		return o, false, err
	}
	for _, s := range o.all {
		if s.Last.After(o.Last) {
			o.Last = s.Last
		}
	}
	o.Stays, o.open, err = c.uses(ctx, o.all, p.end.stop)
	return o, true, err
}

// below are a session and all its sub-agents, each before the one above it. A journal that is wrong does not lead round.
func (c *Client) below(ctx context.Context, s Stored, p pastOf, all map[string]Stored, seen map[string]bool) (found []Stored, err error) {
	seen[s.ID] = true
	for _, id := range p.children {
		child, ok := all[id]
		if !ok || seen[id] {
			continue
		}
		its, err := c.past(ctx, id)
		if err != nil {
			return nil, err
		}
		if its.parent != s.ID {
			continue
		}
		lower, err := c.below(ctx, child, its, all, seen)
		if err != nil {
			return nil, err
		}
		found = append(found, lower...)
	}
	return append(found, s), nil
}

// uses says why a session stays; "": it does not, and open is whether its workflow waits for a message.
func (c *Client) uses(ctx context.Context, all []Stored, stop event.Stop) (stays string, open bool, err error) {
	known := false
	for _, s := range all {
		running, knows, err := c.running(ctx, s.ID)
		if err != nil {
			return "", false, err
		}
		last := s.ID == all[len(all)-1].ID
		known = known || last && knows
		if running && !last {
			return "its sub-agent " + s.ID + " is at work", false, nil
		}
		open = open || running
	}
	switch {
	case open:
		return c.busy(ctx, all[len(all)-1].ID)
	case !known && (stop == "" || stop == event.Waiting):
		return unfinished, false, nil
	}
	return "", false, nil
}

// unfinished is why a session stays of which the server knows nothing: it may be one of another namespace or server with the same store.
const unfinished = "its last turn has not ended, and this server does not know it"

// running reports whether the workflow of a session runs, and whether the server knows it.
func (c *Client) running(ctx context.Context, session string) (runs, known bool, err error) {
	d, err := c.Temporal.DescribeWorkflowExecution(ctx, session, "")
	if Gone(err) {
		return false, false, nil
	}
	return d.GetWorkflowExecutionInfo().GetStatus() == enums.WORKFLOW_EXECUTION_STATUS_RUNNING, err == nil, err
}

// busy says why a session stays whose workflow runs.
func (c *Client) busy(ctx context.Context, session string) (stays string, open bool, err error) {
	asking, cancel := context.WithTimeout(ctx, longestLook)
	defer cancel()
	s, err := c.State(asking, session)
	switch {
	case ctx.Err() != nil:
		return "", false, ctx.Err()
	case Gone(err):
		return "", false, nil
	case err != nil:
		return "it is open, and no worker says what it does", true, nil
	case len(s.Pending) > 0:
		return "it waits for an answer", true, nil
	case s.Trouble != "":
		return "it is in trouble: rein-temporal retry or close", true, nil
	case s.Due != "" || s.Working != "" || len(s.Messages) > 0 || len(s.Children) > 0:
		return "it is at work", true, nil
	}
	return "", true, nil
}

// Find looks at one session of the store, whenever something has happened in it. A sub-agent cannot be removed alone. The error is fs.ErrNotExist
// where the store has nothing of it.
func (c *Client) Find(ctx context.Context, id string) (o OldSession, err error) {
	all := map[string]Stored{}
	for s, err := range c.Store.Sessions(ctx) {
		if err != nil && (s.ID == "" || s.ID == id) {
			return o, err
		}
		if err == nil {
			all[s.ID] = s
		}
	}
	if _, ok := all[id]; !ok {
		return o, fmt.Errorf("session %s: %w", id, fs.ErrNotExist)
	}
	o, ok, err := c.old(ctx, id, all)
	switch p, _ := c.past(ctx, id); {
	case err != nil:
		return o, err
	case !ok:
		return o, fmt.Errorf("session %s is that of a sub-agent: it goes with the one above it, %s", id, p.parent)
	case o.Stays == unfinished: // who names it knows
		o.Stays = ""
	}
	return o, nil
}

// Remove removes all that the store has of a session and its sub-agents. A workflow that waits for a message is closed first, which its host hears
// of. Where somebody has gone on with the session meanwhile, it stays, and the error is ErrUsed. What a removal that was cut off has left is removed
// by the next one.
func (c *Client) Remove(ctx context.Context, o OldSession) error {
	if o.Stays != "" {
		return fmt.Errorf("session %s: %w: %s", o.ID, ErrUsed, o.Stays)
	}
	if o.open {
		if err := c.ended(ctx, o.ID); err != nil {
			return err
		}
	}
	for _, s := range o.all {
		if runs, _, err := c.running(ctx, s.ID); err != nil {
			return err
		} else if runs {
			return fmt.Errorf("session %s: %w", s.ID, ErrUsed)
		}
		if err := c.Store.Remove(ctx, Removal{Session: s.ID, Seq: s.Seq}); err != nil {
			return fmt.Errorf("session %s: %w", s.ID, err)
		}
	}
	return nil
}

// ended closes the workflow of a session, and waits for its end: the host hears of it, where it is there.
func (c *Client) ended(ctx context.Context, session string) error {
	if err := c.Close(ctx, session); err != nil && !Gone(err) {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 3*hostEnds)
	defer cancel()
	for pause := leastLook; ; pause = min(2*pause, mostLook) {
		runs, _, err := c.running(ctx, session)
		if err != nil || !runs {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("session %s does not end: %w", session, ctx.Err())
		case <-time.After(pause):
		}
	}
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"rein/app/server/api"
	"rein/event"
	"rein/temporal"
)

// closedState is that of a session whose workflow has ended. A message opens it again.
const closedState api.State = "closed"

// listStates are the states that a list knows.
var listStates = []api.State{api.Working, api.Waiting, api.Stuck, api.Idle, api.Failed, api.Cancelled, closedState}

// listedSession is a line of the list.
type listedSession struct {
	ID      string            `json:"id"`
	Host    string            `json:"host"` // on which it is now, or began where that is not known
	State   api.State         `json:"state"`
	Began   time.Time         `json:"began"`
	Pending int               `json:"pending,omitempty"` // approval requests that wait
	Text    string            `json:"text"`              // its first message
	Trouble *temporal.Trouble `json:"trouble,omitempty"`
}

// list lists sessions.
func list(ctx context.Context, p *program, args []string) error {
	host := p.flags.String("host", "", "only the sessions that began on this host")
	state := p.flags.String("state", "", "only those in this state: working, waiting, stuck, idle, failed, cancelled, closed")
	most := p.flags.Int("limit", 50, "at most so many")
	p.flags.IntVar(most, "n", 50, "the same")
	all := p.flags.Bool("all", false, "without a limit")
	asJSON := p.flags.Bool("json", false, "as JSON lines")
	if _, err := p.parse(args, 0, 0); err != nil {
		return err
	}
	if *state != "" && !slices.Contains(listStates, api.State(*state)) {
		return usageError(fmt.Sprintf("there is no state %q", *state))
	}
	if *most < 1 {
		return usageError("--limit is at least 1")
	}
	c, done, err := p.sessions(ctx)
	if err != nil {
		return err
	}
	defer done()
	var found []temporal.Listed
	for l, err := range c.Sessions(ctx) {
		if err != nil {
			return fmt.Errorf("the Temporal server at %s does not list sessions: %s", p.address, short(err))
		}
		if *host == "" || l.Host == *host {
			found = append(found, l)
		}
	}
	total := len(found)
	if !*all && *state == "" {
		found = found[:min(len(found), *most)]
	}
	lines, err := lookAt(ctx, c, found)
	if err != nil {
		return err
	}
	if *state != "" {
		lines = slices.DeleteFunc(lines, func(l listedSession) bool { return l.State != api.State(*state) })
		if total = len(lines); !*all {
			lines = lines[:min(len(lines), *most)]
		}
	}
	if err := p.printList(lines, *asJSON); err != nil {
		return err
	}
	if !*asJSON && total > len(lines) {
		fmt.Fprintf(p.err, "rein-temporal: %d of %d sessions; --all shows all\n", len(lines), total)
	}
	return nil
}

// lookAt looks at sessions, several at once.
func lookAt(ctx context.Context, c *temporal.Client, found []temporal.Listed) ([]listedSession, error) {
	lines, faults := make([]listedSession, len(found)), make([]error, len(found))
	var looking sync.WaitGroup
	turn := make(chan struct{}, mostLooks) // bounds how many look
	for i, l := range found {
		turn <- struct{}{}
		looking.Go(func() {
			defer func() { <-turn }()
			lines[i], faults[i] = look(ctx, c, l)
		})
	}
	looking.Wait()
	return lines, errors.Join(faults...)
}

// look is what the list says of a session.
func look(ctx context.Context, c *temporal.Client, l temporal.Listed) (s listedSession, err error) {
	s = listedSession{ID: l.ID, Host: l.Host, Began: l.Began, State: closedState}
	for e, err := range c.Store.Events(ctx, l.ID, 0) {
		if errors.Is(err, fs.ErrNotExist) {
			break // nothing has happened in it
		}
		if err != nil {
			return s, fmt.Errorf("session %s: %w", l.ID, err)
		}
		if e.Kind == event.Started {
			s.Began = e.Time
		}
		if e.Kind == event.Prompted {
			s.Text = e.Text
			break
		}
	}
	if !l.Open {
		return s, nil
	}
	t, err := c.Trouble(ctx, l.ID)
	if err != nil {
		return s, err
	}
	if t.Kind != "" {
		s.Trouble = &t
	}
	asking, cancel := context.WithTimeout(ctx, longestAsk)
	defer cancel()
	s.State = api.Stuck
	if state, err := c.State(asking, l.ID); err == nil {
		s.Host, s.Pending = state.Host, len(state.Pending)-len(state.Answers)
		s.State = does(state, t)
	} else if s.Trouble == nil {
		s.Trouble = &temporal.Trouble{Kind: temporal.Skewed, Why: short(err)}
	}
	return s, nil
}

// does is what a session does.
func does(s temporal.State, t temporal.Trouble) api.State {
	switch {
	case t.Stuck():
		return api.Stuck
	case len(s.Pending) > len(s.Answers):
		return api.Waiting
	case s.Working != "" || s.Due != "" || len(s.Messages) > 0 || s.Stop == "":
		return api.Working
	}
	switch s.Stop {
	case event.Done, event.Denied:
		return api.Idle
	case event.Cancelled, event.Halted:
		return api.Cancelled
	}
	return api.Failed
}

func (p *program) printList(lines []listedSession, asJSON bool) error {
	if asJSON {
		out := json.NewEncoder(p.out)
		for _, l := range lines {
			if err := out.Encode(l); err != nil {
				return err
			}
		}
		return nil
	}
	if len(lines) == 0 {
		fmt.Fprintln(p.err, "rein-temporal: there are no such sessions: rein-temporal start begins one")
		return nil
	}
	table := tabwriter.NewWriter(p.out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tBEGAN\tHOST\tSTATE\tWHAT")
	for _, l := range lines {
		fmt.Fprintf(table, "%s\t%s ago\t%s\t%s\t%s\n", l.ID, age(time.Since(l.Began)), l.Host, l.State, firstWords(l.Text))
		if l.Trouble != nil {
			fmt.Fprintf(table, "\t\t\t\t! %s\n", l.Trouble)
		}
	}
	return table.Flush()
}

// firstWords is a text in one short line, without what a terminal would obey.
func firstWords(text string) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 }), " ")
	if all := []rune(text); len(all) > 60 {
		return string(all[:59]) + "…"
	}
	return text
}

// age is a duration for people.
func age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", max(0, int(d.Seconds())))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d d", int(d.Hours()/24))
}

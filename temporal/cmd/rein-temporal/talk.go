package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"slices"
	"strings"
	"sync"
	"time"

	"go.temporal.io/api/serviceerror"

	"rein/event"
	"rein/guard"
	"rein/model"
	"rein/temporal"
)

func lastEvent(ctx context.Context, c *temporal.Client, id string) (last int64, err error) {
	for e, err := range c.Store.Events(ctx, id, 0) {
		if errors.Is(err, os.ErrNotExist) {
			break
		}
		if err != nil {
			return 0, err
		}
		last = e.Seq
	}
	return last, nil
}

func attach(ctx context.Context, p *program, args []string) error {
	rest, err := p.parse(args, 1, 1)
	if err != nil {
		return err
	}
	c, done, err := p.sessions(ctx)
	if err != nil {
		return err
	}
	defer done()
	last, err := lastEvent(ctx, c, rest[0])
	if err == nil && last == 0 {
		err = fmt.Errorf("there is no session %s in %s", rest[0], p.place())
	}
	if err != nil {
		return err
	}
	return p.follow(ctx, c, rest[0], 0)
}

// follow shows a session until its turn is over. The user answers what it asks.
func (p *program) follow(ctx context.Context, c *temporal.Client, id string, after int64) (err error) {
	defer func() {
		if err != nil && ctx.Err() != nil {
			err = leftBy(id)
		}
	}()
	following, stop := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() { p.watchTrouble(following, c, id) })
	defer watching.Wait()
	defer stop()
	lines := readLines(p.in)
	asked := map[string]event.Event{}
	for e, err := range c.Store.Follow(ctx, id, 0) {
		if err != nil {
			return err
		}
		if e.Seq > after {
			p.show(e)
		}
		if e.Kind == event.ApprovalRequested {
			asked[e.Call.ID] = e
		}
		if e.Kind != event.Stopped || e.Session != id || e.Seq <= after && e.Stop != event.Waiting {
			continue
		}
		state, err := p.settled(ctx, c, id, e)
		switch {
		case err != nil:
			return err
		case state.Seq > e.Seq || state.Due != "" && state.Stop != event.Waiting || state.Working != "" || len(state.Messages) > 0:
			continue // it is past this, or will be
		case state.Stop == event.Waiting:
			if err := p.ask(ctx, c, id, state, asked, lines); err != nil {
				return err
			}
			continue
		case e.Stop == event.Done:
			return nil
		}
		return fmt.Errorf("the turn ended with %q: %s", e.Stop, e.Text)
	}
	return ctx.Err()
}

// leftBy is the end of following a session that is not over.
func leftBy(session string) error {
	return interrupted("the session goes on without you: rein-temporal attach " + session + " comes back, rein-temporal cancel " + session + " stops its turn")
}

// readLines reads lines while nobody has to wait for them. The channel is closed at the end.
func readLines(in io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(in); s.Scan(); {
			lines <- s.Text()
		}
	}()
	return lines
}

// watchTrouble says why a session does nothing.
func (p *program) watchTrouble(ctx context.Context, c *temporal.Client, id string) {
	for held := (troubles{}); ctx.Err() == nil; {
		t, err := c.Trouble(ctx, id)
		line := ""
		if err == nil {
			line = held.news(t, time.Now())
		}
		if line != "" {
			fmt.Fprintf(p.err, "rein-temporal: session %s: %s\n", id, line)
		}
		select {
		case <-ctx.Done():
		case <-time.After(2 * time.Second):
		}
	}
}

// troubles are what was said of the trouble of a session.
type troubles struct {
	said temporal.Trouble
	seen time.Time // when there was some the last time
}

// overAfter is how long nothing is wrong before trouble is over that ends by itself: a step that is done again may fail again.
const overAfter = 10 * time.Second

// news is what is to be said of the trouble as it is now; "": nothing.
func (s *troubles) news(now temporal.Trouble, at time.Time) string {
	switch {
	case now.Kind != "":
		s.seen = at
	case s.said.Kind == temporal.Retrying && at.Sub(s.seen) < overAfter:
		return ""
	}
	before := s.said.String()
	s.said = now
	if now.String() == before {
		return ""
	}
	return or(now.String(), "the trouble is over")
}

// settled is the state of the workflow when it knows of the end of a turn. Where no worker says it, the turn is over as it is recorded, unless it waits
// for an approval: that needs a worker.
func (p *program) settled(ctx context.Context, c *temporal.Client, id string, end event.Event) (temporal.State, error) {
	for {
		state, err := c.State(ctx, id)
		away := temporal.Absent(err) || errors.As(err, new(*serviceerror.Unavailable))
		switch {
		case temporal.Gone(err) || away && end.Stop != event.Waiting:
			return temporal.State{Seq: end.Seq}, nil
		case away && ctx.Err() == nil:
		case err != nil || state.Seq >= end.Seq:
			return state, err
		}
		select {
		case <-ctx.Done():
			return state, ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// ask asks the user what the session waits for.
func (p *program) ask(ctx context.Context, c *temporal.Client, id string, state temporal.State, asked map[string]event.Event, lines <-chan string) error {
	for _, r := range state.Pending {
		if slices.ContainsFunc(state.Answers, func(a temporal.Answer) bool { return a.Request == r.ID }) {
			continue
		}
		e, ok := asked[r.ID]
		if !ok { // a sub-agent asks
			e = requestOf(ctx, c, r)
		}
		why := ""
		if e.Verdict != nil {
			why = " (" + e.Verdict.Reason + ")"
		}
		if e.Call != nil {
			fmt.Fprintf(p.out, "? %s %s%s\n", e.Call.Name, e.Call.Args, why)
		}
		fmt.Fprintf(p.out, "? run it? yes, or no and why: ")
		line := ""
		select {
		case line, ok = <-lines:
		case <-ctx.Done():
		}
		if !ok {
			fmt.Fprintln(p.out)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !ok {
			return fmt.Errorf("the session waits for an answer: rein-temporal answer %s %s yes|no", id, r.ID)
		}
		word, words, _ := strings.Cut(strings.TrimSpace(line), " ")
		a := temporal.Answer{Request: r.ID, Hash: r.Hash, Approved: word == "yes" || word == "y", By: person(), From: "rein-temporal", Words: words}
		if err := c.Answer(ctx, id, a); err != nil {
			fmt.Fprintf(p.err, "rein-temporal: %v\n", err)
		}
	}
	return nil
}

// requestOf is the request of a sub-agent, as its journal has it.
func requestOf(ctx context.Context, c *temporal.Client, r temporal.Pending) (asked event.Event) {
	for e, err := range c.Store.Events(ctx, r.Session, 0) {
		if err == nil && e.Kind == event.ApprovalRequested && e.Grant != nil && e.Grant.Hash == r.Hash {
			asked = e
		}
	}
	return asked
}

func person() guard.Who {
	if u, err := user.Current(); err == nil {
		return guard.ByPerson(u.Username)
	}
	return guard.ByPerson("")
}

// show prints an event.
func (p *program) show(e event.Event) {
	within := ""
	if e.Parent != "" {
		within = "  "
	}
	switch e.Kind {
	case event.Prompted:
		fmt.Fprintf(p.out, "%s> %s\n", within, e.Text)
	case event.Responded:
		if e.Text != "" {
			fmt.Fprintf(p.out, "%s%s\n", within, e.Text)
		}
	case event.Called:
		fmt.Fprintf(p.out, "%s- %s %.200s\n", within, e.Call.Name, e.Call.Args)
	case event.Replied:
		first, _, _ := strings.Cut(e.Result.Text, "\n")
		fmt.Fprintf(p.out, "%s  = %.200s\n", within, first)
	case event.Granted, event.Refused:
		if e.Answer != nil {
			fmt.Fprintf(p.out, "%s  %s by %s\n", within, e.Answer.Choice, e.Answer.By)
		}
	}
}

func send(ctx context.Context, p *program, args []string) error {
	steer := p.flags.Bool("steer", false, "the model gets it with its next request, and not at the end of the turn")
	rest, err := p.parse(args, 2, 2)
	if err != nil {
		return err
	}
	c, done, err := p.sessions(ctx)
	if err != nil {
		return err
	}
	defer done()
	switch l, ok, err := c.Session(ctx, rest[0]); {
	case err != nil:
		return err
	case !ok || !l.Open:
		return noWorkflow(rest[0])
	}
	return c.Send(ctx, temporal.Session{ID: rest[0]}, "", *steer, model.Text(rest[1]))
}

// noSession says what is missing.
func noSession(id string, err error) error {
	if temporal.Gone(err) {
		return noWorkflow(id)
	}
	return err
}

func noWorkflow(id string) error {
	return fmt.Errorf("no workflow of a session %s runs: rein-temporal start --id %s begins one", id, id)
}

func answer(ctx context.Context, p *program, args []string) error {
	rest, err := p.parse(args, 3, 4)
	if err != nil {
		return err
	}
	if rest[2] != "yes" && rest[2] != "no" {
		return usageError(fmt.Sprintf("an answer is yes or no, and not %q", rest[2]))
	}
	c, done, err := p.sessions(ctx)
	if err != nil {
		return err
	}
	defer done()
	state, err := c.State(ctx, rest[0])
	if err != nil {
		return noSession(rest[0], err)
	}
	a := temporal.Answer{Request: rest[1], Approved: rest[2] == "yes", By: person(), From: "rein-temporal"}
	if len(rest) > 3 {
		a.Words = rest[3]
	}
	for _, r := range state.Pending {
		if r.ID == rest[1] {
			a.Hash = r.Hash
		}
	}
	return c.Answer(ctx, rest[0], a)
}

func showState(ctx context.Context, p *program, args []string) error {
	rest, err := p.parse(args, 1, 1)
	if err != nil {
		return err
	}
	c, done, err := p.sessions(ctx)
	if err != nil {
		return err
	}
	defer done()
	state, err := c.State(ctx, rest[0])
	if err != nil {
		return noSession(rest[0], err)
	}
	out := json.NewEncoder(p.out)
	out.SetIndent("", "  ")
	return out.Encode(state)
}

// signalled is a command that sends a signal.
func signalled(do func(*temporal.Client, context.Context, string) error, says string) func(context.Context, *program, []string) error {
	return func(ctx context.Context, p *program, args []string) error {
		rest, err := p.parse(args, 1, 1)
		if err != nil {
			return err
		}
		c, done, err := p.sessions(ctx)
		if err != nil {
			return err
		}
		defer done()
		if err := do(c, ctx, rest[0]); err != nil {
			return noSession(rest[0], err)
		}
		fmt.Fprintln(p.err, "rein-temporal: "+says)
		return nil
	}
}

func move(ctx context.Context, p *program, args []string) error {
	rest, err := p.parse(args, 2, 2)
	if err != nil {
		return err
	}
	return signalled(func(c *temporal.Client, ctx context.Context, id string) error { return c.Move(ctx, id, rest[1]) }, "the session continues on "+rest[1])(ctx, p, rest[:1])
}

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"rein/guard"
	"rein/journal"
	"rein/model"
	"rein/temporal"
)

// newSession is what the flags say of a session that begins.
type newSession struct {
	host, model, mode string
	priority          int
	clone             repository
}

func (n *newSession) flags(p *program) {
	p.flags.StringVar(&n.host, "host", "", "the `name` of the host on which the session works")
	p.flags.StringVar(&n.model, "model", p.getenv("REIN_MODEL"), "provider/name")
	p.flags.StringVar(&n.model, "m", n.model, "the same")
	p.flags.StringVar(&n.mode, "mode", "supervised", "read-only, plan, ask, supervised, auto, full")
	n.priorityFlag(p)
	p.flags.StringVar(&n.clone.URL, "clone", "", "the `address` of the repository of which the session gets a clone, on a host that has --clones")
	p.flags.StringVar(&n.clone.At, "at", "", "the commit, branch or tag of --clone; \"\": the default branch")
}

func (n *newSession) priorityFlag(p *program) {
	p.flags.IntVar(&n.priority, "priority", 0, "of a new session among those that wait for the same workers: 1 is first, 5 last; 0: 3")
}

// session is the session, unless a flag is missing or wrong.
func (n *newSession) session(p *program, id string) (s temporal.Session, err error) {
	switch {
	case n.host == "":
		return s, usageError("--host is missing: the name that a worker has (rein-temporal worker --host NAME)")
	case n.model == "":
		return s, usageError("--model is missing: provider/name, or script/FILE")
	}
	if _, err := guard.ParseMode(n.mode); err != nil {
		return s, usageError(err.Error())
	}
	if n.model, err = whole(n.model); err != nil {
		return s, err
	}
	if err := rightPriority(n.priority); err != nil {
		return s, err
	}
	s = temporal.Session{ID: id, Host: n.host, Priority: n.priority, Models: temporal.TeamQueue(temporal.DefaultModels, p.team)}
	is := about{Model: n.model, Mode: n.mode}
	if n.clone != (repository{}) {
		if err := n.clone.check(); err != nil {
			return s, usageError(err.Error())
		}
		is.Clone = &n.clone
	}
	s.About, err = json.Marshal(is)
	return s, err
}

func rightPriority(n int) error {
	if n < 0 || n > temporal.MostPriority {
		return usageError(fmt.Sprintf("--priority is 1 to %d, or 0 for that of most sessions", temporal.MostPriority))
	}
	return nil
}

// whole is the name of a model as a worker has to have it, whose directory is another one.
func whole(model string) (string, error) {
	file, ok := strings.CutPrefix(model, "script/")
	if !ok {
		return model, nil
	}
	file, err := filepath.Abs(file)
	return "script/" + file, err
}

// start starts a session, or gives one a message, and follows it.
func start(ctx context.Context, p *program, args []string) error {
	id := p.flags.String("id", "", "of the session; \"\": a new one")
	var begun newSession
	begun.flags(p)
	detach := p.flags.Bool("detach", false, "do not follow the session")
	rest, err := p.parse(args, 1, 1)
	if err != nil {
		return err
	}
	if *id == "" {
		*id = journal.NewID(time.Now())
	}
	session, err := begun.session(p, *id)
	if err != nil {
		return err
	}
	c, done, err := p.sessions(ctx)
	if err != nil {
		return err
	}
	defer done()
	last, err := lastEvent(ctx, c, *id)
	if err != nil {
		return err
	}
	if err := c.Send(ctx, session, "", false, model.Text(rest[0])); err != nil {
		return err
	}
	fmt.Fprintf(p.err, "rein-temporal: session %s\n", *id)
	if *detach {
		return nil
	}
	return p.follow(ctx, c, *id, last)
}

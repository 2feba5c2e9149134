package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rein/app/client"
	"rein/app/server/api"
	"rein/event"
)

// serverFlags are the flags that mean something where a server does the task.
var serverFlags = []string{"server", "token-file", "insecure", "model", "mode", "yolo", "cwd", "resume", "print", "output-format", "verbose", "quiet", "help"}

// onServer lets a server do the task. Approval requests wait for an answer from any client of the server; the person at this
// terminal is one of them, unless --print is set.
func (a *modelFlags) onServer(ctx context.Context, cmd *cobra.Command, prompt string) error {
	wrong := ""
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if !slices.Contains(serverFlags, f.Name) {
			wrong = f.Name
		}
	})
	if wrong != "" {
		return withExitCode(exitUsage, fmt.Errorf("--%s has no meaning with --server: the server's settings say how its sessions run", wrong))
	}
	if a.resume == pick {
		return withExitCode(exitUsage, errors.New("with --server, --resume needs the ID of a session"))
	}
	c, err := a.signIn.client(a.server)
	if err != nil {
		return err
	}
	id, after, err := a.begin(ctx, cmd, c, prompt)
	if err != nil {
		return err
	}
	a.person()
	return a.followed(ctx, cmd, c, id, after)
}

// begin starts the session, or sends the prompt to the one that continues. after is the number of the last event before.
func (a *modelFlags) begin(ctx context.Context, cmd *cobra.Command, c *client.Client, prompt string) (id string, after int64, err error) {
	mode := a.callFlags.Harness(cmd, nil).Mode
	if a.resume == "" {
		n := api.NewSession{Model: a.model, Mode: mode, Text: prompt}
		if cmd.Flags().Changed("cwd") {
			n.Dir = a.Dir
		}
		s, err := c.Start(ctx, n)
		return s.ID, 0, err
	}
	if a.resume, err = findServerSession(ctx, c, a.resume); err != nil {
		return "", 0, err
	}
	past, err := c.Past(ctx, a.resume, 0, 1)
	for _, e := range past.Events {
		after = e.Seq
	}
	if err == nil && (a.model != "" || mode != "") {
		_, err = c.Change(ctx, a.resume, api.Change{Model: a.model, Mode: mode})
	}
	switch {
	case err != nil:
	case prompt == "":
		_, err = c.Resume(ctx, a.resume)
	default:
		_, err = c.Send(ctx, a.resume, api.NewMessage{ID: rand.Text(), Text: prompt})
	}
	return a.resume, after, err
}

// followed shows what the session does until its turn is over.
func (a *modelFlags) followed(ctx context.Context, cmd *cobra.Command, c *client.Client, id string, after int64) error {
	out := a.output(cmd, id, nil)
	following, stop := context.WithCancel(ctx)
	defer stop()
	terminal := a.terminal
	if terminal != nil && !terminal.Present() {
		terminal = nil
	}
	person := newServerPerson(following, c, id, terminal, func(err error) { sayTo(cmd, err.Error()) })
	defer person.wait()
	defer stop()
	began := time.Time{}
	for e, err := range c.Events(following, id) {
		if err != nil {
			return err
		}
		if e.Session == id && e.Seq > 0 && e.Seq <= after {
			began = e.Time
			continue
		}
		if e.Seq > 0 && e.Session != id && !e.Time.After(began) { // of a sub-agent of an earlier turn
			continue
		}
		if e.Kind == event.ApprovalRequested && terminal == nil {
			sayTo(cmd, fmt.Sprintf("a call waits for an approval: answer it in the page of the server, or with rein attach %s %s", c.URL, id))
		}
		if err := out.show(e); err != nil {
			return err
		}
		if e.Kind == event.Stopped && e.Session == id {
			var failure error
			if e.Stop == event.Failed {
				failure = errors.New(cmp.Or(printable(e.Text), "the turn failed"))
			}
			return out.end(ctx, e, failure)
		}
	}
	last, done := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer done()
	if err := c.Cancel(last, id); err != nil {
		sayTo(cmd, "the turn was not stopped: "+err.Error())
	}
	return context.Cause(ctx)
}

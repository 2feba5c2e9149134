package cron

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"rein/cmd/rein/internal/cli"
	"rein/cmd/rein/internal/console"
	"rein/event"
	"rein/harness"
	"rein/harness/schedule"
	"rein/model"
)

func newDaemon() *cobra.Command {
	return &cobra.Command{
		Use: "daemon", Short: "Run tasks when they are due, until it is stopped", Args: cobra.NoArgs,
		Long: `Run tasks when they are due, until it is stopped. Calls that need approval wait in the inbox. When the daemon stops, a run
that waits is suspended: rein run --resume SESSION goes on with it.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := cli.Interruptible(cmd.Context())
			defer stop()
			return with(cmd, func(s *schedule.Store) error { return daemon(cmd, s).Work(ctx) })
		},
	}
}

func newRun() *cobra.Command {
	return onOne(&cobra.Command{Use: "run ID", Short: "Run a task now, in this process"},
		func(cmd *cobra.Command, s *schedule.Store, id int64) error {
			all, err := s.Jobs(cmd.Context())
			if err != nil {
				return err
			}
			ctx, stop := cli.Interruptible(cmd.Context())
			defer stop()
			for _, j := range all {
				if j.ID == id {
					return daemon(cmd, s).RunNow(ctx, j, time.Now())
				}
			}
			return schedule.ErrNoJob
		})
}

// daemon prints a line for each run that ends, and sends it to the webhook of its task.
func daemon(cmd *cobra.Command, s *schedule.Store) *schedule.Daemon {
	return &schedule.Daemon{Store: s, Do: do, Tell: func(j schedule.Job, r schedule.Run) {
		out := cmd.ErrOrStderr()
		fmt.Fprintln(out, console.Printable(fmt.Sprintf("%s task %d %s: %s %s", time.Now().Format(time.TimeOnly), r.Job, r.State, r.Session, console.OneLine(r.Text, 120))))
		if j.Webhook == "" {
			return
		}
		key := ""
		if j.Secret != "" {
			key = os.Getenv(j.Secret)
		}
		if err := schedule.Post(context.WithoutCancel(cmd.Context()), j, r, key); err != nil {
			fmt.Fprintln(out, "rein: warning:", err)
		}
	}}
}

// do runs a task as a session without a person.
func do(ctx context.Context, j schedule.Job, session func(string)) (text string, err error) {
	h, err := harness.Open(ctx, harness.Options{Dir: j.Dir, Mode: j.Mode, Model: j.Model, Allow: j.Allow, Ask: j.Ask, Deny: j.Deny,
		Budget: j.Budget, MaxUSD: j.MaxUSD, MaxTime: harness.Duration(j.MaxTime), Unattended: harness.Wait, Version: cli.Version()})
	if err != nil {
		return "", err
	}
	closing := context.WithoutCancel(ctx)
	defer func() { err = errors.Join(err, h.Close(closing)) }()
	defer context.AfterFunc(ctx, h.Suspend)()
	s, err := h.Start(ctx, harness.NewSession{})
	if err != nil {
		return "", err
	}
	session(s.ID())
	for e, sendErr := range s.Send(closing, model.Text(j.Prompt)) {
		switch {
		case e.Kind == event.Stopped && e.Parent == "":
			if sendErr == nil && e.Stop == event.Waiting {
				return "", fmt.Errorf("it waits for an approval: rein approve %s, then rein run --resume %s", s.ID(), s.ID())
			}
			if sendErr == nil && e.Stop != event.Done {
				sendErr = fmt.Errorf("it stopped: %s", e.Stop)
			}
			return e.Text, sendErr
		case ctx.Err() != nil && !s.Waiting():
			return "", context.Cause(ctx) // leaving the loop cancels what runs
		}
	}
	return "", errors.New("it ended without an answer")
}

package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"rein/app/schedule"
)

func newCronDaemon() *cobra.Command {
	return &cobra.Command{
		Use: "daemon", Short: "Run tasks when they are due, until it is stopped", Args: cobra.NoArgs,
		Long: `Run tasks when they are due, until it is stopped. Where another daemon or rein serve runs them already, it waits until
that one ends. Calls that need approval wait in the inbox. When the daemon stops, a run that waits is suspended:
rein run --resume SESSION continues it.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := interruptible(cmd.Context())
			defer stop()
			return withDaemon(func(s *schedule.Store, d *schedule.Daemon) error { return d.Work(ctx) }, linePrinter(cmd))
		},
	}
}

func newCronRun() *cobra.Command {
	cmd := &cobra.Command{Use: "run ID", Short: "Run a task now, in this process", Args: cobra.ExactArgs(1)}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		id, err := parseJobID(args)
		if err != nil {
			return err
		}
		ctx, stop := interruptible(cmd.Context())
		defer stop()
		return withDaemon(func(s *schedule.Store, d *schedule.Daemon) error {
			all, err := s.Jobs(cmd.Context())
			if err != nil {
				return err
			}
			if at := slices.IndexFunc(all, func(j schedule.Job) bool { return j.ID == id }); at >= 0 {
				return d.RunNow(ctx, all[at], time.Now())
			}
			return schedule.ErrNoJob
		}, linePrinter(cmd))
	}
	return cmd
}

// linePrinter prints each line of the daemon to the error stream.
func linePrinter(cmd *cobra.Command) func(string) {
	return func(line string) { fmt.Fprintln(cmd.ErrOrStderr(), line) }
}

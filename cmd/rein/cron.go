package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rein/app/catalogue"
	"rein/app/schedule"
)

// newCron is the command rein cron.
func newCron() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "cron",
		Aliases: []string{"schedule"},
		Short:   "Tasks that run later or regularly",
		Long: `Tasks that run later or regularly. A run is a session without a person: calls that need approval wait in the inbox (rein
approve) without limit. rein cron daemon runs what is due, and so does rein serve; one of them at a time.`,
	}
	entries := entryCommands{Kind: catalogue.Schedules, Print: printJobs, None: saysNone("There are no tasks: see rein cron add --help."), Local: func(*cobra.Command) catalogue.Local { return catalogue.Local{} }}
	cmd.AddCommand(newCronAdd(),
		entries.List(&cobra.Command{Use: "list", Short: "List the tasks and when they run next"}, "a JSON line for each task"),
		newCronHistory(),
		entries.Do(&cobra.Command{Use: "remove ID", Aliases: []string{"delete"}, Short: "Delete a task; its runs stay in the history"}, "remove"),
		entries.Do(&cobra.Command{Use: "pause ID", Short: "Pause a task"}, "pause"),
		entries.Do(&cobra.Command{Use: "resume ID", Short: "Resume a paused task; runs that were due meanwhile are skipped"}, "resume"),
		newCronRun(), newCronDaemon())
	return cmd
}

// withDaemon opens the store for a command. print gets the lines of the daemon; nil: it has none.
func withDaemon(do func(*schedule.Store, *schedule.Daemon) error, print func(string)) error {
	s, set, err := catalogue.OpenSchedules()
	if err != nil {
		return err
	}
	err = errors.Join(do(s, newJobsDaemon(s, set, programVersion(), print)), s.Close())
	if errors.Is(err, schedule.ErrNoJob) {
		return withExitCode(exitInput, err)
	}
	return err
}

func withJobs(do func(*schedule.Store) error) error {
	return withDaemon(func(s *schedule.Store, _ *schedule.Daemon) error { return do(s) }, nil)
}

func newCronAdd() *cobra.Command {
	var j schedule.Job
	cmd := &cobra.Command{
		Use:   "add WHEN PROMPT…",
		Short: "Add a task",
		Long: `Add a task that runs in this directory. WHEN is five fields (minute, hour, day of the month, month, day of the week),
@every 90m, @hourly, @daily, @weekly, @monthly, @yearly, or an instant such as 2026-12-24T18:00.

A time of day that the clock leaves out in spring comes at the end of the gap; one that comes twice in autumn counts once.`,
		Example: `  rein cron add '0 7 * * 1-5' 'summarize the issues that were opened yesterday'
  rein cron add --zone Europe/Berlin --mode read-only @daily 'look for flaky tests'
  rein cron add 2026-12-24T18:00 'write the release notes'`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := realDir(cmp.Or(j.Dir, "."))
			if err != nil {
				return withExitCode(exitInput, err)
			}
			j.When, j.Prompt, j.Dir = args[0], strings.Join(args[1:], " "), dir
			if j.Zone == "" {
				j.Zone = time.Local.String()
			}
			if err := checkJob(j); err != nil {
				return withExitCode(exitUsage, err)
			}
			return withJobs(func(s *schedule.Store) error {
				id, err := s.Add(cmd.Context(), j, time.Now())
				if err != nil {
					return withExitCode(exitUsage, err)
				}
				fmt.Fprintln(cmd.OutOrStdout(), id)
				for _, at := range j.Due(time.Now(), 3) {
					fmt.Fprintln(cmd.ErrOrStderr(), "runs", at.Format("2006-01-02 15:04 Mon MST"))
				}
				return nil
			})
		},
	}
	addJobFlags(cmd, &j)
	return cmd
}

func addJobFlags(cmd *cobra.Command, j *schedule.Job) {
	flags := cmd.Flags()
	flags.StringVar(&j.Name, "name", "", "a name, for lists and notifications")
	flags.StringVar(&j.Zone, "zone", "", "time zone of WHEN, such as Europe/Berlin (default: this machine's)")
	flags.StringVar(&j.Dir, "cwd", "", "the workspace (default: this directory)")
	flags.Var(modeFlag(&j.Mode), "mode", "read-only, plan, ask, supervised, auto or full (default: the settings')")
	flags.StringVarP(&j.Model, "model", "m", "", "provider/name")
	flags.StringArrayVar(&j.Allow, "allow", nil, "an allow rule, in addition to the settings (repeat)")
	flags.StringArrayVar(&j.Ask, "ask", nil, "an ask rule (repeat)")
	flags.StringArrayVar(&j.Deny, "deny", nil, "a deny rule (repeat)")
	flags.Var(rangeFlag(&j.Budget, 1, math.MaxInt64), "budget", "limit of tokens for a run")
	flags.Var(dollarsFlag(&j.MaxUSD), "max-budget-usd", "limit in US dollars for a run")
	flags.Var(limitFlag(&j.MaxTime), "max-time", "limit of time for a run, such as 30m")
	flags.Var(spanFlag(&j.Jitter), "jitter", "start each run up to this much later, at random")
	j.Overlap, j.Missed = "skip", "once"
	flags.Var(choiceFlag(&j.Overlap, "skip", "queue"), "overlap", "a run that is due while another one is running: skip or queue")
	flags.Var(choiceFlag(&j.Missed, "skip", "once", "queue"), "missed", "runs that were due while no daemon was there: skip, once (the last one) or queue (at most 10)")
	flags.StringVar(&j.Webhook, "webhook", "", "an address to which each result is sent as JSON")
	flags.StringVar(&j.Secret, "webhook-key-env", "", "the daemon's environment variable with the key that signs them")
}

func printJobs(cmd *cobra.Command, list catalogue.List) error {
	for _, e := range list.Entries {
		columns := []string{e.ID, e.Field("schedule"), e.Field("runs"), e.Field("directory"), oneLine(e.Name, 60)}
		fmt.Fprintln(cmd.OutOrStdout(), printable(strings.Join(columns, "\t")))
	}
	return nil
}

func newCronHistory() *cobra.Command {
	var asJSON bool
	limit := 20
	cmd := &cobra.Command{
		Use: "history [ID]", Short: "List the newest runs, of one task or of all", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := parseJobID(args)
			if err != nil {
				return err
			}
			return withJobs(func(s *schedule.Store) error {
				all, err := s.Runs(cmd.Context(), id, limit)
				if err != nil || asJSON {
					return cmp.Or(err, printJSONLines(cmd, all))
				}
				fmt.Fprint(cmd.OutOrStdout(), printable(catalogue.RunLines(all)))
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "a JSON line for each run")
	cmd.Flags().Var(rangeFlag(&limit, 1, 100_000), "limit", "how many runs to list")
	return cmd
}

func parseJobID(args []string) (int64, error) {
	if len(args) == 0 {
		return 0, nil
	}
	id, err := strconv.ParseInt(args[0], 10, 64)
	if err != nil || id <= 0 {
		return 0, withExitCode(exitUsage, fmt.Errorf("%q is not the number of a task: rein cron list", args[0]))
	}
	return id, nil
}

package main

import (
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"rein/temporal"
)

// scheduled adds, lists and removes schedules.
func scheduled(ctx context.Context, p *program, args []string) error {
	do := map[string]func(context.Context, *program, []string) error{"add": addSchedule, "list": listSchedules, "remove": removeSchedule}
	if len(args) == 0 || do[args[0]] == nil {
		return usageError("schedule needs add, list or remove")
	}
	return do[args[0]](ctx, p, args[1:])
}

func addSchedule(ctx context.Context, p *program, args []string) error {
	s := temporal.Schedule{}
	var begun newSession
	begun.flags(p)
	p.flags.StringVar(&s.Cron, "cron", "", "when it runs, as in crontab: \"0 7 * * 1-5\"")
	p.flags.DurationVar(&s.Every, "every", 0, "instead of --cron: how often it runs, as 6h")
	p.flags.StringVar(&s.Zone, "zone", "", "the time zone of --cron, as Europe/Berlin; \"\": UTC")
	rest, err := p.parse(args, 2, 2)
	if err != nil {
		return err
	}
	s.ID, s.Text = rest[0], rest[1]
	if s.Session, err = begun.session(p, ""); err != nil {
		return err
	}
	c, done, err := p.sessions(ctx)
	if err != nil {
		return err
	}
	defer done()
	if err := c.AddSchedule(ctx, s); err != nil {
		return err
	}
	fmt.Fprintf(p.err, "rein-temporal: the schedule %s begins sessions with the ids %s-DATE-TIME; one that waits for an answer holds the next ones back\n", s.ID, s.ID)
	return nil
}

func listSchedules(ctx context.Context, p *program, args []string) error {
	if _, err := p.parse(args, 0, 0); err != nil {
		return err
	}
	c, done, err := p.sessions(ctx)
	if err != nil {
		return err
	}
	defer done()
	all, err := c.Schedules(ctx)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	for _, s := range all {
		next := "never again"
		if !s.Next.IsZero() {
			next = s.Next.Local().Format(time.RFC3339)
		}
		fmt.Fprintf(table, "%s\t%s\tnext %s\n", s.ID, s.About, next)
	}
	return table.Flush()
}

func removeSchedule(ctx context.Context, p *program, args []string) error {
	rest, err := p.parse(args, 1, 1)
	if err != nil {
		return err
	}
	c, done, err := p.sessions(ctx)
	if err != nil {
		return err
	}
	defer done()
	return c.RemoveSchedule(ctx, rest[0])
}

// release lets the workers of a build have the sessions.
func release(ctx context.Context, p *program, args []string) error {
	rest, err := p.parse(args, 1, 1)
	if err != nil {
		return err
	}
	c, done, err := p.sessions(ctx)
	if err != nil {
		return err
	}
	defer done()
	return c.Release(ctx, rest[0])
}

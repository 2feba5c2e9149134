package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"time"

	"rein/internal/plaintext"
	"rein/temporal"
)

// pruneEvery is how often a worker removes old sessions.
const pruneEvery = 24 * time.Hour

// mostDays bounds --days, so that a time can be reckoned with it.
const mostDays = 100_000

// prune removes old sessions from the store, or one.
func prune(ctx context.Context, p *program, args []string) error {
	days := p.flags.Int("days", 0, "without an event for so many days; 0: the setting sessions.days of the user")
	dry := p.flags.Bool("dry-run", false, "list them, and delete nothing")
	yes := p.flags.Bool("yes", false, "do not ask")
	p.flags.BoolVar(yes, "y", false, "the same")
	asJSON := p.flags.Bool("json", false, "a JSON line for each session")
	rest, err := p.parse(args, 0, 1)
	if err != nil {
		return err
	}
	if len(rest) == 1 && *days != 0 {
		return usageError("--days says which sessions, and so does ID: give one of them")
	}
	if len(rest) == 0 {
		if err := useDays(days); err != nil {
			return err
		}
	}
	c, done, err := p.sessions(ctx)
	if err != nil {
		return err
	}
	defer done()
	var all []temporal.OldSession
	if len(rest) == 1 {
		one, fault := c.Find(ctx, rest[0])
		if errors.Is(fault, fs.ErrNotExist) {
			return fmt.Errorf("there is no session %s in %s", rest[0], p.place())
		}
		if fault != nil {
			return fault
		}
		if all = append(all, one); one.Stays != "" {
			return fmt.Errorf("session %s is not deleted: %s", one.ID, one.Stays)
		}
	} else {
		all, err = c.Old(ctx, time.Now().AddDate(0, 0, -*days))
	}
	goes, stays := parted(all)
	if !*dry && !*yes && len(goes) > 0 {
		if fault := p.confirm(fmt.Sprintf("Delete %s from %s?", plaintext.Counted(len(goes), "session"), p.place())); fault != nil {
			return fault
		}
	}
	if !*dry {
		removed, used, fault := remove(ctx, c, goes)
		goes, stays, err = removed, append(stays, used...), errors.Join(err, fault)
	}
	if err = errors.Join(err, p.printPruned(goes, stays, *dry, *asJSON)); err == nil && len(rest) == 1 && len(goes) == 0 {
		err = errors.New("nothing was deleted")
	}
	return err
}

// parted are the sessions that may be removed, and those that stay.
func parted(all []temporal.OldSession) (goes, stays []temporal.OldSession) {
	for _, one := range all {
		if one.Stays == "" {
			goes = append(goes, one)
		} else {
			stays = append(stays, one)
		}
	}
	return goes, stays
}

// useDays takes the setting of the user where the flag does not say how many.
func useDays(days *int) error {
	if *days == 0 {
		set, err := userSettings()
		if err != nil {
			return err
		}
		*days = set.Sessions.Days
	}
	if *days == 0 {
		return usageError("say how many days: --days 90, or the setting sessions.days")
	}
	return rightDays(*days)
}

func rightDays(days int) error {
	if days < 0 || days > mostDays {
		return usageError(fmt.Sprintf("--days is from 1 to %d", mostDays))
	}
	return nil
}

// confirm asks the user, and fails unless the answer is yes.
func (p *program) confirm(question string) error {
	fmt.Fprintf(p.err, "%s [y/N] ", question)
	lines := bufio.NewScanner(p.in)
	if lines.Scan() {
		switch strings.ToLower(strings.TrimSpace(lines.Text())) {
		case "y", "yes":
			return nil
		}
	} else {
		fmt.Fprintln(p.err)
	}
	return errors.New("nothing was deleted (--yes deletes without a question)")
}

// remove removes sessions, several at once. Those with which somebody has gone on meanwhile stay: they are used.
func remove(ctx context.Context, c *temporal.Client, all []temporal.OldSession) (removed, used []temporal.OldSession, err error) {
	faults := make([]error, len(all))
	var removing sync.WaitGroup
	turn := make(chan struct{}, mostLooks) // bounds how many are removed at once
	for i, one := range all {
		turn <- struct{}{}
		removing.Go(func() {
			defer func() { <-turn }()
			if faults[i] = ctx.Err(); faults[i] == nil {
				faults[i] = c.Remove(ctx, one)
			}
		})
	}
	removing.Wait()
	for i, one := range all {
		switch {
		case faults[i] == nil:
			removed = append(removed, one)
		case errors.Is(faults[i], temporal.ErrUsed):
			one.Stays = faults[i].Error()
			used = append(used, one)
		default:
			err = errors.Join(err, faults[i])
		}
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return removed, used, err
}

// printPruned lists the sessions that are deleted, or would be, and those that are old and stay.
func (p *program) printPruned(goes, stays []temporal.OldSession, dry, asJSON bool) error {
	if asJSON {
		out := json.NewEncoder(p.out)
		for _, one := range append(goes, stays...) {
			if err := out.Encode(one); err != nil {
				return err
			}
		}
		return nil
	}
	for _, one := range goes {
		fmt.Fprintf(p.out, "%s  %s  %s\n", one.ID, one.Last.Local().Format(time.DateOnly), firstWords(one.Text))
	}
	did := "deleted"
	if dry {
		did = "would be deleted"
	}
	fmt.Fprintf(p.err, "%s %s\n", plaintext.Counted(len(goes), "session"), did)
	for _, one := range stays {
		fmt.Fprintf(p.err, "%s stays: %s\n", one.ID, one.Stays)
	}
	return nil
}

// pruneDaily removes old sessions once a day, until ctx ends. Several workers may do it.
func pruneDaily(ctx context.Context, p *program, c *temporal.Client, days int) {
	for {
		all, err := c.Old(ctx, time.Now().AddDate(0, 0, -days))
		goes, _ := parted(all)
		removed, _, fault := remove(ctx, c, goes)
		if err = errors.Join(err, fault); err != nil && ctx.Err() == nil {
			p.warn("old sessions are not deleted: " + err.Error())
		}
		if len(removed) > 0 {
			p.warn(plaintext.Counted(len(removed), "session") + " deleted in which nothing has happened for " + plaintext.Counted(days, "day"))
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pruneEvery):
		}
	}
}

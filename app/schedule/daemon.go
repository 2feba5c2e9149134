package schedule

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

const (
	// late is how long after its time a run still counts as in time.
	late = 2 * time.Minute
	// mostMissed is how many missed runs are looked at, and mostQueued how many of them run with the policy queue.
	mostMissed, mostQueued = 100, 10
	usualLook              = 5 * time.Second
	// mostText is how many bytes of a result are kept.
	mostText = 4 << 10
)

// Daemon runs what is due. Several daemons may look at one store: the row of a run is made once, by the one that runs it.
type Daemon struct {
	Store *Store
	// Do runs a job and returns its answer. It reports the id of the session as soon as it is known.
	Do func(ctx context.Context, j Job, session func(id string)) (text string, err error)
	// End returns how a session ended that its run left in the middle, with the state and text of the run: Waiting while it has not ended. Nil: Crashed.
	End func(ctx context.Context, session string) (state, text string)
	// Tell is called when a run has ended, was left out, or is found to have crashed. Nil: nobody is told.
	Tell func(Job, Run)
	// Every is how often Work looks for what is due; 0: every 5 s.
	Every time.Duration

	working sync.WaitGroup
}

// Work runs what is due until ctx is done, and waits for the runs that are at work. While another daemon works on the store it
// only waits: it takes over when that one ends.
func (d *Daemon) Work(ctx context.Context) error {
	mine := flock.New(filepath.Join(d.Store.dir, "daemon.lock"))
	defer mine.Unlock()
	defer d.working.Wait()
	tick := time.NewTicker(cmp.Or(d.Every, usualLook))
	defer tick.Stop()
	for {
		if free, err := mine.TryLock(); err != nil {
			return err
		} else if free {
			if err := d.Look(ctx, time.Now()); err != nil && ctx.Err() == nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// Look starts what is due now, and reports runs whose daemon is gone.
func (d *Daemon) Look(ctx context.Context, now time.Time) error {
	jobs, err := d.Store.Jobs(ctx)
	if err != nil {
		return err
	}
	byID := map[int64]Job{}
	for _, j := range jobs {
		byID[j.ID] = j
	}
	if err := errors.Join(d.crashed(ctx, byID, now), d.waited(ctx, byID, now)); err != nil {
		return err
	}
	for _, j := range jobs {
		if j.Paused {
			continue
		}
		if err := d.due(ctx, j, now); err != nil {
			return fmt.Errorf("job %d: %w", j.ID, err)
		}
	}
	return nil
}

// due decides about all runs of a job that are due.
func (d *Daemon) due(ctx context.Context, j Job, now time.Time) error {
	zone, err := time.LoadLocation(j.Zone)
	if err != nil {
		return err
	}
	w, err := parseWhen(j.When, zone, j.Seen.Add(-time.Second))
	if err != nil {
		return nil // an instant that is over
	}
	var all []time.Time
	for at := w.Next(j.Seen); !at.IsZero() && !at.After(now) && len(all) < mostMissed; at = w.Next(at) {
		all = append(all, at)
	}
	var missed []time.Time
	for _, at := range all {
		if now.Sub(at) > late {
			missed = append(missed, at)
		}
	}
	first := len(missed) // those before are left out
	switch {
	case j.Missed == "once" && len(missed) == len(all):
		first = max(len(all)-1, 0)
	case j.Missed == "queue":
		first = max(len(missed)-mostQueued, 0)
	}
	for i, at := range all {
		if i < first {
			if err := d.skip(ctx, j, at, now, "no daemon was there when it was due"); err != nil {
				return err
			}
		} else if wait, err := d.start(ctx, j, at, now); err != nil || wait {
			return err
		}
		if err := d.Store.saw(ctx, j.ID, at); err != nil {
			return err
		}
	}
	return nil
}

func (d *Daemon) skip(ctx context.Context, j Job, due, now time.Time, why string) error {
	r := Run{Job: j.ID, Due: due, Began: now, Ended: now, State: Skipped, Text: why}
	mine, err := d.Store.claim(ctx, r)
	if mine {
		d.tell(j, r)
	}
	return err
}

// start starts a run where nobody else did. wait means that it must wait until another run of the job has ended.
func (d *Daemon) start(ctx context.Context, j Job, due, now time.Time) (wait bool, err error) {
	open, err := d.Store.runs(ctx, "WHERE job = ? AND state IN (?, ?) AND due <> ?", j.ID, Running, Waiting, due.UnixMilli())
	if err != nil {
		return false, err
	}
	if len(open) > 0 {
		if j.Overlap == "queue" {
			return true, nil
		}
		return false, d.skip(ctx, j, due, now, "the previous run has not ended")
	}
	lock := d.lock(j.ID)
	if free, err := lock.TryLock(); err != nil || !free {
		return true, err // another daemon looks at the job
	}
	r := Run{Job: j.ID, Due: due, Began: now, State: Running}
	mine, err := d.Store.claim(ctx, r)
	if !mine {
		return false, errors.Join(err, lock.Unlock())
	}
	d.working.Go(func() {
		defer lock.Unlock()
		d.run(ctx, j, r)
	})
	return false, nil
}

// lock is held while a run is at work. The system frees it when the daemon dies.
func (d *Daemon) lock(job int64) *flock.Flock {
	return flock.New(filepath.Join(d.Store.dir, fmt.Sprintf("job%d.lock", job)))
}

// run does the work of a run and records its end, also when the daemon is asked to stop.
func (d *Daemon) run(ctx context.Context, j Job, r Run) {
	if j.Jitter > 0 {
		select {
		case <-ctx.Done():
		case <-time.After(rand.N(j.Jitter)):
		}
	}
	text, err := d.Do(ctx, j, func(id string) {
		r.Session = id
		_ = d.Store.began(context.WithoutCancel(ctx), r)
	})
	r.State, r.Text, r.Ended = Done, text, time.Now()
	switch {
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		r.State, r.Text = Failed, "cancelled, because the program that ran it was ended; it is not repeated"
	case errors.Is(err, ErrWaits):
		r.State, r.Text, r.Ended = Waiting, err.Error(), time.Time{}
	case err != nil:
		r.State, r.Text = Failed, err.Error()
	}
	r.Text = shortText(r.Text)
	if err := d.Store.ended(context.WithoutCancel(ctx), r); err != nil {
		r.Text += "\n" + err.Error()
	}
	d.tell(j, r)
}

// crashed finds runs whose daemon is gone. They are reported, and not repeated.
func (d *Daemon) crashed(ctx context.Context, jobs map[int64]Job, now time.Time) error {
	open, err := d.Store.runs(ctx, "WHERE state = ?", Running)
	if err != nil {
		return err
	}
	for _, r := range open {
		lock := d.lock(r.Job)
		if free, err := lock.TryLock(); err != nil || !free {
			continue // it is at work
		}
		again, err := d.Store.runs(ctx, "WHERE job = ? AND due = ? AND state = ?", r.Job, r.Due.UnixMilli(), Running)
		if err == nil && len(again) == 1 {
			err = d.left(ctx, jobs[r.Job], r, now)
		}
		if err = errors.Join(err, lock.Unlock()); err != nil {
			return err
		}
	}
	return nil
}

// waited finds runs whose sessions waited for an approval when their daemon ended, and have ended since.
func (d *Daemon) waited(ctx context.Context, jobs map[int64]Job, now time.Time) error {
	open, err := d.Store.runs(ctx, "WHERE state = ?", Waiting)
	for _, r := range open {
		err = errors.Join(err, d.left(ctx, jobs[r.Job], r, now))
	}
	return err
}

// left records what became of a run whose daemon is gone, where that is news.
func (d *Daemon) left(ctx context.Context, j Job, r Run, now time.Time) error {
	was := r.State
	r.State, r.Text, r.Ended = Crashed, "", now
	if d.End != nil && r.Session != "" {
		r.State, r.Text = d.End(ctx, r.Session)
	}
	switch r.State {
	case was:
		return nil
	case Waiting:
		r.Ended = time.Time{}
	case Crashed:
		r.Text = "the program that ran it ended in the middle; it is not repeated"
	}
	r.Text = shortText(r.Text)
	err := d.Store.ended(ctx, r)
	if err == nil {
		d.tell(j, r)
	}
	return err
}

// shortText is what is kept of a result.
func shortText(text string) string { return strings.ToValidUTF8(text[:min(len(text), mostText)], "") }

func (d *Daemon) tell(j Job, r Run) {
	if d.Tell != nil {
		d.Tell(j, r)
	}
}

// RunNow runs a job at once, in this process.
func (d *Daemon) RunNow(ctx context.Context, j Job, now time.Time) error {
	err := d.Begin(ctx, j, now)
	d.Wait()
	return err
}

// Begin starts a run of a job at once and does not wait for its end. It fails while a run of the job has not ended.
func (d *Daemon) Begin(ctx context.Context, j Job, now time.Time) error {
	wait, err := d.start(ctx, j, now.Truncate(time.Millisecond), now)
	if err == nil && wait {
		err = ErrAtWork
	}
	return err
}

// ErrAtWork means that a run of the job has not ended.
var ErrAtWork = errors.New("a run of the job has not ended: it is running, or waits for an approval")

// ErrWaits is the error of Do for a session that waits for an approval and was suspended, because its daemon ends.
var ErrWaits = errors.New("it waits for an approval")

// Wait waits for the runs that are at work.
func (d *Daemon) Wait() { d.working.Wait() }

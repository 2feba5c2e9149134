package catalogue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"rein/app/harness"
	"rein/app/schedule"
	"rein/app/settings"
)

// OpenSchedules opens the store of the tasks that run later or regularly, with the bounds of the user's settings.
func OpenSchedules() (*schedule.Store, settings.Settings, error) {
	dirs := settings.DefaultDirs()
	layers, _, err := settings.Load(dirs, "")
	if err != nil {
		return nil, settings.Settings{}, err
	}
	set := settings.Merge(layers)
	s, err := schedule.Open(filepath.Join(dirs.State, schedule.DirName))
	if err == nil {
		s.Limits = schedule.Limits{Jobs: set.Schedule.Most, Every: time.Duration(set.Schedule.Every)}
	}
	return s, set, err
}

func withSchedules(do func(*schedule.Store) error) error {
	s, _, err := OpenSchedules()
	if err != nil {
		return err
	}
	err = errors.Join(do(s), s.Close())
	if errors.Is(err, schedule.ErrNoJob) {
		return inputError("%w", err)
	}
	return err
}

func listSchedules(ctx context.Context) (list List, err error) {
	err = withSchedules(func(s *schedule.Store) error {
		all, err := s.Jobs(ctx)
		list = ScheduleList(all)
		return err
	})
	return list, err
}

// ScheduleList lists tasks.
func ScheduleList(all []schedule.Job) (list List) {
	for _, j := range all {
		runs := "paused"
		if at := j.Due(time.Now(), 1); !j.Paused && len(at) > 0 {
			runs = "next " + at[0].Format("2006-01-02 15:04 MST")
		} else if !j.Paused {
			runs = "over"
		}
		list.Entries = append(list.Entries, Entry{ID: fmt.Sprint(j.ID), Name: cmp.Or(j.Name, j.Prompt), About: j.When + "   " + runs, Value: j,
			Fields: Fields("id", fmt.Sprint(j.ID), "name", j.Name, "schedule", j.When, "zone", j.Zone, "runs", runs, "directory", j.Dir, "prompt", j.Prompt, "mode", j.Mode, "model", j.Model)})
	}
	return list
}

// RunLines are runs of tasks, one a line.
func RunLines(all []schedule.Run) string {
	var b strings.Builder
	for _, r := range all {
		fmt.Fprintf(&b, "%d\t%s\t%s\t%s\t%s\n", r.Job, r.Due.Format("2006-01-02 15:04"), r.State, r.Session, oneLine(r.Text, 80))
	}
	return b.String()
}

// shownRuns is how many of the runs of a task are shown.
const shownRuns = 20

func doSchedule(ctx context.Context, r Request) (text string, err error) {
	id, err := strconv.ParseInt(r.Name, 10, 64)
	if r.Verb == "history" && r.Name == "" {
		err, id = nil, 0 // of all
	} else if err != nil || id <= 0 {
		return "", harness.Error{Kind: harness.Usage, Err: fmt.Errorf("%q is not the number of a task: rein cron list", r.Name)}
	}
	return text, withSchedules(func(s *schedule.Store) error {
		switch r.Verb {
		case "remove":
			return s.Remove(ctx, id)
		case "history":
			all, err := s.Runs(ctx, id, shownRuns)
			text = RunLines(all)
			return err
		}
		return s.Pause(ctx, id, r.Verb == "pause", time.Now())
	})
}

package server

import (
	"time"

	"rein/app/schedule"
	"rein/app/server/api"
)

// shownTimes is how many of the next times of a task are shown.
const shownTimes = 5

// shownSchedule returns a task, with the last of its runs.
func shownSchedule(j schedule.Job, runs []schedule.Run, mask secretMask) api.Schedule {
	v := api.Schedule{ID: j.ID, Paused: j.Paused, Source: j.Source, Next: []time.Time{}, NewSchedule: api.NewSchedule{Dir: j.Dir, Name: j.Name, When: j.When, Zone: j.Zone,
		Prompt: string(mask([]byte(j.Prompt))), Mode: j.Mode, Model: j.Model, Allow: j.Allow, MaxUSD: j.MaxUSD, Overlap: j.Overlap, Missed: j.Missed}}
	if !j.Paused {
		v.Next = append(v.Next, j.Due(time.Now(), shownTimes)...)
	}
	if len(runs) > 0 {
		r := shownRun(runs[0], mask)
		v.Last = &r
	}
	return v
}

// shownRun returns a run of a task.
func shownRun(r schedule.Run, mask secretMask) api.Run {
	return api.Run{Due: r.Due, Began: r.Began, Ended: r.Ended, State: r.State, Session: r.Session, Text: string(mask([]byte(r.Text)))}
}

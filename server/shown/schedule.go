package shown

import (
	"time"

	"rein/harness/schedule"
	"rein/server/api"
)

// shownTimes is how many of the next times of a task are shown.
const shownTimes = 5

// Schedule returns a task, with the last of its runs.
func Schedule(j schedule.Job, runs []schedule.Run, mask Mask) api.Schedule {
	v := api.Schedule{ID: j.ID, Paused: j.Paused, Source: j.Source, Next: []time.Time{}, NewSchedule: api.NewSchedule{Dir: j.Dir, Name: j.Name, When: j.When, Zone: j.Zone,
		Prompt: string(mask([]byte(j.Prompt))), Mode: j.Mode, Model: j.Model, Allow: j.Allow, MaxUSD: j.MaxUSD, Overlap: j.Overlap, Missed: j.Missed}}
	if !j.Paused {
		v.Next = append(v.Next, j.Due(time.Now(), shownTimes)...)
	}
	if len(runs) > 0 {
		r := Run(runs[0], mask)
		v.Last = &r
	}
	return v
}

// Run returns a run of a task.
func Run(r schedule.Run, mask Mask) api.Run {
	return api.Run{Due: r.Due, Began: r.Began, Ended: r.Ended, State: r.State, Session: r.Session, Text: string(mask([]byte(r.Text)))}
}

// Package schedule keeps jobs that run later or regularly, and runs them: each run is a headless session of its own. Several
// daemons may run at once; a run that is due is claimed by one of them.
package schedule

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/netresearch/go-cron"
)

// minEvery is the shortest time between two runs of a job.
const minEvery = time.Minute

// When says when a job is due: five fields, @every, @daily and similar ones, or one instant.
type When struct {
	text   string
	zone   *time.Location
	at     time.Time     // one instant
	every  time.Duration // @every
	fields cron.Schedule
	fixed  bool // the hour is fixed: a time of day that comes twice counts once
}

// parseWhen reads when a job is due, in a time zone. An expression that never comes is refused.
func parseWhen(text string, zone *time.Location, now time.Time) (w When, err error) {
	w = When{text: strings.TrimSpace(text), zone: zone}
	if len(w.text) > 200 {
		return w, errors.New("an expression has at most 200 bytes")
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04", "2006-01-02 15:04"} {
		if at, err := time.ParseInLocation(layout, w.text, zone); err == nil {
			if !at.After(now) {
				return w, fmt.Errorf("%s is in the past", w.text)
			}
			w.at = at
			return w, nil
		}
	}
	if after, ok := strings.CutPrefix(w.text, "@every "); ok {
		if w.every, err = time.ParseDuration(strings.TrimSpace(after)); err != nil || w.every < minEvery {
			return w, fmt.Errorf("%q: expected @every and a duration of %v or more, such as @every 90m", w.text, minEvery)
		}
		w.every = w.every.Truncate(time.Second)
		return w, nil
	}
	spec := w.text
	if strings.HasPrefix(spec, "@") {
		spec = map[string]string{"@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@weekly": "0 0 * * 0",
			"@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *"}[spec]
		if spec == "" {
			return w, fmt.Errorf("%q is not known: there are @every, @hourly, @daily, @weekly, @monthly and @yearly", w.text)
		}
	}
	fields := strings.Fields(spec)
	if len(fields) != 5 || strings.ContainsAny(spec, "=") {
		return w, fmt.Errorf("%q has the wrong number of fields (%d): expected five (minute, hour, day of the month, month, day of the week), @every 2h, @daily, or an instant such as 2026-12-24T18:00", w.text, len(fields))
	}
	parser, err := cron.TryNewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.DowOrDom)
	if err == nil {
		w.fields, err = parser.Parse(spec)
	}
	if err != nil {
		return w, fmt.Errorf("%q: %w", w.text, err)
	}
	w.fixed = !strings.ContainsAny(fields[1], "*/-,")
	if w.Next(now).IsZero() {
		return w, fmt.Errorf("%q never comes", w.text)
	}
	return w, nil
}

// Next returns the first time after another one at which the job is due; zero when it is never due again. A time of day that the
// clock leaves out in spring comes at the first instant after the gap; one that comes twice in autumn counts once.
func (w When) Next(after time.Time) time.Time {
	switch {
	case !w.at.IsZero():
		if w.at.After(after) {
			return w.at
		}
		return time.Time{}
	case w.every > 0:
		return after.Add(w.every).Truncate(time.Second)
	case !w.fixed:
		return w.fields.Next(after.In(w.zone))
	}
	// The times of a fixed hour are found on a clock without changes, and then placed on the real one.
	local := after.In(w.zone)
	shown := time.Date(local.Year(), local.Month(), local.Day(), local.Hour(), local.Minute(), local.Second(), 0, time.UTC).AddDate(0, 0, -1)
	for range 5000 {
		if shown = w.fields.Next(shown); shown.IsZero() {
			return shown
		}
		if at := place(shown, w.zone); at.After(after) {
			return at
		}
	}
	return time.Time{}
}

// place returns the first instant at which a clock of the zone shows a time, or the end of the gap that the time is in.
func place(shown time.Time, zone *time.Location) time.Time {
	at := time.Date(shown.Year(), shown.Month(), shown.Day(), shown.Hour(), shown.Minute(), 0, 0, zone)
	same := func(t time.Time) bool { return t.Hour() == shown.Hour() && t.Minute() == shown.Minute() }
	if same(at) {
		for _, earlier := range []time.Duration{time.Hour, 30 * time.Minute} {
			if first := at.Add(-earlier); same(first) && first.Day() == at.Day() {
				return first
			}
		}
		return at
	}
	_, change := at.ZoneBounds() // the gap is at a change of the offset next to it
	start, _ := at.ZoneBounds()
	if !start.IsZero() && at.Sub(start) < 3*time.Hour && at.Sub(start) >= 0 {
		return start.In(zone)
	}
	return change.In(zone)
}

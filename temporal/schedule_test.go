package temporal

import (
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/workflow"

	"rein/event"
)

func TestScheduledSessions(t *testing.T) {
	for _, row := range []struct {
		rule  string
		turns string
		stop  event.Stop
	}{
		{"a session ends with its turn", twoNotes, event.Done},
		{"one that waits for an answer does not", oneRisk, event.Waiting},
	} {
		t.Run(row.rule, func(t *testing.T) {
			w := newWorld(t, row.turns)
			env := w.env()
			env.RegisterWorkflowWithOptions(ScheduledWorkflow, workflow.RegisterOptions{Name: ScheduledName})
			env.SetStartTime(time.Date(2026, 3, 2, 7, 0, 0, 0, time.UTC))
			waits := false
			env.RegisterDelayedCallback(func() {
				waits = true
				env.CancelWorkflow()
			}, 30*24*time.Hour)
			env.ExecuteWorkflow(ScheduledName, Scheduled{Session: Session{ID: "daily", Host: "host"}, Text: "go"})
			if waits != (row.stop == event.Waiting) {
				t.Errorf("it waits: %v; %v", waits, env.GetWorkflowError())
			}
			if last := w.last("daily-20260302-070000"); last.Kind != event.Stopped || last.Stop != row.stop {
				t.Errorf("the session stopped with %+v", last)
			}
		})
	}
}

func TestWrongSchedules(t *testing.T) {
	for _, row := range []struct {
		change func(*Schedule)
		says   string
	}{
		{func(s *Schedule) { s.ID = "Daily!" }, "is no name for a schedule"},
		{func(s *Schedule) { s.Cron = "0 7 * * *" }, "either times as in crontab or an interval"},
		{func(s *Schedule) { s.Every = 0 }, "either times as in crontab or an interval"},
		{func(s *Schedule) { s.Every = time.Second }, "shorter than 1m0s"},
		{func(s *Schedule) { s.Zone = "Mars/North" }, "unknown time zone"},
		{func(s *Schedule) { s.Text = "" }, "the message has 0 bytes"},
		{func(s *Schedule) { s.Text = strings.Repeat("x", mostScheduled+1) }, "the message has 16385 bytes"},
		{func(*Schedule) {}, ""},
	} {
		s := Schedule{ID: "daily", Every: time.Hour, Text: "go"}
		row.change(&s)
		if _, err := s.spec(); row.says == "" && err != nil || row.says != "" && (err == nil || !strings.Contains(err.Error(), row.says)) {
			t.Errorf("%+v: %v", s, err)
		}
	}
}

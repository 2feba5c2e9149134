package temporal

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	sdk "go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// ScheduledName is the workflow that a schedule starts. It takes a Scheduled, and begins a session.
const ScheduledName = "rein.scheduled"

// Scheduled is what each run of a schedule does.
type Scheduled struct {
	Session Session `json:"session"` // its ID is that of the schedule; the sessions have the time behind it
	Text    string  `json:"text"`    // the message of the user
}

// ScheduledWorkflow begins a session and ends with its turn. A run that comes while another one is at work, or waits for an answer, is left out.
func ScheduledWorkflow(ctx workflow.Context, in Scheduled) error {
	s := in.Session
	s.ID += "-" + workflow.Now(ctx).UTC().Format("20060102-150405")
	s.Once = true
	s.State = &State{Host: s.Host, Messages: []Message{{ID: "schedule", Text: in.Text}}, Seen: []string{"schedule"}, Count: 1}
	ctx = workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{WorkflowID: s.ID, ParentClosePolicy: enums.PARENT_CLOSE_POLICY_ABANDON, Memo: s.memo(),
		Priority: s.turn()})
	return workflow.ExecuteChildWorkflow(ctx, WorkflowName, s).Get(ctx, nil)
}

// Schedule is a task that begins a session again and again.
type Schedule struct {
	ID    string
	Cron  string        // as in crontab; "": Every
	Every time.Duration // at least a minute
	Zone  string        // of Cron, as Europe/Berlin; "": UTC

	Session Session // its ID is left out
	Text    string

	// Schedules gives these, and ID.
	Next  time.Time // zero: there is no next run
	About string    // when and where it runs
}

// mostScheduled is the size of the message of a schedule.
const mostScheduled = 16 << 10

// shortestEvery keeps a mistake from starting a session each second.
const shortestEvery = time.Minute

var scheduleID = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`)

// spec is when it runs.
func (s Schedule) spec() (spec client.ScheduleSpec, err error) {
	switch {
	case !scheduleID.MatchString(s.ID):
		return spec, fmt.Errorf("%q is no name for a schedule: at most 40 lower-case letters, digits and '-'", s.ID)
	case (s.Cron == "") == (s.Every == 0):
		return spec, errors.New("a schedule has either times as in crontab or an interval")
	case s.Cron == "" && s.Every < shortestEvery:
		return spec, fmt.Errorf("the interval %v is shorter than %v", s.Every, shortestEvery)
	case s.Text == "" || len(s.Text) > mostScheduled:
		return spec, fmt.Errorf("the message has %d bytes, and may have 1 to %d", len(s.Text), mostScheduled)
	}
	if _, err := time.LoadLocation(s.Zone); err != nil {
		return spec, err
	}
	if spec.TimeZoneName = s.Zone; s.Cron != "" {
		spec.CronExpressions = []string{s.Cron}
	} else {
		spec.Intervals = []client.ScheduleIntervalSpec{{Every: s.Every}}
	}
	return spec, nil
}

// AddSchedule makes a schedule on the server.
func (c *Client) AddSchedule(ctx context.Context, s Schedule) error {
	spec, err := s.spec()
	if err != nil {
		return err
	}
	s.Session.ID = s.ID
	_, err = c.Temporal.ScheduleClient().Create(ctx, client.ScheduleOptions{ID: s.ID, Spec: spec, Overlap: enums.SCHEDULE_OVERLAP_POLICY_SKIP, Note: noteOf(s),
		Action: &client.ScheduleWorkflowAction{ID: "schedule-" + s.ID, Workflow: ScheduledName, TaskQueue: or(c.Queue, DefaultQueue), Priority: s.Session.turn(),
			Args: []any{Scheduled{Session: s.Session, Text: s.Text}}}})
	if there := (*serviceerror.WorkflowExecutionAlreadyStarted)(nil); errors.As(err, &there) || errors.Is(err, sdk.ErrScheduleAlreadyRunning) {
		return fmt.Errorf("there is a schedule %s already", s.ID)
	}
	return err
}

// noteOf is what lists show of a schedule. The server can read it, and so the message is not in it.
func noteOf(s Schedule) string {
	if s.Cron == "" {
		return fmt.Sprintf("every %v on %s", s.Every, s.Session.Host)
	}
	return fmt.Sprintf("%s %s on %s", s.Cron, or(s.Zone, "UTC"), s.Session.Host)
}

// Schedules are those of the namespace, without what they do.
func (c *Client) Schedules(ctx context.Context) (all []Schedule, err error) {
	list, err := c.Temporal.ScheduleClient().List(ctx, client.ScheduleListOptions{})
	if err != nil {
		return nil, err
	}
	for list.HasNext() {
		e, err := list.Next()
		if err != nil {
			return nil, err
		}
		if e.WorkflowType.Name != ScheduledName {
			continue
		}
		s := Schedule{ID: e.ID, About: e.Note}
		if len(e.NextActionTimes) > 0 {
			s.Next = e.NextActionTimes[0]
		}
		all = append(all, s)
	}
	return all, nil
}

// RemoveSchedule ends a schedule. Sessions that it began go on.
func (c *Client) RemoveSchedule(ctx context.Context, id string) error {
	err := c.Temporal.ScheduleClient().GetHandle(ctx, id).Delete(ctx)
	if Gone(err) {
		return fmt.Errorf("there is no schedule %s", id)
	}
	return err
}

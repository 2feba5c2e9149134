package schedule

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"rein/event"
	"rein/guard"
	"rein/kit/document"
	"rein/tool"
)

// ToolName is the name of the tool.
const ToolName = "schedule"

// mostHistory is how many runs the tool shows.
const mostHistory = 20

// Desk is the tool schedule of one session, and the guard of its calls. A job never may do more than the session that makes
// it: it has the session's directory, mode or a stricter one, rules, sandbox and budget.
type Desk struct {
	Dir     string // of the store: see Open
	Limits  Limits
	Session string                // id of the session
	Terms   func() event.Terms    // how the session runs now
	Zone    func() *time.Location // of the user
	Mask    func(string) string   // hides secrets; nil: there are none
}

type args struct {
	Action  string  `json:"action" enum:"create,list,history,run,pause,resume,delete" jsonschema:"run: once, now"`
	When    string  `json:"when,omitempty" jsonschema:"create: five fields (minute hour day month weekday), @every 90m, @daily, @weekly, @monthly, or one time such as 2026-12-24T18:00" maxLength:"200"`
	Prompt  string  `json:"prompt,omitempty" jsonschema:"create: the whole task; its session knows nothing of this one" maxLength:"20000"`
	Name    string  `json:"name,omitempty" jsonschema:"create: a short name for lists" maxLength:"80"`
	Zone    string  `json:"zone,omitempty" jsonschema:"create: time zone of when, such as Europe/Berlin; default: the user's"`
	Mode    string  `json:"mode,omitempty" jsonschema:"create: default: the mode of this session; it can only be stricter" enum:"read-only,plan,ask,supervised,auto,full"`
	MaxUSD  float64 `json:"max_usd,omitempty" jsonschema:"create: most US dollars of a run" minimum:"0"`
	Overlap string  `json:"overlap,omitempty" jsonschema:"create: a run that is due while another one is still running: skip (default) or queue" enum:"skip,queue"`
	Missed  string  `json:"missed,omitempty" jsonschema:"create: runs that were due while the machine was off: once (default, the last one), skip, queue" enum:"once,skip,queue"`
	ID      int64   `json:"id,omitempty" jsonschema:"history, run, pause, resume, delete: of the task" minimum:"1"`
}

const description = `Manage tasks that run later or regularly in this directory, each in a new session without the user. The user approves each new task. Tasks run only while rein serve or rein cron daemon runs. history shows the answers of past runs.`

// Tool returns the tool.
func (d *Desk) Tool() *tool.Tool {
	t := tool.New(ToolName, description, 0, d.run)
	t.Intent = tool.IntentBy(func(in args) (tool.Intent, error) { // a job that could not run is refused before anybody is asked
		_, err := d.job(in, time.Now())
		return tool.Intent{}, err
	})
	t.Input = t.Input.WithAliases(map[string]string{"cron": "when", "schedule": "when", "task": "prompt", "timezone": "zone", "job_id": "id"})
	return t
}

// Judge asks a person about each job that is made or continues, and denies jobs to sub-agents and in the modes that only read.
func (d *Desk) Judge(_ context.Context, c guard.Case) guard.Verdict {
	var in args
	if c.Call.Name != ToolName || json.Unmarshal(c.Call.Args, &in) == nil && (in.Action == "list" || in.Action == "history") {
		return guard.Verdict{}
	}
	v := guard.Verdict{Decision: guard.Ask, Severity: guard.Low, Guard: ToolName, Rules: []string{"schedule." + in.Action}, Reason: "it changes what runs without a person"}
	switch {
	case c.SubAgent != "":
		v.Decision, v.Reason, v.Hint = guard.Deny, "a sub-agent may not schedule tasks, because they would outlive it", "Say in your answer what should run, and when."
	case c.Mode <= guard.Plan:
		v.Decision, v.Reason, v.Hint = guard.Deny, "a task outlives this session, and the mode is "+c.Mode.String(), "Tell the user what you would schedule."
	case in.Action == "pause" || in.Action == "delete":
		if c.Mode == guard.Full {
			v.Decision = guard.Allow
		}
	default:
		v.Severity, v.PersonOnly, v.Reason = guard.High, true, "the task outlives this session"
		if j, err := d.job(in, time.Now()); err == nil && in.Action == "create" {
			v.Effects = []string{"runs in " + j.Dir + ", mode " + j.Mode + ": " + nextTimes(&j)}
		}
	}
	return v
}

// job returns the job of a call that makes one.
func (d *Desk) job(in args, now time.Time) (j Job, err error) {
	if in.Action != "create" {
		if in.ID == 0 && in.Action != "list" && in.Action != "history" {
			return j, wrong(in.Action+" needs an id", "the action list gives the ids")
		}
		return j, nil
	}
	how := d.Terms()
	mode, err := guard.ParseMode(cmp.Or(in.Mode, how.Mode))
	if own, wrongMode := guard.ParseMode(how.Mode); err != nil || wrongMode != nil || mode > own {
		return j, wrong("the mode "+in.Mode+" may do more than this session, whose mode is "+how.Mode, "leave mode out")
	}
	how.Mode = mode.String()
	if in.MaxUSD > 0 && (how.MaxUSD == 0 || in.MaxUSD < how.MaxUSD) {
		how.MaxUSD = in.MaxUSD
	}
	j = Job{Name: in.Name, When: in.When, Zone: cmp.Or(in.Zone, d.Zone().String()), Prompt: strings.TrimSpace(in.Prompt), Source: d.Session, Terms: how,
		Overlap: cmp.Or(in.Overlap, "skip"), Missed: cmp.Or(in.Missed, "once")}
	if err := j.Check(now, d.Limits); err != nil {
		return j, wrong(err.Error(), "")
	}
	if text := j.Name + j.Prompt; d.Mask != nil && d.Mask(text) != text {
		return j, wrong("the task holds a secret", "name where the secret is, not its value")
	}
	return j, nil
}

func wrong(text, hint string) error {
	return &tool.Error{Kind: tool.BadArguments, Text: ToolName + ": " + text + ".", Hint: hint}
}

func (d *Desk) run(ctx context.Context, in args, r *tool.Reply) (err error) {
	s, err := Open(d.Dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	s.Limits = d.Limits
	if in.Action == "create" {
		return d.create(ctx, s, in, r)
	}
	here, err := d.here(ctx, s)
	if err != nil {
		return err
	}
	if in.Action == "list" {
		return d.list(here, r)
	}
	at := slices.IndexFunc(here, func(j Job) bool { return j.ID == in.ID })
	if at < 0 && in.ID != 0 {
		return &tool.Error{Kind: tool.NotFound, Text: fmt.Sprintf("There is no task %d in this directory.", in.ID), Hint: "The action list gives the ids."}
	}
	if in.Action == "history" {
		return history(ctx, s, here, in.ID, r)
	}
	if here[at].Source == "" {
		return &tool.Error{Kind: tool.Denied, Text: fmt.Sprintf("The user made task %d, so only the user changes it.", in.ID), Hint: fmt.Sprintf("Tell the user: rein cron %s %d", in.Action, in.ID)}
	}
	switch in.Action {
	case "delete":
		err = s.Remove(ctx, in.ID)
	case "run":
		err = once(ctx, s, here[at])
	default:
		err = s.Pause(ctx, in.ID, in.Action == "pause", time.Now())
	}
	if err == nil {
		_, err = fmt.Fprintf(r, "Done: %s of task %d.\n", in.Action, in.ID)
	}
	return err
}

// once makes a task that does at once, one time, what another one does regularly. It has the rights of that one.
func once(ctx context.Context, s *Store, j Job) error {
	now := time.Now()
	j.ID, j.When, j.Paused = 0, now.Add(time.Second).Format(time.RFC3339), false
	_, err := s.Add(ctx, j, now)
	return err
}

func (d *Desk) create(ctx context.Context, s *Store, in args, r *tool.Reply) error {
	j, err := d.job(in, time.Now())
	if err != nil {
		return err
	}
	id, err := s.Add(ctx, j, time.Now())
	if err != nil {
		return &tool.Error{Kind: tool.Failed, Text: "The task was not stored: " + err.Error() + ".", Hint: "Delete tasks that are not needed any more."}
	}
	_, err = fmt.Fprintf(r, "Task %d is stored: %s (%s).\n", id, nextTimes(&j), j.Zone)
	return err
}

// here returns the jobs of the session's directory.
func (d *Desk) here(ctx context.Context, s *Store) ([]Job, error) {
	all, err := s.Jobs(ctx)
	dir := d.Terms().Dir
	return slices.DeleteFunc(all, func(j Job) bool { return j.Dir != dir }), err
}

func (d *Desk) list(here []Job, r *tool.Reply) error {
	if len(here) == 0 {
		_, err := r.WriteString("There are no tasks in this directory.\n")
		return err
	}
	for _, j := range here {
		by := "made by the user"
		if j.Source != "" {
			by = "made by a model"
		}
		fmt.Fprintf(r, "%d  %s  %s  %s, %s\n    %s\n", j.ID, j.When, nextTimes(&j), cmp.Or(j.Mode, "mode of the settings"), by, cmp.Or(j.Name, oneLine(j.Prompt)))
	}
	return nil
}

// nextTimes says when a job runs next.
func nextTimes(j *Job) string {
	var times []string
	for _, at := range j.Due(time.Now(), 3) {
		times = append(times, at.Format("Mon 2006-01-02 15:04"))
	}
	switch {
	case j.Paused:
		return "paused"
	case len(times) == 0:
		return "over"
	}
	return "next " + strings.Join(times, ", ")
}

// history shows the newest runs. Their answers may repeat what others wrote.
func history(ctx context.Context, s *Store, here []Job, id int64, r *tool.Reply) error {
	runs, err := s.Runs(ctx, id, mostHistory*5)
	if err != nil {
		return err
	}
	runs = slices.DeleteFunc(runs, func(run Run) bool {
		return !slices.ContainsFunc(here, func(j Job) bool { return j.ID == run.Job })
	})
	var b strings.Builder
	for _, run := range runs[:min(len(runs), mostHistory)] {
		fmt.Fprintf(&b, "task %d  %s  %s  %s\n    %s\n", run.Job, run.Due.Format("2006-01-02 15:04"), run.State, run.Session, oneLine(run.Text))
	}
	if b.Len() == 0 {
		_, err = r.WriteString("Nothing has run yet.\n")
		return err
	}
	document.QuoteUntrusted(r, "runs of tasks", document.Printable(b.String()))
	return nil
}

// oneLine shortens a text to a line.
func oneLine(text string) string {
	const most = 400
	line := strings.Join(strings.Fields(text), " ")
	if len(line) > most {
		line = strings.ToValidUTF8(line[:most], "") + "… (" + strconv.Itoa(len(text)) + " bytes)"
	}
	return line
}

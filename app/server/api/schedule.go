package api

import "time"

// Schedule is a task that runs later or regularly, as a session without a person.
type Schedule struct {
	ID     int64  `json:"id"`
	Paused bool   `json:"paused,omitempty"`
	Source string `json:"source,omitempty" doc:"session whose model made it; empty: a user"`
	NewSchedule
	Next []time.Time `json:"next" doc:"the next times; empty: paused, or over"`
	Last *Run        `json:"last,omitempty" doc:"the newest run"`
}

// NewSchedule says what runs, when, and what it may do.
type NewSchedule struct {
	Dir     string   `json:"dir,omitempty" doc:"one of the workspaces; empty: the first one"`
	Name    string   `json:"name,omitempty" maxLength:"80" doc:"for lists"`
	When    string   `json:"when" minLength:"1" maxLength:"200" doc:"five fields (minute hour day month weekday), @every 90m, @daily, @weekly, @monthly, or a time such as 2026-12-24T18:00"`
	Zone    string   `json:"zone,omitempty" maxLength:"80" doc:"time zone of when; empty: the server's"`
	Prompt  string   `json:"prompt" minLength:"1" maxLength:"20000" doc:"the whole task"`
	Mode    string   `json:"mode,omitempty" enum:"read-only,plan,ask,supervised,auto,full" doc:"of its sessions; empty: as the settings say"`
	Model   string   `json:"model,omitempty" maxLength:"200" doc:"provider/name"`
	Allow   []string `json:"allow,omitempty" maxItems:"50" doc:"rules that allow, beside the settings'"`
	MaxUSD  float64  `json:"max_usd,omitempty" minimum:"0" doc:"most US dollars of a run"`
	Overlap string   `json:"overlap,omitempty" enum:"skip,queue" doc:"a run that is due while another one is running; default skip"`
	Missed  string   `json:"missed,omitempty" enum:"once,skip,queue" doc:"runs that were due while nothing ran tasks; default once: the last one"`
}

// Run is one run of a task.
type Run struct {
	Due     time.Time `json:"due"`
	Began   time.Time `json:"began"`
	Ended   time.Time `json:"ended,omitzero"`
	State   string    `json:"state" enum:"running,waiting,done,failed,skipped,crashed"`
	Session string    `json:"session,omitempty"`
	Text    string    `json:"text,omitempty" doc:"the answer, or what went wrong"`
}

// Paused stops a task, or lets it continue.
type Paused struct {
	Paused bool `json:"paused"`
}

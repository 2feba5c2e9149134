package api

import "time"

// Job is a command that runs in the background of a session, or has ended.
type Job struct {
	Session string    `json:"session"`
	Title   string    `json:"title" doc:"of the session"`
	ID      string    `json:"id"`
	Command string    `json:"command"`
	Call    string    `json:"call,omitempty" doc:"id of the call that started it"`
	Started time.Time `json:"started"`
	Running bool      `json:"running"`
	Exit    int       `json:"exit_code" doc:"-1 if a signal ended it; without meaning while it runs"`
	Signal  string    `json:"signal,omitempty" doc:"that ended it"`
	Took    int64     `json:"duration_ns" doc:"since the start, or until the end"`
}

// JobOutput is a part of what a job wrote.
type JobOutput struct {
	Job  Job    `json:"job"`
	From int64  `json:"from" doc:"where the text begins in all the output, in bytes; more than was asked for when older output is not kept"`
	Next int64  `json:"next" doc:"from, for the next request"`
	Text string `json:"text"`
}

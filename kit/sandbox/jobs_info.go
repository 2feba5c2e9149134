package sandbox

import "time"

// JobInfo is the state of a job as data: for lists, and for the report of the jobs that end with a session.
type JobInfo struct {
	ID       string        `json:"id"`
	Command  string        `json:"command"`
	Started  time.Time     `json:"started"`
	Running  bool          `json:"running"`
	ExitCode int           `json:"exit_code"`        // -1 if a signal ended it; without meaning while it runs
	Signal   string        `json:"signal,omitempty"` // the signal that ended it
	Duration time.Duration `json:"duration_ns"`      // since the start, or until the end
}

// Info returns the state of all jobs, the oldest first. Call it before Close to know which jobs end with the session.
func (j *Jobs) Info() []JobInfo {
	all := j.List()
	info := make([]JobInfo, len(all))
	for i, job := range all {
		info[i] = job.Info()
	}
	return info
}

// Info returns the state of the job.
func (j *Job) Info() JobInfo {
	info := JobInfo{ID: j.ID, Command: j.Command, Started: j.Started, Running: !j.Ended(), Duration: time.Since(j.Started)}
	if info.Running {
		return info
	}
	result, err := j.Result()
	info.ExitCode, info.Duration = result.Code, result.Duration
	if err != nil {
		info.ExitCode = -1
	}
	if result.Signal != 0 {
		info.Signal = result.Signal.String()
	}
	return info
}

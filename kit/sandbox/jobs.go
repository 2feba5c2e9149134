package sandbox

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Jobs are the programs of a session that continue after the call that started them. The zero value works.
type Jobs struct {
	// Max is how many may run at once; zero is 16.
	Max int
	// Output is how many bytes of a job's unread output are kept, the newest; zero is 1 MiB.
	Output int

	mu   sync.Mutex
	last int
	all  []*Job // in the order of their start
}

const (
	defaultJobs      = 16
	defaultJobOutput = 1 << 20
	keptEnded        = 32 // ended jobs that can still be asked about
)

// Job is one program that runs beside the session's turns. Its methods may be called by several goroutines.
type Job struct {
	ID      string
	Command string // the command as the user sees it
	Call    string // id of the call that started it
	Started time.Time

	running *Running
	output  *backlog
	input   io.WriteCloser // of its terminal; nil: it has none
	left    chan struct{}  // closed when the user wants no call to wait for it
	leave   sync.Once
}

// JobOptions say how a job is started.
type JobOptions struct {
	Command  string    // for lists
	Call     string    // id of the call that starts it
	Terminal bool      // give it a terminal, so that it can be typed into
	Live     io.Writer // takes the output until Detach; nil: it is kept from the start
}

// Start starts a job. The context bounds the start only. With the most jobs running it starts nothing.
func (j *Jobs) Start(ctx context.Context, box Sandbox, spec Spec, o JobOptions) (*Job, error) {
	most := j.Max
	if most <= 0 {
		most = defaultJobs
	}
	if n := len(j.Running()); n >= most {
		return nil, fmt.Errorf("jobs that run already: %d, at most %d: end one first", n, most)
	}
	size := j.Output
	if size <= 0 {
		size = defaultJobOutput
	}
	job := &Job{Command: o.Command, Call: o.Call, Started: time.Now(), output: newBacklog(size, o.Live), left: make(chan struct{})}
	var err error
	if o.Terminal {
		job.running, job.input, err = launchTerminal(ctx, box, spec, job.output)
	} else {
		job.running, err = Launch(ctx, box, spec, job.output)
	}
	if err != nil {
		return nil, err
	}
	j.add(job)
	return job, nil
}

func (j *Jobs) add(job *Job) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.last++
	job.ID = "job" + strconv.Itoa(j.last)
	ended := 0
	for _, other := range slices.Backward(j.all) {
		if other.Ended() {
			ended++
		}
	}
	if ended > keptEnded {
		oldest := slices.IndexFunc(j.all, (*Job).Ended)
		j.all = slices.Delete(j.all, oldest, oldest+1)
	}
	j.all = append(j.all, job)
}

// Forget takes an ended job off the list: its call has reported everything about it.
func (j *Jobs) Forget(job *Job) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.all = slices.DeleteFunc(j.all, func(o *Job) bool { return o == job })
}

// Get returns a job by its id. The error names those that there are.
func (j *Jobs) Get(id string) (*Job, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	var ids []string
	for _, job := range j.all {
		if job.ID == id || job.ID == "job"+id {
			return job, nil
		}
		ids = append(ids, job.ID)
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("there is no job %q: none runs now, and jobs end when their session is left", id)
	}
	return nil, fmt.Errorf("there is no job %q: there are %s", id, strings.Join(ids, ", "))
}

// List returns all jobs that are known, the oldest first.
func (j *Jobs) List() []*Job {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.all)
}

// Running returns the jobs that have not ended.
func (j *Jobs) Running() []*Job {
	return slices.DeleteFunc(j.List(), (*Job).Ended)
}

// Close ends all jobs: SIGTERM for all at once, a grace period, then SIGKILL.
func (j *Jobs) Close() error {
	var all sync.WaitGroup
	for _, job := range j.Running() {
		all.Go(func() { job.Stop(cancelGrace) })
	}
	all.Wait()
	return nil
}

// Done is closed when the job has ended and its output is complete.
func (j *Job) Done() <-chan struct{} { return j.running.Done() }

// Ended reports whether the job has ended.
func (j *Job) Ended() bool {
	select {
	case <-j.Done():
		return true
	default:
		return false
	}
}

// Result waits for the end and returns the result.
func (j *Job) Result() (Result, error) { return j.running.Result() }

// Stop ends the job and all that it started: SIGTERM, the grace, SIGKILL.
func (j *Job) Stop(grace time.Duration) {
	j.running.Stop(grace)
	if j.input != nil {
		j.input.Close()
	}
}

// Waited reports whether a call waits for the job: it is not in the background yet.
func (j *Job) Waited() bool { return j.output.passesOn() && !j.Ended() }

// Leave asks the call that waits for the job to leave it in the background. It does nothing where no call waits.
func (j *Job) Leave() { j.leave.Do(func() { close(j.left) }) }

// Left is closed by Leave.
func (j *Job) Left() <-chan struct{} { return j.left }

// Detach keeps the output from now on, instead of passing it on live. unread is what the live writer was given and has
// not shown to anybody.
func (j *Job) Detach(unread func() []byte) { j.output.detach(unread) }

// Unread puts back the end of what Read gave, to be read with what comes after it.
func (j *Job) Unread(text []byte) { j.output.unread(text) }

// Type types into the job's terminal.
func (j *Job) Type(text string) error {
	if j.input == nil {
		return fmt.Errorf("%s has no terminal: start the program with tty to type into it", j.ID)
	}
	if j.Ended() {
		return fmt.Errorf("%s has ended: %w", j.ID, os.ErrClosed)
	}
	_, err := io.WriteString(j.input, text)
	return err
}

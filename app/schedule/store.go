package schedule

import (
	"cmp"
	"context"
	"database/sql"
	_ "embed" // the schema
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	_ "modernc.org/sqlite" // the driver

	"rein/app/internal/database"
	"rein/event"
)

//go:embed schedule.sql
var schema string

// DirName is the name of the store's directory, in the state directory.
const DirName = "cron"

// Limits bound the jobs. Zero means the default.
type Limits struct {
	Jobs  int           // that there may be; 100
	Every time.Duration // the shortest time between two runs of a job; minEvery, which is the least
}

const usualJobs = 100

// Job is a task that runs later or regularly, as a headless session.
type Job struct {
	ID     int64  `json:"id"`
	Name   string `json:"name"`
	When   string `json:"when"`
	Zone   string `json:"zone"` // of When: Europe/Berlin
	Prompt string `json:"prompt"`
	Source string `json:"source,omitempty"` // id of the session whose model made it; "": the user

	event.Terms // how the session runs: Dir is an absolute path, and what is not set is as the settings say

	Overlap string        `json:"overlap"`             // skip or queue: a run that is due while another one of the job is at work
	Missed  string        `json:"missed"`              // skip, once or queue: runs that were due while no daemon was there
	Jitter  time.Duration `json:"jitter_ns,omitempty"` // each run begins up to that much later
	Webhook string        `json:"webhook,omitempty"`   // gets each result
	Secret  string        `json:"secret,omitempty"`    // the environment variable with the key of the webhook's signature
	Paused  bool          `json:"paused,omitempty"`
	Seen    time.Time     `json:"-"` // until then all runs are decided
}

// Due returns the next times at which the job is due after a time, at most n.
func (j *Job) Due(after time.Time, n int) (all []time.Time) {
	zone, err := time.LoadLocation(j.Zone)
	if err != nil {
		return nil
	}
	w, err := parseWhen(j.When, zone, after)
	for at := after; err == nil && len(all) < n; all = append(all, at) {
		if at = w.Next(at); at.IsZero() {
			break
		}
	}
	return all
}

// Run is one run of a job.
type Run struct {
	Job     int64     `json:"job"`
	Due     time.Time `json:"due"`
	Began   time.Time `json:"began"`
	Ended   time.Time `json:"ended,omitzero"`
	State   string    `json:"state"` // one of the constants
	Session string    `json:"session,omitempty"`
	Text    string    `json:"text,omitempty"` // the answer, or what went wrong
}

// The states of a run.
const (
	Running = "running"
	Waiting = "waiting" // for an approval, after its daemon ended; another program continues its session
	Done    = "done"
	Failed  = "failed"
	Skipped = "skipped"
	Crashed = "crashed" // the daemon ended in the middle; it is not repeated
)

// ErrNoJob means that there is no job of that id.
var ErrNoJob = errors.New("there is no such job")

// Store keeps jobs and runs in a file. Several processes may use it at once.
type Store struct {
	Limits Limits // set before use

	dir string
	db  *sql.DB
}

// Open opens or makes the store in a directory.
func Open(dir string) (*Store, error) {
	db, err := tables(dir).Open()
	if err != nil {
		return nil, fmt.Errorf("schedule: %w", err)
	}
	return &Store{dir: dir, db: db}, nil
}

// Versions returns the version of the store in a directory, 0 where there is none, and the one that Open brings it to.
func Versions(dir string) (have, own int, err error) { return tables(dir).Versions() }

func tables(dir string) database.File {
	return database.File{Name: filepath.Join(dir, "jobs.db"), Version: 1, Pragmas: []string{"busy_timeout(5000)", "journal_mode(truncate)"},
		Make: func(tx *sql.Tx, _ int) error {
			_, err := tx.Exec(schema)
			return err
		}}
}

// Close closes the store.
func (s *Store) Close() error { return s.db.Close() }

// lookedAt is how many runs are looked at for the shortest time between two of them: more than an hour has minutes.
const lookedAt = 100

// Check refuses a job that could not run, or runs too often.
func (j *Job) Check(now time.Time, l Limits) error {
	zone, err := time.LoadLocation(j.Zone)
	if err != nil {
		return fmt.Errorf("there is no time zone %q", j.Zone)
	}
	if _, err := parseWhen(j.When, zone, now); err != nil {
		return err
	}
	next := j.Due(now, lookedAt)
	for i := 1; i < len(next); i++ {
		if gap := next[i].Sub(next[i-1]); gap < l.Every {
			return fmt.Errorf("%q comes after %v; the settings allow every %v or less often", j.When, gap, l.Every)
		}
	}
	switch {
	case j.Prompt == "" || len(j.Prompt) > 100_000:
		return errors.New("a job needs a prompt of at most 100000 bytes")
	case !filepath.IsAbs(j.Dir):
		return fmt.Errorf("the directory %q is not an absolute path", j.Dir)
	case !slices.Contains([]string{"skip", "queue"}, j.Overlap):
		return fmt.Errorf("overlap is %q: expected skip or queue", j.Overlap)
	case !slices.Contains([]string{"skip", "once", "queue"}, j.Missed):
		return fmt.Errorf("missed is %q: expected skip, once or queue", j.Missed)
	case j.Jitter < 0 || j.Jitter > time.Hour:
		return errors.New("the jitter is at most an hour")
	}
	return nil
}

// Add stores a new job and returns its id.
func (s *Store) Add(ctx context.Context, j Job, now time.Time) (int64, error) {
	if err := j.Check(now, s.Limits); err != nil {
		return 0, err
	}
	text, err := json.Marshal(j)
	if err != nil {
		return 0, err
	}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	var n int
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM jobs").Scan(&n); err != nil {
		return 0, err
	}
	if most := cmp.Or(s.Limits.Jobs, usualJobs); n >= most {
		return 0, fmt.Errorf("jobs that are stored: %d; the limit is %d", n, most)
	}
	r, err := tx.ExecContext(ctx, "INSERT INTO jobs (job, seen) VALUES (?, ?)", string(text), now.UnixMilli())
	if err != nil {
		return 0, err
	}
	id, err := r.LastInsertId()
	return id, errors.Join(err, tx.Commit())
}

// Jobs returns all jobs, in the order in which they were made.
func (s *Store) Jobs(ctx context.Context) (all []Job, err error) {
	rows, err := s.db.QueryContext(ctx, "SELECT id, job, paused, seen FROM jobs ORDER BY id")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var j Job
		var id, seen int64
		var text string
		var paused bool
		if err := rows.Scan(&id, &text, &paused, &seen); err != nil {
			return nil, err
		}
		if err := json.Unmarshal([]byte(text), &j); err != nil {
			return nil, fmt.Errorf("job %d: %w", id, err)
		}
		j.ID, j.Paused, j.Seen = id, paused, time.UnixMilli(seen)
		all = append(all, j)
	}
	return all, rows.Err()
}

// change runs a statement about one job.
func (s *Store) change(ctx context.Context, statement string, args ...any) error {
	r, err := s.db.ExecContext(ctx, statement, args...)
	if err != nil {
		return err
	}
	if n, err := r.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, ErrNoJob)
	}
	return nil
}

// Remove deletes a job. Its runs stay in the history.
func (s *Store) Remove(ctx context.Context, id int64) error {
	return s.change(ctx, "DELETE FROM jobs WHERE id = ?", id)
}

// Pause stops a job, or lets it continue: what was due meanwhile is not made up for.
func (s *Store) Pause(ctx context.Context, id int64, paused bool, now time.Time) error {
	return s.change(ctx, "UPDATE jobs SET paused = ?, seen = ? WHERE id = ?", paused, now.UnixMilli(), id)
}

// saw records that all runs until a time are decided.
func (s *Store) saw(ctx context.Context, id int64, until time.Time) error {
	_, err := s.db.ExecContext(ctx, "UPDATE jobs SET seen = max(seen, ?) WHERE id = ?", until.UnixMilli(), id)
	return err
}

// claim makes the row of a run; mine is false where somebody else has it already.
func (s *Store) claim(ctx context.Context, r Run) (mine bool, err error) {
	var ended int64
	if !r.Ended.IsZero() {
		ended = r.Ended.UnixMilli()
	}
	result, err := s.db.ExecContext(ctx, "INSERT INTO runs (job, due, began, ended, state, text) VALUES (?,?,?,?,?,?) ON CONFLICT DO NOTHING",
		r.Job, r.Due.UnixMilli(), r.Began.UnixMilli(), ended, r.State, r.Text)
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n == 1, err
}

// began records the session of a run.
func (s *Store) began(ctx context.Context, r Run) error {
	_, err := s.db.ExecContext(ctx, "UPDATE runs SET session = ? WHERE job = ? AND due = ?", r.Session, r.Job, r.Due.UnixMilli())
	return err
}

// ended records how a run ended.
func (s *Store) ended(ctx context.Context, r Run) error {
	_, err := s.db.ExecContext(ctx, "UPDATE runs SET state = ?, text = ?, ended = ? WHERE job = ? AND due = ?", r.State, r.Text, r.Ended.UnixMilli(), r.Job, r.Due.UnixMilli())
	return err
}

// Runs returns the newest runs, of one job or of all (0).
func (s *Store) Runs(ctx context.Context, job int64, limit int) ([]Run, error) {
	return s.runs(ctx, "WHERE ? IN (0, job) ORDER BY due DESC LIMIT ?", job, limit)
}

func (s *Store) runs(ctx context.Context, rest string, args ...any) (all []Run, err error) {
	rows, err := s.db.QueryContext(ctx, "SELECT job, due, began, ended, state, session, text FROM runs "+rest, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var r Run
		var due, began, ended int64
		if err := rows.Scan(&r.Job, &due, &began, &ended, &r.State, &r.Session, &r.Text); err != nil {
			return nil, err
		}
		r.Due, r.Began = time.UnixMilli(due), time.UnixMilli(began)
		if ended > 0 {
			r.Ended = time.UnixMilli(ended)
		}
		all = append(all, r)
	}
	return all, rows.Err()
}

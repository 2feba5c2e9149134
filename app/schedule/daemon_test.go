package schedule

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"rein/event"
)

func newStore(t *testing.T) *Store {
	t.Helper()
	s, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func add(t *testing.T, s *Store, j Job) Job {
	t.Helper()
	j.Zone, j.Dir, j.Prompt = "UTC", "/work", "do it"
	if j.Overlap == "" {
		j.Overlap = "skip"
	}
	if j.Missed == "" {
		j.Missed = "once"
	}
	id, err := s.Add(t.Context(), j, noon)
	if err != nil {
		t.Fatal(err)
	}
	j.ID, j.Seen = id, noon
	return j
}

// states are those of the runs of a job, the oldest first.
func states(t *testing.T, s *Store, job int64) string {
	t.Helper()
	all, err := s.Runs(t.Context(), job, 1000)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for i := range all {
		b.WriteString(all[len(all)-1-i].State + " ")
	}
	return strings.TrimSpace(b.String())
}

func answers(context.Context, Job, func(string)) (string, error) { return "ok", nil }

func TestMissedRuns(t *testing.T) {
	for policy, want := range map[string]string{
		"skip":  "skipped skipped skipped skipped skipped",
		"once":  "skipped skipped skipped skipped done",
		"queue": "done skipped skipped skipped skipped",
	} {
		s := newStore(t)
		j := add(t, s, Job{When: "@hourly", Missed: policy})
		d := &Daemon{Store: s, Do: answers}
		for range 6 { // a run that ends just now lets the next one wait for another look
			if err := d.Look(t.Context(), noon.Add(5*time.Hour+30*time.Minute)); err != nil {
				t.Fatal(err)
			}
			d.working.Wait()
		}
		got := states(t, s, j.ID)
		if policy == "queue" { // the runs overlap or not, as time allows: none is lost
			if n := len(strings.Fields(got)); n != 5 || !strings.Contains(got, "done") {
				t.Errorf("queue: %s", got)
			}
			continue
		}
		if got != want {
			t.Errorf("%s: %s", policy, got)
		}
	}
}

// A run that is cancelled with its program says so.
func TestARunThatEndsWithItsProgram(t *testing.T) {
	s := newStore(t)
	add(t, s, Job{When: "@hourly", Missed: "once"})
	ctx, cancel := context.WithCancel(t.Context())
	var told Run
	d := &Daemon{Store: s, Tell: func(_ Job, r Run) { told = r }, Do: func(ctx context.Context, _ Job, _ func(string)) (string, error) {
		<-ctx.Done()
		return "", ctx.Err()
	}}
	err := d.Look(ctx, noon.Add(time.Hour+time.Minute))
	cancel()
	d.working.Wait()
	if err != nil {
		t.Fatal(err)
	}
	if told.State != Failed || !strings.Contains(told.Text, "was ended") {
		t.Errorf("%+v", told)
	}
}

func TestOnTime(t *testing.T) {
	s := newStore(t)
	j := add(t, s, Job{When: "@hourly", Missed: "skip"})
	var told []Run
	d := &Daemon{Store: s, Tell: func(_ Job, r Run) { told = append(told, r) }, Do: func(_ context.Context, _ Job, session func(string)) (string, error) {
		session("s1")
		return "", errors.New("no model")
	}}
	for _, at := range []time.Duration{30 * time.Minute, time.Hour + time.Minute, time.Hour + 90*time.Second} {
		if err := d.Look(t.Context(), noon.Add(at)); err != nil {
			t.Fatal(err)
		}
		d.working.Wait()
	}
	if len(told) != 1 || told[0].State != Failed || told[0].Session != "s1" || told[0].Text != "no model" || states(t, s, j.ID) != Failed {
		t.Errorf("%+v", told)
	}
	if err := s.Pause(t.Context(), j.ID, true, noon); err != nil {
		t.Fatal(err)
	}
	if err := d.Look(t.Context(), noon.Add(10*time.Hour)); err != nil || len(told) != 1 {
		t.Errorf("a paused job ran: %v, %v", told, err)
	}
}

// TestOverlap lets a run be due while the one before it is at work.
func TestOverlap(t *testing.T) {
	for policy, want := range map[string]string{"skip": "done skipped", "queue": "done done"} {
		s := newStore(t)
		j := add(t, s, Job{When: "@hourly", Overlap: policy})
		goOn := make(chan struct{})
		d := &Daemon{Store: s, Do: func(context.Context, Job, func(string)) (string, error) { <-goOn; return "", nil }}
		for _, at := range []time.Duration{time.Hour, 2 * time.Hour} {
			if err := d.Look(t.Context(), noon.Add(at)); err != nil {
				t.Fatal(err)
			}
		}
		close(goOn)
		d.working.Wait()
		if err := d.Look(t.Context(), noon.Add(2*time.Hour+time.Minute)); err != nil {
			t.Fatal(err)
		}
		d.working.Wait()
		if got := states(t, s, j.ID); got != want {
			t.Errorf("%s: %s", policy, got)
		}
	}
}

// TestTwoDaemonsNeverRunOneTwice lets four daemons, each with a store of its own, look at the same times.
func TestTwoDaemonsNeverRunOneTwice(t *testing.T) {
	first := newStore(t)
	for range 5 {
		add(t, first, Job{When: "@hourly", Overlap: "queue", Missed: "skip"})
	}
	var ran atomic.Int64
	var all sync.WaitGroup
	for range 4 {
		s, err := Open(first.dir)
		if err != nil {
			t.Fatal(err)
		}
		d := &Daemon{Store: s, Do: func(context.Context, Job, func(string)) (string, error) { ran.Add(1); return "", nil }}
		all.Go(func() {
			defer s.Close()
			for h := range 10 {
				for range 3 {
					if err := d.Look(context.Background(), noon.Add(time.Duration(h+1)*time.Hour)); err != nil {
						t.Error(err)
					}
					d.working.Wait()
				}
			}
		})
	}
	all.Wait()
	runs, err := first.Runs(t.Context(), 0, 1000)
	done := 0
	for _, r := range runs {
		if r.State == Done {
			done++
		}
	}
	if err != nil || int64(done) != ran.Load() || len(runs) > 50 {
		t.Errorf("%d rows, %d done, %d ran, %v", len(runs), done, ran.Load(), err)
	}
}

// TestARunIsNotLostWhileSomebodyElseLooksAtItsJob holds the lock of a job when it is due.
func TestARunIsNotLostWhileSomebodyElseLooksAtItsJob(t *testing.T) {
	s := newStore(t)
	j := add(t, s, Job{When: "@hourly"})
	d := &Daemon{Store: s, Do: answers}
	other := d.lock(j.ID)
	if err := other.Lock(); err != nil {
		t.Fatal(err)
	}
	for _, release := range []bool{true, false} {
		if err := d.Look(t.Context(), noon.Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		d.working.Wait()
		if release {
			if err := other.Unlock(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := states(t, s, j.ID); got != Done {
		t.Errorf("got %q", got)
	}
}

// TestOneDaemonWorksAtATime starts two; the second one runs what is due when the first one has ended.
func TestOneDaemonWorksAtATime(t *testing.T) {
	s := newStore(t)
	ran := make(chan string, 10)
	work := func(name string) (stop func()) {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		d := &Daemon{Store: s, Every: time.Millisecond, Do: func(context.Context, Job, func(string)) (string, error) { ran <- name; return "", nil }}
		go func() { ended <- d.Work(ctx) }()
		return func() {
			cancel()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
	}
	due := func() {
		if _, err := s.Add(t.Context(), Job{When: "@every 1m", Zone: "UTC", Prompt: "x", Terms: event.Terms{Dir: "/work"}, Overlap: "skip", Missed: "once"}, time.Now().Add(-90*time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	due()
	stopFirst := work("first")
	if got := <-ran; got != "first" {
		t.Fatal(got)
	}
	stopSecond := work("second")
	due()
	if got := <-ran; got != "first" {
		t.Errorf("%s ran while the first one worked", got)
	}
	stopFirst()
	due()
	if got := <-ran; got != "second" {
		t.Error(got)
	}
	stopSecond()
}

func TestACrashIsReportedAndNotRepeated(t *testing.T) {
	s := newStore(t)
	j := add(t, s, Job{When: "@hourly"})
	if _, err := s.claim(t.Context(), Run{Job: j.ID, Due: noon.Add(time.Hour), Began: noon, State: Running}); err != nil {
		t.Fatal(err) // its daemon died: nobody has the lock
	}
	var told []Run
	d := &Daemon{Store: s, Do: answers, Tell: func(_ Job, r Run) { told = append(told, r) }}
	for range 2 {
		if err := d.Look(t.Context(), noon.Add(time.Hour+time.Minute)); err != nil {
			t.Fatal(err)
		}
		d.working.Wait()
	}
	if got := states(t, s, j.ID); got != Crashed || len(told) != 1 {
		t.Errorf("%s, told %+v", got, told)
	}
}

// TestARunThatWaitsEndsWithItsSession ends the daemon of a run that waits for an approval: by a kill, or as one that stops.
func TestARunThatWaitsEndsWithItsSession(t *testing.T) {
	for _, killed := range []bool{true, false} {
		s := newStore(t)
		j := add(t, s, Job{When: "@hourly"})
		state := Waiting
		d := &Daemon{Store: s, End: func(_ context.Context, session string) (string, string) { return state, "of " + session }}
		d.Do = func(_ context.Context, _ Job, session func(string)) (string, error) {
			session("one")
			return "", ErrWaits
		}
		if r := (Run{Job: j.ID, Due: noon.Add(time.Hour), Began: noon, State: Running, Session: "one"}); killed {
			if _, err := s.claim(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			if err := s.began(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}
		look := func(after time.Duration) {
			if err := d.Look(t.Context(), noon.Add(after)); err != nil {
				t.Fatal(err)
			}
			d.working.Wait()
		}
		look(time.Hour)
		if got := states(t, s, j.ID); got != Waiting {
			t.Errorf("killed %v: got %q", killed, got)
		}
		look(2 * time.Hour)
		if err := d.Begin(t.Context(), j, noon.Add(2*time.Hour+time.Minute)); err != nil || states(t, s, j.ID) != "waiting skipped skipped" {
			t.Errorf("killed %v: it runs while it waits: %q, %v", killed, states(t, s, j.ID), err)
		}
		state = Done
		look(2*time.Hour + 2*time.Minute)
		all, err := s.Runs(t.Context(), j.ID, 100)
		if r := all[len(all)-1]; err != nil || r.State != Done || r.Text != "of one" || r.Ended.IsZero() {
			t.Errorf("killed %v: got %+v, %v", killed, r, err)
		}
	}
}

func TestRefusedJobs(t *testing.T) {
	s := newStore(t)
	good := Job{When: "@daily", Zone: "UTC", Terms: event.Terms{Dir: "/work"}, Prompt: "x", Overlap: "skip", Missed: "once"}
	for says, change := range map[string]func(*Job){
		"never comes":   func(j *Job) { j.When = "0 0 31 2 *" },
		"time zone":     func(j *Job) { j.Zone = "Mars/Olympus" },
		"prompt":        func(j *Job) { j.Prompt = "" },
		"absolute path": func(j *Job) { j.Dir = "here" },
		"overlap":       func(j *Job) { j.Overlap = "both" },
		"missed":        func(j *Job) { j.Missed = "" },
		"jitter":        func(j *Job) { j.Jitter = 2 * time.Hour },
	} {
		j := good
		change(&j)
		if _, err := s.Add(t.Context(), j, noon); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
	good.When = "*/10 * * * *"
	s.Limits = Limits{Jobs: 3, Every: 15 * time.Minute}
	if _, err := s.Add(t.Context(), good, noon); err == nil || !strings.Contains(err.Error(), "every 15m") {
		t.Error(err)
	}
	s.Limits.Every = 61 * time.Minute
	for _, when := range []string{"* 12 * * *", "0,59 12 * * *", "0,59 11,12 * * *"} { // the next two runs are far apart, others are not
		often := good
		often.When = when
		if _, err := s.Add(t.Context(), often, noon.Add(58*time.Minute+30*time.Second)); err == nil || !strings.Contains(err.Error(), "every 1h1m") {
			t.Errorf("approval-24 a task that runs more often than its first two runs show, %s: %v", when, err)
		}
	}
	s.Limits.Every = 10 * time.Minute
	for range 3 {
		if _, err := s.Add(t.Context(), good, noon); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Add(t.Context(), good, noon); err == nil {
		t.Error("one job too many")
	}
	if err := s.Remove(t.Context(), 999); !errors.Is(err, ErrNoJob) {
		t.Error(err)
	}
}

package main

// A scheduled task runs as a session without a person, started by rein cron daemon or rein serve.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"rein/app/harness"
	"rein/app/inbox"
	"rein/app/notify"
	"rein/app/schedule"
	"rein/app/sessions"
	"rein/app/settings"
	"rein/event"
)

// checkJob refuses a task with a mode that there is not, or a webhook that nothing is sent to.
func checkJob(j schedule.Job) error {
	var err error
	if j.Mode != "" {
		_, err = settings.Mode(j.Mode)
	}
	if j.Webhook != "" {
		err = errors.Join(err, notify.CheckWebhook(j.Webhook))
	}
	return err
}

// newJobsDaemon runs tasks as sessions of a version of rein. It prints a line for each run that ends, and notifies the user: as the
// settings say, and by the webhook of the task.
func newJobsDaemon(s *schedule.Store, set settings.Settings, version string, print func(line string)) *schedule.Daemon {
	run := func(ctx context.Context, j schedule.Job, session func(string)) (string, error) {
		return runPrompt(ctx, jobOptions(j, version), j.Prompt, session)
	}
	return &schedule.Daemon{Store: s, Do: run, End: endOfSession, Tell: func(j schedule.Job, r schedule.Run) {
		print(notify.Line(fmt.Sprintf("%s task %d %s: %s %s", time.Now().Format(time.TimeOnly), r.Job, r.State, r.Session, r.Text)))
		n := notify.Note{Kind: notify.Task, Title: fmt.Sprintf("Task %s: %s", cmp.Or(j.Name, fmt.Sprint(r.Job)), r.State), Text: r.Text, Dir: j.Dir, Session: r.Session, Time: r.Ended, Data: r}
		err := set.Notify.Sender(notify.Task, nil).Send(context.Background(), n)
		if j.Webhook != "" {
			one := &notify.Sender{Webhook: j.Webhook}
			if j.Secret != "" {
				one.Key = os.Getenv(j.Secret)
			}
			err = errors.Join(err, one.Send(context.Background(), n))
		}
		if err != nil {
			print(notify.Line("rein: warning: " + err.Error()))
		}
	}}
}

// runPrompt runs a prompt in a session without a person.
func runPrompt(ctx context.Context, o harness.Options, prompt string, session func(id string)) (text string, err error) {
	h, err := harness.Open(ctx, o)
	if err != nil {
		return "", err
	}
	closing := context.WithoutCancel(ctx)
	defer func() { err = errors.Join(err, h.Close(closing)) }()
	s, err := h.Start(ctx, harness.NewSession{Quiet: true})
	if err != nil {
		return "", err
	}
	session(s.ID())
	sending, cancel := context.WithCancelCause(closing)
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() { // what waits for an approval is suspended; all else ends, also what says nothing for long
		if len(s.Pending()) == 0 {
			cancel(context.Cause(ctx))
		}
		h.Suspend()
	})()
	for e, sendErr := range s.Send(sending, harness.Message(prompt)...) {
		if e.Kind != event.Stopped || e.Parent != "" {
			continue
		}
		switch {
		case ctx.Err() != nil && e.Stop == event.Cancelled:
			sendErr = context.Cause(ctx)
		case sendErr == nil && e.Stop == event.Waiting:
			sendErr = fmt.Errorf("%w: rein approve %s, then rein run --resume %s", schedule.ErrWaits, s.ID(), s.ID())
		case sendErr == nil && e.Stop != event.Done:
			sendErr = fmt.Errorf("it stopped: %s", e.Stop)
		}
		return h.Mask().String(e.Text), sendErr
	}
	return "", errors.New("it ended without an answer")
}

// endOfSession says what became of the session of a run whose daemon is gone: it waits while a request of it is open, and while its
// process continues it.
func endOfSession(_ context.Context, id string) (state, text string) {
	dirs := settings.DefaultDirs()
	open, err := inbox.New(dirs.Sessions).Open()
	if open[id] || err != nil {
		return schedule.Waiting, ""
	}
	store := sessions.New(sessions.Dirs{Sessions: dirs.Sessions}, nil)
	defer store.Close()
	settled := store.Settled(id, func() {})
	s, err := store.Get(id)
	for e := range store.Events(id, 0) {
		if e.Kind == event.Stopped && e.Parent == "" {
			text = e.Text
		}
	}
	switch unfinished := s.Stop == "" || s.Stop == event.Waiting; {
	case err != nil || unfinished && settled:
		return schedule.Crashed, ""
	case unfinished:
		return schedule.Waiting, ""
	case s.Stop != event.Done:
		return schedule.Failed, "it stopped: " + string(s.Stop)
	}
	return schedule.Done, text
}

// jobOptions are those of a session that may do what its task may.
func jobOptions(j schedule.Job, version string) harness.Options {
	program, _ := os.Executable() // without it some documents are not read
	terms := j.Terms
	terms.Before, terms.StrictMCP = "", false // it has no files of --mcp-config
	return harness.Options{Dir: j.Dir, Terms: terms, Unattended: harness.Wait, Program: program, Version: version}
}

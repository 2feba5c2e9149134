package agent

import (
	"cmp"
	"context"
	"errors"
	"time"

	"rein/agent/budget"
	"rein/event"
	"rein/tool"
	"rein/toolcall"
)

// loop is the agent: it runs the calls of the last answer and reports their results, asks the model, and repeats this until the
// model calls nothing and nothing else is left for it to do. The error is the reason why it ends: see stop.
func (r *run) loop() error {
	for {
		if r.part == Asks && r.open != nil {
			return leaves{}
		}
		if err := r.runCalls(); err != nil {
			return err
		}
		if err := context.Cause(r.ctx); err != nil {
			return err
		}
		again, err := r.ask()
		if err == nil && !again && r.part == Asks {
			return leaves{}
		}
		if err == nil && !again {
			again, err = r.afterAnswer()
		}
		if err != nil {
			return err
		}
		if !again {
			return ended{event.Done}
		}
	}
}

// runCalls runs the calls of the open answer that have no result yet, and adds the message with all results.
func (r *run) runCalls() error {
	if r.open == nil {
		return nil
	}
	if err := r.recordLost(); err != nil {
		return err
	}
	if calls := r.open.remaining(); len(calls) > 0 {
		n := budget.Amount{Calls: int64(len(calls))}
		if err := r.reserve(n); err != nil {
			return err
		}
		r.countSpent(n, n)
		results, err := r.callTools(calls)
		for _, result := range results {
			if result.ID != "" && result.Kind != tool.Waiting {
				r.open.results[result.ID] = result
			}
			if result.Kind == tool.Unapproved {
				r.unapproved.Store(true)
			}
		}
		if stop, ok := errors.AsType[*toolcall.Halted](err); ok {
			err = halt{stop.Reason}
			r.closeAnswer()
		}
		if err != nil {
			return err
		}
	}
	r.closeAnswer()
	return nil
}

// ask sends the next request, with what has come for the model meanwhile. again means that calls follow, or that the model gets
// another request.
func (r *run) ask() (again bool, err error) {
	if r.answered { // before the run began
		r.answered = false
		return false, nil
	}
	if r.tells != "" {
		if err := r.tell(r.tells); err != nil {
			return false, err
		}
		r.tells = ""
	}
	if _, err := r.deliver(false); err != nil {
		return false, err
	}
	if r.part == Works { // who asks has not the tools
		return false, cmp.Or(r.offerTools(), error(leaves{}))
	}
	if err := r.planFirst(); err != nil || r.open != nil {
		return true, err
	}
	r.warnOfTime()
	switch {
	case r.requests >= r.agent.maxTurns():
		return false, ended{event.MaxTurns}
	case r.finalReportDue():
		return false, r.finalReport()
	}
	asked := time.Now()
	again, err = r.request()
	r.meter.slowest = max(r.meter.slowest, time.Since(asked))
	return again || r.open != nil, err
}

// afterAnswer does what follows an answer without calls, and reports whether the model gets another request.
func (r *run) afterAnswer() (again bool, err error) {
	for _, step := range []func() (bool, error){
		r.awaitMore,   // messages of the user and reports of sub-agents
		r.checkOutput, // an answer of the wrong form is requested again
		r.stopHooks,   // hooks of the user may want more
	} {
		if again, err = step(); again || err != nil {
			return again, err
		}
		if err := context.Cause(r.ctx); err != nil {
			return false, err
		}
	}
	return false, nil
}

// request sends one request and takes the answer into the session. again means that the model gets another request although
// it called nothing.
func (r *run) request() (again bool, err error) {
	for _, prepare := range []func() error{r.offerTools, r.fitWindow} {
		if err := prepare(); err != nil {
			return false, err
		}
	}
	r.mu.Lock() // background sub-agents read it
	r.turn++
	r.mu.Unlock()
	refused := refused{run: r}
	for {
		a, err := r.send()
		if err == nil {
			return a.take()
		}
		again, failed := refused.from(err)
		if again {
			failed = r.fitWindow()
		}
		if a == nil {
			return false, err
		}
		if !again || failed != nil {
			return false, errors.Join(err, failed, a.keepPart())
		}
	}
}

// callTools gives calls to the runner and shows its events as they come.
func (r *run) callTools(calls []tool.Call) (results []tool.Result, err error) {
	runner := r.agent.runner()
	if r.agent.Team != nil {
		own := *runner
		own.Tools, runner = r.tools.set, &own
	}
	session := r.options.runs(r.turn)
	session.Earlier, session.Journal, session.Take = r.earlier(), r.recorder, r.takeCalls
	session.Watch = func(e event.Event) {
		if e.Kind.Live() { // the recorder shows the others
			r.events.give(e, false)
		}
	}
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		results, err = runner.Run(r.ctx, session, calls)
	}()
	r.events.drainUntil(finished)
	return results, err
}

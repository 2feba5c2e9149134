package toolcall

import (
	"context"
	"fmt"
	"time"

	"rein/tool"
)

// leastStep is how long a step before a call runs may take at least, however short the time limit of calls is.
const leastStep = 10 * time.Second

// errNoReturn is the error of a step that ended its goroutine, as runtime.Goexit does.
var errNoReturn = &tool.Error{Kind: tool.Failed, Text: "It ended without a result."}

// inTime does a step of a call that may use files, and gives it up when it takes longer than a call may: a file system that does
// not answer holds back no session. What was given up continues by itself until the file system answers; late is then called
// with what it gives, and may be nil. A panic of the step is an error.
func inTime[T any](t *turn, call tool.Call, does string, do func(context.Context) (T, error), late func(T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	limit := max(t.limits.Timeout, leastStep)
	ctx, cancel := context.WithTimeout(t.ctx, limit)
	ended := make(chan result, 1)
	go func() {
		roomy()
		defer cancel()
		r := result{err: errNoReturn}
		defer func() { ended <- r }()
		defer t.caught("a tool", call, &r.err)
		r.value, r.err = do(ctx)
	}()
	var r result
	select {
	case r = <-ended:
		return r.value, r.err
	case <-ctx.Done():
	}
	grace := time.NewTimer(max(t.limits.Grace, time.Second)) // a step that minds its context ends by itself
	defer grace.Stop()
	select {
	case r = <-ended:
		return r.value, r.err
	case <-grace.C:
	}
	go func() {
		if r := <-ended; late != nil {
			late(r.value, r.err)
		}
	}()
	t.audit(call, does+" did not end and was given up")
	if err := t.ended(); err != nil {
		return r.value, err
	}
	return r.value, &tool.Error{Kind: tool.TimedOut, Text: fmt.Sprintf("Not run: %s took longer than %v. A directory that it looked at may belong to a file system that does not answer.", does, limit),
		Hint: "Leave that path alone, or ask the user to look at the mounted directories."}
}

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
// with its error, and may be nil. Where the step gives an error, what it set is not read.
func inTime(t *turn, call tool.Call, does string, do func(context.Context) error, late func(error)) error {
	limit := max(t.limits.Timeout, leastStep)
	s, _, ended := t.step(call, limit, max(t.limits.Grace, time.Second), false, do)
	if ended {
		return s.gave
	}
	if late != nil {
		go func() {
			<-s.ended
			late(s.gave)
		}()
	}
	t.audit(call, does+" did not end and was given up")
	if err := t.ended(); err != nil {
		return err
	}
	return &tool.Error{Kind: tool.TimedOut, Text: fmt.Sprintf("Not run: %s took longer than %v. A directory that it looked at may belong to a file system that does not answer.", does, limit),
		Hint: "Leave that path alone, or ask the user to look at the mounted directories."}
}

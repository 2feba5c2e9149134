package temporal

import (
	"context"
	"slices"
	"time"

	"go.temporal.io/sdk/activity"

	"rein/agent"
)

// mostTurn is how long a step goes on with parts of the loop, before the workflow hears of what was done.
const mostTurn = time.Minute

// more goes on with the parts that come next, on a host that can ask models: so a turn is one step, with the events and the time of one. Each
// part is done as if it were a step of its own. The step ends at the next part where the workflow has something for it, or the worker stops.
func (w *stepper) more(ctx context.Context, in StepInput, out StepResult) (StepResult, error) {
	given, began := in.Messages, time.Now()
	for out.Due != "" && out.Stop == "" && time.Since(began) < mostTurn && w.free(ctx, in, given) {
		next := in
		next.Part, next.After, next.Carried, next.Offer, next.Kept, next.Messages, next.Answers = out.Due, out.Seq, out.Carried, out.Offer, out.Kept, nil, nil
		does := w.asks
		if out.Due == agent.Works {
			does, next.Messages = w, given[min(out.Taken, len(given)):]
		}
		did, err := does.part(ctx, next)
		did.Taken, did.Host, did.Ends = did.Taken+out.Taken, or(did.Host, out.Host), did.Ends || out.Ends
		if ctx.Err() != nil {
			return did, err
		}
		if err != nil || did.Seq == out.Seq { // the workflow knows what is done where a step fails again and again
			return out, nil
		}
		out = did
	}
	return out, nil
}

// free reports whether nobody waits for the end of the step.
func (w *stepper) free(ctx context.Context, in StepInput, given []Message) bool {
	select {
	case <-activity.GetWorkerStopChannel(ctx):
		return false
	case <-ctx.Done():
		return false
	default:
	}
	asking, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	s, err := w.state(asking, in.Session)
	return err == nil && !s.Cancel && AgentQueue(s.Host, depth(in.Task)) == activity.GetInfo(ctx).TaskQueue &&
		!slices.ContainsFunc(s.Messages, func(m Message) bool { return !slices.Contains(given, m) })
}

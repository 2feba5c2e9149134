package harness

import (
	"iter"

	"rein/event"
	"rein/kit/tools"
)

// sumUsage sums what a session has used, from its record. limit is how many tokens it may use; 0: any number.
func sumUsage(events iter.Seq2[event.Event, error], limit int64) (tools.SessionUsage, error) {
	var sum, agents event.Usage
	u := tools.SessionUsage{Limit: limit}
	for e, err := range events {
		switch {
		case err != nil:
			return u, err
		case e.Kind == event.Requested:
			u.Requests++
		case e.Usage != nil && (e.Kind == event.Responded || e.Kind == event.Compacted || e.Kind == event.Reviewed || e.Kind == event.Audit):
			sum = sum.Plus(*e.Usage)
		case e.Usage != nil && e.Kind == event.SubAgentStopped:
			agents = agents.Plus(*e.Usage)
		}
	}
	sum = sum.Plus(agents)
	u.Input, u.Output, u.CacheRead, u.CacheWrite, u.Think, u.Cost = sum.Input, sum.Output, sum.CacheRead, sum.CacheWrite, sum.Thinking, sum.Cost
	u.SubAgents = agents.Input + agents.Output
	return u, nil
}

package guards

import (
	"context"
	"fmt"
	"sync"
	"time"

	"rein/guard"
)

// Rate is the guard of rate limits: a model that calls too often needs an approval. A limit of zero is none. It remembers
// calls for an hour.
type Rate struct {
	PerHour    int            // calls of one session in an hour
	PerSession int            // calls of one session in all
	PerTool    map[string]int // calls of one tool in an hour, by name
	Now        func() time.Time

	lock sync.Mutex
	seen map[string]*callRate // by session
}

// callRate is what a session has called: in the last hour, of these by tool, and in all.
type callRate struct {
	hour  []timedCall
	tools map[string]int
	total int
}

type timedCall struct {
	at   time.Time
	tool string
}

// Judge counts the call and asks where a limit is passed.
func (r *Rate) Judge(_ context.Context, c guard.Case) guard.Verdict {
	now := time.Now
	if r.Now != nil {
		now = r.Now
	}
	hour, ofTool, all := r.count(c, now())
	switch {
	case r.PerSession > 0 && all > r.PerSession:
		return tooFast(fmt.Sprintf("this session has made %d calls", all))
	case r.PerHour > 0 && hour > r.PerHour:
		return tooFast(fmt.Sprintf("%d calls in an hour", hour))
	case r.PerTool[c.Call.Name] > 0 && ofTool > r.PerTool[c.Call.Name]:
		return tooFast(fmt.Sprintf("%d calls of %s in an hour", ofTool, c.Call.Name))
	}
	return guard.Verdict{}
}

func tooFast(why string) guard.Verdict {
	return guard.Verdict{Decision: guard.Ask, Severity: guard.Low, PersonOnly: true, Guard: "rate", Rules: []string{"rate.limit"}, Reason: why,
		Hint: "Stop, and tell the user what you are doing."}
}

func (r *Rate) count(c guard.Case, now time.Time) (hour, ofTool, all int) {
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.seen == nil {
		r.seen = map[string]*callRate{}
	}
	p := r.seen[c.Session]
	if p == nil {
		p = &callRate{tools: map[string]int{}}
		r.seen[c.Session] = p
	}
	for len(p.hour) > 0 && now.Sub(p.hour[0].at) >= time.Hour {
		p.tools[p.hour[0].tool]--
		p.hour = p.hour[1:]
	}
	p.hour = append(p.hour, timedCall{now, c.Call.Name})
	p.tools[c.Call.Name]++
	p.total++
	return len(p.hour), p.tools[c.Call.Name], p.total
}

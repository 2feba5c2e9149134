package server

import (
	"cmp"
	"sync"
	"time"

	"rein/event"
	"rein/harness"
	"rein/harness/sessions"
	"rein/server/api"
)

// past knows the sessions that are recorded. It reads them at most once in a while.
type past struct {
	mu   sync.Mutex
	read time.Time
	all  map[string]recorded
	ids  []string // newest first
}

// recorded is one session as its journal has it.
type recorded struct {
	ID, Title, Name, Dir, Model, Parent string
	Start, Last                         time.Time
	Calls, Failed                       int
	Stop                                event.Stop
	Usage                               event.Usage
}

func recordedOf(f sessions.Session) recorded {
	return recorded{ID: f.ID, Title: cmp.Or(f.Name, f.Title), Name: f.Name, Dir: f.Dir, Model: f.Model, Parent: f.Parent, Start: f.Start, Last: f.Last,
		Calls: f.Calls, Failed: f.Failed, Stop: f.Stop, Usage: f.Usage}
}

// pastAge is how old the list of the recorded sessions may be.
const pastAge = 2 * time.Second

// list gives the recorded sessions, newest first, those of sub-agents too.
func (p *past) list(h *harness.Harness) ([]recorded, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.refresh(h, pastAge); err != nil {
		return nil, err
	}
	all := make([]recorded, len(p.ids))
	for i, id := range p.ids {
		all[i] = p.all[id]
	}
	return all, nil
}

func (p *past) refresh(h *harness.Harness, age time.Duration) error {
	if time.Since(p.read) < age {
		return nil
	}
	found, err := h.Sessions()
	if err != nil {
		return err
	}
	p.all, p.ids, p.read = make(map[string]recorded, len(found)), p.ids[:0], time.Now()
	for _, f := range found {
		p.ids = append(p.ids, f.ID)
		p.all[f.ID] = recordedOf(f)
	}
	return nil
}

// forget makes the next look read the sessions again.
func (p *past) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.read = time.Time{}
}

// get gives one recorded session. A session that is not in the list yet is looked for again.
func (p *past) get(h *harness.Harness, id string) (recorded, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	err := p.refresh(h, pastAge)
	r, ok := p.all[id]
	if err == nil && !ok {
		err = p.refresh(h, 0)
		r, ok = p.all[id]
	}
	if err == nil && !ok {
		err = errNoSession
	}
	return r, err
}

// root gives the user's session that a sub-agent's session belongs to.
func (p *past) root(h *harness.Harness, id string) (recorded, error) {
	r, err := p.get(h, id)
	for depth := 0; err == nil && r.Parent != "" && depth < 32; depth++ {
		r, err = p.get(h, r.Parent)
	}
	return r, err
}

// summary is a recorded session as lists show it.
func (r recorded) summary(pending int) api.Session {
	v := api.Session{ID: r.ID, Title: r.Title, Dir: r.Dir, Model: r.Model, Stop: r.Stop, Started: r.Start, Last: r.Last, Calls: r.Calls, Pending: pending, Usage: &r.Usage}
	v.State = stateOf(v)
	return v
}

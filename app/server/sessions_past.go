package server

import (
	"cmp"
	"errors"
	"sync"
	"time"

	"rein/app/sessions"
	"rein/event"
)

// errNoSession is the error for a session that there is not.
var errNoSession = errors.New("no such session")

// recordedList knows the sessions that are recorded. It reads them at most once in a while. Several goroutines may use it at once.
type recordedList struct {
	Read   func() ([]sessions.Session, error) // newest first
	Engine Engine                             // runs the sessions; nil: they have run here

	mu   sync.Mutex
	read time.Time
	all  map[string]pastSession
	ids  []string // newest first
}

// pastSession is one session as its journal has it.
type pastSession struct {
	ID, Title, Name, Dir, Model, Parent string
	Start, Last                         time.Time
	sessions.CallCount
	Failed     int
	Stop       event.Stop
	Usage      event.Usage
	Damaged    int  // lines of the journal
	Unreadable bool // the journal, before its end

	engine Engine // runs it; nil: none does
}

// pastSessionOf returns a session as the list has it.
func pastSessionOf(f sessions.Session) pastSession {
	return pastSession{ID: f.ID, Title: cmp.Or(f.Name, f.Title), Name: f.Name, Dir: f.Dir, Model: f.Model, Parent: f.Parent, Start: f.Start, Last: f.Last,
		CallCount: f.CallCount, Failed: f.Failed, Stop: f.Stop, Usage: f.Usage, Damaged: f.Damaged, Unreadable: f.Bad != ""}
}

// lost reports whether the session can be listed and not opened: its journal is damaged and no longer says in which workspace it ran.
func (s pastSession) lost() bool { return s.Dir == "" && (s.Unreadable || s.Damaged > 0) }

// listAge is how old the list of the recorded sessions may be.
const listAge = 2 * time.Second

// All returns the recorded sessions, newest first, those of sub-agents too.
func (p *recordedList) All() ([]pastSession, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.refresh(listAge); err != nil {
		return nil, err
	}
	all := make([]pastSession, len(p.ids))
	for i, id := range p.ids {
		all[i] = p.all[id]
	}
	return all, nil
}

func (p *recordedList) refresh(age time.Duration) error {
	if time.Since(p.read) < age {
		return nil
	}
	found, err := p.Read()
	if err != nil {
		return err
	}
	p.all, p.ids, p.read = make(map[string]pastSession, len(found)), p.ids[:0], time.Now()
	for _, f := range found {
		s := pastSessionOf(f)
		if s.engine = p.Engine; s.engine != nil {
			s.Dir = s.engine.Dir(f.ID)
		}
		p.ids = append(p.ids, f.ID)
		p.all[f.ID] = s
	}
	return nil
}

// Forget makes the next look read the sessions again.
func (p *recordedList) Forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.read = time.Time{}
}

// Get returns one recorded session. A session that is not in the list yet is looked for again.
func (p *recordedList) Get(id string) (pastSession, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	err := p.refresh(listAge)
	r, ok := p.all[id]
	if err == nil && !ok {
		err = p.refresh(0)
		r, ok = p.all[id]
	}
	if err == nil && !ok {
		err = errNoSession
	}
	return r, err
}

// Known returns what the last look found of a session, and reads nothing; the zero Session when it found none.
func (p *recordedList) Known(id string) pastSession {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all[id]
}

// Root returns the user's session that a sub-agent's session belongs to.
func (p *recordedList) Root(id string) (pastSession, error) {
	r, err := p.Get(id)
	for depth := 0; err == nil && r.Parent != "" && depth < 32; depth++ {
		r, err = p.Get(r.Parent)
	}
	return r, err
}

package agent

import (
	"encoding/json"
	"fmt"
	"iter"

	"rein/event"
	"rein/model"
	"rein/tool"
)

// Load rebuilds a session from the events of its journal. What has a result keeps it. What was granted and has none
// may have run before the crash: it gets the result that its outcome is unknown, and is not repeated. What was never
// granted is left for Resume. events may end with an error, which is returned unless skip says that it can be borne.
func (a *Agent) Load(events iter.Seq2[event.Event, error], skip func(error) bool) (*Session, error) {
	s := a.Start()
	s.resumed = true
	past := past{Session: s, granted: map[string]bool{}}
	for e, err := range events {
		if err != nil && skip != nil && skip(err) {
			break
		}
		if err != nil {
			return nil, err
		}
		if e.Parent != "" {
			continue // a delegate's
		}
		if err := past.add(e); err != nil {
			return nil, err
		}
	}
	past.lost()
	return s, nil
}

// past is a session while it is read back.
type past struct {
	*Session
	granted map[string]bool
}

func (p *past) add(e event.Event) error {
	p.turn = max(p.turn, e.Turn)
	switch e.Kind {
	case event.Prompted, event.Responded:
		var m model.Message
		if err := json.Unmarshal(e.Message, &m); err != nil {
			return fmt.Errorf("the journal's message of %s cannot be read: %w", e.Time.Format("15:04:05"), err)
		}
		p.close()
		p.messages = append(p.messages, &m)
		p.count(e.Usage)
		if len(m.Calls()) > 0 {
			p.open = &openTurn{asked: &m, results: map[string]tool.Result{}}
		}
	case event.Granted:
		p.granted[e.Call.ID] = true
	case event.Replied:
		if p.open != nil && e.Result != nil {
			p.open.results[e.Call.ID] = *e.Result
			p.done()
		}
	}
	return nil
}

func (p *past) count(u *event.Usage) {
	if u != nil {
		p.usage.Input += u.Input
		p.usage.Output += u.Output
		p.usage.CacheRead += u.CacheRead
	}
}

// done closes the open turn when all of its calls have results.
func (p *past) done() {
	for _, c := range p.open.asked.Calls() {
		if _, ok := p.open.results[c.ID]; !ok {
			return
		}
	}
	p.close()
}

// close ends the open turn with the results that it has; model.Repair adds what is missing.
func (p *past) close() {
	if p.open == nil {
		return
	}
	var results []model.Part
	for _, c := range p.open.asked.Calls() {
		if r, ok := p.open.results[c.ID]; ok {
			results = append(results, model.Result(c.ID, r.Text, r.Failed))
		}
	}
	if len(results) > 0 {
		p.messages = append(p.messages, model.Answer(p.open.asked, results...))
	}
	p.open = nil
}

// lost gives the calls that were granted and have no result the one that says so.
func (p *past) lost() {
	if p.open == nil {
		return
	}
	for _, c := range p.open.asked.Calls() {
		if _, ok := p.open.results[c.ID]; !ok && p.granted[c.ID] {
			p.open.results[c.ID] = tool.Result{ID: c.ID, Name: c.Name, Failed: true, Kind: tool.Cancelled,
				Text: "The program ended while this call was at work, so its outcome is unknown. Look before you repeat it."}
		}
	}
}

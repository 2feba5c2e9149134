package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"rein/event"
	"rein/journal"
	"rein/model"
	"rein/tool"
	"rein/toolcall"
)

// Load rebuilds a session from the events of its journal. A call that has a result keeps it. A call that was granted and
// has no result may have run before the crash: its result reports that the outcome is unknown, and the agent does not repeat it. A
// sub-agent that was at work continues, where SessionOptions.Past can read its session. A call that was never granted, or only
// reads, is left for Resume. A torn last line is left out, and so are damaged lines; the next turn reports them. What the user went
// back from (event.Rewound) is not part of the conversation.
//
// The guards that remember see the recorded events, as they saw them when they happened.
//
// ErrNoEvents means that there was no event: Start begins a session.
func (a *Agent) Load(o SessionOptions, events iter.Seq2[event.Event, error]) (*Session, error) {
	return a.load(o, events, nil)
}

// ErrNoEvents means that a session cannot be rebuilt, because its journal has no event.
var ErrNoEvents = errors.New("there is no event of a session to load: start a session instead")

func (a *Agent) load(o SessionOptions, events iter.Seq2[event.Event, error], parent *Session) (*Session, error) {
	p := past{Session: a.session(o, parent), granted: map[string]bool{}, marks: map[int64]mark{}}
	for e, err := range events {
		if errors.Is(err, journal.ErrTorn) {
			break
		}
		if err != nil {
			return nil, err
		}
		p.resumed = true
		if err := p.see(e); err != nil {
			return nil, err
		}
	}
	if !p.resumed && (parent == nil || o.ID == "") { // a sub-agent may have been cut off before its first event
		return nil, ErrNoEvents
	}
	p.resumed = true
	if p.options.ID == "" {
		p.options.ID = journal.NewID(time.Now())
	}
	p.lost()
	p.release()
	return p.Session, nil
}

// past is a session while it is read back.
type past struct {
	*Session
	granted map[string]bool
	marks   map[int64]mark   // by the number of the user's message
	damaged bool             // a line since the last answer cannot be read
	replay  *toolcall.Replay // shows the guards what happened; made with the first event that has the session's id
}

// see takes the next event.
func (p *past) see(e event.Event) error {
	if p.options.ID == "" {
		p.options.ID = e.Session
	}
	if p.replay == nil && p.options.ID != "" {
		p.replay = p.agent.runner().Replay(p.options.runs(p.turn))
	}
	if p.replay != nil {
		if err := p.replay.See(e); err != nil {
			return err
		}
	}
	if e.Session == "" {
		e.Session = p.options.ID
	}
	p.turn = max(p.turn, e.Turn)
	p.track(e)
	switch e.Kind {
	case event.Damaged:
		p.damaged = true
		p.notices = append(p.notices, e.Text)
	case event.Prompted:
		p.newMessage()
		p.task = max(p.task, e.At)
		p.message(e)
	case event.Hinted, event.Responded:
		if c := p.subAgents.byID(e.Child); c != nil {
			c.reported = true
		}
		p.message(e)
	case event.Requested:
		p.requests++
		p.lastAsked = e.Time
	case event.Granted:
		if e.Call != nil && e.MayAct() {
			p.granted[e.Call.ID] = true
		}
	case event.SubAgentStarted:
		p.subAgent(e)
	case event.SubAgentStopped:
		p.subAgentStopped(e)
	case event.Replied:
		p.replied(e)
	case event.Rewound:
		p.rewind(e)
	case event.Compacted:
		p.compacted(e)
	case event.Reviewed, event.Audit:
		if e.Usage != nil {
			p.counted(*e.Usage, 1)
		}
	case event.ToolsOffered:
		p.tools.add(e.Tools)
	case event.Stopped:
		p.lastStop = e.Stop
	}
	return nil
}

// message takes a recorded message.
func (p *past) message(e event.Event) {
	var m model.Message
	if err := json.Unmarshal(e.Message, &m); err != nil {
		p.notices = append(p.notices, fmt.Sprintf("a message of %s in the journal is damaged and is left out", e.Time.Format("15:04:05")))
		p.damaged = true
		return
	}
	if p.open != nil {
		p.close() // model.Repair adds the results that are missing
	}
	if e.Kind == event.Prompted {
		p.marks[e.Seq] = mark{p.history.Clone(), p.lastAnswer}
	}
	p.lastStop, p.damaged = "", false
	if e.Usage != nil {
		p.counted(*e.Usage, 1)
		if e.Request != nil {
			if p.history.Asked() == "" && p.agent.Model != nil {
				p.history.Base(p.agent.Model.Info().String(), p.agent.system(), p.tools.specs)
			}
			p.history.Answered(e.Request.Model, e.Usage.Input)
		}
	}
	p.add(&m, e.Seq)
	if m.Role == model.Assistant {
		p.lastAnswer = m.Text()
	}
}

// replied takes a recorded result, and closes the open answer when it was the last one.
func (p *past) replied(e event.Event) {
	if p.open == nil || e.Result == nil || e.Call == nil {
		return
	}
	p.open.results[e.Call.ID] = *e.Result
	p.served(e)
	if len(p.open.remaining()) == 0 {
		p.close()
		p.lastStop = ""
	}
}

// lost gives each call that was granted and has no result a result that reports this. Where a line is damaged, the grant may have
// been in it.
func (p *past) lost() {
	if p.open == nil {
		return
	}
	for _, c := range p.open.remaining() {
		continues := p.subAgents.find(func(sub *child) bool { return sub.call == c.ID }) != nil
		if continues || !p.granted[c.ID] && !p.damaged {
			continue
		}
		if t := p.tools.set.Get(c.Name); t != nil && t.Nests && !p.damaged {
			p.lostInner(c.ID)
			continue
		}
		p.open.results[c.ID] = *unknownOutcome(c.ID, c.Name)
		p.open.lost = append(p.open.lost, c.ID)
		p.track(event.Event{Kind: event.Replied, Session: p.options.ID, Call: &tool.Call{ID: c.ID}})
	}
}

// unknownOutcome is the result of a call that may have run.
func unknownOutcome(id, name string) *tool.Result {
	return &tool.Result{ID: id, Name: name, Failed: true, Kind: tool.Cancelled,
		Text: "The program ended while this call was running, so its outcome is unknown. Check what it did before you repeat it."}
}

// mark is the conversation before a message of the user, for a user who goes back to it.
type mark struct {
	history measuredHistory
	last    string
}

// rewind takes the conversation back to before a message of the user. What guards remember and what was spent stays.
func (p *past) rewind(e event.Event) {
	to, ok := p.marks[e.At]
	if !ok {
		p.notices = append(p.notices, fmt.Sprintf("the session was rewound to message %d, which cannot be read: the conversation is kept as it was", e.At))
		return
	}
	for seq := range p.marks {
		if seq >= e.At {
			delete(p.marks, seq)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.history, p.open, p.approvals.requests, p.subAgents.all = to.history, nil, nil, nil
	p.lastAnswer, p.lastStop, p.damaged = to.last, "", false
	p.requests = 0
}

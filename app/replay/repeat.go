package replay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"

	"rein/agent"
	"rein/event"
	"rein/guard"
	"rein/hook"
	"rein/model"
	"rein/schema"
	"rein/tool"
	"rein/toolcall"
)

// Repeated is a run that was repeated, and the record that it was repeated from.
type Repeated struct {
	Record, Run *Run
	// Copied is how many things could not be made to happen again and were taken from the record as they are, such as the report of a
	// background sub-agent that nobody asked for.
	Copied int
}

// Repeat repeats a recorded session and its sub-agents: the loop and all steps of the pipeline run again, for real. What came from
// outside is taken from the record: the messages of the user, the answers of the model, what the guards and people decided, and what
// tools returned. So nothing is asked, started, read or written, and the same record gives the same run. With a recording calls are
// checked by the definitions of their tools; nil: there is none.
func Repeat(ctx context.Context, id string, recorded Sessions, with *Recording) (*Repeated, error) {
	record, err := Read(id, recorded)
	if err != nil {
		return nil, err
	}
	p, err := repeat(ctx, id, recorded, with.schemas(), 0)
	if err != nil {
		return nil, err
	}
	run, err := Read(id, p.played)
	return &Repeated{Record: record, Run: run, Copied: p.copied}, err
}

// repeat plays a recorded session.
func repeat(ctx context.Context, id string, recorded Sessions, schemas map[string]json.RawMessage, depth int) (*player, error) {
	record, err := read(id, recorded, depth)
	if err != nil {
		return nil, err
	}
	p := &player{id: id, recorded: recorded, schemas: schemas, depth: depth, calls: map[string]*Call{}, effects: map[string][]event.Event{}, invalid: map[string]*tool.Result{}, intents: map[string]tool.Intent{}, children: map[string][]event.Event{}}
	for _, s := range record.Steps {
		if s.Call != nil {
			p.calls[s.Call.ID] = s.Call
		}
	}
	if err := p.prepare(record); err != nil {
		return nil, err
	}
	return p, p.play(ctx)
}

// player plays a recorded session.
type player struct {
	id       string
	recorded Sessions
	schemas  map[string]json.RawMessage // of tools, as far as they are known
	depth    int
	calls    map[string]*Call         // by id
	effects  map[string][]event.Event // what else is recorded of a call: its sub-agents, the files that it changed
	invalid  map[string]*tool.Result  // of calls that did not get as far as a guard, by tool and arguments
	intents  map[string]tool.Intent   // of calls, by the same
	names    []string                 // of the tools that there were
	acts     []act
	start    event.Event // how the session ran at its end
	session  *agent.Session
	runner   *toolcall.Runner
	journal  memory
	stop     context.CancelFunc // ends the turn that is played
	copied   int

	mu       sync.Mutex
	children map[string][]event.Event // the events of sub-agents, by their sessions
}

// act is something of the record that happens again.
type act struct {
	event.Event
	begins bool // of a message: it begins a turn
}

// memory is a journal in memory. How the session ran and the ends of turns come from the record: what ended them, such as a limit or the
// user, is not there.
type memory struct {
	mu     sync.Mutex
	events []event.Event
}

// Append implements event.Journal.
func (m *memory) Append(events ...event.Event) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range events {
		if k := events[i].Kind; k == event.Started || k == event.Stopped {
			continue
		}
		events[i].Seq = int64(len(m.events) + 1)
		m.events = append(m.events, events[i].Clone())
	}
	return nil
}

// copy takes an event of the record as it is.
func (m *memory) copy(e event.Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e.Seq = int64(len(m.events) + 1)
	m.events = append(m.events, e)
}

// played are the events of the repeated session and of its sub-agents.
func (p *player) played(id string) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		events := p.children[id]
		if id == p.id {
			events = p.journal.events
		}
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// prepare reads what has to happen.
func (p *player) prepare(record *Run) error {
	answered := map[string]bool{} // calls of answers; the others are the user's own
	open, resumed := false, false
	for e, err := range p.recorded(p.id) {
		if err != nil {
			return err
		}
		switch e.Kind {
		case event.Started, event.Changed:
			resumed = e.Kind == event.Started && e.Start != nil && e.Start.Resumed
			if p.start = e; e.Start != nil {
				p.names = append(p.names, e.Start.Tools...)
			}
		case event.ToolsOffered:
			for _, t := range e.Tools {
				p.names = append(p.names, t.Name)
			}
		case event.Rewound:
			p.acts = slices.DeleteFunc(p.acts, func(a act) bool { return a.Seq >= e.At })
		case event.Prompted:
			p.acts = append(p.acts, act{e, !open || resumed})
			open, resumed = true, false
		case event.Responded:
			m := new(model.Message)
			if err := json.Unmarshal(e.Message, m); err != nil {
				return fmt.Errorf("the answer %d of session %s cannot be read: %w", e.Seq, p.id, err)
			}
			for _, c := range m.Calls() {
				answered[c.ID] = true
			}
			p.acts = append(p.acts, act{Event: e})
		case event.Hinted:
			p.acts = append(p.acts, act{Event: e})
		case event.Called:
			if e.Call != nil && e.Within == "" && !answered[e.Call.ID] {
				answered[e.Call.ID] = true
				p.acts = append(p.acts, act{Event: e})
			}
		case event.Stopped:
			if e.Stop != event.Waiting {
				p.acts, open = append(p.acts, act{Event: e}), false
			}
		case event.SubAgentStarted, event.FilesModified:
			if e.Call != nil {
				p.effects[e.Call.ID] = append(p.effects[e.Call.ID], e)
			}
		}
	}
	return p.equip(record)
}

// equip makes the session: an agent whose model, guards, approvers and tools are the record.
func (p *player) equip(record *Run) error {
	nests := map[string]bool{}
	for _, c := range p.calls {
		if outer := p.calls[c.Within]; outer != nil {
			nests[outer.Name] = true
		}
		switch {
		case c.Decision == Invalid && c.Result.Kind == tool.UnknownTool:
			continue
		case c.Decision == Invalid:
			p.invalid[c.Name+canonical(c.Args)] = c.Result
		case c.intent != nil:
			p.intents[c.Name+canonical(c.Args)] = *c.intent
		}
		p.names = append(p.names, c.Name)
	}
	slices.Sort(p.names)
	var tools []*tool.Tool
	for _, name := range slices.Compact(p.names) {
		input, err := schema.Parse(json.RawMessage(`{"type":"object"}`))
		if known := p.schemas[name]; err == nil && len(known) > 0 {
			input, err = schema.Parse(known)
		}
		if err != nil {
			return err
		}
		tools = append(tools, &tool.Tool{Name: name, Description: "recorded", Input: input, Nests: nests[name], Output: mostOutput, Intent: p.intent(name), Run: p.run})
	}
	set, err := tool.NewSet(tools...)
	if err != nil {
		return err
	}
	p.runner = &toolcall.Runner{Tools: set, Mode: guard.Full, Guard: guard.Func(p.judge), Approver: guard.ApproverFunc(p.approve),
		Limits: toolcall.Limits{Output: mostOutput, Calls: 1 << 20, Args: 1 << 30}, Hooks: hook.NewSet(
			hook.Hook{Name: "record", Event: hook.PreToolUse, Run: p.arguments},
			hook.Hook{Name: "record", Event: hook.PostToolUse, Run: p.result},
			hook.Hook{Name: "record", Event: hook.PostToolUseFailure, Run: p.result})}
	if p.runner.Root = record.Dir; p.runner.Root == "" {
		p.runner.Root = "/"
	}
	a := &agent.Agent{Model: p, Calls: p.runner, MaxTurns: 1 << 30}
	a.Compact.Off = true
	a.How.Terms = event.Terms{Model: record.Model, Mode: record.Mode, Dir: record.Dir}
	p.session = a.Start(agent.SessionOptions{ID: p.id, Journal: &p.journal})
	return nil
}

// mostOutput is how much of a recorded output is kept: all of it was kept before.
const mostOutput = 1 << 30

// play lets all acts happen again.
func (p *player) play(ctx context.Context) error {
	if p.start.Start != nil {
		p.journal.copy(p.start)
	}
	for len(p.acts) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		left := len(p.acts)
		next := p.acts[0]
		p.acts = p.acts[1:]
		switch {
		case next.Kind == event.Prompted && next.begins:
			if err := p.turn(ctx, next); err != nil {
				return err
			}
		case next.Kind == event.Called:
			if _, err := p.runner.Run(ctx, toolcall.Scope{ID: p.id, Journal: &p.journal}, []tool.Call{*next.Call}); err != nil {
				return err
			}
		default:
			if next.Kind != event.Stopped {
				p.copied++
			}
			p.journal.copy(next.Event)
		}
		if len(p.acts) >= left {
			return errors.New("the replay does not advance")
		}
	}
	return nil
}

// turn sends a recorded message.
func (p *player) turn(ctx context.Context, message act) error {
	parts, err := partsOf(message.Event)
	if err != nil {
		return err
	}
	ctx, p.stop = context.WithCancel(ctx)
	defer p.stop()
	p.give()
	for e, err := range p.session.Send(ctx, parts...) {
		if err != nil && e.Stop == event.Failed {
			return fmt.Errorf("session %s cannot be repeated: %w", p.id, err)
		}
	}
	return nil
}

func partsOf(e event.Event) ([]model.Part, error) {
	m := new(model.Message)
	if err := json.Unmarshal(e.Message, m); err != nil {
		return nil, fmt.Errorf("the message %d cannot be read: %w", e.Seq, err)
	}
	return m.Parts, nil
}

// give gives the session what came for the model before its next answer: messages of the program and of the user.
func (p *player) give() {
	for len(p.acts) > 0 {
		next := p.acts[0]
		switch {
		case next.Kind == event.Hinted:
			p.session.Queue().Hint(next.Text)
		case next.Kind == event.Prompted && !next.begins:
			parts, err := partsOf(next.Event)
			if err != nil || p.session.Steer(parts...) != nil {
				return
			}
		default:
			return
		}
		p.acts = p.acts[1:]
	}
}

// Info implements model.Model.
func (p *player) Info() model.Info {
	for _, a := range p.acts {
		if a.Kind == event.Responded && a.Request != nil {
			return infoOf(a.Request.Model)
		}
	}
	return model.Info{Provider: "recorded", Name: "session"}
}

// Stream implements model.Model: it gives the next recorded answer. Where the record has none, the turn ends.
func (p *player) Stream(ctx context.Context, _ *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		if len(p.acts) == 0 || p.acts[0].Kind != event.Responded || p.acts[0].Stop == event.Cancelled {
			p.interrupted()
			p.stop()
			yield(model.Chunk{}, context.Cause(ctx))
			return
		}
		answer := p.acts[0].Event
		p.acts = p.acts[1:]
		m := new(model.Message)
		if err := json.Unmarshal(answer.Message, m); err != nil {
			yield(model.Chunk{}, err)
			return
		}
		p.give()
		done := model.Chunk{Kind: model.Done, Message: m, Stop: model.StopEnd}
		if answer.Usage != nil {
			done.Usage = *answer.Usage
		}
		switch {
		case len(m.Calls()) > 0:
			done.Stop = model.StopCalls
		case len(p.acts) > 0 && p.acts[0].Kind == event.Responded:
			done.Stop = model.StopPause // the model was asked again
		}
		if yield(model.Chunk{Kind: model.TextChunk, Text: m.Text()}, nil) {
			yield(done, nil)
		}
	}
}

// interrupted takes an answer that the user interrupted from the record.
func (p *player) interrupted() {
	if len(p.acts) > 0 && p.acts[0].Kind == event.Responded {
		p.journal.copy(p.acts[0].Event)
		p.acts = p.acts[1:]
	}
}

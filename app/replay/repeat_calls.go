package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"rein/event"
	"rein/guard"
	"rein/hook"
	"rein/model"
	"rein/tool"
	"rein/toolcall"
)

// infoOf is the model of a reference.
func infoOf(ref string) model.Info {
	provider, name, _ := strings.Cut(ref, "/")
	return model.Info{Provider: provider, Name: name}
}

// intent returns the intent of a tool: a call that was not understood then is not understood now.
func (p *player) intent(name string) func(json.RawMessage) (tool.Intent, error) {
	return func(args json.RawMessage) (tool.Intent, error) {
		if r := p.invalid[name+canonical(args)]; r != nil {
			return tool.Intent{}, &tool.Error{Kind: r.Kind, Text: r.Text}
		}
		return p.intents[name+canonical(args)].Clone(), nil
	}
}

// arguments gives a call the arguments with which it ran: the schema, a hook or a person may have changed them.
func (p *player) arguments(_ context.Context, in hook.Input) (out hook.Output, err error) {
	if c := p.calls[in.Call]; c != nil && len(c.Args) > 0 && !bytes.Equal(c.Args, in.Args) {
		out.Args = c.Args
	}
	return out, nil
}

// result gives a call the text of its recorded result.
func (p *player) result(_ context.Context, in hook.Input) (out hook.Output, err error) {
	if c := p.calls[in.Call]; c != nil && c.Result != nil {
		out.Result = &c.Result.Text
	}
	return out, nil
}

// judge gives a call the verdict that it had. A call that the record does not have is denied.
func (p *player) judge(_ context.Context, is guard.Case) guard.Verdict {
	c := p.calls[is.Call.ID]
	if c == nil || c.Name != is.Call.Name {
		return guard.Verdict{Decision: guard.Deny, Guard: "record", Reason: "the recorded session did not make this call"}
	}
	v := guard.Verdict{Guard: "record", Rules: c.Rules, Reason: c.Reason}
	switch c.Decision {
	case Denied:
		v.Decision = guard.Deny
	case Approved, Refused, Unanswered:
		v.Decision = guard.Ask
	case Open:
		if v.Decision = guard.Ask; c.asked == nil {
			v.Decision = guard.Allow
		}
	}
	if c.Result != nil && v.Decision != guard.Allow {
		_, v.Hint, _ = strings.Cut(c.Result.Text, "\n")
	}
	return v
}

// approve gives the answer that was given.
func (p *player) approve(_ context.Context, is guard.Case, _ guard.Verdict) (guard.Answer, error) {
	c := p.calls[is.Call.ID]
	switch {
	case c == nil || c.Decision == Open:
		return guard.Answer{Choice: guard.Later}, nil
	case c.Decision == Unanswered:
		answer := guard.Answer{By: guard.ByNobody()}
		if c.answer != nil {
			answer = toolcall.AnswerOf(c.answer)
		}
		return answer, guard.ErrNobody
	case c.answer == nil:
		return guard.Answer{Choice: guard.Denied}, nil
	}
	answer := toolcall.AnswerOf(c.answer)
	if c.Decision == Refused {
		answer.Choice = guard.Denied
	}
	return answer, nil
}

// run gives a call the result that it had, after the calls that it made and the sub-agents that it started.
func (p *player) run(ctx context.Context, _ json.RawMessage, reply *tool.Reply) error {
	c := p.calls[reply.Call()]
	if c == nil {
		return fmt.Errorf("call %s is not recorded", reply.Call())
	}
	if err := p.inner(ctx, c, reply); err != nil {
		return err
	}
	for _, e := range p.effects[c.ID] {
		p.journal.copy(e)
		if e.Kind == event.SubAgentStarted && e.Child != "" && p.depth < mostDepth {
			if err := p.subAgent(ctx, e.Child); err != nil {
				return err
			}
		}
	}
	if c.Result == nil {
		return &tool.Error{Kind: tool.Waiting, Text: "The record has no result."}
	}
	for _, part := range c.Result.Parts {
		if err := reply.Attach(part); err != nil {
			return err
		}
	}
	if len(c.Result.Detail) > 0 {
		reply.Show(c.Result.Detail)
	}
	if c.Result.Failed {
		return &tool.Error{Kind: c.Result.Kind, Text: "recorded"}
	}
	return nil
}

// inner makes the calls that a call made, one after the other: their order is that of the record.
func (p *player) inner(ctx context.Context, outer *Call, reply *tool.Reply) error {
	for n := 1; ; n++ {
		c := p.calls[fmt.Sprintf("%s-%d", outer.ID, n)]
		if c == nil || c.Within != outer.ID {
			return nil
		}
		if _, err := reply.Run(ctx, []tool.Call{{Name: c.Name, Args: c.Args}}); err != nil {
			return err
		}
	}
}

// subAgent repeats the session of a sub-agent. One whose journal is gone is left out.
func (p *player) subAgent(ctx context.Context, id string) error {
	p.mu.Lock()
	_, done := p.children[id]
	if !done {
		p.children[id] = []event.Event{}
	}
	p.mu.Unlock()
	if done {
		return nil
	}
	for _, err := range p.recorded(id) {
		if err != nil {
			return nil
		}
		break
	}
	child, err := repeat(ctx, id, p.recorded, p.schemas, p.depth+1)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.copied += child.copied
	p.children[id] = child.journal.events
	maps.Copy(p.children, child.children)
	return nil
}

package dialect

import (
	"encoding/json"
	"strings"
)

// parallel is the tool that GPT models make up to call several at once.
const parallel = "multi_tool_use.parallel"

// native repairs the calls that arrived as calls. A draft of them in the text is hidden, and fills one that came empty.
func (b *recoveryTools) native(t RecoveredTurn) Outcome {
	out := Outcome{Show: t.Text}
	for _, c := range t.Native {
		if c.Name == parallel && !b.known(parallel) {
			if calls, ok := b.unpack(c); ok {
				out.Calls, out.Changed = append(out.Calls, calls...), true
				out.Notes = append(out.Notes, parallel+" was read as the calls in it")
				continue
			}
		}
		c = b.repair(c, &out)
		if t.Cut && !json.Valid([]byte(c.Args)) {
			c.Runs = false
			out.Notes = append(out.Notes, "the call of "+c.Name+" was cut at the token limit: send less at once")
		}
		out.Calls = append(out.Calls, c)
	}
	if !t.Cut {
		b.draft(t, &out)
	}
	return out
}

// repair takes the marks off a call's name and decodes arguments that were encoded twice.
func (b *recoveryTools) repair(c RecoveredCall, out *Outcome) RecoveredCall {
	name, ok := b.name(c.Name)
	if c.Runs = ok; ok && name != c.Name {
		out.Notes = append(out.Notes, "the name "+c.Name+" was read as "+name)
		c.Name, out.Changed = name, true
	}
	if args, ok := argumentsObject(c.Args); ok && string(args) != strings.TrimSpace(c.Args) {
		if strings.TrimSpace(c.Args) != "" {
			out.Notes = append(out.Notes, "the arguments of "+c.Name+" were encoded twice")
		}
		c.Args, out.Changed = string(args), true
	}
	return c
}

// unpack returns the calls inside a parallel call.
func (b *recoveryTools) unpack(c RecoveredCall) ([]RecoveredCall, bool) {
	args, ok := argumentsObject(c.Args)
	var uses struct {
		ToolUses []struct {
			Name       string          `json:"recipient_name"`
			Parameters json.RawMessage `json:"parameters"`
		} `json:"tool_uses"`
	}
	if !ok || json.Unmarshal(args, &uses) != nil || len(uses.ToolUses) == 0 {
		return nil, false
	}
	var calls []RecoveredCall
	for _, u := range uses.ToolUses {
		name, known := b.name(u.Name)
		if !known {
			name = u.Name
		}
		inner, ok := argumentsObject(string(u.Parameters))
		if !ok {
			return nil, false
		}
		calls = append(calls, RecoveredCall{Name: name, Args: string(inner), Runs: known})
	}
	return calls, true
}

// draft deals with calls in the text beside native ones: they are drafts of these, never calls of their own.
func (b *recoveryTools) draft(t RecoveredTurn, out *Outcome) {
	l, ok := b.leak(t)
	if !ok {
		return
	}
	for _, d := range l.calls {
		k := b.drafted(d, out.Calls)
		if k < 0 {
			return // it is a draft of none of them: the text stays as it is
		}
		c := &out.Calls[k]
		if strings.TrimSpace(c.Args) == "{}" && d.Args != "{}" {
			c.Args = d.Args
			out.Notes = append(out.Notes, "the arguments of "+c.Name+" came in the text")
		}
	}
	out.Show, out.Changed = l.show, true
}

// drafted finds the native call that a draft is of.
func (b *recoveryTools) drafted(d RecoveredCall, calls []RecoveredCall) int {
	for k, c := range calls {
		if c.Name == d.Name {
			return k
		}
	}
	return -1
}

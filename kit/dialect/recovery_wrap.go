package dialect

import (
	"context"
	"iter"

	"rein/model"
)

// WrapRecovery returns a model whose leaked and damaged calls are recovered when an answer is whole. It belongs after every provider,
// also those with calls of their own. The stream is passed on as it comes. When a call is found in the text, the answer
// restarts without it. The kept message has it as a call, so that the model does not imitate the leak.
func WrapRecovery(m model.Model) model.Model { return &recovered{m} }

type recovered struct{ model.Model }

// Stream implements model.Model.
func (r *recovered) Stream(ctx context.Context, q *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		for c, err := range r.Model.Stream(ctx, q) {
			if err == nil && c.Kind == model.Done && c.Message != nil {
				finish(q, c, yield)
				return
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

// finish yields the end of an answer, with its calls recovered.
func finish(q *model.Request, c model.Chunk, yield func(model.Chunk, error) bool) {
	t := turn(q, c)
	out := Recover(t)
	if !out.Changed {
		if out.Plain {
			c.Stop = model.StopEnd
		}
		if out.Quoted && !yield(model.Chunk{Kind: model.Notice, Text: out.Notes[0]}, nil) {
			return
		}
		yield(c, nil)
		return
	}
	for _, note := range out.Notes {
		if !yield(model.Chunk{Kind: model.Notice, Text: note}, nil) {
			return
		}
	}
	d := &model.Draft{}
	var chunks []model.Chunk
	for _, p := range c.Message.Parts {
		if p.Kind == model.ThinkingKind {
			chunks = append(chunks, d.Thinking([]byte(p.Text)))
			d.Sign(p.Signature)
		}
	}
	if out.Show != "" {
		chunks = append(chunks, d.Text([]byte(out.Show)))
	}
	for _, call := range out.Calls {
		start := d.Start(call.ID, call.Name)
		chunks = append(chunks, start, d.Args(start.Call, []byte(call.Args)), d.End(start.Call))
	}
	if out.Show != t.Text || len(out.Calls) != len(t.Native) {
		chunks = append([]model.Chunk{{Kind: model.Restart, Text: "the text held a call"}}, chunks...)
		for _, chunk := range chunks {
			if !yield(chunk, nil) {
				return
			}
		}
	}
	yield(ended(d, c), nil)
}

// ended returns the last chunk of an answer that was changed. Calls keep the ids and marks that they had.
func ended(d *model.Draft, c model.Chunk) model.Chunk {
	stop := c.Stop
	if stop == model.StopMalformed || stop == model.StopEnd {
		stop = model.StopCalls
	}
	done := d.Done(c.Message.From, stop, c.Usage, nil)
	done.Retries = c.Retries
	arrived, now := c.Message.Calls(), done.Message.Calls()
	if len(arrived) != len(now) {
		return done
	}
	at := 0
	for i := range done.Message.Parts {
		if p := &done.Message.Parts[i]; p.Kind == model.CallKind {
			p.ID, p.ProviderID, p.Truncated = arrived[at].ID, arrived[at].ProviderID, arrived[at].Truncated
			at++
		}
	}
	return done
}

// turn returns what a request and the last chunk of its answer hold of the turn. Tools that must not be called were not offered.
func turn(q *model.Request, c model.Chunk) RecoveredTurn {
	t := RecoveredTurn{Text: c.Message.Text(), Cut: c.Stop == model.StopLength, Failed: c.Stop == model.StopMalformed}
	for _, spec := range q.Tools {
		if q.Choice == "none" {
			break
		}
		t.Tools = append(t.Tools, Tool{Name: spec.Name, Description: spec.Description, Parameters: spec.Schema})
	}
	for _, p := range c.Message.Calls() {
		t.Native = append(t.Native, RecoveredCall{ID: p.ProviderID, Name: p.Name, Args: p.Args})
	}
	if t.Text != "" { // else nothing in it can be a quotation
		t.Seen = seen(q)
	}
	return t
}

// seen is what the model has read.
func seen(q *model.Request) []string {
	all := []string{q.System}
	for _, m := range q.Messages {
		if m.Role == model.Assistant {
			continue
		}
		for _, p := range m.Parts {
			all = append(all, p.Text, string(p.Data))
		}
	}
	return all
}

package event

import "slices"

// Clone returns a copy that shares nothing with the event: who gets it may change it.
func (e Event) Clone() Event {
	e.Message, e.Blobs = slices.Clone(e.Message), slices.Clone(e.Blobs)
	e.Grant, e.Request, e.Usage, e.Origin, e.Hook, e.Review = own(e.Grant), own(e.Request), own(e.Usage), own(e.Origin), own(e.Hook), own(e.Review)
	e.Call, e.Intent, e.Result = cloned(e.Call), cloned(e.Intent), cloned(e.Result)
	if e.Verdict = own(e.Verdict); e.Verdict != nil {
		e.Verdict.Rules, e.Verdict.Effects = slices.Clone(e.Verdict.Rules), slices.Clone(e.Verdict.Effects)
	}
	if e.Answer = own(e.Answer); e.Answer != nil {
		e.Answer.Chosen = e.Answer.Chosen.Clone()
	}
	if e.SubAgent = own(e.SubAgent); e.SubAgent != nil {
		e.SubAgent.Tools, e.SubAgent.Schema = slices.Clone(e.SubAgent.Tools), slices.Clone(e.SubAgent.Schema)
	}
	if e.Start = own(e.Start); e.Start != nil {
		for _, list := range []*[]string{&e.Start.Tools, &e.Start.AddDirs, &e.Start.Allow, &e.Start.Ask, &e.Start.Deny, &e.Start.Only, &e.Start.Fallback, &e.Start.Offer, &e.Start.MCPConfig} {
			*list = slices.Clone(*list)
		}
	}
	if e.Compaction = own(e.Compaction); e.Compaction != nil {
		e.Compaction.References = slices.Clone(e.Compaction.References)
	}
	if f := own(e.Files); f != nil {
		f.Changes, f.Uncovered, f.Steps, e.Files = slices.Clone(f.Changes), slices.Clone(f.Uncovered), slices.Clone(f.Steps), f
	}
	if e.Tools = slices.Clone(e.Tools); e.Tools != nil {
		for i := range e.Tools {
			e.Tools[i].Schema = slices.Clone(e.Tools[i].Schema)
		}
	}
	return e
}

func own[T any](p *T) *T {
	if p == nil {
		return nil
	}
	c := *p
	return &c
}

func cloned[T interface{ Clone() T }](p *T) *T {
	if p == nil {
		return nil
	}
	c := (*p).Clone()
	return &c
}

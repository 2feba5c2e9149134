package event

import "slices"

// Clone returns a copy that shares nothing with the event: who gets it may change it.
func (e Event) Clone() Event {
	e.Message = slices.Clone(e.Message)
	ownLists(&e.Blobs)
	e.Grant, e.Request, e.Usage, e.Origin, e.Hook, e.Review = own(e.Grant), own(e.Request), own(e.Usage), own(e.Origin), own(e.Hook), own(e.Review)
	e.Call, e.Intent, e.Result = cloned(e.Call), cloned(e.Intent), cloned(e.Result)
	if e.Verdict = own(e.Verdict); e.Verdict != nil {
		ownLists(&e.Verdict.Rules, &e.Verdict.Effects)
	}
	if e.Answer = own(e.Answer); e.Answer != nil {
		e.Answer.Chosen = e.Answer.Chosen.Clone()
	}
	if e.SubAgent = own(e.SubAgent); e.SubAgent != nil {
		e.SubAgent.Schema = slices.Clone(e.SubAgent.Schema)
		ownLists(&e.SubAgent.Tools)
	}
	if e.Start = own(e.Start); e.Start != nil {
		ownLists(&e.Start.Tools, &e.Start.AddDirs, &e.Start.Allow, &e.Start.Ask, &e.Start.Deny, &e.Start.Only, &e.Start.Fallback, &e.Start.Offer, &e.Start.MCPConfig)
	}
	if e.Compaction = own(e.Compaction); e.Compaction != nil {
		e.Compaction.References = slices.Clone(e.Compaction.References)
	}
	if f := own(e.Files); f != nil {
		f.Changes, e.Files = slices.Clone(f.Changes), f
		ownLists(&f.Uncovered, &f.Steps)
	}
	e.Tools = slices.Clone(e.Tools)
	for i := range e.Tools {
		e.Tools[i].Schema = slices.Clone(e.Tools[i].Schema)
	}
	return e
}

func ownLists(lists ...*[]string) {
	for _, list := range lists {
		*list = slices.Clone(*list)
	}
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

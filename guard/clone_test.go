package guard

import (
	"context"
	"testing"

	"rein/guard/effect"
	"rein/tool"
)

// writing is a guard that writes into what it gets.
type writing struct{}

func (writing) write(c Case) {
	copy(c.Call.Args, `{"a":2}`)
	c.Intent.Writes[0], c.Report.Parts[0].Words[0] = "other", "other"
}

func (w writing) Judge(_ context.Context, c Case) Verdict { w.write(c); return Verdict{} }
func (writing) Prompted(string)                           {}
func (w writing) Granted(c Case, a Answer)                { w.write(c); a.Chosen.Answers[0].Text = "other" }
func (w writing) Refused(c Case, a Answer)                { w.write(c); a.Chosen.Answers[0].Text = "other" }
func (w writing) Ran(c Case, r tool.Result) string        { w.write(c); r.Notes[0] = "other"; return "" }

// TestGuardsShareNothing has a guard that writes among others: they see the case as it is.
func TestGuardsShareNothing(t *testing.T) {
	is := Case{Call: tool.Call{Args: []byte(`{"a":1}`)}, Intent: tool.Intent{Writes: []string{"a"}}, Report: &effect.Report{Parts: []effect.Part{{Words: []string{"rm"}}}}}
	answer := Answer{Chosen: &tool.Chosen{Answers: []tool.Answer{{Text: "blue"}}}}
	result := tool.Result{Notes: []string{"note"}}
	check := func(c Case) {
		if string(c.Call.Args) != `{"a":1}` || c.Intent.Writes[0] != "a" || c.Report.Parts[0].Words[0] != "rm" || answer.Chosen.Answers[0].Text != "blue" || result.Notes[0] != "note" {
			t.Errorf("a guard sees what another one wrote: %+v", c)
		}
	}
	all := All{Guards: []Guard{writing{}, Func(func(_ context.Context, c Case) Verdict { check(c); return Verdict{} })}}
	all.Judge(t.Context(), is)
	all.Granted(is, answer)
	all.Refused(is, answer)
	all.Ran(is, result)
	asked := ApproverFunc(func(_ context.Context, c Case, _ Verdict) (Answer, error) {
		writing{}.write(c)
		return Answer{Choice: Abstain}, nil
	})
	for _, approver := range []Approver{Approvers{asked, asked}, Anyone{asked, asked}} {
		approver.Approve(t.Context(), is, Verdict{})
	}
	check(is)
}

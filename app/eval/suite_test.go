package eval

import (
	"context"
	"hash/fnv"
	"iter"
	"slices"
	"testing"

	"rein/kit/script"
	"rein/model"
)

// The scripts of the suite pass all of its cases.
func TestTheSuitePasses(t *testing.T) {
	cases, err := Suite()
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) < 60 {
		t.Errorf("the suite has %d cases", len(cases))
	}
	if testing.Short() { // each case starts a session
		cases = slices.DeleteFunc(cases, func(c *Case) bool { return len(c.Name)%4 != 0 })
	}
	for _, a := range run(t, testOptions(t, cases)).Attempts {
		if a.Status != Passed && a.Status != Skipped {
			t.Errorf("%s: %s: %s", a.Case, a.Status, a.Why())
		}
	}
}

// weaker is a model that gives up in a share of the attempts, always the same ones: it says that it is done, and has done nothing more.
type weaker struct {
	model.Model
	gives bool // up
	after int  // so many answers
}

func (w *weaker) Stream(ctx context.Context, r *model.Request) iter.Seq2[model.Chunk, error] {
	if asked := script.AskedOf(r); w.gives && asked.Turn >= w.after {
		done := &script.Script{Turns: []script.Turn{{Text: "Done.", Repeat: 1000}}}
		return (&script.Model{Script: done, Name: "weaker"}).Stream(ctx, r)
	}
	return w.Model.Stream(ctx, r)
}

// quality makes a model that gives up in a share of the attempts at a case.
func quality(share float64, after int) func(*Case, int) model.Model {
	return func(c *Case, n int) model.Model {
		h := fnv.New32a()
		h.Write([]byte(c.Name))
		h.Write([]byte{byte(n)})
		return &weaker{&script.Model{Script: c.Script, Name: "weaker"}, float64(h.Sum32()%1000) < 1000*share, after}
	}
}

// Four models of different quality do a part of the suite. The numbers move as they should: better models pass more, at every k, the intervals
// of the best and the worst do not meet, a comparison sees a large difference and not a small one, and what gives up early is cheap.
func TestNumbersMoveWithQuality(t *testing.T) {
	all, err := Suite()
	if err != nil {
		t.Fatal(err)
	}
	var part []*Case
	each := 4
	if testing.Short() {
		each = 8
	}
	for i, c := range all {
		if i%each == 0 && len(c.Needs) == 0 {
			part = append(part, c)
		}
	}
	const runs = 3
	var results []*Results
	for _, m := range []func(*Case, int) model.Model{quality(0, 0), quality(0.2, 1), quality(0.6, 1), quality(1, 0)} {
		o := testOptions(t, part)
		o.Runs, o.Model = runs, m
		results = append(results, run(t, o))
	}
	var last Summary
	for i, r := range results {
		s := r.Summaries()[0]
		t.Logf("model %d: passes %s (%s), pass@3 %s, pass^3 %s, tokens %.0f", i, percent(s.Pass.Value), s.Pass.range100(), percent(s.PassAt[2].Value), percent(s.PassAll[2].Value), s.Tokens.Value)
		if s.PassAt[2].Value < s.Pass.Value || s.PassAll[2].Value > s.Pass.Value {
			t.Errorf("model %d: pass^3, the share and pass@3 are %v, %v, %v", i, s.PassAll[2].Value, s.Pass.Value, s.PassAt[2].Value)
		}
		if i > 0 {
			for k := range runs {
				if s.PassAt[k].Value > last.PassAt[k].Value || s.PassAll[k].Value > last.PassAll[k].Value {
					t.Errorf("model %d is better than model %d at k = %d", i, i-1, k+1)
				}
			}
			if s.Pass.Value >= last.Pass.Value || s.Tokens.Value >= last.Tokens.Value {
				t.Errorf("model %d passes %v with %v tokens, model %d %v with %v", i, s.Pass.Value, s.Tokens.Value, i-1, last.Pass.Value, last.Tokens.Value)
			}
		}
		last = s
	}
	best, worst := results[0].Summaries()[0], last
	if best.Pass.Value != 1 || worst.Pass.Value != 0 || best.Pass.Low <= worst.Pass.High {
		t.Errorf("the best passes %+v, the worst %+v", best.Pass, worst.Pass)
	}
	if c := Compare(results[0], results[2]); !c.Worsened() || c.Pass.High >= 0 {
		t.Errorf("a large difference: %+v", c)
	}
	if c := Compare(results[2], results[0]); c.Verdict() != "better" {
		t.Errorf("the other way round: %+v", c)
	}
	if c := Compare(results[0], results[0]); c.Worsened() || c.P != 1 {
		t.Errorf("with itself: %+v", c)
	}
}

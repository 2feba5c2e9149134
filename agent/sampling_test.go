package agent

import (
	"encoding/json"
	"testing"

	"rein/model"
)

// TestSamplingReachesTheModel: what an agent sets is in each of its requests, and in those of a sub-agent that has no model of its own.
func TestSamplingReachesTheModel(t *testing.T) {
	cold, seed := 0.2, int64(7)
	f := newFixture(t, says("hello"))
	f.Sampling = model.Sampling{Temperature: &cold}
	if _, _, err := drain(t, f.start().Send(t.Context(), model.Text("go"))); err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		has  model.Sampling
		want string
	}{
		"the agent":              {f.model.asked[0].Sampling, `{"temperature":0.2}`},
		"a sub-agent":            {f.Agent.narrow(Narrowing{Sampling: model.Sampling{Seed: &seed}}, Place{}).Sampling, `{"temperature":0.2,"seed":7}`},
		"one with its own model": {f.Agent.narrow(Narrowing{Model: f.model, Sampling: model.Sampling{Seed: &seed}}, Place{}).Sampling, `{"seed":7}`},
	} {
		if got, _ := json.Marshal(row.has); string(got) != row.want {
			t.Errorf("%s: %s, want %s", name, got, row.want)
		}
	}
}

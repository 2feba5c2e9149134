package catalog

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"

	"rein/model"
)

// TestTheListIsWhole decodes every model of the list and checks that its numbers can be used.
func TestTheListIsWhole(t *testing.T) {
	n := 0
	for provider, models := range whole(t) {
		if len(Of(provider)) != len(models.Models) {
			t.Errorf("%s has %d models, and %d are found", provider, len(models.Models), len(Of(provider)))
		}
		for id, raw := range models.Models {
			if found := lookUp(section(provider), id); !bytes.Equal(found, raw) {
				t.Errorf("%s/%s: found %s", provider, id, found)
			}
			var m Model
			if err := json.Unmarshal(raw, &m); err != nil {
				t.Errorf("%s/%s: %v", provider, id, err)
			}
			if m.Limit.Context < 0 || m.Limit.Output < 0 || m.Cost != nil && (m.Cost.Input < 0 || m.Cost.Output < 0) {
				t.Errorf("%s/%s has numbers below zero: %s", provider, id, raw)
			}
			n++
		}
	}
	if n < 400 || len(embedded) > 128<<10 {
		t.Errorf("%d models in %d bytes", n, len(embedded))
	}
}

func TestFind(t *testing.T) {
	rows := []struct {
		provider, id string
		context      int
		source       Source
		priced       bool
	}{
		{"anthropic", "claude-sonnet-4-5", 200_000, Listed, true},
		{"anthropic", "claude-sonnet-4-5-20250929", 200_000, Listed, true},
		{"openai", "gpt-5-2025-08-07", 400_000, Listed, true},
		{"openai-responses", "gpt-5", 400_000, Listed, true},
		{"gemini", "gemini-2.5-pro", 1_048_576, Listed, true},
		{"gemini", "models/gemini-2.5-pro", 1_048_576, Listed, true},
		{"openrouter", "openai/gpt-5:online", 400_000, Listed, true},
		{"compatible", "anthropic/claude-sonnet-4-5@20250929", 200_000, Similar, false},
		{"vllm", "openai/gpt-oss-120b", 131_072, Similar, false},
	}
	for _, row := range rows {
		m, ok := Find(row.provider, row.id)
		if !ok || m.Limit.Context != row.context || m.Source != row.source || (m.Cost != nil) != row.priced {
			t.Errorf("%s/%s: %v, %+v", row.provider, row.id, ok, m)
		}
		if m.Provider != row.provider || m.ID != row.id {
			t.Errorf("%s/%s is named %s/%s", row.provider, row.id, m.Provider, m.ID)
		}
	}
	for _, id := range []string{"", "-latest", "no-such-model", ":x", "@", "20250929"} {
		if m, ok := Find("anthropic", id); ok {
			t.Errorf("%q is found: %+v", id, m)
		}
	}
}

func TestPrice(t *testing.T) {
	m, _ := Find("gemini", "gemini-2.5-pro")
	claude, _ := Find("anthropic", "claude-sonnet-4-5")
	rows := []struct {
		cost  *Cost
		usage model.Usage
		want  float64
	}{
		{nil, model.Usage{Input: 1e6}, 0},
		{claude.Cost, model.Usage{Input: 100_000, CacheRead: 80_000, CacheWrite: 10_000, Output: 1000}, 0.03 + 0.024 + 0.0375 + 0.015},
		{m.Cost, model.Usage{Input: 200_000, Output: 1000}, 0.25 + 0.01},
		{m.Cost, model.Usage{Input: 200_001, CacheRead: 200_001, Output: 1000}, 0.05 + 0.015},
		{&Cost{Input: 2}, model.Usage{Input: 10, CacheRead: 20}, 40e-6},
	}
	for i, row := range rows {
		if got := row.cost.Price(row.usage); math.Abs(got-row.want) > 1e-6 {
			t.Errorf("row %d: %v, want %v", i, got, row.want)
		}
	}
}

func TestWithKeepsWhatIsNotKnown(t *testing.T) {
	m, _ := Find("anthropic", "claude-sonnet-4-5")
	got := m.With(Model{Limit: Limit{Context: 50_000}, Source: Settings})
	if got.Limit.Context != 50_000 || got.Limit.Output != 50_000 || got.Cost == nil || got.Source != Settings || got.TextOnly() {
		t.Errorf("got %+v", got)
	}
	if !Assume("x", "y").TextOnly() || (Model{}).TextOnly() {
		t.Error("an assumed model reads text only; of one without facts that is not known")
	}
}

func BenchmarkFind(b *testing.B) {
	for b.Loop() {
		Find("openrouter", "openai/gpt-5")
	}
}

// whole decodes the list as JSON.
func whole(t *testing.T) (all map[string]struct {
	Models map[string]json.RawMessage `json:"models"`
}) {
	t.Helper()
	if err := json.Unmarshal(embedded, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

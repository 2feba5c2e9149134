package agent_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"rein/agent"
	"rein/event"
	"rein/guard"
)

func TestAskHasNoAnswer(t *testing.T) {
	const writes = "- calls: [{name: write_card, args: {name: Ada}}]\n- text: I could not."
	later := guard.ApproverFunc(func(context.Context, guard.Case, guard.Verdict) (guard.Answer, error) {
		return guard.Answer{Choice: guard.Later}, nil
	})
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	short := newAgent("- calls: [{name: count}]\n- text: never asked for", nil)
	short.MaxTurns = 1
	for name, c := range map[string]struct {
		ctx  context.Context
		a    *agent.Agent
		stop event.Stop
		text string
	}{
		"nobody approves": {t.Context(), newAgent(writes, nil), event.Denied, "I could not."},
		"approved later":  {t.Context(), newAgent(writes, later), event.Waiting, "waiting for an approval"},
		"cancelled":       {cancelled, newAgent("- text: hello", nil), event.Cancelled, "canceled"},
		"too many turns":  {t.Context(), short, event.MaxTurns, "max_turns"},
		"no more turns":   {t.Context(), newAgent("- calls: [{name: count}]", nil), event.Failed, "turn"},
	} {
		text, err := agent.Ask(c.ctx, c.a, "Write a card.")
		no, ok := errors.AsType[*agent.NoAnswer](err)
		if !ok || no.Stop != c.stop || !strings.Contains(err.Error(), c.text) || text != "" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
		if c.stop == event.Cancelled && !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v is not context.Canceled", name, err)
		}
	}
}

func TestAskForATypedAnswer(t *testing.T) {
	type card struct {
		To    string `json:"to"`
		Count int    `json:"count" minimum:"1"`
	}
	a := newAgent("- text: One card to Ada.\n- text: '{\"to\":\"Ada\",\"count\":1}'", nil)
	got, err := agent.AskFor[card](t.Context(), a, "What did you write?")
	if err != nil || got != (card{"Ada", 1}) {
		t.Errorf("%v, %v", got, err)
	}
	if a.Output != nil {
		t.Error("the agent itself wants typed answers now")
	}
	number, err := agent.AskFor[int](t.Context(), newAgent("- text: '{\"answer\": 3}'", nil), "How many?")
	if err != nil || number != 3 {
		t.Errorf("%v, %v", number, err)
	}
	_, err = agent.AskFor[card](t.Context(), newAgent("- text: '{\"to\":\"Ada\",\"count\":0}'\n- text: the same", nil), "How many?")
	if no, ok := errors.AsType[*agent.NoAnswer](err); !ok || no.Stop != event.Failed || !strings.Contains(err.Error(), "JSON schema") {
		t.Errorf("an answer that does not fit: %v", err)
	}
	if _, err := agent.AskFor[chan int](t.Context(), a, "A channel?"); err == nil {
		t.Error("a type without a schema is accepted")
	}
}

package harness

import (
	"context"
	"strings"
	"testing"

	"rein/event"
	"rein/guard"
	"rein/model"
	"rein/tool"
)

// TestAnEmbedderGivesToolsGuardsAndModels: what it gives is in each session, and passes the checks that all calls pass.
func TestAnEmbedderGivesToolsGuardsAndModels(t *testing.T) {
	t.Setenv("REIN_HOME", t.TempDir())
	ran := 0
	count := tool.New("count_cards", "Count the cards.", tool.Writes, func(_ context.Context, in struct {
		Deck string `json:"deck"`
	}, r *tool.Reply) error {
		ran++
		_, err := r.WriteString("52 in " + in.Deck)
		return err
	})
	denies := guard.Func(func(_ context.Context, c guard.Case) guard.Verdict {
		if strings.Contains(string(c.Call.Args), "marked") {
			return guard.Verdict{Decision: guard.Deny, Reason: "the deck is marked"}
		}
		return guard.Verdict{}
	})
	const lines = `turns:
  - calls: [{name: count_cards, args: {deck: red}}, {name: count_cards, args: {deck: marked}}]
  - expect: {contains: the deck is marked}
    text: done
`
	h, err := Open(t.Context(), Options{Dir: t.TempDir(), Terms: event.Terms{Sandbox: "off", Model: "mine/cards", Mode: "full"}, Tools: []*tool.Tool{count}, Guards: []guard.Guard{denies},
		Models: map[string]model.Model{"mine/cards": scripted(t, lines)}})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close(context.Background())
	s, err := h.Start(t.Context(), NewSession{})
	if err != nil {
		t.Fatal(err)
	}
	if last := say(t, s, "count"); last.Stop != event.Done || ran != 1 {
		t.Errorf("ran %d times: %+v", ran, last)
	}
	if _, err := Open(t.Context(), Options{Dir: t.TempDir(), Terms: event.Terms{Sandbox: "off", Model: "mine/other"}, Models: map[string]model.Model{"mine/cards": scripted(t, lines)}}); err == nil {
		t.Error("a model that nobody gives is taken")
	}
}

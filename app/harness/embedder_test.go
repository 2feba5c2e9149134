package harness

import (
	"context"
	"slices"
	"strings"
	"testing"

	"rein/agent"
	"rein/app/extend"
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

// TestAnEmbedderGivesAgentsAndServers: as values; a wrong one is an error, and an entry of the settings is stronger.
func TestAnEmbedderGivesAgentsAndServers(t *testing.T) {
	t.Setenv("REIN_HOME", t.TempDir())
	counter := agent.Definition{About: agent.About{Name: "counter", Description: "Counts cards."}, Prompt: "Count."}
	open := func(o Options) (*Harness, error) {
		o.Dir, o.Terms = t.TempDir(), event.Terms{Sandbox: "off", Model: "mine/cards"}
		o.Models = map[string]model.Model{"mine/cards": scripted(t, "turns: [{text: hi}]")}
		return Open(t.Context(), o)
	}
	h, err := open(Options{Agents: []agent.Definition{counter}, MCPServers: []ToolServer{{Name: "cards", Command: "cards-server", Args: []string{"--deck"}, Network: []string{"localhost:9999"}}}})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close(context.Background())
	all, err := h.Agents()
	if i := slices.IndexFunc(all, func(a extend.AgentFile) bool { return a.Name == "counter" }); err != nil || i < 0 || !all[i].Counts() || all[i].Prompt != "Count." {
		t.Errorf("the agents: %+v, %v", all, err)
	}
	s, err := h.Start(t.Context(), NewSession{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.Background())
	if all := s.ToolServers().o.Entries; len(all) != 1 || all[0].Name != "cards" || all[0].Args[0] != "--deck" || all[0].Network[0] != "localhost:9999" {
		t.Errorf("the tool servers: %+v", all)
	}
	for what, o := range map[string]Options{
		"an agent without a name": {Agents: []agent.Definition{{Prompt: "x"}}}, "a server without a name": {MCPServers: []ToolServer{{Command: "x"}}},
		"two servers of one name": {MCPServers: []ToolServer{{Name: "a", Command: "x"}, {Name: "a", Command: "y"}}},
	} {
		h, err := open(o)
		if err == nil {
			_, err = h.Start(t.Context(), NewSession{})
			h.Close(context.Background())
		}
		if err == nil {
			t.Errorf("%s is taken", what)
		}
	}
}

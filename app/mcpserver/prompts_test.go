package mcpserver

import (
	"context"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestPrompts lends skills and command files, with arguments by name and by position.
func TestPrompts(t *testing.T) {
	l := lendWith(t, -1, map[string]string{
		"skills/greet/SKILL.md": "---\nname: greet\ndescription: greets two\narguments: [first, second]\n---\nHello $first and $second.",
		"commands/review.md":    "---\ndescription: reviews\nargument-hint: what\n---\nReview $ARGUMENTS.",
	})
	c := l.connect(t, "2025-11-25", nil)
	all, err := c.ListPrompts(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range all.Prompts {
		line := p.Name + ":" + p.Description
		for _, a := range p.Arguments {
			line += " " + a.Name
		}
		names = append(names, line)
	}
	if got, want := strings.Join(names, ", "), "greet:greets two first second, review:reviews arguments"; got != want {
		t.Errorf("prompts: %s, want %s", got, want)
	}
	for _, row := range []struct {
		name string
		args map[string]string
		want string
	}{
		{"greet", map[string]string{"first": "Mei Lin", "second": `5" disk`}, `Hello Mei Lin and 5" disk.`},
		{"greet", map[string]string{"second": "Bo"}, "Hello  and Bo."},
		{"review", map[string]string{restName: "the parser"}, "Review the parser."},
	} {
		r, err := c.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: row.name, Arguments: row.args})
		if err != nil {
			t.Errorf("%s: %v", row.name, err)
			continue
		}
		if text := r.Messages[0].Content.(*sdk.TextContent).Text; !strings.Contains(text, row.want) {
			t.Errorf("%s %v: %q, want %q", row.name, row.args, text, row.want)
		}
	}
}

// TestOutputsAreCompletedAndTheJournalIsWatched: a client finds the reference of a long output, and learns that the journal grew.
func TestOutputsAreCompletedAndTheJournalIsWatched(t *testing.T) {
	l := lend(t, -1)
	updated := make(chan string, 10)
	c := l.connectAs(t, "2025-11-25", &sdk.ClientOptions{ResourceUpdatedHandler: func(_ context.Context, r *sdk.ResourceUpdatedNotificationRequest) { updated <- r.Params.URI }})
	if err := c.Subscribe(t.Context(), &sdk.SubscribeParams{URI: journalURI}); err != nil {
		t.Fatal(err)
	}
	use(t, c, "bash", map[string]any{"command": "seq 1 30000"})
	if uri := <-updated; uri != journalURI {
		t.Errorf("updated: %s", uri)
	}
	complete := func(prefix string) []string {
		r, err := c.Complete(t.Context(), &sdk.CompleteParams{Ref: &sdk.CompleteReference{Type: "ref/resource", URI: outputPrefix + "{+ref}"}, Argument: sdk.CompleteParamsArgument{Name: "ref", Value: prefix}})
		if err != nil {
			t.Fatal(err)
		}
		return r.Completion.Values
	}
	found := complete("")
	if len(found) != 1 || len(complete(found[0][:3])) != 1 || len(complete("no such")) != 0 {
		t.Fatalf("completed: %q", found)
	}
}

// TestFormsGoToTheOnlyClient: what a tool server asks while a call runs is shown to the client of that call. With calls of two
// clients nobody knows whose question it is.
func TestFormsGoToTheOnlyClient(t *testing.T) {
	p := &Person{}
	first, second := &client{session: &sdk.ServerSession{}}, &client{session: &sdk.ServerSession{}}
	p.join("1", first)
	p.join("2", &client{session: first.session})
	if c := p.of("elicitation"); c == nil || c.session != first.session {
		t.Error("the only client is not asked")
	}
	p.join("3", second)
	if c := p.of("elicitation"); c != nil {
		t.Error("one of two clients is asked")
	}
	if p.of("3") != second {
		t.Error("a call is asked about elsewhere")
	}
	p.leave("1")
	p.leave("2")
	p.leave("3")
	if p.of("elicitation") != nil {
		t.Error("a client that has left is asked")
	}
}

package extend_test

import (
	"context"
	"fmt"

	"rein/agent"
	"rein/app/extend"
	"rein/event"
	"rein/guard"
	"rein/kit/script"
	"rein/model"
	"rein/tool"
	"rein/toolcall"
)

// A team gives the model of an agent the tool agent, and each task a session of its own.
func ExampleTeam() {
	count := tool.New("count", "Counts the cards.", tool.Reads, func(_ context.Context, _ struct{}, r *tool.Reply) error {
		_, err := fmt.Fprint(r, "There are 3 cards.")
		return err
	})
	tools, err := tool.NewSet(count)
	if err != nil {
		panic(err)
	}
	allow := guard.Func(func(context.Context, guard.Case) guard.Verdict { return guard.Verdict{} })
	answers, err := script.Parse([]byte(`
conversations:
  - when: Count the cards.
    turns: [{calls: [{name: count}]}, {text: I counted 3 cards.}]
turns:
  - calls: [{name: agent, args: {agent: clerk, task: Count the cards.}}]
  - text: There are three.
`))
	if err != nil {
		panic(err)
	}
	boss := &agent.Agent{
		Model: &script.Model{Script: answers},
		Calls: &toolcall.Runner{Tools: tools, Guard: allow, Mode: guard.Supervised},
		Team: &extend.Team{Definitions: []agent.Definition{{
			About: agent.About{Name: "clerk", Description: "counts things"},
			Mode:  "read-only", // it never has more rights than its parent
		}}},
		Budget: 100_000, // tokens, those of the clerk included
	}
	s := boss.Start(agent.SessionOptions{})
	for e, err := range s.Send(context.Background(), model.Text("How many cards are there?")) {
		switch {
		case err != nil:
			panic(err)
		case e.Kind == event.SubAgentStarted:
			fmt.Println(e.SubAgent.Agent, "starts:", e.SubAgent.Task)
		case e.Kind == event.Responded && e.Text != "" && e.Parent != "":
			fmt.Println("clerk answers:", e.Text)
		case e.Kind == event.Stopped && e.Parent == "":
			fmt.Println("answer:", e.Text)
		}
	}
	// Output:
	// clerk starts: Count the cards.
	// clerk answers: I counted 3 cards.
	// answer: There are three.
}

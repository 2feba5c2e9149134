package agent_test

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"

	"rein/agent"
	"rein/event"
	"rein/guard"
	"rein/journal"
	"rein/kit/script"
	"rein/model"
	"rein/tool"
	"rein/toolcall"
)

type nameArgs struct {
	Name string `json:"name" jsonschema:"of a person"`
}

// Intent lists what the call would write: guards judge it, and the user sees it.
func (a nameArgs) Intent() tool.Intent { return tool.Intent{Writes: []string{a.Name + ".txt"}} }

// newAgent makes an agent with two tools. To write a card needs an approval.
func newAgent(turns string, approver guard.Approver) *agent.Agent {
	count := tool.New("count", "Count the cards.", tool.Reads, func(_ context.Context, _ struct{}, r *tool.Reply) error {
		_, err := r.WriteString("There are 3 cards.")
		return err
	})
	write := tool.New("write_card", "Write a card to a person.", tool.Writes, func(_ context.Context, in nameArgs, r *tool.Reply) error {
		_, err := fmt.Fprintf(r, "Wrote a card to %s.", in.Name)
		return err
	})
	tools, err := tool.NewSet(count, write)
	if err != nil {
		panic(err)
	}
	asks := guard.Func(func(_ context.Context, c guard.Case) guard.Verdict {
		if len(c.Intent.Writes) == 0 {
			return guard.Verdict{}
		}
		return guard.Verdict{Decision: guard.Ask, Reason: "it writes " + c.Intent.Writes[0]}
	})
	return &agent.Agent{Model: scripted(turns), Calls: &toolcall.Runner{Tools: tools, Guard: asks, Approver: approver, Mode: guard.Supervised}}
}

func scripted(turns string) model.Model {
	parsed, err := script.Parse([]byte("turns:\n" + turns))
	if err != nil {
		panic(err)
	}
	return &script.Model{Script: parsed}
}

// show prints the results, the requests for an approval, and the answer.
func show(events iter.Seq2[event.Event, error]) {
	for e, err := range events {
		switch {
		case err != nil:
			panic(err)
		case e.Kind == event.ApprovalRequested:
			fmt.Println("waits: ", e.Call.Name, string(e.Call.Args))
		case e.Kind == event.Replied:
			fmt.Println("result:", e.Result.Text)
		case e.Kind == event.Stopped && e.Stop == event.Done && e.Parent == "":
			fmt.Println("answer:", e.Text)
		}
	}
}

// An agent with two tools.
func ExampleAgent() {
	yes := guard.ApproverFunc(func(context.Context, guard.Case, guard.Verdict) (guard.Answer, error) {
		return guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")}, nil
	})
	a := newAgent(`
- calls: [{name: count}]
- calls: [{name: write_card, args: {name: Ada}}]
- text: The fourth card goes to Ada.`, yes)
	s := a.Start(agent.SessionOptions{})
	show(s.Send(context.Background(), model.Text("Write one more card, to Ada.")))
	// Output:
	// result: There are 3 cards.
	// waits:  write_card {"name":"Ada"}
	// result: Wrote a card to Ada.
	// answer: The fourth card goes to Ada.
}

// A session waits for an approval, its process ends, and another process answers and continues.
func ExampleSession_Answer() {
	dir, err := os.MkdirTemp("", "session-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	later := guard.ApproverFunc(func(context.Context, guard.Case, guard.Verdict) (guard.Answer, error) {
		return guard.Answer{Choice: guard.Later}, nil
	})

	const turns = "- calls: [{name: write_card, args: {name: Ada}}]\n- text: Done."

	// The first process.
	file, _, err := journal.Open(dir)
	if err != nil {
		panic(err)
	}
	first := newAgent(turns, later)
	show(first.Start(agent.SessionOptions{Journal: file}).Send(context.Background(), model.Text("Write a card to Ada.")))
	file.Close()

	// The second one. It reads the session from the journal.
	if file, _, err = journal.Open(dir); err != nil {
		panic(err)
	}
	defer file.Close()
	second := newAgent(turns, later)
	s, err := second.Load(agent.SessionOptions{Journal: file}, journal.Read(filepath.Join(dir, journal.FileName)))
	if err != nil {
		panic(err)
	}
	for _, request := range s.Pending() { // plain data: send it to a page, a chat, a phone
		fmt.Println("because", request.Verdict.Reason)
		if err := s.Answer(request.ID, guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")}); err != nil {
			panic(err)
		}
	}
	show(s.Resume(context.Background()))
	// Output:
	// waits:  write_card {"name":"Ada"}
	// because it writes Ada.txt
	// result: Wrote a card to Ada.
	// answer: Done.
}

// parrot is a model that repeats the last message.
type parrot struct{}

func (parrot) Info() model.Info { return model.Info{Provider: "example", Name: "parrot"} }

func (parrot) Stream(_ context.Context, r *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		text := r.Messages[len(r.Messages)-1].Text()
		if !yield(model.Chunk{Kind: model.TextChunk, Text: text}, nil) {
			return
		}
		answer := &model.Message{Role: model.Assistant, Parts: []model.Part{model.Text(text)}}
		yield(model.Chunk{Kind: model.Done, Message: answer, Stop: model.StopEnd, Usage: model.Usage{Input: 1, Output: 1}}, nil)
	}
}

// Any model.Model will do. Package kit/modeltest checks an implementation.
func ExampleAgent_ownModel() {
	a := &agent.Agent{Model: parrot{}}
	show(a.Start(agent.SessionOptions{}).Send(context.Background(), model.Text("Hello!")))
	// Output:
	// answer: Hello!
}

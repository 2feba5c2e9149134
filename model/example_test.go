package model_test

import (
	"context"
	"fmt"
	"iter"

	"rein/model"
)

// echo is a model of our own: two methods.
type echo struct{}

func (echo) Info() model.Info { return model.Info{Provider: "example", Name: "echo"} }

func (e echo) Stream(_ context.Context, r *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		var d model.Draft
		last := r.Messages[len(r.Messages)-1]
		if !yield(d.Text([]byte("You said: "+last.Text())), nil) {
			return
		}
		yield(d.Done(e.Info().String(), model.StopEnd, model.Usage{Input: 3, Output: 5}, nil), nil)
	}
}

// A caller reads the pieces as they come. The last chunk has the finished message.
func Example() {
	r := &model.Request{Messages: []*model.Message{model.UserText("hello")}}
	for c, err := range model.Retry(echo{}, nil).Stream(context.Background(), r) {
		if err != nil {
			fmt.Println(err)
			return
		}
		switch c.Kind {
		case model.TextChunk:
			fmt.Println(c.Text)
		case model.Done:
			fmt.Println(c.Stop, c.Usage.Output, "tokens")
		}
	}
	// Output:
	// You said: hello
	// end 5 tokens
}

// Repair makes a history legal after an interruption: the call without a result gets one that reports this.
func ExampleRepair() {
	call := &model.Message{Role: model.Assistant, Parts: []model.Part{{Kind: model.CallKind, ID: "c12345678", Name: "bash", Args: "{}"}}}
	legal, notes := model.Repair([]*model.Message{model.UserText("go"), call})
	fmt.Println(len(legal), legal[2].Role, legal[2].Parts[0].Failed)
	fmt.Println(notes[0])
	// Output:
	// 3 results true
	// the call c12345678 of message 1 had no result, so it gets one that reports this
}

// A message of the user may hold images and documents; each provider gets them in its own form.
func ExampleUserParts() {
	m := model.UserParts(model.Text("What is this?"), model.Image("image/png", []byte("…")), model.Document("application/pdf", "plan.pdf", []byte("…")))
	for _, p := range m.Parts {
		fmt.Printf("%s %q %q\n", p.Kind, p.MediaType, p.Name)
	}
	// Output:
	// text "" ""
	// image "image/png" ""
	// document "application/pdf" "plan.pdf"
}

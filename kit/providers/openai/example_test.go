package openai_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"rein/kit/providers/openai"
	"rein/kit/providers/wire"
	"rein/kit/script"
	"rein/lab/modelserver"
	"rein/model"
)

// Chat asks a model by the chat completions protocol, which compatible servers have too.
func ExampleChat() {
	srv := httptest.NewServer(&modelserver.Server{Script: &script.Script{Turns: []script.Turn{{Text: "Hello."}}}})
	defer srv.Close()
	m := &openai.Chat{HTTP: wire.HTTP{
		Who:  model.Info{Provider: "openai", Name: "gpt-5"},
		Base: srv.URL + "/v1",
		Key:  "secret",
	}}
	done, err := model.Ask(context.Background(), m, &model.Request{Messages: []*model.Message{model.UserText("hi")}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(done.Message.Text(), done.Stop)
	// Output:
	// Hello. end
}

// Responses asks a model by the responses protocol. The provider does not keep the conversation.
func ExampleResponses() {
	srv := httptest.NewServer(&modelserver.Server{Script: &script.Script{Turns: []script.Turn{{Text: "Hello."}}}})
	defer srv.Close()
	m := &openai.Responses{HTTP: wire.HTTP{
		Who:  model.Info{Provider: "openai-responses", Name: "gpt-5"},
		Base: srv.URL + "/v1",
		Key:  "secret",
	}}
	done, err := model.Ask(context.Background(), m, &model.Request{Messages: []*model.Message{model.UserText("hi")}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(done.Message.Text(), done.Stop)
	// Output:
	// Hello. end
}

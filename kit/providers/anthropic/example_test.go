package anthropic_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"rein/kit/providers/anthropic"
	"rein/kit/providers/wire"
	"rein/kit/script"
	"rein/lab/modelserver"
	"rein/model"
)

// Messages asks a model by Anthropic's messages protocol.
func Example() {
	srv := httptest.NewServer(&modelserver.Server{Script: &script.Script{Turns: []script.Turn{{Text: "Hello."}}}})
	defer srv.Close()
	m := &anthropic.Messages{HTTP: wire.HTTP{
		Who:  model.Info{Provider: "anthropic", Name: "claude-sonnet-4-5"},
		Base: srv.URL,
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

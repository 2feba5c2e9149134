package ollama_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"rein/kit/providers/ollama"
	"rein/kit/providers/wire"
	"rein/kit/script"
	"rein/lab/modelserver"
	"rein/model"
)

// A Chat needs an address and the name of a model. Context is the window that the server is asked for.
func Example() {
	srv := httptest.NewServer(&modelserver.Server{Script: &script.Script{Turns: []script.Turn{{Text: "Hello."}}}})
	defer srv.Close()
	m := &ollama.Chat{HTTP: wire.HTTP{Base: srv.URL, Who: model.Info{Provider: "ollama", Name: "qwen3", Context: 16384}}}
	done, err := model.Ask(context.Background(), m, &model.Request{Messages: []*model.Message{model.UserText("hi")}})
	fmt.Println(done.Message.Text(), err)
	// Output: Hello. <nil>
}

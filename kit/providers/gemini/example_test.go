package gemini_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"rein/kit/providers/gemini"
	"rein/kit/providers/wire"
	"rein/kit/script"
	"rein/lab/modelserver"
	"rein/model"
)

// Gemini asks a model by Google's generateContent protocol.
func Example() {
	srv := httptest.NewServer(&modelserver.Server{Script: &script.Script{Turns: []script.Turn{{Text: "Hello."}}}})
	defer srv.Close()
	m := &gemini.Gemini{HTTP: wire.HTTP{
		Who:  model.Info{Provider: "gemini", Name: "gemini-2.5-pro"},
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

package providers_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"rein/kit/providers"
	"rein/kit/script"
	"rein/lab/modelserver"
	"rein/model"
)

// server answers as any provider does, from a script.
func server(text string) *httptest.Server {
	return httptest.NewServer(&modelserver.Server{Script: &script.Script{Turns: []script.Turn{{Text: text}}}})
}

// Open finds the provider by its name. Keys and addresses come from the environment and from Options.
func Example() {
	srv := server("Hello.")
	defer srv.Close()
	m, err := providers.Open(context.Background(), "groq/llama-3.3-70b", &providers.Options{
		Getenv:    func(name string) string { return map[string]string{"GROQ_API_KEY": "secret"}[name] },
		Addresses: map[string]providers.Address{"groq": {BaseURL: srv.URL + "/v1", KeyEnv: "GROQ_API_KEY"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	done, err := model.Ask(context.Background(), m, &model.Request{Messages: []*model.Message{model.UserText("hi")}})
	fmt.Println(m.Info(), err)
	fmt.Println(done.Message.Text())
	// Output:
	// groq/llama-3.3-70b <nil>
	// Hello.
}

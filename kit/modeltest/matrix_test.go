package modeltest_test

import (
	"net/http/httptest"
	"testing"
	"time"

	"go.uber.org/goleak"

	"rein/kit/modeltest"
	"rein/kit/providers/anthropic"
	"rein/kit/providers/bedrock"
	"rein/kit/providers/gemini"
	"rein/kit/providers/ollama"
	"rein/kit/providers/openai"
	"rein/kit/providers/wire"
	"rein/kit/script"
	"rein/lab/modelserver"
	"rein/model"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// protocols are the adapters under test.
var protocols = []struct {
	name string
	open func(wire.HTTP) model.Model
}{
	{"chat", func(h wire.HTTP) model.Model { return &openai.Chat{HTTP: h} }},
	{"responses", func(h wire.HTTP) model.Model { return &openai.Responses{HTTP: h} }},
	{"messages", func(h wire.HTTP) model.Model { return &anthropic.Messages{HTTP: h} }},
	{"gemini", func(h wire.HTTP) model.Model { return &gemini.Gemini{HTTP: h} }},
	{"interactions", func(h wire.HTTP) model.Model { return &gemini.Interactions{HTTP: h} }},
	{"cohere", func(h wire.HTTP) model.Model { return &openai.Cohere{HTTP: h} }},
	{"ollama", func(h wire.HTTP) model.Model { return &ollama.Chat{HTTP: h} }},
	{"converse", func(h wire.HTTP) model.Model {
		h.Transport = &bedrock.SigningTransport{Next: h.Transport}
		return &bedrock.Converse{HTTP: h}
	}},
	{"invoke", func(h wire.HTTP) model.Model {
		h.Transport = &bedrock.SigningTransport{Next: h.Transport}
		return &anthropic.Messages{HTTP: h, Path: bedrock.InvokePath(h.Who.Name), Version: bedrock.InvokeVersion}
	}},
}

// serve returns an adapter that talks to a server of its own.
func serve(t testing.TB, open func(wire.HTTP) model.Model, server *modelserver.Server) model.Model {
	t.Helper()
	srv := httptest.NewServer(server)
	transport := wire.NewTransport()
	h := wire.HTTP{
		Who:       model.Info{Provider: "test", Name: "scripted"},
		Base:      srv.URL,
		Key:       "sk-secret-key-0123456789",
		Transport: transport, Idle: 30 * time.Second,
	}
	t.Cleanup(func() { transport.CloseIdleConnections(); srv.Close() })
	return open(h)
}

func TestScriptedModel(t *testing.T) {
	modeltest.Suite{Open: func(t *testing.T, s *script.Script) model.Model {
		return &script.Model{Script: s, Name: "test"}
	}}.Run(t)
}

func TestEveryProtocol(t *testing.T) {
	for _, p := range protocols {
		t.Run(p.name, func(t *testing.T) {
			modeltest.Suite{
				Open: func(t *testing.T, s *script.Script) model.Model {
					return serve(t, p.open, &modelserver.Server{Script: s, Lax: t.Name() == "TestEveryProtocol/"+p.name+"/a_history_of_another_model_is_accepted"})
				},
				WholeCalls: p.name == "gemini" || p.name == "ollama",
				Plain:      p.name == "ollama",
			}.Run(t)
		})
	}
}

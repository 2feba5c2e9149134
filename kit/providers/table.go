package providers

import (
	"context"
	"strings"

	"rein/kit/providers/anthropic"
	"rein/kit/providers/gemini"
	"rein/kit/providers/ollama"
	"rein/kit/providers/openai"
	"rein/kit/providers/wire"
	"rein/model"
)

// Provider is one row of the table.
type Provider struct {
	Name  string
	Keys  []string // variables that may hold the key, the first one that is set counts
	Bases []string // variables that may hold the base URL
	Base  string   // the base URL otherwise
	Model string   // asked for when only the provider is named
	Local bool     // needs no key
	Title string   // of a local server: its name as people write it

	list func(ctx context.Context, l lister, base string) ([]string, error) // of a local server: its models
	open func(h wire.HTTP, keyFrom string) model.Model                      // keyFrom: the variable that held the key

	// reach completes how a cloud is reached: the address, and a transport that signs. Nil: the address and the key are all.
	reach func(o *Options, h *wire.HTTP, keyFrom string) error
}

// authToken is a variable whose key goes into another header than the usual one.
const authToken = "ANTHROPIC_AUTH_TOKEN"

// Table returns the providers: first those that may be taken when none is named, in this order.
func Table() []Provider {
	return append(append(ours(), clouds()...), append(hosts(), Provider{
		Name: "compatible", Keys: []string{"COMPATIBLE_API_KEY"}, Bases: []string{"COMPATIBLE_BASE_URL"}, Local: true, Title: "compatible", list: chatModels, open: openChat(openai.Flavour{}),
	})...)
}

func ours() []Provider {
	return []Provider{
		{Name: "anthropic", Keys: []string{"ANTHROPIC_API_KEY", authToken}, Bases: []string{"ANTHROPIC_BASE_URL"}, Base: "https://api.anthropic.com", Model: "claude-sonnet-4-5", open: openAnthropic},
		{Name: "openai", Keys: []string{"OPENAI_API_KEY"}, Bases: []string{"OPENAI_BASE_URL"}, Base: "https://api.openai.com/v1", Model: "gpt-5", open: openChat(openai.Flavour{NewFields: true, Files: true})},
		{Name: "openai-responses", Keys: []string{"OPENAI_API_KEY"}, Bases: []string{"OPENAI_BASE_URL"}, Base: "https://api.openai.com/v1", Model: "gpt-5", open: openResponses},
		{Name: "gemini", Keys: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}, Bases: []string{"GOOGLE_GEMINI_BASE_URL"}, Base: "https://generativelanguage.googleapis.com", Model: "gemini-2.5-pro", open: openGemini},
		{Name: "gemini-interactions", Keys: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}, Bases: []string{"GOOGLE_GEMINI_BASE_URL"}, Base: "https://generativelanguage.googleapis.com", Model: "gemini-2.5-pro", open: openInteractions},
		{Name: "openrouter", Keys: []string{"OPENROUTER_API_KEY"}, Bases: []string{"OPENROUTER_BASE_URL"}, Base: "https://openrouter.ai/api/v1", Model: "openrouter/auto", open: openChat(openai.Flavour{Reasoning: true, Files: true, Cost: true, Returns: []string{"reasoning", "reasoning_content", "reasoning_details"}})},
		{Name: "ollama", Keys: []string{"OLLAMA_API_KEY"}, Bases: []string{"OLLAMA_HOST"}, Base: "http://127.0.0.1:11434", Local: true, Title: "Ollama", list: ollamaModels, open: openOllama},
		{Name: "lmstudio", Bases: []string{"LMSTUDIO_BASE_URL"}, Base: "http://127.0.0.1:1234/v1", Local: true, Title: "LM Studio", list: chatModels, open: openChat(openai.Flavour{})},
		{Name: "llamacpp", Bases: []string{"LLAMACPP_BASE_URL"}, Base: "http://127.0.0.1:8080/v1", Local: true, Title: "llama.cpp", list: chatModels, open: openChat(openai.Flavour{})},
		{Name: "vllm", Bases: []string{"VLLM_BASE_URL"}, Base: "http://127.0.0.1:8000/v1", Local: true, Title: "vLLM", list: chatModels, open: openChat(openai.Flavour{Returns: []string{"reasoning_content", "reasoning"}})},
	}
}

func openChat(f openai.Flavour) func(wire.HTTP, string) model.Model {
	return func(h wire.HTTP, _ string) model.Model {
		f := f
		f.Profile = profile(h.Base)
		return &openai.Chat{HTTP: h, Flavour: f}
	}
}

// quirks sets what the user knows of a compatible server.
func (a Address) quirks(m model.Model) model.Model {
	if c, ok := m.(*openai.Chat); ok {
		if a.ThinkingFields != nil {
			c.Flavour.Returns = a.ThinkingFields
		}
		c.Flavour.Switch = c.Flavour.Switch || a.ThinkingSwitch
		c.Flavour.NoStreamOptions = c.Flavour.NoStreamOptions || a.NoStreamOptions
	}
	return m
}

// profile returns whose rules for schemas a compatible server follows, where they are known to be its own.
func profile(base string) string {
	for _, name := range []string{"groq", "mistral"} {
		if strings.Contains(base, "api."+name+".") {
			return name
		}
	}
	return ""
}

func openResponses(h wire.HTTP, _ string) model.Model { return &openai.Responses{HTTP: h} }

func openGemini(h wire.HTTP, _ string) model.Model {
	h.Base = strings.TrimSuffix(h.Base, "/v1beta")
	return &gemini.Gemini{HTTP: h}
}

func openInteractions(h wire.HTTP, _ string) model.Model {
	h.Base = strings.TrimSuffix(h.Base, "/v1beta")
	return &gemini.Interactions{HTTP: h}
}

func openAnthropic(h wire.HTTP, keyFrom string) model.Model {
	h.Base = strings.TrimSuffix(h.Base, "/v1")
	return &anthropic.Messages{HTTP: h, Bearer: keyFrom == authToken}
}

func openOllama(h wire.HTTP, _ string) model.Model {
	h.Base = strings.TrimSuffix(ollamaBase(h.Base), "/v1")
	return &ollama.Chat{HTTP: h}
}

package acp

import (
	"context"
	"encoding/json"

	sdk "github.com/coder/acp-go-sdk"

	"rein/app/harness"
)

// capabilities are what the client can do.
type capabilities struct {
	Fs       sdk.FileSystemCapabilities `json:"fs"`
	Terminal bool                       `json:"terminal"`
	Auth     struct {
		Terminal bool `json:"terminal"`
	} `json:"auth"`
	Elicitation struct {
		Form *struct{} `json:"form"`
	} `json:"elicitation"`
	Session struct {
		Notices *struct{} `json:"notices"`
	} `json:"session"`
}

// programName is how rein names itself, as an agent and as a client.
const programName = "rein"

type initializeParams struct {
	Capabilities json.RawMessage     `json:"clientCapabilities"`
	Client       *sdk.Implementation `json:"clientInfo"`
}

// initialized is the answer: the library's type lacks the capability delete.
type initialized struct {
	Version      int                `json:"protocolVersion"`
	Capabilities map[string]any     `json:"agentCapabilities"`
	Auth         []any              `json:"authMethods"`
	Agent        sdk.Implementation `json:"agentInfo"`
}

func (a *agent) initialize(_ context.Context, p initializeParams) (initialized, error) {
	var can capabilities
	// What a client declares in a way that we do not know, it cannot do.
	if err := json.Unmarshal(p.Capabilities, &can); err != nil {
		a.o.Log.Warn("the capabilities of the client cannot be read", "error", err)
	}
	if p.Client != nil && p.Client.Name == programName {
		can.Terminal = false // another rein runs in its sandbox what it is asked for, and shows it itself
	}
	a.mu.Lock()
	a.can = can
	a.mu.Unlock()
	if p.Client != nil {
		a.o.Log.Info("initialize", "client", p.Client.Name, "version", p.Client.Version)
	}
	here := struct{}{}
	return initialized{
		Version: sdk.ProtocolVersionNumber,
		Capabilities: map[string]any{
			"loadSession":        true,
			"promptCapabilities": sdk.PromptCapabilities{Image: true, EmbeddedContext: true},
			"mcpCapabilities":    sdk.McpCapabilities{Http: true, Sse: true},
			"sessionCapabilities": map[string]any{"list": here, "resume": here, "close": here, "delete": here, "additionalDirectories": here,
				"fork": here},
		},
		Auth:  a.authMethods(can),
		Agent: sdk.Implementation{Name: programName, Title: new("rein"), Version: a.o.Harness.Version},
	}, nil
}

// The ways to get a model. rein itself keeps no accounts: it needs the key of a provider, or a local server.
const (
	authKey    = "provider-key"
	authDoctor = "doctor"
)

// authMethods say how a user gets rein a model. The second one is for clients that can show a terminal.
func (a *agent) authMethods(can capabilities) []any {
	all := []any{map[string]any{"id": authKey, "name": "The key of a provider",
		"description": "Set the environment variable of a provider, such as ANTHROPIC_API_KEY or OPENAI_API_KEY, where the editor starts rein, or run a model server on this machine."}}
	if can.Auth.Terminal {
		all = append(all, map[string]any{"id": authDoctor, "name": "Show what is missing", "type": "terminal", "args": []string{"doctor"},
			"description": "Run rein doctor: it lists the keys, the servers and the settings that it found."})
	}
	return all
}

type authenticateParams struct {
	Method string `json:"methodId"`
}

// authenticate succeeds when a model can be opened.
func (a *agent) authenticate(ctx context.Context, p authenticateParams) (struct{}, error) {
	if p.Method != authKey && p.Method != authDoctor {
		return struct{}{}, invalid("no such way to authenticate: " + p.Method)
	}
	h, err := harness.Open(ctx, a.options(openParams{}))
	if err != nil {
		return struct{}{}, err
	}
	s, err := h.Start(ctx, harness.NewSession{Ephemeral: true})
	if err == nil {
		err = s.Close(ctx)
	}
	if closing := h.Close(ctx); err == nil {
		err = closing
	}
	return struct{}{}, err
}

package acp

import (
	"encoding/json"

	sdk "github.com/coder/acp-go-sdk"
)

// atStart starts the servers with the session: the first request waits a moment for them.
const atStart = "required"

// servers returns the tool servers of a client as a settings file has them; nil when there are none.
func servers(all []sdk.McpServer) json.RawMessage {
	named := map[string]any{}
	for _, s := range all {
		switch {
		case s.Stdio != nil:
			env := map[string]string{}
			for _, v := range s.Stdio.Env {
				env[v.Name] = v.Value
			}
			named[s.Stdio.Name] = map[string]any{"command": s.Stdio.Command, "args": s.Stdio.Args, "env": env, "start": atStart}
		case s.Http != nil:
			named[s.Http.Name] = map[string]any{"type": "http", "url": s.Http.Url, "headers": headers(s.Http.Headers), "start": atStart}
		case s.Sse != nil:
			named[s.Sse.Name] = map[string]any{"type": "sse", "url": s.Sse.Url, "headers": headers(s.Sse.Headers), "start": atStart}
		}
	}
	if len(named) == 0 {
		return nil
	}
	text, err := json.Marshal(named)
	if err != nil {
		return nil // texts only: it cannot fail
	}
	return text
}

func headers(list []sdk.HttpHeader) map[string]string {
	all := map[string]string{}
	for _, h := range list {
		all[h.Name] = h.Value
	}
	return all
}

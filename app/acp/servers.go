package acp

import (
	sdk "github.com/coder/acp-go-sdk"

	"rein/app/harness"
)

// atStart starts the servers with the session: the first request waits a moment for them.
const atStart = "required"

// servers returns the tool servers of a client.
func servers(all []sdk.McpServer) (entries []harness.ToolServer) {
	for _, s := range all {
		switch {
		case s.Stdio != nil:
			env := map[string]string{}
			for _, v := range s.Stdio.Env {
				env[v.Name] = v.Value
			}
			entries = append(entries, harness.ToolServer{Name: s.Stdio.Name, Command: s.Stdio.Command, Args: s.Stdio.Args, Env: env, Start: atStart})
		case s.Http != nil:
			entries = append(entries, harness.ToolServer{Name: s.Http.Name, Type: "http", URL: s.Http.Url, Headers: headers(s.Http.Headers), Start: atStart})
		case s.Sse != nil:
			entries = append(entries, harness.ToolServer{Name: s.Sse.Name, Type: "sse", URL: s.Sse.Url, Headers: headers(s.Sse.Headers), Start: atStart})
		}
	}
	return entries
}

func headers(list []sdk.HttpHeader) map[string]string {
	all := map[string]string{}
	for _, h := range list {
		all[h.Name] = h.Value
	}
	return all
}

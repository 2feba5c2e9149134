package server

import (
	"context"
	"net/http"
	"strings"
	"time"

	"rein/app/harness"
	"rein/app/server/api"
)

// How long a tool server has to connect when a person tries it, and how many bytes of its log are shown.
const (
	tryTime       = 30 * time.Second
	mostServerLog = 8 << 10
)

// shownToolServers returns what is known of all tool servers. The one that try names is connected before.
func shownToolServers(ctx context.Context, servers *harness.ToolServers, try string, mask secretMask) []api.ToolServer {
	all := []api.ToolServer{}
	for _, e := range servers.Entries() {
		shown := e.Shown()
		v := api.ToolServer{Name: e.Name, Kind: e.Kind(), Target: shown.URL, Scope: string(e.Scope), Source: e.Source, Disabled: e.Disabled, Start: e.Start, Network: shown.Network,
			Sandbox: shown.Sandbox, Env: shown.Env, SignedIn: servers.SignedIn(e.Name), Tools: []api.ToolServerTool{}}
		if v.Target == "" {
			v.Target = mask.log(strings.Join(append([]string{shown.Command}, shown.Args...), " "))
		}
		if server := servers.Server(e.Name); server != nil {
			if e.Name == try {
				waiting, stop := context.WithTimeout(ctx, tryTime)
				_ = server.Connect(waiting) // the state has the error
				stop()
			}
			v.State, v.About = server.State(), server.About()
			v.Log = mask.log(server.Stderr())
			if e.Name != try {
				v.Log = mask.log(server.Kept())
			}
			for _, t := range server.Tools() {
				one := api.ToolServerTool{Name: t.Name, Description: t.Description}
				one.Question, one.Hash = server.Question(t.Name)
				v.Tools = append(v.Tools, one)
			}
		}
		all = append(all, v)
	}
	return all
}

// log returns the end of a log without secrets.
func (m secretMask) log(log string) string {
	text := m([]byte(log))
	return strings.ToValidUTF8(string(text[max(0, len(text)-mostServerLog):]), "")
}

// acceptPin pins a definition that changed, when it is the one that was shown.
func acceptPin(servers *harness.ToolServers, name string, a api.PinAnswer) error {
	server := servers.Server(name)
	if server == nil {
		return problem(http.StatusNotFound, "no_server", "there is no such tool server")
	}
	if _, hash := server.Question(a.Tool); hash == "" || hash != a.Hash {
		return problem(http.StatusConflict, "changed", "the definition is not the one that was shown")
	}
	return server.Approve(a.Tool, a.Hash)
}

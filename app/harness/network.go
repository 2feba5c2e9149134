package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rein/app/extend"
	"rein/app/settings"
	"rein/internal/plainfile"
	"rein/kit/mcp"
	"rein/kit/network"
	"rein/kit/providers"
	"rein/kit/sandbox"
	"rein/kit/tools/web"
	"rein/model"
	"rein/tool"
)

// networkFeature gives the tools that use the network. The guard judges each call; what the settings deny stays closed.
func networkFeature(c *confined) (featureParts, error) {
	agent := "rein/" + c.h.options.Version
	o := web.Options{Policy: c.access.ToolsOf, Secrets: c.h.secrets, Agent: agent, Ask: c.access.AskForHost, Document: c.media().Text}
	if c.h.settings.SmallModel != "" {
		o.Answer = c.models.small
	}
	w, err := web.New(o)
	find, wrong := web.NewSearch(web.SearchOptions{Policy: c.access.ToolsOf, Engines: c.models.searchEngines(), Agent: agent})
	if err := errors.Join(err, wrong); err != nil {
		return featureParts{}, settings.Error{Err: fmt.Errorf("settings: %w", err)}
	}
	return featureParts{tools: []*tool.Tool{w.Fetch(), w.Request(), find.Search()}}, nil
}

// SearchEngines finds the search engines that can be asked.
func SearchEngines(s settings.Search) []web.SearchState {
	set := map[string]web.SearchSetup{}
	for name, e := range s.Engines {
		set[name] = web.SearchSetup(e)
	}
	if s.Model != "" {
		set["model"] = web.SearchSetup{ID: s.Model}
	}
	return web.SearchEngines(s.Order, set, os.Getenv)
}

// searchEngines returns the engines that web_search may ask. A model of the settings searches with the tool of its provider, at the
// provider's address.
func (s *models) searchEngines() []web.SearchEngine {
	engines := web.ReadyEngines(SearchEngines(s.h.settings.Search))
	for i, e := range engines {
		if e.Name != "model" {
			continue
		}
		ref, o := e.ID, ProviderOptions(s.h.settings)
		if name, ok := strings.CutPrefix(ref, "openai/"); ok { // the search tool is in the other protocol of this provider
			ref = "openai-responses/" + name
			o.Addresses["openai-responses"] = o.Addresses["openai"]
		}
		engines[i].URL = o.AddressOf(ref)
		engines[i].Ask = func(ctx context.Context, q web.SearchQuestion) ([]web.SearchPage, string, error) {
			return s.search(ctx, ref, o, q)
		}
	}
	return engines
}

// search asks a model to search with the tool of its provider. What it uses counts in the session's budget.
func (s *models) search(ctx context.Context, ref string, o *providers.Options, q web.SearchQuestion) (pages []web.SearchPage, said string, err error) {
	asked, err := providers.Open(ctx, ref, o)
	if err != nil {
		return nil, "", err
	}
	done, err := model.Ask(ctx, asked, &model.Request{Messages: []*model.Message{model.UserText(q.Prompt)}, MaxTokens: 4000, Search: &model.Search{Domains: q.Domains, Not: q.Not}})
	s.record.paid("web_search asked "+ref, usageOf(done))
	if err != nil {
		return nil, "", err
	}
	for _, f := range done.Sources {
		pages = append(pages, web.SearchPage(f))
	}
	return pages, done.Message.Text(), nil
}

// reachOf returns the way to the network for the program of a tool server or an agent.
func (h *Harness) reachOf(server string, hosts []string) (programReach, error) {
	n, err := settings.NetworkOf(h.layers)
	if err != nil {
		return programReach{}, err
	}
	return reachFor(n, hosts, func(r network.ProxyRequest) {
		h.log.Info("tool server", "server", server, "refused", r.String(), "reason", r.Reason)
	})
}

// ClientTo returns an HTTP client that reaches the host of an address that the user's settings name, and more hosts, unless they deny it.
func (h *Harness) ClientTo(address string, more ...string) (*http.Client, error) {
	n, err := settings.NetworkOf(h.layers)
	if err != nil {
		return nil, err
	}
	return clientFor(n, address, more...)
}

// readToolServers returns the entries of the tool servers that sessions here have, also of those that are switched off. files and
// strict are those of the command line.
func (h *Harness) readToolServers(files []string, strict bool) (ToolServerEntries, error) {
	where := entrySources{}
	where.Files, where.Strict, where.ReadFile = files, strict, plainfile.ReadNamed
	text, err := h.folder.Read(projectFile)
	switch {
	case errors.Is(err, fs.ErrNotExist) || where.Strict:
	case err != nil:
		h.options.Warn(err.Error())
	case h.folder.Trusted(extend.TrustMCP, projectFile, text):
		where.Project = text
	default:
		h.options.Warn("the tool servers of " + projectFile + " are not used, because you do not trust the file: see rein trust")
	}
	given := map[string]ToolServer{}
	for _, e := range h.options.MCPServers {
		if _, twice := given[e.Name]; twice || e.Name == "" {
			return ToolServerEntries{}, fmt.Errorf("a tool server of the caller has no name of its own: %q", e.Name)
		}
		given[e.Name] = e
	}
	if len(given) > 0 {
		text, err := json.Marshal(given)
		if err != nil {
			return ToolServerEntries{}, err
		}
		where.Add("the caller", text) // settings come after it, and win
	}
	for _, l := range h.layers {
		where.Add(l.Path, l.MCPServers)
	}
	entries, warnings, err := where.Read()
	for _, line := range warnings {
		h.options.Warn(line)
	}
	return entries, inputError(err)
}

// servers prepares tool servers; none is started.
func (h *Harness) servers(entries ToolServerEntries, confine sandbox.Policy) *ToolServers {
	return newToolServers(toolServerOptions{Entries: entries, State: h.dirs.State, Root: h.root, Home: settings.HomeDir(), Version: h.options.Version,
		Sandbox: confine, Reach: h.reachOf, Client: h.ClientTo, OwnKey: h.OwnKey})
}

// OwnKey reports whether an environment variable holds a key of rein or of a provider, or a secret of the settings: it is for nobody else.
func (h *Harness) OwnKey(name string) bool {
	if up := strings.ToUpper(name); strings.HasPrefix(up, "REIN_") || strings.HasPrefix(up, "OTEL_") {
		return true
	}
	keys := ProviderOptions(h.settings).KeyVariables()
	if slices.Contains(keys, name) {
		return true
	}
	value := os.Getenv(name)
	same := func(key string) bool { return os.Getenv(key) == value }
	return value != "" && (slices.ContainsFunc(keys, same) || slices.ContainsFunc(h.secrets, func(s web.Secret) bool { return s.Value == value }))
}

// SecretVariable reports whether the name of an environment variable says that it holds a secret.
func SecretVariable(name string) bool { return sandbox.SecretName(name) }

// SentVariable is an environment variable that a tool server of the project would get.
type SentVariable struct {
	Server, Name, To string
	Secret           bool // its name says that it is one, and it would leave the machine
	Own              bool // it is never sent: see OwnKey
}

// String is a line for people.
func (s SentVariable) String() string {
	line := fmt.Sprintf("the tool server %s gets ${%s}: %s", s.Server, s.Name, s.To)
	if s.Own {
		line += " (never sent: it is a key of rein or of a provider)"
	}
	return line
}

// ProjectSends returns the environment variables that the tool servers of the project would get, whether the user trusts the file or not.
func (h *Harness) ProjectSends() (all []SentVariable) {
	entries, _ := projectServers(h)
	for _, e := range entries {
		for _, v := range e.Sends() {
			all = append(all, SentVariable{Server: e.Name, Name: v.Variable, To: v.To, Secret: v.Remote && sandbox.SecretName(v.Variable), Own: h.OwnKey(v.Variable)})
		}
	}
	return all
}

// UntrustedServers returns what the tool servers of the project run, or where they are, by their names, where the user does not trust the file.
func UntrustedServers(h *Harness) (names []string, runs map[string]string) {
	entries, trusted := projectServers(h)
	if trusted {
		return nil, nil
	}
	runs = map[string]string{}
	for _, e := range entries {
		var words []string
		for _, name := range slices.Sorted(maps.Keys(e.Env)) {
			words = append(words, name+"="+e.Env[name])
		}
		if runs[e.Name] = e.URL; e.Command != "" {
			runs[e.Name] = strings.Join(append(append(words, e.Command), e.Args...), " ")
		}
	}
	return slices.Sorted(maps.Keys(runs)), runs
}

// projectServers reads the tool servers of the project, whether the user trusts their file or not.
func projectServers(h *Harness) (all []mcp.ServerEntry, trusted bool) {
	text, err := h.folder.Read(projectFile)
	if err != nil {
		return nil, false
	}
	all, _, _ = mcp.ReadConfig(mcp.ConfigPlaces{Project: text}) // what cannot be read is not used
	return all, h.folder.Trusted(extend.TrustMCP, projectFile, text)
}

// ToolServers prepares the tool servers of this directory outside of a session: to list and try them. None is started.
// Close ends them.
func (h *Harness) ToolServers() (*ToolServers, error) {
	entries, err := h.readToolServers(h.options.MCPConfig, h.options.StrictMCP)
	if err != nil {
		return nil, err
	}
	terms, err := h.Terms() // a server has here the sandbox that it has in a session
	if err != nil {
		return nil, err
	}
	return h.servers(entries, programsOf(h, terms.Sandbox, sandbox.Policy{Workspace: h.root, Warn: h.options.Warn,
		Hidden: ownDirs(h.dirs), Private: filepath.Join(h.dirs.Private, settings.WorkspaceName(h.root))})), nil
}

// Client returns an HTTP client for what the user fetches: it reaches all public hosts but those that the settings deny.
func (h *Harness) Client() (*http.Client, error) {
	n, err := settings.NetworkOf(h.layers)
	if err != nil {
		return nil, err
	}
	return accessClient(n)
}

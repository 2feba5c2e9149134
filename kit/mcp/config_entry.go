package mcp

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"rein/kit/jsonc"
)

// ServerEntry is one tool server as its user wrote it down. Texts may have variables, which Expand replaces: what is stored and
// printed has none of their values.
type ServerEntry struct {
	Name   string `json:"-"`
	Source string `json:"-"` // the file that it is from
	Scope  Scope  `json:"-"`

	Type    string            `json:"type,omitempty"` // stdio, http, sse; "" is stdio with a command, http with a url
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	Cwd     string            `json:"cwd,omitempty"` // "" is the workspace
	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	OAuth   *OAuth            `json:"oauth,omitempty"`

	// What a program may use beside the workspace and its own directory.
	Network []string `json:"network,omitempty"` // hosts that it may contact, as in network.allow of the settings
	Write   []string `json:"write,omitempty"`   // directories
	Read    []string `json:"read,omitempty"`    // files and directories
	Sandbox string   `json:"sandbox,omitempty"` // "off": it runs as the user; only in the user's own settings

	Start        string                `json:"start,omitempty"`        // lazy (the default), eager: with the session, required: and the first request waits up to 2 s
	StartTimeout ConfigTime            `json:"startTimeout,omitzero"`  // until it has answered; 30 s
	Timeout      ConfigTime            `json:"timeout,omitzero"`       // of one call; 5 min
	Timeouts     map[string]ConfigTime `json:"timeouts,omitempty"`     // of one call, by the server's name of the tool
	EnabledTools []string              `json:"enabledTools,omitempty"` // names or patterns with "*"; empty: all
	DisabledTool []string              `json:"disabledTools,omitempty"`
	Disabled     bool                  `json:"disabled,omitempty"`
	Sampling     *bool                 `json:"sampling,omitempty"` // whether it may ask our model when the user allows it; nil: it may
}

// OAuth is what an authorization server knows us by, where we cannot register ourselves.
type OAuth struct {
	ClientID     string   `json:"clientId,omitempty"`
	ClientSecret string   `json:"clientSecret,omitempty"` // a reference such as ${NAME}
	ClientURL    string   `json:"clientUrl,omitempty"`    // address of a client-id metadata document
	Scopes       []string `json:"scopes,omitempty"`
	CallbackPort int      `json:"callbackPort,omitempty"`
}

// Scope says whose entry it is.
type Scope string

// The scopes.
const (
	UserScope    Scope = "user"    // the user's own settings
	ProjectScope Scope = "project" // .mcp.json: it holds only after the user trusted its content
	flagScope    Scope = "flag"    // a file of --mcp-config
)

// ConfigTime is a duration as MCP files write it: a number of milliseconds, or a text such as "90s".
type ConfigTime time.Duration

// UnmarshalJSON reads both spellings.
func (t *ConfigTime) UnmarshalJSON(text []byte) error {
	var ms float64
	if err := json.Unmarshal(text, &ms); err == nil {
		if ms < 0 || ms > float64(1<<40) {
			return fmt.Errorf("%s is not a time in milliseconds", text)
		}
		*t = ConfigTime(ms * float64(time.Millisecond))
		return nil
	}
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return fmt.Errorf("%s is not a time: expected milliseconds or a text such as \"90s\"", text)
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return fmt.Errorf("%q is not a time: expected milliseconds or a text such as \"90s\"", s)
	}
	*t = ConfigTime(d)
	return nil
}

// MarshalJSON writes the text.
func (t ConfigTime) MarshalJSON() ([]byte, error) { return json.Marshal(time.Duration(t).String()) }

// Kind returns how the server is reached: stdio, http or sse.
func (e *ServerEntry) Kind() string {
	switch {
	case e.Type == "streamable-http" || e.Type == "streamableHttp" || e.Type == "" && e.URL != "":
		return "http"
	case e.Type == "":
		return "stdio"
	}
	return e.Type
}

// Check refuses an entry that cannot work.
func (e *ServerEntry) Check() error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("tool server %q: %s", e.Name, fmt.Sprintf(format, args...))
	}
	if e.Command != "" && e.URL != "" {
		return fail("it has a command and a url: expected one of them")
	}
	switch kind := e.Kind(); kind {
	case "stdio":
		if e.Command == "" {
			return fail("it needs a command, or a url")
		}
	case "http", "sse":
		u, err := url.Parse(e.URL)
		if e.Command != "" {
			return fail("it has a command and is of the type %s", kind)
		}
		if !strings.Contains(e.URL, "${") && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
			return fail("%q is not an http or https address", e.URL)
		}
	default:
		return fail("the type %q is not supported: expected stdio, http or sse", kind)
	}
	if !slices.Contains([]string{"", "lazy", "eager", "required"}, e.Start) {
		return fail("start is %q: expected lazy, eager or required", e.Start)
	}
	if !slices.Contains([]string{"", "off"}, e.Sandbox) {
		return fail("sandbox is %q: expected off, or nothing", e.Sandbox)
	}
	if e.Sandbox == "off" && e.Scope == ProjectScope {
		return fail("only your own settings can switch the sandbox off")
	}
	return nil
}

// Uses reports whether the entry offers a tool of that name.
func (e *ServerEntry) Uses(tool string) bool {
	match := func(list []string) bool {
		return slices.ContainsFunc(list, func(pattern string) bool {
			ok, err := path.Match(pattern, tool)
			return pattern == tool || err == nil && ok
		})
	}
	return (len(e.EnabledTools) == 0 || match(e.EnabledTools)) && !match(e.DisabledTool)
}

// ID identifies what the entry starts or reaches: another command, address or set of permissions is another server.
func (e *ServerEntry) ID() string {
	about := *e
	about.Start, about.StartTimeout, about.Timeout, about.Timeouts, about.Disabled = "", 0, 0, nil, false
	about.EnabledTools, about.DisabledTool = nil, nil
	text, _ := json.Marshal(about)
	sum := sha256.Sum256(append([]byte(e.Name+"\n"), text...))
	return hex.EncodeToString(sum[:8])
}

// Shown is the entry for people: values of variables and headers that could be secrets are left out.
func (e ServerEntry) Shown() ServerEntry {
	hide := func(m map[string]string) map[string]string {
		shown := maps.Clone(m)
		for k, v := range shown {
			if !strings.Contains(v, "${") && v != "" {
				shown[k] = "(hidden)"
			}
		}
		return shown
	}
	e.Env, e.Headers = hide(e.Env), hide(e.Headers)
	if e.OAuth != nil && e.OAuth.ClientSecret != "" && !strings.Contains(e.OAuth.ClientSecret, "${") {
		o := *e.OAuth
		o.ClientSecret = "(hidden)"
		e.OAuth = &o
	}
	return e
}

// parseConfig reads a file with "mcpServers" (or VS Code's "servers"), or one object of servers by name. The entries are sorted by
// name. One that cannot work is left out, and its error is in warnings.
func parseConfig(text []byte, scope Scope, source string) (entries []ServerEntry, warnings []error, err error) {
	var file struct {
		MCPServers map[string]json.RawMessage `json:"mcpServers"`
		Servers    map[string]json.RawMessage `json:"servers"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", source, jsonc.WrongKind(err))
	}
	servers := file.MCPServers
	if servers == nil {
		servers = file.Servers
	}
	if servers == nil {
		return nil, nil, fmt.Errorf("%s: there is no \"mcpServers\" in it", source)
	}
	return entriesOf(servers, scope, source)
}

// parseServers reads the object behind "mcpServers".
func parseServers(text []byte, scope Scope, source string) (entries []ServerEntry, warnings []error, err error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil, nil
	}
	var servers map[string]json.RawMessage
	if err := json.Unmarshal(text, &servers); err != nil {
		return nil, nil, fmt.Errorf("%s: mcpServers: %w", source, jsonc.WrongKind(err))
	}
	return entriesOf(servers, scope, source)
}

func entriesOf(servers map[string]json.RawMessage, scope Scope, source string) (entries []ServerEntry, warnings []error, err error) {
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		e, err := ParseServerEntry(name, servers[name])
		e.Scope, e.Source = scope, source
		if err == nil {
			err = e.Check()
		}
		if err != nil {
			warnings = append(warnings, fmt.Errorf("%s: %w", source, err))
			continue
		}
		entries = append(entries, e)
	}
	return entries, warnings, nil
}

// ParseServerEntry reads one server.
func ParseServerEntry(name string, text []byte) (ServerEntry, error) {
	e := ServerEntry{}
	if err := json.Unmarshal(text, &e); err != nil {
		return ServerEntry{Name: name}, fmt.Errorf("tool server %q: %w", name, jsonc.WrongKind(err))
	}
	e.Name, e.Scope = name, UserScope
	if name == "" || len(name) > 64 || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return e, fmt.Errorf("tool server %q: a name has 1 to 64 letters", name)
	}
	return e, nil
}

package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pelletier/go-toml/v2"

	"rein/kit/jsonc"
)

// FoundConfig is a file of another program that may name tool servers.
type FoundConfig struct {
	Program string // claude, codex, gemini, vscode, cursor, opencode, crush, zed
	Path    string
}

// ConfigFiles lists where other programs keep their tool servers, below a home and in a workspace.
func ConfigFiles(home, workspace string) []FoundConfig {
	h := func(parts ...string) string { return filepath.Join(append([]string{home}, parts...)...) }
	w := func(parts ...string) string { return filepath.Join(append([]string{workspace}, parts...)...) }
	return []FoundConfig{
		{"claude", h(".claude.json")}, {"codex", h(".codex", "config.toml")}, {"gemini", h(".gemini", "settings.json")},
		{"vscode", h(".config", "Code", "User", "mcp.json")}, {"cursor", h(".cursor", "mcp.json")},
		{"opencode", h(".config", "opencode", "opencode.json")}, {"crush", h(".config", "crush", "crush.json")},
		{"zed", h(".config", "zed", "settings.json")},
		{"codex", w(".codex", "config.toml")}, {"gemini", w(".gemini", "settings.json")}, {"vscode", w(".vscode", "mcp.json")}, {"cursor", w(".cursor", "mcp.json")},
		{"opencode", w("opencode.json")}, {"crush", w("crush.json")},
	}
}

// ImportServers reads the tool servers of another program's file. What would run code or skip approvals is not taken over, and a
// warning says so: such an entry is disabled where it needs the part that is missing.
func ImportServers(program, path string, text []byte, workspace string) (entries []ServerEntry, warnings []string, err error) {
	var doc map[string]any
	if program == "codex" {
		err = toml.Unmarshal(text, &doc)
	} else {
		var standard []byte
		if standard, err = jsonc.Standard(text); err == nil {
			err = json.Unmarshal(standard, &doc)
		}
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	servers := map[string]any{}
	take := func(from any) { m, _ := from.(map[string]any); maps.Copy(servers, m) }
	switch program {
	case "codex":
		take(doc["mcp_servers"])
	case "vscode":
		take(doc["servers"])
	case "opencode", "crush":
		take(doc["mcp"])
	case "zed":
		take(doc["context_servers"])
	case "claude":
		take(doc["mcpServers"])
		if projects, _ := doc["projects"].(map[string]any); projects != nil {
			if p, _ := projects[workspace].(map[string]any); p != nil {
				take(p["mcpServers"])
			}
		}
	default:
		take(doc["mcpServers"])
	}
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		raw, _ := servers[name].(map[string]any)
		im := importer{program: program, raw: raw, name: name}
		e := im.entry()
		e.Source = path
		if err := e.Check(); err != nil {
			warnings = append(warnings, err.Error())
			continue
		}
		warnings = append(warnings, im.warnings...)
		entries = append(entries, e)
	}
	return entries, warnings, nil
}

type importer struct {
	program, name string
	raw           map[string]any
	warnings      []string
}

func (im *importer) warn(format string, args ...any) {
	im.warnings = append(im.warnings, fmt.Sprintf("tool server %q: ", im.name)+fmt.Sprintf(format, args...))
}

func (im *importer) entry() ServerEntry {
	e := ServerEntry{Name: im.name, Scope: UserScope, Command: im.str("command"), Args: im.list("args"), Cwd: im.str("cwd"),
		URL: im.str("url"), Headers: im.table("headers"), Env: im.table("env"), Disabled: im.flag("disabled"),
		EnabledTools: im.first("enabled_tools", "includeTools", "enabledTools"), DisabledTool: im.first("disabled_tools", "excludeTools", "disabledTools")}
	if enabled, ok := im.raw["enabled"].(bool); ok {
		e.Disabled = !enabled
	}
	switch kind := im.str("type"); {
	case kind == "sse":
		e.Type = "sse"
	case kind == "http", kind == "streamableHttp", kind == "streamable-http", kind == "remote" && e.URL != "", kind == "", kind == "stdio", kind == "local":
	default:
		e.Type = kind // Check refuses it by its name
	}
	im.special(&e)
	im.times(&e)
	for _, key := range []string{"trust", "autoApprove", "alwaysAllow", "alwaysLoad", "default_tools_approval_mode"} {
		if v, ok := im.raw[key]; ok && v != false {
			im.warn("%q is not taken over: it skips approvals. A rule such as mcp__%s does the same in rein", key, im.name)
		}
	}
	im.code(&e)
	return e
}

// special reads what only one program has.
func (im *importer) special(e *ServerEntry) {
	switch im.program {
	case "gemini":
		if e.URL != "" && e.Type == "" && im.str("type") == "" {
			e.Type = "sse"
		}
		if u := im.str("httpUrl"); u != "" {
			e.URL, e.Type = u, "http"
		}
	case "codex":
		if v := im.str("bearer_token_env_var"); v != "" {
			e.Headers = with(e.Headers, "Authorization", "Bearer ${"+v+"}")
		}
		for k, v := range im.table("http_headers") {
			e.Headers = with(e.Headers, k, v)
		}
		for k, v := range im.table("env_http_headers") {
			e.Headers = with(e.Headers, k, "${"+v+"}")
		}
		for _, v := range im.list("env_vars") {
			e.Env = with(e.Env, v, "${"+v+"}")
		}
		if im.flag("required") {
			e.Start = "required"
		}
	case "opencode":
		if words := im.list("command"); len(words) > 0 {
			e.Command, e.Args = words[0], words[1:]
		}
		for k, v := range im.table("environment") {
			e.Env = with(e.Env, k, v)
		}
	case "zed":
		if c, _ := im.raw["command"].(map[string]any); c != nil {
			inner := importer{raw: c}
			e.Command, e.Args, e.Env = inner.str("path"), inner.list("args"), inner.table("env")
		}
	}
}

// times reads the limits: Codex and crush count seconds, the others milliseconds.
func (im *importer) times(e *ServerEntry) {
	unit := time.Millisecond
	if im.program == "codex" || im.program == "crush" {
		unit = time.Second
	}
	for key, into := range map[string]*ConfigTime{"timeout": &e.Timeout, "tool_timeout_sec": &e.Timeout, "startup_timeout_sec": &e.StartTimeout} {
		if n, ok := number(im.raw[key]); ok && n > 0 {
			*into = ConfigTime(n * float64(unit))
		}
	}
}

var foreignVariable = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\{env:([A-Za-z_][A-Za-z0-9_]*)\}|\$([A-Za-z_][A-Za-z0-9_]*)`)
})

// code rewrites other spellings of variables, and disables what would run a program for a value.
func (im *importer) code(e *ServerEntry) {
	if im.raw["headersHelper"] != nil || im.raw["http_headers_helper"] != nil {
		im.warn("a program makes its headers, which rein does not run: the entry is disabled")
		e.Disabled = true
	}
	fix := func(s string) string {
		switch {
		case strings.Contains(s, "$(") || strings.Contains(s, "{file:"):
			im.warn("%q would run a command or read a file for a value: the entry is disabled", s)
			e.Disabled = true
		case strings.Contains(s, "${input:"):
			name := strings.ToUpper(strings.Map(func(r rune) rune {
				if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
					return r
				}
				return '_'
			}, s[strings.Index(s, "${input:")+8:strings.LastIndex(s, "}")]))
			im.warn("%s is asked for by VS Code; set the environment variable %s instead", s, name)
			return s[:strings.Index(s, "${input:")] + "${" + name + "}" + s[strings.LastIndex(s, "}")+1:]
		case im.program == "opencode" || im.program == "gemini" || im.program == "crush":
			return foreignVariable().ReplaceAllString(s, "${$1$2}")
		}
		return s
	}
	e.Command, e.URL = fix(e.Command), fix(e.URL)
	for i := range e.Args {
		e.Args[i] = fix(e.Args[i])
	}
	for _, m := range []map[string]string{e.Env, e.Headers} {
		for k, v := range m {
			m[k] = fix(v)
		}
	}
}

func (im *importer) str(key string) string { s, _ := im.raw[key].(string); return s }
func (im *importer) flag(key string) bool  { b, _ := im.raw[key].(bool); return b }

func (im *importer) list(key string) (list []string) {
	all, _ := im.raw[key].([]any)
	for _, v := range all {
		if s, ok := v.(string); ok {
			list = append(list, s)
		}
	}
	return list
}

func (im *importer) first(keys ...string) []string {
	for _, key := range keys {
		if list := im.list(key); list != nil {
			return list
		}
	}
	return nil
}

func (im *importer) table(key string) (table map[string]string) {
	all, _ := im.raw[key].(map[string]any)
	for k, v := range all {
		if s, ok := v.(string); ok {
			table = with(table, k, s)
		}
	}
	return table
}

func with(m map[string]string, k, v string) map[string]string {
	if m == nil {
		m = map[string]string{}
	}
	m[k] = v
	return m
}

func number(v any) (float64, bool) {
	switch n := v.(type) {
	case float64:
		return n, true
	case int64:
		return float64(n), true
	}
	return 0, false
}

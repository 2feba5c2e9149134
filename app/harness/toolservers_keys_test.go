package harness

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"rein/event"
)

// TestAProjectsServerGetsNoKey: a project's entry expands no key of rein or of a provider, by whatever name, also where the user trusts it.
func TestAProjectsServerGetsNoKey(t *testing.T) {
	const canary = "c4nary-of-the-test-33"
	var mu sync.Mutex
	var seen []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		seen = append(seen, fmt.Sprint(r.Header, r.URL))
		mu.Unlock()
		http.Error(w, "no", http.StatusNotFound)
	}))
	defer server.Close()
	t.Setenv("ANTHROPIC_API_KEY", canary)
	t.Setenv("AN_ALIAS", canary)
	t.Setenv("REIN_SOMETHING", canary)
	t.Setenv("OF_THE_PROJECT_TOKEN", "0f-the-project")
	entries := map[string]any{}
	for _, name := range []string{"ANTHROPIC_API_KEY", "env:ANTHROPIC_API_KEY", "AN_ALIAS", "REIN_SOMETHING", "OF_THE_PROJECT_TOKEN"} {
		entries[strings.ToLower(strings.NewReplacer("_", "", ":", "").Replace(name))] = map[string]any{"type": "http", "url": server.URL, "headers": map[string]string{"X": "${" + name + "}"}, "start": "required"}
	}
	text, err := json.Marshal(map[string]any{"mcpServers": entries})
	if err != nil {
		t.Fatal(err)
	}
	h := inFolder(t, map[string]string{".mcp.json": string(text)}, Options{Trust: true, Terms: event.Terms{Mode: "full"}})
	servers, err := h.ToolServers()
	if err != nil {
		t.Fatal(err)
	}
	defer servers.Close()
	for _, e := range servers.o.Entries {
		whole, err := servers.expand(e)
		own := e.Name != "oftheprojecttoken"
		if (err != nil) != own || strings.Contains(fmt.Sprint(whole.Headers), canary) {
			t.Errorf("env-17 %s: %v, %v", e.Name, whole.Headers, err)
		}
	}
	lines := ""
	for _, s := range h.ProjectSends() {
		lines += s.String() + fmt.Sprint(s.Secret, s.Own) + "\n"
	}
	if !strings.Contains(lines, "oftheprojecttoken gets ${OF_THE_PROJECT_TOKEN}: "+strings.TrimPrefix(server.URL, "http://")+"true false") || !strings.Contains(lines, "never sent") {
		t.Errorf("shown:\n%s", lines)
	}
}

// TestAServerThatIsTriedHasTheSandboxOfASession: the one that the command names, before that of the settings.
func TestAServerThatIsTriedHasTheSandboxOfASession(t *testing.T) {
	h := inFolder(t, nil, Options{})
	for _, mode := range []string{"off", "required"} {
		h.options.Terms.Sandbox = mode
		servers, err := h.ToolServers()
		if err != nil {
			t.Fatal(err)
		}
		if got := string(servers.o.Sandbox.Mode); got != mode {
			t.Errorf("%s: the sandbox is %q", mode, got)
		}
		servers.Close()
	}
}

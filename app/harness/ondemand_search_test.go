package harness

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rein/app/settings"
	"rein/event"
)

// TestTheProviderSearches: with the setting search.model, web_search uses the search tool of a provider. A person is asked, as for
// any other engine; what it costs is recorded, and a project cannot set it.
func TestTheProviderSearches(t *testing.T) {
	answer, err := os.ReadFile("../../kit/providers/testdata/search/anthropic.sse")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write(answer)
	}))
	defer server.Close()
	t.Setenv("REIN_HOME", t.TempDir())
	t.Setenv("ANTHROPIC_API_KEY", "test-key")
	set := `{"search":{"model":"anthropic/claude-haiku-4-5","order":["model"]},"providers":{"anthropic":{"baseURL":"` + server.URL + `"}}}`
	put(t, filepath.Join(settings.DefaultDirs().Config, "settings.json"), set)
	person := &approveAll{}
	s := startCalls(t, Options{Dir: t.TempDir(), Terms: event.Terms{Sandbox: "off"}, Person: person})
	result := callText(t, s, "1", "web_search", `{"query":"go maps","domains":["go.dev"]}`)
	if len(person.shown) != 1 || !strings.Contains(person.shown[0], strings.TrimPrefix(server.URL, "http://")) {
		t.Errorf("the request does not name the provider's address: %q", person.shown)
	}
	for _, want := range []string{"text from anthropic/claude-haiku-4-5, written by others", "Maps are hash tables.", "1. Go maps in action\n   https://go.dev/blog/maps (February 6, 2013)\n   A map is a hash table."} {
		if !strings.Contains(result, want) {
			t.Errorf("%q is not in %s", want, result)
		}
	}
	if strings.Contains(result, "other.example") {
		t.Errorf("a page of another domain: %s", result)
	}
	paid := false
	for e, err := range s.Events() {
		if err != nil {
			t.Fatal(err)
		}
		paid = paid || e.Kind == event.Audit && e.Usage != nil && e.Usage.Input == 2100 && e.Text == "web_search asked anthropic/claude-haiku-4-5"
	}
	if !paid {
		t.Error("what it used is not recorded")
	}

	dir := t.TempDir()
	put(t, filepath.Join(dir, ".rein", "settings.json"), fmt.Sprintf(`{"search":{"model":"anthropic/x","order":["model"]},"providers":{"anthropic":{"baseURL":%q}}}`, server.URL))
	t.Setenv("REIN_HOME", t.TempDir())
	person = &approveAll{}
	callText(t, startCalls(t, Options{Dir: dir, Terms: event.Terms{Sandbox: "off"}, Person: person}), "1", "web_search", `{"query":"go maps"}`)
	if len(person.shown) != 1 || strings.Contains(person.shown[0], strings.TrimPrefix(server.URL, "http://")) {
		t.Errorf("a project chose who is asked: %q", person.shown)
	}
}

package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rein/lab/testkit"
	"rein/tool"
)

// The answers below are written by hand after the documented structure of each engine; see testdata.
func answer(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// files are the answers of the engines.
var files = map[string]string{"brave": "brave.json", "tavily": "tavily.json", "exa": "exa.json", "kagi": "kagi.json", "google": "google.json",
	"searxng": "searxng.json", "duckduckgo": "duckduckgo.html"}

// seen is what a request had.
type seen struct {
	path   string
	values url.Values
	body   map[string]any
	header http.Header
}

// newEngine makes a server that answers as an engine does.
func newEngine(t testing.TB, handle http.HandlerFunc) (address string, last *seen) {
	t.Helper()
	last = &seen{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		*last = seen{path: r.Method + " " + r.URL.Path, values: r.URL.Query(), header: r.Header}
		_ = json.Unmarshal(text, &last.body)
		handle(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL, last
}

func gives(body []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) }
}

func search(t testing.TB, o SearchOptions, args ...any) (string, *tool.SearchDetail) {
	t.Helper()
	tools, err := NewSearch(o)
	if err != nil {
		t.Fatal(err)
	}
	text, d := testkit.Call(t, tools.Search(), testkit.Args(args...))
	return text, tool.ParseDetail(d).Search
}

func TestEngines(t *testing.T) {
	for _, row := range []struct {
		name, path   string
		key          func(s *seen) string
		filter, date func(s *seen) string
		wantFilter   string
		wantDate     string
	}{
		{"brave", "GET /res/v1/web/search", func(s *seen) string { return s.header.Get("X-Subscription-Token") },
			func(s *seen) string { return s.values.Get("q") }, func(s *seen) string { return s.values.Get("freshness") }, "go maps (site:go.dev OR site:a.example) -site:b.example", "pw"},
		{"tavily", "POST /search", func(s *seen) string { return strings.TrimPrefix(s.header.Get("Authorization"), "Bearer ") },
			func(s *seen) string { return fmt.Sprint(s.body["include_domains"], s.body["exclude_domains"]) }, func(s *seen) string { return fmt.Sprint(s.body["time_range"]) }, "[go.dev a.example] [b.example]", "week"},
		{"exa", "POST /search", func(s *seen) string { return s.header.Get("x-api-key") },
			func(s *seen) string { return fmt.Sprint(s.body["includeDomains"], s.body["excludeDomains"]) },
			func(s *seen) string { return fmt.Sprint(s.body["startPublishedDate"]) }, "[go.dev a.example] [b.example]", time.Now().AddDate(0, 0, -7).Format(time.DateOnly)},
		{"kagi", "GET /api/v0/search", func(s *seen) string { return strings.TrimPrefix(s.header.Get("Authorization"), "Bot ") },
			func(s *seen) string { return s.values.Get("q") }, func(*seen) string { return "" }, "go maps (site:go.dev OR site:a.example) -site:b.example", ""},
		{"google", "GET /customsearch/v1", func(s *seen) string { return s.values.Get("key") },
			func(s *seen) string { return s.values.Get("q") }, func(s *seen) string { return s.values.Get("dateRestrict") }, "go maps (site:go.dev OR site:a.example) -site:b.example", "w1"},
		{"searxng", "GET /search", func(s *seen) string { return s.values.Get("format") },
			func(s *seen) string { return s.values.Get("q") }, func(s *seen) string { return s.values.Get("time_range") }, "go maps (site:go.dev OR site:a.example) -site:b.example", "week"},
		{"duckduckgo", "GET /html/", func(s *seen) string { return s.header.Get("User-Agent")[:7] },
			func(s *seen) string { return s.values.Get("q") }, func(s *seen) string { return s.values.Get("df") }, "go maps (site:go.dev OR site:a.example) -site:b.example", "w"},
	} {
		t.Run(row.name, func(t *testing.T) {
			address, last := newEngine(t, gives(answer(t, files[row.name])))
			wantKey := map[string]string{"searxng": "json", "duckduckgo": "Mozilla"}[row.name]
			if wantKey == "" {
				wantKey = "KEY"
			}
			o := SearchOptions{Engines: []SearchEngine{{Name: row.name, Key: "KEY", ID: "cx", URL: address}}}
			text, d := search(t, o, "query", "go  maps", "domains", []string{"https://www.go.dev/doc", "*.a.example"}, "not_domains", []string{"b.example"}, "since", "week")
			if last.path != row.path || row.key(last) != wantKey || row.filter(last) != row.wantFilter || row.date(last) != row.wantDate {
				t.Errorf("asked %s with key %q, filter %q, date %q", last.path, row.key(last), row.filter(last), row.date(last))
			}
			if d == nil || d.Engine != row.name || len(d.Results) != 2 || d.Results[0].URL != "https://go.dev/blog/maps" || d.Results[0].Title != "Go maps in action & more" {
				t.Errorf("found %+v in %s", d, text)
			}
			if !strings.Contains(text, "   A map is a hash table <T>.\n") || !strings.Contains(text, "text from "+row.name+", written by others") {
				t.Errorf("the text is %s", text)
			}
			if row.name != "google" && row.name != "duckduckgo" && !strings.Contains(text, "2013-02-06") {
				t.Errorf("there is no date in %s", text)
			}
		})
	}
}

func TestCleaned(t *testing.T) {
	found := []result{{title: "a", url: "javascript:alert(1)"}, {title: "b", url: "https://user:pass@evil.test/"}, {title: "c", url: "https://x.test/1"},
		{title: "again", url: "https://x.test/1"}, {url: "http://sub.y.test"}, {title: "z", url: "https://noty.test"}, {title: "long", url: "https://z.test/" + strings.Repeat("a", addressBytes)},
		{title: "<b>bold</b>\x1b[31m\u202e", url: "https://w.test", text: strings.Repeat("word ", 200), date: "2020-01-02T03:04:05Z"}}
	got := query{count: 20, not: []string{"noty.test"}}.cleaned(found)
	if len(got) != 3 || got[1].title != "sub.y.test" || got[2].title != "bold" || len(got[2].text) > textBytes+3 || got[2].date != "2020-01-02" {
		t.Errorf("got %+v", got)
	}
	if got := (query{count: 20, domains: []string{"y.test"}}).cleaned(found); len(got) != 1 {
		t.Errorf("with a domain: %+v", got)
	}
	if got := (query{count: 1}).cleaned(found); len(got) != 1 {
		t.Errorf("one: %+v", got)
	}
}

// What engines answer when they give no results, and garbage.
func TestRefusals(t *testing.T) {
	with := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	for name, row := range map[string]struct {
		engine string
		answer http.HandlerFunc
		says   string
		off    bool
	}{
		"a rate limit":               {"brave", with(429, "{}"), "rate limit, again in 60 s", false},
		"a wrong key":                {"tavily", with(401, `{"detail":"Unauthorized"}`), "it refuses the key", true},
		"a plan that is used up":     {"tavily", with(432, "limit"), "the plan is used up", true},
		"Google's wrong key":         {"google", with(400, `{"error":{"message":"API key not valid."}}`), "refuses the key", true},
		"Kagi's error":               {"kagi", with(200, `{"error":[{"code":1,"msg":"no credit"}]}`), "no credit", false},
		"garbage":                    {"exa", with(200, "\x00\xff garbage"), "cannot be read", false},
		"a web page":                 {"searxng", with(200, "<html>hello"), "a web page, not JSON", false},
		"SearXNG without JSON":       {"searxng", with(403, "<html>"), "its JSON format is switched off", false},
		"DuckDuckGo's 202":           {"duckduckgo", with(202, "<html>"), "rate limit, again in 60 s", false},
		"DuckDuckGo without results": {"duckduckgo", with(200, "<html><body>please wait</body></html>"), "rate limit", false},
		"JSON of another kind":       {"brave", with(200, `{"web":[]}`), "cannot be read", false},
		"numbers in place of texts":  {"exa", with(200, `{"results":[{"title":5}]}`), "cannot be read", false},
		"an answer that is too long": {"brave", with(200, `{"x":"`+strings.Repeat("a", engineBytes)+`"}`), "longer than", false},
		"a redirect to another host": {"brave", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://169.254.169.254/", http.StatusFound)
		}, "redirect", false},
		"an error of the server":         {"brave", with(500, "oops <b>x</b>"), "500 Internal Server Error: oops x", false},
		"a key that is in the error not": {"google", func(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) }, "EOF", false},
	} {
		t.Run(name, func(t *testing.T) {
			address, _ := newEngine(t, row.answer)
			tools, err := NewSearch(SearchOptions{Engines: []SearchEngine{{Name: row.engine, Key: "SECRETKEY", ID: "cx", URL: address}}})
			if err != nil {
				t.Fatal(err)
			}
			text, _ := testkit.Call(t, tools.Search(), `{"query":"x"}`)
			if !strings.HasPrefix(text, "failed: No search engine gave results: "+row.engine+" (") || !strings.Contains(text, row.says) || strings.Contains(text, "SECRETKEY") {
				t.Errorf("got %q", text)
			}
			if tools.engines[0].off != row.off {
				t.Errorf("off is %t", tools.engines[0].off)
			}
		})
	}
}

func TestNothingFound(t *testing.T) {
	address, _ := newEngine(t, gives([]byte(`<html><div class="no-results">No results.</div></html>`)))
	if text, _ := search(t, SearchOptions{Engines: []SearchEngine{{Name: "duckduckgo", URL: address}}}, "query", "qwxz"); !strings.HasPrefix(text, "duckduckgo found nothing") {
		t.Errorf("got %q", text)
	}
}

// The next engine is asked when one refuses, and the first one is not asked again for a while.
func TestNextEngine(t *testing.T) {
	asked := 0
	first, _ := newEngine(t, func(w http.ResponseWriter, _ *http.Request) { asked++; w.WriteHeader(429) })
	second, _ := newEngine(t, gives(answer(t, files["brave"])))
	tools, err := NewSearch(SearchOptions{Engines: []SearchEngine{{Name: "tavily", Key: "k", URL: first}, {Name: "brave", Key: "k", URL: second}}})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if text, _ := testkit.Call(t, tools.Search(), `{"query":"x"}`); !strings.Contains(text, "go.dev") {
			t.Errorf("got %q", text)
		}
	}
	if asked != 1 {
		t.Errorf("the first engine was asked %d times", asked)
	}
}

func TestWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tools, err := NewSearch(SearchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		e, start := tools.engines[0], time.Now()
		for range 3 {
			if !tools.begin(t.Context(), e) {
				t.Error("it is not asked")
			}
		}
		if took := time.Since(start); took != 2*pause {
			t.Errorf("three questions took %v", took)
		}
		tools.blame(e, &refusal{text: "rate limit", after: 24 * time.Hour})
		if tools.begin(t.Context(), e) {
			t.Error("it is asked again")
		}
		time.Sleep(mostBackOff)
		if !tools.begin(t.Context(), e) {
			t.Error("it is never asked again")
		}
	})
}

func TestIntent(t *testing.T) {
	tools, err := NewSearch(SearchOptions{Engines: []SearchEngine{{Name: "brave", Key: "k"}, {Name: "searxng", URL: "http://localhost:8888"}, {Name: "duckduckgo"}}})
	if err != nil {
		t.Fatal(err)
	}
	i, err := tools.Search().Intent(json.RawMessage(`{"query":"x"}`))
	if got := strings.Join(i.Hosts, " "); err != nil || got != "api.search.brave.com:443 localhost:8888 html.duckduckgo.com:443" {
		t.Errorf("got %s, %v", got, err)
	}
	if _, err := tools.Search().Intent(json.RawMessage(`{"query":" "}`)); tool.AsError(err) == nil || tool.AsError(err).Kind != tool.BadArguments {
		t.Errorf("an empty query: %v", err)
	}
	// Without a policy no host is reached.
	if text, _ := search(t, SearchOptions{}, "query", "x"); !strings.Contains(text, "duckduckgo (") || !strings.Contains(text, "no network is allowed here") {
		t.Errorf("got %q", text)
	}
}

func TestNewRefuses(t *testing.T) {
	for says, e := range map[string]SearchEngine{"needs a key": {Name: "brave"}, "none with this name": {Name: "altavista"}, "id of a search engine": {Name: "google", Key: "k"}, "URL of an instance": {Name: "searxng"},
		"it needs a model": {Name: "model"}, "cannot search": {Name: "model", ID: "ollama/qwen3"}, "nothing asks it": {Name: "model", ID: "gemini/x"}} {
		if _, err := NewSearch(SearchOptions{Engines: []SearchEngine{e}}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: %v", e, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range files {
		f.Add(answer(f, name))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, a := range apis() {
			found, err := a.read(body)
			if err != nil {
				continue
			}
			for _, r := range (query{count: mostResults}).cleaned(found) {
				if !strings.HasPrefix(r.url, "http") || len(r.title) > titleBytes+3 || strings.ContainsAny(r.title+r.text, "\n\x1b") {
					t.Errorf("%+v", r)
				}
			}
		}
	})
}

// A model searches with the tool of its provider. Its pages are filtered and shown as those of other engines.
func TestByModel(t *testing.T) {
	var asked SearchQuestion
	e := SearchEngine{Name: "model", ID: "gemini/gemini-2.5-flash", URL: "https://model.example", Ask: func(_ context.Context, q SearchQuestion) ([]SearchPage, string, error) {
		asked = q
		return []SearchPage{{Title: "go.dev", URL: "https://vertexaisearch.cloud.google.com/grounding-api-redirect/A", Text: "A map is <b>fast</b>."},
			{Title: "b.example", URL: "https://vertexaisearch.cloud.google.com/grounding-api-redirect/B"}, {URL: "ftp://x"}}, "Maps are\x1b[31m fast. " + strings.Repeat("x", mostAnswerBytes), nil
	}}
	text, d := search(t, SearchOptions{Engines: []SearchEngine{e}}, "query", "go maps", "domains", []string{"go.dev"}, "not_domains", []string{"b.example"}, "since", "week", "count", 3)
	if d == nil || d.Engine != e.ID || len(d.Results) != 1 || d.Results[0].Title != "go.dev" || !strings.Contains(text, "A map is fast.") || strings.Contains(text, "\x1b") {
		t.Errorf("found %+v in %q", d, text)
	}
	if !strings.Contains(text, "Maps are") || len(text) > mostAnswerBytes+1000 {
		t.Errorf("the answer is %q", text)
	}
	for _, want := range []string{"Search the web for: go maps\n", "at most 3", "Only pages of: go.dev.", "No pages of: b.example.", "Only pages since "} {
		if !strings.Contains(asked.Prompt, want) {
			t.Errorf("%q is not in %q", want, asked.Prompt)
		}
	}
	// The next engine is asked when the model fails or names no page.
	next, _ := newEngine(t, gives(answer(t, files["brave"])))
	for name, err := range map[string]error{"an error": errors.New("too many requests"), "no page": nil} {
		e.Ask = func(context.Context, SearchQuestion) ([]SearchPage, string, error) { return nil, "I know it.", err }
		if text, _ := search(t, SearchOptions{Engines: []SearchEngine{e, {Name: "brave", Key: "k", URL: next}}}, "query", "x"); !strings.Contains(text, "text from brave") {
			t.Errorf("%s: %q", name, text)
		}
	}
}

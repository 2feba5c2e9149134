package web

import (
	"strings"
	"testing"
)

func TestLook(t *testing.T) {
	for name, row := range map[string]struct {
		order []string
		set   map[string]SearchSetup
		env   map[string]string
		want  string
	}{
		"nothing is set":          {want: "duckduckgo"},
		"keys come first":         {env: map[string]string{"BRAVE_API_KEY": "k", "KAGI_API_KEY": "k"}, want: "brave kagi duckduckgo"},
		"an order":                {order: []string{"duckduckgo", "brave"}, env: map[string]string{"BRAVE_API_KEY": "k", "KAGI_API_KEY": "k"}, want: "duckduckgo brave"},
		"an order without key":    {order: []string{"brave", "duckduckgo"}, want: "duckduckgo"},
		"google needs an id":      {env: map[string]string{"GOOGLE_SEARCH_API_KEY": "k"}, want: "duckduckgo"},
		"google with an id":       {env: map[string]string{"GOOGLE_SEARCH_API_KEY": "k", "GOOGLE_CSE_ID": "x"}, want: "google duckduckgo"},
		"searxng":                 {env: map[string]string{"SEARXNG_URL": "http://localhost:8080"}, want: "searxng duckduckgo"},
		"searxng in settings":     {set: map[string]SearchSetup{"searxng": {URL: "https://searx.example"}}, want: "searxng duckduckgo"},
		"a variable of its own":   {set: map[string]SearchSetup{"exa": {KeyEnv: "MY"}}, env: map[string]string{"MY": "k"}, want: "exa duckduckgo"},
		"an address that is none": {env: map[string]string{"SEARXNG_URL": "file:///etc"}, want: "duckduckgo"},
		"a model":                 {set: map[string]SearchSetup{"model": {ID: "openai/gpt-5-mini"}}, want: "model duckduckgo"},
		"a model without search":  {set: map[string]SearchSetup{"model": {ID: "ollama/qwen3"}}, want: "duckduckgo"},
		"an unknown name":         {order: []string{"altavista", "duckduckgo"}, want: "duckduckgo"},
	} {
		all := SearchEngines(row.order, row.set, func(name string) string { return row.env[name] })
		var got []string
		for _, e := range ReadyEngines(all) {
			got = append(got, e.Name)
		}
		if strings.Join(got, " ") != row.want {
			t.Errorf("%s: got %v, want %s", name, got, row.want)
		}
		for _, s := range all {
			if s.Ready == (s.Needs != "") {
				t.Errorf("%s: %s: ready is %t, and it needs %q", name, s.Name, s.Ready, s.Needs)
			}
		}
	}
}

package agent

import (
	"testing"
	"time"

	"rein/event"
	"rein/model"
)

// TestCacheMissesAreAttributed: each request follows one of 10,000 tokens.
func TestCacheMissesAreAttributed(t *testing.T) {
	request := func(system string, tools ...string) *model.Request {
		r := &model.Request{System: system}
		for _, name := range tools {
			r.Tools = append(r.Tools, model.ToolSpec{Name: name})
		}
		return r
	}
	for name, row := range map[string]struct {
		model    string
		request  *model.Request
		read     int64
		silent   bool // the provider reports no cache
		small    bool // the request before was small
		replaced bool
		later    time.Duration
		want     string
	}{
		"it was read":                 {request: request("s", "a", "b"), read: 9000},
		"a part was read":             {request: request("s", "a", "b"), read: 5000},
		"another model":               {model: "p/other", request: request("s", "a", "b"), want: "the model changed"},
		"another system prompt":       {request: request("t", "a", "b"), want: "the system prompt changed"},
		"a tool came":                 {request: request("s", "a", "b", "mcp__x"), want: "the tools changed: +mcp__x"},
		"tools went":                  {request: request("s", "c"), want: "the tools changed: +c -a -b"},
		"tools in another order":      {request: request("s", "b", "a"), want: "the tools changed: their order"},
		"the conversation was cut":    {request: request("s", "a", "b"), replaced: true, want: "the conversation was compacted"},
		"after a pause":               {request: request("s", "a", "b"), later: 7 * time.Minute, want: "idle: nothing was asked for 7m0s"},
		"nothing that we know":        {request: request("s", "a", "b"), want: "the provider did not keep it"},
		"a provider without a cache":  {request: request("t", "a"), silent: true},
		"a request too small for one": {request: request("t", "a"), small: true},
	} {
		var c cached
		first := event.Usage{Input: 10_000, CacheWrite: 10_000}
		if row.silent {
			first.CacheWrite = 0
		}
		if row.small {
			first = event.Usage{Input: 1000, CacheWrite: 1000}
		}
		if why := c.missed(request("s", "a", "b"), "p/m", time.Now(), first); why != "" {
			t.Errorf("%s: the first request: %q", name, why)
		}
		c.replaced = row.replaced
		asked := "p/m"
		if row.model != "" {
			asked = row.model
		}
		if why := c.missed(row.request, asked, time.Now().Add(row.later), event.Usage{Input: 10_500, CacheRead: row.read}); why != row.want {
			t.Errorf("%s: %q, not %q", name, why, row.want)
		}
	}
}

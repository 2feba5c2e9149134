package agent

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rein/event"
	"rein/model"
)

// cached is what the prompt cache of a provider depended on at the last answer.
type cached struct {
	model    string
	system   string
	tools    []string
	input    int64 // tokens of the request
	reports  bool  // the provider says what it reads from its cache
	replaced bool  // messages were replaced since: see Compaction
	at       time.Time
}

// leastCached is the size of a request, in tokens, below which providers cache nothing.
const leastCached = 2048

// missed says why a request was not read from the provider's cache although the one before it began in the same way: "" where at
// least half of that was read, and where the provider reports no cache. It remembers the request for the next one.
func (c *cached) missed(r *model.Request, name string, sent time.Time, u event.Usage) (why string) {
	before := *c
	*c = cached{model: name, system: r.System, input: u.Input, at: time.Now(), reports: u.CacheRead+u.CacheWrite > 0 || before.reports && before.model == name}
	for _, t := range r.Tools {
		c.tools = append(c.tools, t.Name)
	}
	idle := sent.Sub(before.at)
	switch {
	case before.input < leastCached || !c.reports && !before.reports || u.CacheRead >= before.input/2:
		return ""
	case name != before.model:
		return "the model changed"
	case r.System != before.system:
		return "the system prompt changed"
	case !slices.Equal(c.tools, before.tools):
		return "the tools changed: " + changes(before.tools, c.tools)
	case before.replaced:
		return "the conversation was compacted"
	case idle > cacheLife:
		return fmt.Sprintf("idle: nothing was asked for %v", idle.Round(time.Minute))
	}
	return "the provider did not keep it"
}

// changes names what one list has and the other does not.
func changes(before, after []string) string {
	var all []string
	for _, name := range after {
		if !slices.Contains(before, name) {
			all = append(all, "+"+name)
		}
	}
	for _, name := range before {
		if !slices.Contains(after, name) {
			all = append(all, "-"+name)
		}
	}
	if len(all) == 0 {
		return "their order"
	}
	const most = 5
	if more := len(all) - most; more > 0 {
		all = append(all[:most], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(all, " ")
}

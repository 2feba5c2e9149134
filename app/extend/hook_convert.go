package extend

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// HookGroup is the hooks of one event that have one matcher, as a file lists them.
type HookGroup struct {
	Matcher string        `json:"matcher,omitempty"`
	Hooks   []HookHandler `json:"hooks"`
}

// ConvertHooks reads the hooks of a settings file of Gemini CLI or crush, the value of its key "hooks", and returns them by our events. They keep
// the JSON of their program. notes say what is left out or means something else.
func ConvertHooks(format string, value any) (all map[string][]HookGroup, notes []string) {
	events, _ := value.(map[string]any)
	all = map[string][]HookGroup{}
	for _, name := range slices.Sorted(maps.Keys(events)) {
		list, ok := events[name].([]any)
		if !ok || len(list) == 0 {
			continue
		}
		ours := eventsOf(name, format)
		if len(ours) == 0 {
			notes = append(notes, fmt.Sprintf("rein has no event %s: its hooks are left out", name))
			continue
		}
		for _, entry := range list {
			g, more := convertEntry(format, entry)
			if notes = append(notes, more...); len(g.Hooks) == 0 {
				continue
			}
			for _, event := range ours {
				all[string(event)] = append(all[string(event)], g)
			}
		}
	}
	return all, notes
}

// convertEntry reads one entry of an event: of Gemini CLI a matcher with hooks, of crush one hook with its matcher.
func convertEntry(format string, entry any) (g HookGroup, notes []string) {
	text, err := json.Marshal(entry)
	if err != nil {
		return g, []string{err.Error()}
	}
	var list struct {
		Matcher    string        `json:"matcher"`
		Sequential bool          `json:"sequential"`
		Hooks      []HookHandler `json:"hooks"`
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return g, []string{fmt.Sprintf("a hook is left out: %v", err)}
	}
	g.Matcher = list.Matcher
	if format == "crush" {
		var h HookHandler
		if err := json.Unmarshal(text, &h); err != nil {
			return g, []string{fmt.Sprintf("a hook is left out: %v", err)}
		}
		h.Type = "command"
		list.Hooks = []HookHandler{h}
	}
	if list.Sequential {
		notes = append(notes, "hooks that ran one after the other there run at once here, and each sees the same input")
	}
	for _, h := range list.Hooks {
		if h.Type != "command" || h.Command == "" {
			notes = append(notes, fmt.Sprintf("a hook of the type %q is left out", h.Type))
			continue
		}
		if format == "gemini" {
			h.Timeout /= 1000 // milliseconds
		}
		g.Hooks = append(g.Hooks, HookHandler{Type: h.Type, Command: h.Command, Timeout: min(h.Timeout, mostHookSeconds), Env: h.Env, Format: format})
	}
	return g, notes
}

package providers

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"rein/model"
)

// first returns the first provider that can be used without being named. Of the local servers only Ollama is: what answers
// at the ports of the others may be anything, so the user has to name it.
func (o *Options) first(ctx context.Context) (model.Model, error) {
	none := &NoModel{}
	for _, p := range Table() {
		if p.Local || p.Model == "" {
			continue
		}
		if key, _ := o.key(p); key != "" {
			return o.open(ctx, p, "")
		}
		for _, name := range p.Keys {
			if !slices.Contains(none.Keys, name) {
				none.Keys = append(none.Keys, name)
			}
		}
	}
	none.Servers = Servers(ctx, o)
	for _, s := range none.Servers {
		if name := s.Usable(); s.Provider == "ollama" && name != "" {
			return Open(ctx, s.Provider+"/"+name, o)
		}
	}
	return nil, none
}

// NoModel is the error of Open when no model is named, no variable holds a key, and no Ollama with a model runs.
type NoModel struct {
	Keys    []string // the variables that may hold a key
	Servers []Server // the local servers that were asked
}

// Error says in one line what was looked for.
func (e *NoModel) Error() string {
	return "no model is named, none of " + strings.Join(e.Keys, ", ") + " is set, and no Ollama with a model runs here"
}

// Help tells a user what was looked for, what was found, and what to do next, in several lines.
func (e *NoModel) Help() string {
	var out, next strings.Builder
	fmt.Fprintf(&out, "no model is named with --model, and none was found\n  no key is set: %s\n", strings.Join(e.Keys, ", "))
	for _, s := range e.Servers {
		switch usable := s.Usable(); {
		case usable != "":
			fmt.Fprintf(&out, "  %s at %s: runs, has %s\n", s.Title, s.Base, strings.Join(s.Models[:min(len(s.Models), 3)], ", "))
			fmt.Fprintf(&next, "  rein run --model %s/%s 'your task'\n", s.Provider, usable)
		case s.Provider == "ollama" && s.Running():
			fmt.Fprintf(&out, "  %s at %s: runs, but has no model for text\n", s.Title, s.Base)
			fmt.Fprintf(&next, "  ollama pull qwen3 && rein run 'your task'\n")
		default:
			fmt.Fprintf(&out, "  %s at %s: %v\n", s.Title, s.Base, s.Err)
		}
	}
	out.WriteString("continue with one of these:\n" + next.String())
	out.WriteString("  rein setup    (choose a model and enter a key, step by step)\n")
	fmt.Fprintf(&out, "  export %s=...    (the key of a provider, in any of the variables above)\n", e.Keys[0])
	out.WriteString("  rein run --model provider/name 'your task'    (rein doctor lists what is configured)\n")
	out.WriteString("  rein demo    (needs no model)")
	return out.String()
}

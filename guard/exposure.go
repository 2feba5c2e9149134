package guard

import (
	"context"
	"slices"
	"strings"
	"sync"

	"rein/guard/shell"
	"rein/places"
)

// Exposure is the guard that remembers which texts of strangers the model has read since the user spoke: pages, results
// of other people's tools, files outside of the work. It raises nothing; it adds to what a person is shown of a call
// that does more than look, because such a text may have asked for it. It is told of the calls that ran.
type Exposure struct {
	Programs Programs

	lock sync.Mutex
	read map[string][]string // by session
}

// Judge tells what was read, as an effect.
func (x *Exposure) Judge(_ context.Context, c Case) Verdict {
	x.lock.Lock()
	sources := x.read[c.Session]
	x.lock.Unlock()
	i := c.Intent
	if len(sources) == 0 || i.Command == "" && len(i.Writes)+len(i.Hosts) == 0 && !i.Unknown {
		return Verdict{}
	}
	return Verdict{Effects: []string{"after reading " + listed(sources)}}
}

// Ran notes what the model has read by a call.
func (x *Exposure) Ran(c Case) {
	sources := x.sources(c)
	if len(sources) == 0 {
		return
	}
	x.lock.Lock()
	defer x.lock.Unlock()
	if x.read == nil {
		x.read = map[string][]string{}
	}
	all := slices.Clone(x.read[c.Session])
	for _, s := range sources {
		if !contains(all, s) {
			all = append(all, s)
		}
	}
	x.read[c.Session] = all
}

// Said forgets what was read before the user spoke.
func (x *Exposure) Said(session string) {
	x.lock.Lock()
	defer x.lock.Unlock()
	delete(x.read, session)
}

// unnamed stands for what a program reaches without saying where.
const unnamed = "the network"

// sources are the texts of strangers that a call brings.
func (x *Exposure) sources(c Case) []string {
	if server, _, ok := strings.Cut(strings.TrimPrefix(c.Call.Name, "mcp__"), "__"); ok && strings.HasPrefix(c.Call.Name, "mcp__") {
		return []string{"the tool server " + server}
	}
	if c.Intent.Unknown && c.Intent.Command == "" {
		return []string{"the tool " + c.Call.Name}
	}
	hosts, reads := c.Intent.Hosts, c.Intent.Reads
	if c.Intent.Command != "" {
		r := x.Programs.Read(c)
		hosts, reads = r.Hosts, r.Reads
		if len(hosts) == 0 && slices.ContainsFunc(r.Findings, func(f shell.Finding) bool { return f.Class == shell.Network }) {
			hosts = []string{unnamed}
		}
	}
	all := slices.Clone(hosts)
	at := x.Programs.Here.places(c)
	for _, name := range reads {
		if places.Classify(name, at) == places.Outside {
			all = append(all, at.Abs(name))
		}
	}
	return all
}

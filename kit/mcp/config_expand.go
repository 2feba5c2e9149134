package mcp

import (
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"
)

// Expand returns the entry with its variables replaced: ${NAME}, ${NAME:-else}, ${env:NAME}, ${workspaceFolder},
// ${userHome} and a leading "~/". A variable without a value and without an else is an error: the name itself must not reach
// a server in the place of a key. lookup gives the value of an environment variable; nil is that of this process.
func (e ServerEntry) Expand(workspace, home string, lookup func(string) (string, bool)) (ServerEntry, error) {
	if lookup == nil {
		lookup = os.LookupEnv
	}
	x := expander{workspace: workspace, home: home, lookup: lookup, server: e.Name}
	x.text(&e.Command)
	x.text(&e.Cwd)
	x.text(&e.URL)
	for _, list := range []*[]string{&e.Args, &e.Write, &e.Read, &e.Network} {
		*list = slices.Clone(*list)
		for i := range *list {
			x.text(&(*list)[i])
		}
	}
	for _, m := range []*map[string]string{&e.Env, &e.Headers} {
		*m = maps.Clone(*m)
		for _, k := range slices.Sorted(maps.Keys(*m)) {
			v := (*m)[k]
			x.text(&v)
			(*m)[k] = v
		}
	}
	if e.OAuth != nil {
		o := *e.OAuth
		x.text(&o.ClientSecret)
		x.text(&o.ClientID)
		e.OAuth = &o
	}
	return e, x.err
}

type expander struct {
	workspace, home, server string
	lookup                  func(string) (string, bool)
	err                     error
}

func (x *expander) text(s *string) {
	if rest, ok := strings.CutPrefix(*s, "~/"); ok {
		*s = x.home + "/" + rest
	}
	var out strings.Builder
	rest := *s
	for {
		before, after, found := strings.Cut(rest, "${")
		out.WriteString(before)
		if !found {
			break
		}
		name, tail, closed := strings.Cut(after, "}")
		if !closed {
			out.WriteString("${" + after)
			break
		}
		out.WriteString(x.value(name))
		rest = tail
	}
	*s = out.String()
}

func (x *expander) value(name string) string {
	switch name {
	case "workspaceFolder", "CLAUDE_PROJECT_DIR":
		return x.workspace
	case "userHome":
		return x.home
	}
	name, otherwise, hasElse := strings.Cut(strings.TrimPrefix(name, "env:"), ":-")
	if v, ok := x.lookup(name); ok && (v != "" || !hasElse) {
		return v
	}
	if !hasElse && x.err == nil {
		x.err = fmt.Errorf("tool server %q: the environment variable %s is not set", x.server, name)
	}
	return otherwise
}

// Sent is an environment variable that an entry gives to a server.
type Sent struct {
	Variable string
	To       string // the host, or the program
	Remote   bool   // it leaves the machine with the first request
}

// Sends returns the environment variables that Expand would read, by name, and who gets their values.
func (e ServerEntry) Sends() []Sent {
	to, remote := "the program "+e.Command, false
	if e.URL != "" {
		to, remote = e.URL, true
		if u, err := url.Parse(e.URL); err == nil && u.Host != "" && !strings.Contains(u.Host, "$") {
			to = u.Host
		}
	}
	names := map[string]bool{}
	_, _ = e.Expand("", "", func(name string) (string, bool) { // every variable has a value
		names[name] = true
		return "", true
	})
	var all []Sent
	for _, name := range slices.Sorted(maps.Keys(names)) {
		all = append(all, Sent{Variable: name, To: to, Remote: remote})
	}
	return all
}

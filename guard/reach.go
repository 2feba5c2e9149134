package guard

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"rein/places"
)

// Reach is the guard of what file tools cannot do whatever is answered: they open nothing outside the workspace but what
// the user opened. A question about it would be for nothing, and a rule that allows it too.
type Reach struct{ Here Here }

// Judge denies a path that the tool would not get to, and names the way to it.
func (r Reach) Judge(_ context.Context, c Case) Verdict {
	if k := kindOf(c.Call.Name); k != aboutReads && k != aboutWrites {
		return Verdict{}
	}
	at := r.Here.places(c)
	writable := slices.Concat(at.Workspaces, at.Opened)
	readable := slices.Concat(writable, at.Shown)
	for _, name := range c.Intent.Writes {
		if abs := at.Abs(name); !places.InAny(abs, writable) {
			return unreached(name, "write", filepath.Dir(abs))
		}
	}
	for _, name := range c.Intent.Reads {
		if abs := at.Abs(name); !strings.Contains(name, "://") && !places.InAny(abs, readable) {
			return unreached(name, "read", abs)
		}
	}
	return Verdict{}
}

func unreached(name, way, place string) Verdict {
	return Verdict{Decision: Deny, Severity: Low, Guard: "reach", Rules: []string{"path.reach"}, Reason: name + " is outside the workspace",
		Hint: fmt.Sprintf("use a path in the workspace; if the task needs it, ask the user to open it with this call: request_access {%q:%q,\"why\":\"…\"}", way, place)}
}

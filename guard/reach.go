package guard

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
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
	writable := append(append([]string{}, at.Workspaces...), at.Opened...)
	for _, name := range c.Intent.Writes {
		if !underAny(at.Abs(name), writable) {
			return unreached(name, "write", filepath.Dir(at.Abs(name)))
		}
	}
	for _, name := range c.Intent.Reads {
		if !strings.Contains(name, "://") && !underAny(at.Abs(name), append(writable, at.Shown...)) {
			return unreached(name, "read", at.Abs(name))
		}
	}
	return Verdict{}
}

func underAny(name string, dirs []string) bool {
	for _, dir := range dirs {
		if rel, err := filepath.Rel(dir, name); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}

func unreached(name, way, place string) Verdict {
	return Verdict{Decision: Deny, Severity: Low, Guard: "reach", Rules: []string{"path.reach"}, Reason: name + " is outside the workspace",
		Hint: fmt.Sprintf("use a path in the workspace; if the task needs it, ask the user to open it with this call: widen {%q:%q,\"why\":\"…\"}", way, place)}
}

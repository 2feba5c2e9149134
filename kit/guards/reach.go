package guards

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"rein/guard"
	"rein/kit/places"
)

// Reach is the guard of what confined tools cannot do even with an approval: they open no file outside the workspace,
// except those that the user granted access to. So an approval request or an allow rule would have no effect.
type Reach struct {
	Here Here
	// Confined are the names of the tools that open files only through a workspace.Workspace.
	Confined []string
}

// Judge denies a path that the tool could not open, and names the call that requests access to it.
func (r Reach) Judge(_ context.Context, c guard.Case) guard.Verdict {
	if !slices.Contains(r.Confined, c.Call.Name) {
		return guard.Verdict{}
	}
	at := r.Here.Places(c)
	writable := slices.Concat(at.Workspaces, at.Opened)
	readable := slices.Concat(writable, at.Shown)
	for _, name := range c.Intent.Writes {
		if abs := at.Abs(name); !places.InAny(abs, writable) {
			return unreached(name, "write", places.Native(path.Dir(abs)))
		}
	}
	for _, name := range c.Intent.Reads {
		if abs := at.Abs(name); !strings.Contains(name, "://") && !places.InAny(abs, readable) {
			return unreached(name, "read", places.Native(abs))
		}
	}
	return guard.Verdict{}
}

func unreached(name, way, place string) guard.Verdict {
	return guard.Verdict{Decision: guard.Deny, Severity: guard.Low, Guard: "reach", Rules: []string{"path.reach"}, Reason: name + " is outside the workspace",
		Hint: fmt.Sprintf("Use a path in the workspace; if the task needs this one, request access with this call: request_access {%q:%q,\"why\":\"…\"}", way, place)}
}

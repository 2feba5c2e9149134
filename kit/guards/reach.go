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
			return unreached(c, name, "write", places.Native(path.Dir(abs)), at)
		}
	}
	for _, name := range c.Intent.Reads {
		if abs := at.Abs(name); !strings.Contains(name, "://") && !places.InAny(abs, readable) {
			return unreached(c, name, "read", places.Native(abs), at)
		}
	}
	return guard.Verdict{}
}

func unreached(c guard.Case, name, way, place string, at places.Context) guard.Verdict {
	hint, this := "Use a path in the workspace", "this one"
	if c.Isolation == guard.FullIsolation && places.Classify(name, at) == places.Temp {
		hint, this = "Commands have a /tmp of their own, which this tool does not see: use a command for its files, or a path in the workspace", "the machine's own file"
	}
	return guard.Verdict{Decision: guard.Deny, Severity: guard.Low, Guard: "reach", Rules: []string{"path.reach"}, Reason: name + " is outside the workspace",
		Hint: fmt.Sprintf("%s; if the task needs %s, request access with this call: request_access {%q:%q,\"why\":\"…\"}", hint, this, way, place)}
}

package files

import (
	"context"
	"fmt"

	"rein/tool"
)

type diffArgs struct {
	ID    string   `json:"id" jsonschema:"or name of the sub-agent" minLength:"1"`
	Paths []string `json:"paths,omitempty" jsonschema:"only these paths; default: all that it changed"`
}

const diffDescription = `Show as a diff what agent_apply would change in the workspace. A sub-agent can use it to review the work of another one.`

// AgentDiff returns the tool that shows the changes of a sub-agent in its copy of the workspace, before they are taken over.
func (f Tools) AgentDiff() *tool.Tool {
	t := tool.New("agent_diff", diffDescription, tool.Reads, f.diff)
	t.Intent = tool.IntentBy(func(in diffArgs) (tool.Intent, error) {
		c, err := f.copied(in.apply())
		var names []string
		for _, file := range c.Files {
			names = append(names, file.Path)
		}
		return tool.Intent{Reads: names}, err
	})
	return t
}

// apply are the arguments of the call that would take over the same changes.
func (in diffArgs) apply() applyArgs { return applyArgs{ID: in.ID, Paths: in.Paths, Part: true} }

func (f Tools) diff(_ context.Context, in diffArgs, r *tool.Reply) error {
	m, err := f.mergeCopy(in.apply())
	if err != nil {
		return err
	}
	for _, w := range m.files {
		c := w.shown()
		what := "changed"
		switch {
		case c.Created:
			what = "created"
		case c.Deleted:
			what = "deleted"
		}
		fmt.Fprintf(r, "%s %s +%d -%d\n%s\n", what, c.Path, c.Added, c.Removed, c.Diff)
	}
	for _, line := range m.conflicts {
		fmt.Fprintf(r, "conflict: %s\n", line)
	}
	for _, line := range m.copy.Left {
		r.Note("cannot be merged: " + line)
	}
	if len(m.files)+len(m.conflicts) == 0 {
		fmt.Fprintln(r, "The workspace has these changes already.")
	}
	return nil
}

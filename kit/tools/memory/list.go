package memory

import (
	"context"
	"fmt"

	"rein/tool"
)

type listArgs struct {
	Category string `json:"category,omitempty" enum:"knowledge,preference,task,skill"`
	Scope    string `json:"scope,omitempty" enum:"user,project"`
	Tag      string `json:"tag,omitempty" maxLength:"40"`
	Since    string `json:"since,omitempty" jsonschema:"2026-11-22, or 7d: seven days ago"`
	Until    string `json:"until,omitempty"`
	Limit    int    `json:"limit,omitempty" jsonschema:"default 20" minimum:"1" maximum:"50"`
}

// Intent is empty: the store is rein's own.
func (listArgs) Intent() tool.Intent { return tool.Intent{} }

// List returns the tool memory_list.
func (t Tools) List() *tool.Tool {
	return tool.New("memory_list", `List what is remembered for this project and for all projects, newest first.`, 0,
		func(ctx context.Context, in listArgs, r *tool.Reply) error {
			q := Query{Project: t.Project, Category: in.Category, Scope: in.Scope, Tag: in.Tag, Limit: in.Limit}
			if q.Limit == 0 {
				q.Limit = 20
			}
			if err := times(&q, in.Since, in.Until); err != nil {
				return err
			}
			all, total, err := t.Store.Find(ctx, q)
			if err != nil {
				return err
			}
			if more := total - len(all); more > 0 {
				r.Note(fmt.Sprintf("more entries that match: %d", more))
			}
			return list(r, all, "No entry matches.")
		})
}

package memory

import (
	"context"
	"fmt"
	"time"

	"rein/tool"
)

type recallArgs struct {
	Query    string `json:"query" jsonschema:"words; entries that have more and rarer ones come first" minLength:"1" maxLength:"1000"`
	Since    string `json:"since,omitempty" jsonschema:"2026-11-22, or 7d: seven days ago"`
	Until    string `json:"until,omitempty"`
	Category string `json:"category,omitempty" enum:"knowledge,preference,task,skill"`
	Tag      string `json:"tag,omitempty" maxLength:"40"`
	Limit    int    `json:"limit,omitempty" jsonschema:"default 10" minimum:"1" maximum:"50"`
}

// Intent is empty: the store is rein's own.
func (recallArgs) Intent() tool.Intent { return tool.Intent{} }

// mostShown is how many bytes of the text of an entry a list shows.
const mostShown = 500

// Recall returns the tool memory_recall.
func (t Tools) Recall() *tool.Tool {
	return tool.New("memory_recall", `Search what earlier sessions stored with memory_store, for this project and for all projects.`, 0,
		func(ctx context.Context, in recallArgs, r *tool.Reply) error {
			q := Query{Text: in.Query, Project: t.Project, Category: in.Category, Tag: in.Tag, Limit: in.Limit}
			if err := times(&q, in.Since, in.Until); err != nil {
				return err
			}
			all, _, err := t.Store.Find(ctx, q)
			if err != nil {
				return err
			}
			return list(r, all, "Nothing matches. session_search looks into past sessions.")
		})
}

func times(q *Query, since, until string) (err error) {
	now := time.Now()
	if since != "" {
		q.Since, err = ParseTime(since, now)
	}
	if until != "" && err == nil {
		q.Until, err = ParseTime(until, now)
	}
	if err != nil {
		return &tool.Error{Kind: tool.BadArguments, Text: err.Error()}
	}
	return nil
}

func list(r *tool.Reply, all []Entry, none string) error {
	if len(all) == 0 {
		_, err := r.WriteString(none + "\n")
		return err
	}
	for _, e := range all {
		fmt.Fprintln(r, e.Line(mostShown))
	}
	return nil
}

package server

import (
	"bytes"
	"context"
	"time"

	"rein/app/server/api"
	"rein/app/stats"
)

// usageOperations show what sessions have used.
type usageOperations struct {
	*workspaces
	past *recordedList
}

func (o usageOperations) table() []apiOperation {
	const tag = "usage"
	return []apiOperation{
		operationAt(RoleViewer, "GET /v1/usage", "usage", tag, "Tokens, money and calls by day, workspace and model", o.spent),
		operationAt(RoleViewer, "GET /v1/usage.csv", "usage-table", tag, "The same as a table for a spreadsheet", o.csv),
		operationAt(RoleViewer, "GET /v1/usage/calls", "count-calls", tag, "Calls, failures and denials by tool, approvals by who answered, sub-agents by kind", o.calls),
	}
}

// usageInput asks for the last days, today among them.
type usageInput struct {
	Days int    `query:"days" minimum:"1" maximum:"3660" default:"30"`
	Dir  string `query:"dir" doc:"of one workspace; empty: of all"`
}

func (in usageInput) since() time.Time { return time.Now().AddDate(0, 0, 1-in.Days) }

func (o usageOperations) spent(ctx context.Context, in usageInput) ([]api.Spent, error) {
	all, err := o.past.All()
	return spentSince(all, in.since(), o.counts(ctx, in.Dir)), err
}

func (o usageOperations) csv(ctx context.Context, in usageInput) (fileAnswer, error) {
	all, err := o.spent(ctx, in)
	if err != nil {
		return fileAnswer{}, err
	}
	var text bytes.Buffer
	err = api.WriteCSV(&text, all)
	return fileAnswer{Name: "usage.csv", Changed: time.Now(), Content: bytes.NewReader(text.Bytes())}, err
}

// counts reports whether the sessions of a directory count for a user who asks for one directory, or for all ("").
func (o usageOperations) counts(ctx context.Context, dir string) func(string) bool {
	return func(of string) bool {
		w := o.of(of)
		return w != nil && senderOf(ctx).Sees(of) && (dir == "" || dir == of)
	}
}

// Bounds of what one look at the calls reads.
const (
	mostCounted  = 500
	countingTime = 10 * time.Second
)

// calls counts the calls of the sessions since a day, the newest first.
func (o usageOperations) calls(ctx context.Context, in usageInput) (out api.Counted, err error) {
	all, err := o.past.All()
	var c stats.Counter
	counts := o.counts(ctx, in.Dir)
	end := time.Now().Add(countingTime)
	for _, r := range all {
		if !r.Since(in.since()) || !counts(r.Dir) {
			continue
		}
		if out.More = c.Sessions == mostCounted || time.Now().After(end) || ctx.Err() != nil; out.More {
			break
		}
		c.Begin()
		for e, err := range o.of(r.Dir).h.Store().Events(r.ID, 0) {
			if err != nil {
				break // the rest of a damaged journal counts as nothing
			}
			c.See(e)
		}
	}
	out.Stats = c.Sum()
	return out, err
}

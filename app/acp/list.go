package acp

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"rein/app/harness"
	"rein/app/sessions"
)

// pageSize is how many sessions one answer lists.
const pageSize = 100

type listParams struct {
	Cwd    string `json:"cwd"`
	Cursor string `json:"cursor"`
}

// listSessions returns recorded sessions, the newest first. A cursor is the number of those that were given before.
func (a *agent) listSessions(ctx context.Context, p listParams) (sdk.ListSessionsResponse, error) {
	answer := sdk.ListSessionsResponse{Sessions: []sdk.SessionInfo{}}
	from := 0
	if p.Cursor != "" {
		var err error
		if from, err = strconv.Atoi(p.Cursor); err != nil || from < 0 {
			return answer, invalid("no such cursor: " + p.Cursor)
		}
	}
	store := a.store()
	defer store.Close()
	all, total, err := store.List(ctx, sessions.Filter{Dir: p.Cwd, Limit: from + pageSize})
	if err != nil {
		return answer, err
	}
	for _, f := range all[min(from, len(all)):] {
		info := sdk.SessionInfo{SessionId: sdk.SessionId(f.ID), Cwd: f.Dir, UpdatedAt: new(f.Last.UTC().Format(time.RFC3339))}
		if title := cmp.Or(f.Name, f.Title); title != "" {
			info.Title = &title
		}
		answer.Sessions = append(answer.Sessions, info)
	}
	if len(all) < total {
		answer.NextCursor = new(strconv.Itoa(len(all)))
	}
	answer.Sessions = slices.DeleteFunc(answer.Sessions, func(i sdk.SessionInfo) bool { return i.Cwd == "" })
	return answer, nil
}

// store returns the recorded sessions of all directories.
func (a *agent) store() *sessions.Store { return harness.SessionStore(a.o.Harness.Dirs, nil) }

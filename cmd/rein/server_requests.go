package main

import (
	"context"

	"rein/app/client"
	"rein/app/server/api"
)

// openRequests are the open approval requests of a session and its sub-agents.
type openRequests struct {
	root           string
	opened, closed func(api.Request)
	open           map[string]api.Request // by session, call and hash
}

// followRequests reports the approval requests of a session and its sub-agents that open and close, until ctx is done. It calls
// both functions from its own goroutine.
func followRequests(ctx context.Context, c *client.Client, session string, opened, closed func(api.Request)) error {
	r := openRequests{root: session, opened: opened, closed: closed}
	for all, err := range c.Requests(ctx) {
		if err != nil {
			return err
		}
		r.take(all)
	}
	return nil
}

// take compares the requests of a workspace with those that are known.
func (r *openRequests) take(all api.WorkspaceRequests) {
	now := map[string]api.Request{}
	var came []api.Request
	for _, q := range all.Requests.Requests {
		if q.Root != r.root {
			continue
		}
		key := q.Session + "/" + q.Call + "/" + q.Hash
		now[key] = q
		if _, known := r.open[key]; !known {
			came = append(came, q)
		}
	}
	for key, q := range r.open {
		if _, still := now[key]; !still && q.Dir == all.Dir {
			r.closed(q)
		} else if !still {
			now[key] = q
		}
	}
	r.open = now
	for _, q := range came {
		r.opened(q)
	}
}

package client

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"rein/app/server/api"
	"rein/event"
)

// Seen is one thing that Watch gives. Exactly one of its fields is set.
type Seen struct {
	Event    *event.Event           // of the session or its sub-agents: as Events gives it
	Requests *api.WorkspaceRequests // those that wait in a workspace, all of them: as Requests gives them
	Session  *api.Session           // the session, when it has changed
	Server   *api.Me                // a connection is made: who is signed in, and which server it is
	Whole    bool                   // all that happened before the connection has come
	Lost     error                  // the connection is lost, or none can be made. The next one is tried by itself
}

// Watch returns all that a front end of a session shows, over one connection: its events, the approval requests that wait, changes of
// the session itself, and the state of the connection. It ends as Events does.
func (c *Client) Watch(ctx context.Context, session string) iter.Seq2[Seen, error] {
	return func(yield func(Seen, error) bool) {
		f := newFollower(func(e event.Event, err error) bool { return yield(Seen{Event: &e}, err) })
		s := reader{client: c, watch: "inbox,sessions,s:" + session, fail: func(err error) { yield(Seen{}, err) },
			lost: func(err error) bool { return yield(Seen{Lost: err}, nil) }}
		s.take = func(name, data string) bool {
			var seen Seen
			var err error
			switch name {
			case "hello":
				seen.Server, err = decoded[api.Me](data)
			case "inbox":
				seen.Requests, err = decoded[api.WorkspaceRequests](data)
			case "session":
				if seen.Session, err = decoded[api.Session](data); err == nil && seen.Session.ID != session {
					return true
				}
			case "snapshot":
				seen.Whole = true
				return f.take(name, data) && yield(seen, nil)
			default:
				return f.take(name, data)
			}
			return yield(seen, err)
		}
		s.follow(ctx)
	}
}

func decoded[T any](data string) (*T, error) {
	v := new(T)
	if err := json.Unmarshal([]byte(data), v); err != nil {
		return nil, fmt.Errorf("a message of the server: %w", err)
	}
	return v, nil
}

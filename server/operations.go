package server

import (
	"context"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"rein/harness"
	"rein/server/api"
	"rein/server/audit"
	"rein/server/auth"
	"rein/server/past"
	"rein/server/signin"
	"rein/server/stream"
)

// listed is how many sessions a list has when the client names no number.
const listed = 100

// operations registers what the interface can do.
func (s *Server) operations(a huma.API) {
	add(a, auth.Viewer, huma.Operation{OperationID: "me", Method: http.MethodGet, Path: "/v1/me", Summary: "Who is signed in", Tags: []string{"server"}},
		func(ctx context.Context, _ *nothing) (*body[api.Me], error) {
			return &body[api.Me]{s.whoIs(signin.Of(ctx))}, nil
		})
	add(a, auth.Viewer, huma.Operation{OperationID: "list-workspaces", Method: http.MethodGet, Path: "/v1/workspaces", Summary: "The directories that the user sees", Tags: []string{"server"}},
		func(ctx context.Context, _ *nothing) (*body[[]api.Workspace], error) {
			return &body[[]api.Workspace]{s.workspaces(signin.Of(ctx).User)}, nil
		})
	s.sessionOperations(a)
	s.turnOperations(a)
	s.changeOperations(a)
	s.pastOperations(a)
	s.fileOperations(a)
	s.composeOperations(a)
	s.sentOperation(a)
	s.treeOperations(a)
	s.jobOperations(a)
	s.ruleOperations(a)
	s.settingOperations(a)
	s.reloadOperation(a)
	s.inboxOperations(a)
	s.auditOperations(a)
	s.usageOperations(a)
	s.trustOperations(a)
	s.knownOperations(a)
	s.toolServerOperations(a)
	s.scheduleOperations(a)
}

func (s *Server) workspaces(u auth.User) []api.Workspace {
	all := []api.Workspace{}
	for _, w := range s.visible(u) {
		set := w.newest().Settings()
		model, mode := s.o.Harness.Model, s.o.Harness.Mode
		if model == "" {
			model = set.Model
		}
		if mode == "" {
			mode = set.Mode
		}
		if mode == "" {
			mode = "supervised"
		}
		all = append(all, api.Workspace{Dir: w.dir, Name: filepath.Base(w.dir), Model: model, Mode: mode})
	}
	return all
}

// visible returns the workspaces that a user sees.
func (s *Server) visible(u auth.User) (all []*workspace) {
	for _, w := range s.rooms {
		if u.Sees(w.dir) {
			all = append(all, w)
		}
	}
	return all
}

// seen returns the workspace of a session that the user may see.
func (s *Server) seen(u auth.User, id string) (*workspace, error) {
	if l := s.running(id); l != nil {
		if !u.Sees(l.room.dir) {
			return nil, past.ErrNone
		}
		return l.room, nil
	}
	r, err := s.past.Root(id)
	if err != nil {
		return nil, err
	}
	if w := s.workspace(r.Dir); w != nil && u.Sees(r.Dir) {
		return w, nil
	}
	return nil, past.ErrNone
}

// list returns the sessions of a workspace, newest first; search bounds them to those whose title has its words.
func (s *Server) list(w *workspace, search string, most int) (all []api.Session, more bool, err error) {
	recorded, err := s.past.All()
	if err != nil {
		return nil, false, err
	}
	all = []api.Session{}
	known := map[string]bool{}
	s.mu.Lock()
	var open []*live
	for _, l := range s.live {
		if l.room == w {
			open = append(open, l)
		}
	}
	s.mu.Unlock()
	for _, l := range open {
		known[l.id] = true
		v := l.summary()
		if i := slices.IndexFunc(recorded, func(r past.Session) bool { return r.ID == l.id && r.Name != "" }); i >= 0 {
			v.Title = recorded[i].Name
		}
		all = append(all, v)
	}
	for _, r := range recorded {
		if r.Parent == "" && r.Dir == w.dir && !known[r.ID] {
			all = append(all, r.Shown(w.inbox.count(r.ID)))
		}
	}
	words := strings.Fields(strings.ToLower(search))
	all = slices.DeleteFunc(all, func(v api.Session) bool {
		text := strings.ToLower(v.Title + " " + v.ID + " " + string(v.State))
		return slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) })
	})
	slices.SortStableFunc(all, func(a, b api.Session) int { return b.Last.Compare(a.Last) })
	if len(all) > most {
		return all[:most], true, nil
	}
	return all, false, nil
}

type listInput struct {
	Dir    string `query:"dir" doc:"of one workspace; empty: of all"`
	Search string `query:"search" maxLength:"200" doc:"words of the title"`
	Limit  int    `query:"limit" minimum:"1" maximum:"1000" default:"100"`
}

func (s *Server) sessionOperations(a huma.API) {
	add(a, auth.Viewer, huma.Operation{OperationID: "list-sessions", Method: http.MethodGet, Path: "/v1/sessions", Summary: "Sessions, newest first", Tags: []string{"sessions"}},
		func(ctx context.Context, in *listInput) (*body[[]api.Session], error) {
			all := []api.Session{}
			for _, w := range s.visible(signin.Of(ctx).User) {
				if in.Dir != "" && in.Dir != w.dir {
					continue
				}
				list, _, err := s.list(w, in.Search, in.Limit)
				if err != nil {
					return nil, err
				}
				all = append(all, list...)
			}
			slices.SortStableFunc(all, func(a, b api.Session) int { return b.Last.Compare(a.Last) })
			return &body[[]api.Session]{all[:min(len(all), in.Limit)]}, nil
		})
	add(a, auth.Operator, huma.Operation{OperationID: "create-session", Method: http.MethodPost, Path: "/v1/sessions", Summary: "Begin a session", Tags: []string{"sessions"}, DefaultStatus: http.StatusCreated},
		func(ctx context.Context, in *body[api.NewSession]) (*body[api.Session], error) {
			v, err := s.create(ctx, signin.Of(ctx), in.Body)
			return &body[api.Session]{v}, err
		})
	add(a, auth.Viewer, huma.Operation{OperationID: "get-session", Method: http.MethodGet, Path: "/v1/sessions/{id}", Summary: "One session", Tags: []string{"sessions"}},
		inSeen(s, func(_ context.Context, w *workspace, in SessionPath) (api.Session, error) { return s.session(w, in.ID) }))
	type eventsInput struct {
		SessionPath
		Before int64 `query:"before" minimum:"0" doc:"only events with a lower number; 0: the last ones"`
		Limit  int   `query:"limit" minimum:"1" maximum:"2000" default:"500"`
	}
	add(a, auth.Viewer, huma.Operation{OperationID: "list-events", Method: http.MethodGet, Path: "/v1/sessions/{id}/events", Summary: "Recorded events of a session, a page of them", Tags: []string{"sessions"}},
		inSeen(s, func(_ context.Context, _ *workspace, in eventsInput) (api.Events, error) {
			all, more, err := stream.Page(s.rooms[0].h.Events(in.ID, 0), in.Before, in.Limit)
			return api.Events{Events: all, More: more}, err
		}))
}

// create begins a session and sends its first message.
func (s *Server) create(ctx context.Context, c signin.Client, n api.NewSession) (api.Session, error) {
	var w *workspace
	for _, v := range s.visible(c.User) {
		if w == nil && (n.Dir == "" || n.Dir == v.dir) {
			w = v
		}
	}
	if w == nil {
		return api.Session{}, problem(http.StatusUnprocessableEntity, "workspace", "the server does not serve this directory")
	}
	l, err := s.begin(ctx, w, harness.NewSession{ModelName: n.Model, Mode: n.Mode})
	if err != nil {
		return api.Session{}, err
	}
	s.note(c, audit.Entry{What: "created", Dir: w.dir, Session: l.id, Text: strings.TrimSpace(n.Model + " " + n.Mode)})
	if n.Text != "" {
		if _, err := l.send(c.User, api.NewMessage{Text: n.Text}); err != nil {
			return api.Session{}, err
		}
	}
	s.touched.Add(l.id)
	return l.summary(), nil
}

func (s *Server) turnOperations(a huma.API) {
	type messageInput struct {
		SessionPath
		Body api.NewMessage
	}
	add(a, auth.Operator, huma.Operation{OperationID: "send-message", Method: http.MethodPost, Path: "/v1/sessions/{id}/messages", Summary: "Send a message; while a turn is running it waits in a queue", Tags: []string{"sessions"}, DefaultStatus: http.StatusAccepted},
		inOpened(s, func(c signin.Client, l *live, in messageInput) (api.Sent, error) {
			state, err := l.send(c.User, in.Body)
			if err == nil {
				s.note(c, audit.Entry{What: "sent", Dir: l.room.dir, Session: l.id})
			}
			return api.Sent{State: state}, err
		}))
	type uploadInput struct {
		SessionPath
		Body api.Upload
	}
	add(a, auth.Operator, huma.Operation{OperationID: "attach-file", Method: http.MethodPost, Path: "/v1/sessions/{id}/attachments", Summary: "Upload a file for the next message", Tags: []string{"sessions"}, DefaultStatus: http.StatusCreated},
		inOpened(s, func(_ signin.Client, l *live, in uploadInput) (api.Attachment, error) { return l.attach(in.Body) }))
	add(a, auth.Operator, huma.Operation{OperationID: "cancel-turn", Method: http.MethodPost, Path: "/v1/sessions/{id}/cancel", Summary: "Cancel what the session does", Tags: []string{"sessions"}, DefaultStatus: http.StatusAccepted},
		func(ctx context.Context, in *SessionPath) (*body[api.Session], error) {
			c := signin.Of(ctx)
			if _, err := s.seen(c.User, in.ID); err != nil {
				return nil, err
			}
			l := s.running(in.ID)
			if l == nil || !l.interrupt() {
				return nil, problem(http.StatusConflict, "not_working", "no turn is running in this session")
			}
			s.note(c, audit.Entry{What: "cancelled", Dir: l.room.dir, Session: l.id})
			return &body[api.Session]{l.summary()}, nil
		})
	add(a, auth.Operator, huma.Operation{OperationID: "resume-session", Method: http.MethodPost, Path: "/v1/sessions/{id}/resume", Summary: "Continue a session that was suspended or interrupted", Tags: []string{"sessions"}, DefaultStatus: http.StatusAccepted},
		inOpened(s, func(c signin.Client, l *live, _ SessionPath) (api.Session, error) {
			if !l.goOn() {
				return api.Session{}, problem(http.StatusConflict, "nothing_open", "this session has nothing to continue")
			}
			s.note(c, audit.Entry{What: "resumed", Dir: l.room.dir, Session: l.id})
			return l.summary(), nil
		}))
}

func (s *Server) inboxOperations(a huma.API) {
	add(a, auth.Viewer, huma.Operation{OperationID: "list-requests", Method: http.MethodGet, Path: "/v1/inbox", Summary: "Approval requests that wait, of all sessions", Tags: []string{"inbox"}},
		func(ctx context.Context, _ *nothing) (*body[api.Requests], error) {
			out := api.Requests{Requests: []api.Request{}}
			for _, w := range s.visible(signin.Of(ctx).User) {
				s.readInbox(w)
				list := w.inbox.list()
				out.Requests, out.Fault = append(out.Requests, list.Requests...), out.Fault+list.Fault
			}
			return &body[api.Requests]{out}, nil
		})
	type answerInput struct {
		Session string `path:"session" pattern:"^[A-Za-z0-9_-]{1,128}$"`
		Call    string `path:"call" pattern:"^[A-Za-z0-9_-]{1,128}$"`
		Body    api.Answer
	}
	add(a, auth.Approver, huma.Operation{OperationID: "answer-request", Method: http.MethodPost, Path: "/v1/inbox/{session}/{call}", Summary: "Answer an approval request; the first answer counts", Tags: []string{"inbox"}, Errors: []int{http.StatusNotFound, http.StatusConflict}},
		func(ctx context.Context, in *answerInput) (*body[api.Answered], error) {
			out, err := s.answer(ctx, signin.Of(ctx), in.Session, in.Call, in.Body)
			return &body[api.Answered]{out}, err
		})
	add(a, auth.Approver, huma.Operation{OperationID: "answer-requests", Method: http.MethodPost, Path: "/v1/inbox", Summary: "Answer several requests alike, each as it was shown", Tags: []string{"inbox"}},
		func(ctx context.Context, in *body[api.BatchAnswer]) (*body[[]api.Answered], error) {
			out, err := s.answerAll(ctx, signin.Of(ctx), in.Body)
			return &body[[]api.Answered]{out}, err
		})
}

// answerAll answers several requests. An approval of a high-risk request is refused: such a request is answered separately.
func (s *Server) answerAll(ctx context.Context, c signin.Client, b api.BatchAnswer) ([]api.Answered, error) {
	out := make([]api.Answered, len(b.Calls))
	for i, shown := range b.Calls {
		out[i] = api.Answered{Session: shown.Session, Call: shown.Call}
		if _, r, err := s.pendingRequest(c.User, shown.Session, shown.Call); err == nil && b.Choice == "approved" && api.HighRisk(r) {
			out[i].Problem = "a high-risk request is approved by itself"
			continue
		}
		a, err := s.answer(ctx, c, shown.Session, shown.Call, api.Answer{Choice: b.Choice, Hash: shown.Hash, Words: b.Words})
		if out[i] = a; err != nil {
			out[i].Problem = asProblem(problemOf(err)).Detail
		}
	}
	return out, nil
}

func (s *Server) auditOperations(a huma.API) {
	type auditInput struct {
		Before int64 `query:"before" minimum:"0" doc:"only entries with a lower number; 0: the newest"`
		Limit  int   `query:"limit" minimum:"1" maximum:"1000" default:"200"`
	}
	add(a, auth.Operator, huma.Operation{OperationID: "list-audit", Method: http.MethodGet, Path: "/v1/audit", Summary: "Who did what, newest first", Tags: []string{"server"}},
		func(ctx context.Context, in *auditInput) (*body[[]audit.Entry], error) {
			u := signin.Of(ctx).User
			all, err := s.audit.Newest(in.Before, in.Limit)
			all = slices.DeleteFunc(all, func(e audit.Entry) bool { return e.Dir != "" && !u.Sees(e.Dir) })
			if all == nil {
				all = []audit.Entry{}
			}
			return &body[[]audit.Entry]{all}, err
		})
}

package server

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"rein/server/api"
	"rein/server/audit"
	"rein/server/auth"
	"rein/server/signin"
)

// mostTrustText is how many bytes of each file of an item are shown.
const mostTrustText = 64 << 10

// InDir names a workspace in a query. It is exported because huma fills no field of an unexported type.
type InDir struct {
	Dir string `query:"dir" doc:"one of the workspaces; empty: the first one"`
}

// room gives a workspace that the user sees: the one of a directory, or the first one.
func (s *Server) room(u auth.User, dir string) (*workspace, error) {
	for _, w := range s.visible(u) {
		if dir == "" || dir == w.dir {
			return w, nil
		}
	}
	return nil, problem(http.StatusNotFound, "workspace", "the server does not serve this directory")
}

// trustOperations are the question whether sessions may obey what a folder holds, and its answer.
func (s *Server) trustOperations(a huma.API) {
	add(a, auth.Viewer, huma.Operation{OperationID: "list-trust", Method: http.MethodGet, Path: "/v1/trust", Summary: "What the folders of the workspaces would make sessions obey, and what the user answered", Tags: []string{"trust"}},
		func(ctx context.Context, _ *nothing) (*body[[]api.Trust], error) {
			all := []api.Trust{}
			for _, w := range s.visible(signin.Of(ctx).User) {
				all = append(all, trustOf(w))
			}
			return &body[[]api.Trust]{all}, nil
		})
	type textInput struct {
		InDir
		Kind string `query:"kind" required:"true" maxLength:"40"`
		Path string `query:"path" required:"true" minLength:"1" maxLength:"4096"`
	}
	add(a, auth.Operator, huma.Operation{OperationID: "trust-text", Method: http.MethodGet, Path: "/v1/trust/text", Summary: "The content of one item that sessions would obey", Tags: []string{"trust"}},
		inRoom(s, func(_ context.Context, w *workspace, in textInput) (api.TrustText, error) {
			return s.trustText(w, in.Kind, in.Path)
		}))
	add(a, auth.Operator, huma.Operation{OperationID: "answer-trust", Method: http.MethodPost, Path: "/v1/trust", Summary: "Let sessions obey content as it was shown, or not", Tags: []string{"trust"}, Errors: []int{http.StatusConflict}},
		func(ctx context.Context, in *body[api.TrustAnswer]) (*body[api.Trust], error) {
			c := signin.Of(ctx)
			w, err := s.room(c.User, in.Body.Dir)
			if err != nil {
				return nil, err
			}
			v, err := s.answerTrust(c, w, in.Body)
			return &body[api.Trust]{v}, err
		})
	add(a, auth.Operator, huma.Operation{OperationID: "forget-trust", Method: http.MethodPost, Path: "/v1/trust/forget", Summary: "Take all answers about a folder back", Tags: []string{"trust"}},
		func(ctx context.Context, in *body[api.Place]) (*body[api.Trust], error) {
			c := signin.Of(ctx)
			w, err := s.room(c.User, in.Body.Dir)
			if err == nil {
				err = w.newest().Trust().Forget()
			}
			if err != nil {
				return nil, err
			}
			s.note(c, audit.Entry{What: "forgot_trust", Dir: w.dir})
			return &body[api.Trust]{trustOf(w)}, nil
		})
}

func trustOf(w *workspace) api.Trust {
	f := w.newest().Trust()
	all := f.Found(w.dir, true)
	fresh, not := f.New(all), f.Untrusted(all)
	out := api.Trust{Dir: w.dir, Folder: f.Dir(), Always: f.Always(), Items: []api.TrustItem{}}
	for _, i := range all {
		state := "trusted"
		switch {
		case slices.Contains(fresh, i):
			state = "new"
		case slices.Contains(not, i):
			state = "declined"
		}
		out.Items = append(out.Items, api.TrustItem{Obeyed: api.Obeyed{Kind: string(i.Kind), Path: i.Path, Sum: i.Sum}, State: state})
	}
	return out
}

// answerTrust keeps the answer, when each item still is as it was shown.
func (s *Server) answerTrust(c signin.Client, w *workspace, a api.TrustAnswer) (api.Trust, error) {
	f := w.newest().Trust()
	found := f.Found(w.dir, true)
	items := found[:0:0]
	for _, o := range a.Items {
		before := len(items)
		for _, i := range found {
			if o == (api.Obeyed{Kind: string(i.Kind), Path: i.Path, Sum: i.Sum}) {
				items = append(items, i)
			}
		}
		if len(items) == before {
			return api.Trust{}, problem(http.StatusConflict, "changed", o.Path+" has changed since it was shown")
		}
	}
	what, keep := "trusted", f.Accept
	if !a.Trust {
		what, keep = "declined_trust", f.Decline
	}
	if err := keep(items); err != nil {
		return api.Trust{}, err
	}
	for _, i := range items {
		s.note(c, audit.Entry{What: what, Dir: w.dir, Hash: i.Sum, Text: string(i.Kind) + " " + i.Path})
	}
	return trustOf(w), nil
}

// trustText reads the files of an item. They are those whose hash the item has: content that changes meanwhile is refused.
func (s *Server) trustText(w *workspace, kind, name string) (out api.TrustText, err error) {
	f := w.newest().Trust()
	for _, i := range f.Found(w.dir, true) {
		if string(i.Kind) != kind || i.Path != name {
			continue
		}
		files, err := f.Content(i)
		if err != nil {
			return out, problem(http.StatusConflict, "changed", err.Error())
		}
		out.Sum = i.Sum
		for _, c := range files {
			out.Files = append(out.Files, s.trustFile(c.Path, c.Text))
		}
		return out, nil
	}
	return out, problem(http.StatusNotFound, "no_item", "the folder has no such content")
}

func (s *Server) trustFile(name string, text []byte) api.TrustFile {
	f := api.TrustFile{Path: name, Bytes: len(text), Cut: len(text) > mostTrustText, Plain: utf8.Valid(text)}
	if f.Plain {
		text = s.mask(text) // before it is cut: a part of a secret has another form
		f.Text = strings.ToValidUTF8(string(text[:min(len(text), mostTrustText)]), "")
	}
	return f
}

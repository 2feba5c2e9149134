package server

import (
	"context"
	"errors"
	"net/http"
	"path"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"rein/harness/browse"
	"rein/kit/undo"
	"rein/server/api"
	"rein/server/audit"
	"rein/server/auth"
	"rein/server/description"
	"rein/server/shown"
	"rein/server/signin"
)

// PathInDir names a file of a workspace in a query. It is exported because huma fills no field of an unexported type.
type PathInDir struct {
	InDir
	Path string `query:"path" maxLength:"4096" doc:"in the workspace, with forward slashes"`
}

// treeOperations show the files of workspaces. They need the role that may start sessions, which read the files anyway.
func (s *Server) treeOperations(a huma.API) {
	add(a, auth.Operator, huma.Operation{OperationID: "list-files", Method: http.MethodGet, Path: "/v1/files", Summary: "What is in a directory of a workspace", Tags: []string{"files"}},
		inTree(s, func(_ context.Context, w *workspace, tree *browse.Tree, name string) (*body[api.Listing], error) {
			all, hidden, more, err := tree.List(name)
			out := api.Listing{Dir: w.dir, Path: name, Entries: []api.FileEntry{}, Hidden: hidden, More: more}
			for _, e := range all {
				out.Entries = append(out.Entries, api.FileEntry{Name: e.Name, Dir: e.Dir, Link: e.Link, Size: e.Size, Time: e.Time})
			}
			return &body[api.Listing]{out}, err
		}))
	add(a, auth.Operator, huma.Operation{OperationID: "read-file", Method: http.MethodGet, Path: "/v1/files/text", Summary: "The content of a file of a workspace", Tags: []string{"files"}},
		inTree(s, func(ctx context.Context, _ *workspace, tree *browse.Tree, name string) (*body[api.FileText], error) {
			f, err := tree.Read(ctx, name)
			return &body[api.FileText]{api.FileText{Path: name, Text: string(s.mask([]byte(f.Text))), Binary: f.Binary, Cut: f.Cut, Size: f.Size, Time: f.Time}}, err
		}))
	add(a, auth.Operator, huma.Operation{OperationID: "download-file", Method: http.MethodGet, Path: "/v1/files/download", Summary: "A file of a workspace, as it is", Tags: []string{"files"}, Responses: description.File()},
		inTree(s, func(ctx context.Context, w *workspace, tree *browse.Tree, name string) (*huma.StreamResponse, error) {
			f, err := tree.File(name)
			if err != nil {
				return nil, err
			}
			s.note(signin.Of(ctx), audit.Entry{What: "downloaded", Dir: w.dir, Text: f.Name})
			return description.Download(path.Base(f.Name), f.Info.ModTime(), f, f), nil
		}))
	add(a, auth.Viewer, huma.Operation{OperationID: "list-changes", Method: http.MethodGet, Path: "/v1/changes", Summary: "What all sessions together changed in a workspace", Tags: []string{"files"}},
		inRoom(s, func(ctx context.Context, w *workspace, _ InDir) (api.Changes, error) { return s.changes(ctx, w, "") }))
	add(a, auth.Operator, huma.Operation{OperationID: "git-changes", Method: http.MethodGet, Path: "/v1/git", Summary: "What differs in a workspace from the last commit of its git repository", Tags: []string{"files"}},
		inRoom(s, func(ctx context.Context, w *workspace, _ InDir) (api.GitChanges, error) { return s.gitChanges(ctx, w) }))
	add(a, auth.Viewer, huma.Operation{OperationID: "session-changes", Method: http.MethodGet, Path: "/v1/sessions/{id}/changes", Summary: "What a session changed in files", Tags: []string{"files"}},
		inSeen(s, func(ctx context.Context, w *workspace, in SessionPath) (api.Changes, error) {
			return s.changes(ctx, w, in.ID)
		}))
}

// inTree opens the files of the workspace that a request names.
func inTree[O any](s *Server, do func(context.Context, *workspace, *browse.Tree, string) (*O, error)) func(context.Context, *PathInDir) (*O, error) {
	return func(ctx context.Context, in *PathInDir) (*O, error) {
		w, err := s.room(signin.Of(ctx).User, in.Dir)
		if err != nil {
			return nil, err
		}
		tree, err := s.tree(w)
		if err != nil {
			return nil, err
		}
		defer tree.Close()
		out, err := do(ctx, w, tree, in.Path)
		switch {
		case errors.Is(err, browse.ErrHidden):
			err = problem(http.StatusForbidden, "hidden_file", browse.ErrHidden.Error())
		case errors.Is(err, browse.ErrNone):
			err = problem(http.StatusNotFound, "no_file", browse.ErrNone.Error())
		}
		return out, err
	}
}

func (s *Server) tree(w *workspace) (*browse.Tree, error) {
	d := w.h.Dirs()
	return browse.Open(w.dir, []string{d.Config, d.Sessions, d.Output, d.Private, d.State, d.Worktrees, s.o.Dir})
}

// changes returns the changes of a session, or of all sessions of the workspace. A file that may hold secrets has no diff.
func (s *Server) changes(ctx context.Context, w *workspace, session string) (api.Changes, error) {
	out := api.Changes{Files: []api.File{}}
	history, err := s.history(w, session)
	if err != nil {
		return out, err
	}
	found, err := history.Changes(ctx, undo.Filter{})
	if err != nil {
		return out, err
	}
	tree, err := s.tree(w)
	if err != nil {
		return out, err
	}
	defer tree.Close()
	found = slices.DeleteFunc(found, func(c undo.Change) bool { return c.Before.Mode.IsDir() || c.After.Mode.IsDir() })
	out.Files, out.More = shown.Diffs(api.FilesOf(found), tree.MayShow, s.mask)
	return out, nil
}

// mostChanged is how many files one answer compares with git.
const mostChanged = 2000

// gitChanges compares a workspace with git. A file that git does not know is shown as new, with its text.
func (s *Server) gitChanges(ctx context.Context, w *workspace) (api.GitChanges, error) {
	out := api.GitChanges{Files: []api.File{}}
	found, err := w.newest().GitChanges(ctx)
	if err != nil {
		return out, err
	}
	tree, err := s.tree(w)
	if err != nil {
		return out, err
	}
	defer tree.Close()
	out = api.GitChanges{Repository: found.Repository, Branch: found.Branch, Commit: found.Commit, Upstream: found.Upstream, Ahead: found.Ahead, Behind: found.Behind, Files: out.Files}
	size := 0
	for _, f := range found.Files[:min(len(found.Files), mostChanged)] {
		v := api.File{Path: f.Path, From: f.From, What: f.What, Diff: f.Diff, Added: f.Added, Removed: f.Removed}
		if f.What == "untracked" && size < shown.MostDiffs {
			if text, err := tree.Read(ctx, f.Path); err == nil { // else it is hidden, or gone again
				v.Added, v.Diff = browse.AsAdded(text.Text)
			}
		}
		size += len(v.Diff)
		out.Files = append(out.Files, v)
	}
	more := false
	out.Files, more = shown.Diffs(out.Files, tree.MayShow, s.mask)
	out.More = more || found.More || len(found.Files) > mostChanged
	return out, nil
}

// attach keeps a file for the next message that names it.
func (l *live) attach(u api.Upload) (api.Attachment, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return api.Attachment{}, errClosed
	}
	f, err := l.attached.Add(u.Name, u.Data)
	if err != nil {
		return api.Attachment{}, problem(http.StatusUnprocessableEntity, "attachment", err.Error())
	}
	return api.Attachment{ID: f.ID, Name: f.Name, Type: f.Type, Size: f.Size}, nil
}

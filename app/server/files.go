package server

import (
	"context"
	"errors"
	"net/http"
	"path"
	"slices"
	"strings"

	"rein/app/harness"
	"rein/app/server/api"
)

// fileOperations show the files of workspaces, and what sessions changed in them. To read files needs the role that may start sessions,
// which read them anyway.
type fileOperations struct {
	*allSessions
	private string // the server's own directory
}

func (o fileOperations) table() []apiOperation {
	const tag = "files"
	return []apiOperation{
		operationAt(roleOperator, "GET /v1/files", "list-files", tag, "What is in a directory of a workspace", inTree(o, o.list)),
		operationAt(roleOperator, "GET /v1/files/text", "read-file", tag, "The content of a file of a workspace", inTree(o, o.read)),
		operationAt(roleOperator, "GET /v1/files/download", "download-file", tag, "A file of a workspace, as it is", inTree(o, o.download)),
		operationAt(RoleViewer, "GET /v1/changes", "list-changes", tag, "What all sessions together changed in a workspace", inWorkspace(o.workspaces, o.allChanges)),
		operationAt(roleOperator, "GET /v1/git", "git-changes", tag, "What differs in a workspace from the last commit of its git repository", inWorkspace(o.workspaces, o.git)),
		operationAt(RoleViewer, "GET /v1/sessions/{id}/changes", "session-changes", tag, "What a session changed in files", inSeen(o.allSessions, o.changesOf)),
		operationAt(RoleViewer, "GET /v1/sessions/{id}/steps", "list-steps", tag, "What calls did to files, the oldest first", inSeen(o.allSessions, o.steps)),
		operationAt(roleOperator, "POST /v1/sessions/{id}/undo", "undo", tag, "Show what taking changes of files back would do, or do what was shown", inSeen(o.allSessions, o.undo)),
		operationAt(roleOperator, "GET /v1/sessions/{id}/files/{call}", "sent-file", tag, "The file that a call of send_file showed, as it is now", inSeen(o.allSessions, o.sent)),
		operationAt(RoleViewer, "GET /v1/sessions/{id}/outputs/{call}", "whole-output", "sessions", "The whole output of a call whose result holds only a part, its first 16 MB", inSeen(o.allSessions, o.whole)),
		operationAt(roleOperator, "GET /v1/sessions/{id}/names", "list-names", "sessions", "What a message may name: slash commands, and files after an @", inOpened(o.allSessions, o.names)),
	}
}

// pathInDir names a file of a workspace in a query.
type pathInDir struct {
	ofDir
	Path string `query:"path" maxLength:"4096" doc:"in the workspace, with forward slashes"`
}

// inTree opens the files of the workspace that a request names.
func inTree[O any](o fileOperations, do func(context.Context, *servedWorkspace, *fileTree, string) (O, error)) func(context.Context, pathInDir) (O, error) {
	return inWorkspace(o.workspaces, func(ctx context.Context, w *servedWorkspace, in pathInDir) (out O, err error) {
		tree, err := o.tree(w)
		if err != nil {
			return out, err
		}
		defer tree.Close()
		out, err = do(ctx, w, tree, in.Path)
		switch {
		case errors.Is(err, errHidden):
			err = problem(http.StatusForbidden, "hidden_file", errHidden.Error())
		case errors.Is(err, errNoFile):
			err = problem(http.StatusNotFound, "no_file", errNoFile.Error())
		}
		return out, err
	})
}

func (o fileOperations) list(_ context.Context, w *servedWorkspace, tree *fileTree, name string) (api.Listing, error) {
	all, hidden, more, err := tree.List(name)
	out := api.Listing{Dir: w.dir, Path: name, Entries: []api.FileEntry{}, Hidden: hidden, More: more}
	for _, e := range all {
		out.Entries = append(out.Entries, api.FileEntry{Name: e.Name, Dir: e.Dir, Link: e.Link, Size: e.Size, Time: e.Time})
	}
	return out, err
}

func (o fileOperations) read(ctx context.Context, _ *servedWorkspace, tree *fileTree, name string) (api.FileText, error) {
	f, err := tree.Read(ctx, name)
	return api.FileText{Path: name, Text: o.masked(f.Text), Binary: f.Binary, Cut: f.Cut, Size: f.Size, Time: f.Time}, err
}

func (o fileOperations) download(ctx context.Context, w *servedWorkspace, tree *fileTree, name string) (fileAnswer, error) {
	f, err := tree.File(name)
	if err != nil {
		return fileAnswer{}, err
	}
	o.note(senderOf(ctx), api.Entry{What: "downloaded", Dir: w.dir, Text: f.Name})
	return fileAnswer{Name: path.Base(f.Name), Changed: f.Info.ModTime(), Content: f}, nil
}

func (o fileOperations) tree(w *servedWorkspace) (*fileTree, error) {
	return treeOf(w.h, w.dir, o.private)
}

func treeOf(h *harness.Harness, dir, private string) (*fileTree, error) {
	d := h.Dirs()
	return openTree(dir, []string{d.Config, d.Sessions, d.Output, d.Private, d.State, d.Worktrees, private})
}

// mostChanged is how many files one answer compares with git.
const mostChanged = 2000

// git compares a workspace with git. A file that git does not know is shown as new, with its text.
func (o fileOperations) git(ctx context.Context, w *servedWorkspace, _ ofDir) (api.GitChanges, error) {
	out := api.GitChanges{Files: []api.File{}}
	found, err := w.newest().GitChanges(ctx, "", false)
	if err != nil {
		return out, err
	}
	tree, err := o.tree(w)
	if err != nil {
		return out, err
	}
	defer tree.Close()
	out = api.GitChanges{Repository: found.Repository, Branch: found.Branch, Commit: found.Commit, Upstream: found.Upstream, Ahead: found.Ahead, Behind: found.Behind, Files: out.Files}
	size := 0
	for _, f := range found.Files[:min(len(found.Files), mostChanged)] {
		v := api.File{Path: f.Path, From: f.From, What: f.What, Diff: f.Diff, Added: f.Added, Removed: f.Removed}
		if f.What == "untracked" && size < mostDiffs {
			if text, err := tree.Read(ctx, f.Path); err == nil { // else it is hidden, or gone again
				v.Added, v.Diff = asAdded(text.Text)
			}
		}
		size += len(v.Diff)
		out.Files = append(out.Files, v)
	}
	more := false
	out.Files, more = shownDiffs(out.Files, tree.MayShow, o.mask)
	out.More = more || found.More || len(found.Files) > mostChanged
	return out, nil
}

// Bounds of completion.
const (
	mostNames  = 5000    // files that a client gets
	mostWalked = 200_000 // files and directories of a workspace that are looked at for them
)

// namesInput says which files a message may name.
type namesInput struct {
	sessionPath
	Letters string `query:"letters" maxLength:"200" doc:"only files whose paths have these letters, in this order, in either case"`
}

func (o fileOperations) names(_ requestSender, l *live, in namesInput) (api.Names, error) {
	out := api.Names{Commands: []api.Command{}, Files: []string{}}
	for _, c := range l.s.Commands() {
		out.Commands = append(out.Commands, api.Command{Name: c.Name, About: c.About, Hint: c.Hint, From: c.From})
	}
	files, err := l.s.Files(o.ctx, mostWalked)
	if err != nil {
		return out, err
	}
	tree, err := o.tree(l.room)
	if err != nil {
		return out, err
	}
	defer tree.Close()
	letters := strings.ToLower(in.Letters)
	files = slices.DeleteFunc(files, func(name string) bool { return !inOrder(strings.ToLower(name), letters) || !tree.MayShow(name) })
	out.More = len(files) > mostNames
	out.Files = append(append(out.Files, files[:min(len(files), mostNames)]...), l.s.ToolServers().Names()...)
	return out, nil
}

// inOrder reports whether a name has the letters in their order.
func inOrder(name, letters string) bool {
	for _, letter := range letters {
		_, rest, ok := strings.Cut(name, string(letter))
		if !ok {
			return false
		}
		name = rest
	}
	return true
}

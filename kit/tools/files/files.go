// Package files makes the tools that read, search and change the files of a workspace.
package files

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"rein/kit/places"
	"rein/kit/undo"
	"rein/kit/workspace"
	"rein/tool"
)

// Tools is what the tools on files share.
type Tools struct {
	Workspace *workspace.Workspace

	// Spill opens the whole of a long output by its reference; ok is false if there is none. The reader is closed if it is
	// an io.Closer. Nil: no outputs are saved.
	Spill func(ref string) (r io.ReaderAt, size int64, ok bool)

	// Other writes what a model can read of a file that is not text, such as an image or a document. It reports false for a
	// file that it does not know, and then has written nothing. Nil: such files are refused.
	Other func(ctx context.Context, o Other, r *tool.Reply) (known bool, err error)

	// LastChange returns the last change of a file, by its canonical name, that the calls of this session made and nobody has
	// undone, for undo_edit; ok is false if there is none. Nil: nothing can be undone.
	LastChange func(name string) (last undo.Replaced, ok bool, err error)

	// Tidy runs the formatter and the linter of a file that was just changed. The model sees its output. Nil: none.
	Tidy func(ctx context.Context, name string) (output string, err error)

	// Diagnose is given what a call changed: the texts of files before and after, by their paths. A file that was created is
	// only in after, one that was deleted only in before. It returns what is new for the model, such as errors that a language
	// server finds, and must not take long. Nil: nothing.
	Diagnose func(ctx context.Context, before, after map[string]string) string

	// Copied returns what a sub-agent changed in its copy of the workspace, by its id or name, for agent_apply. Nil: none has one.
	Copied func(id string) (Copy, error)

	// Run runs a program of the system in the sandbox with an input, and returns what it prints: the interpreter that
	// checks the syntax of a Python file that was changed. Nil: such files are not checked.
	Run func(ctx context.Context, argv []string, input string) (output string, err error)
}

// Other is a file that is not text, and what read_file is to show of it.
type Other struct {
	File  *os.File // at its beginning
	Path  string   // as the model named it
	Pages string   // "3", "3-5"; "" is the first ones
	Skip  int      // lines that are left out
	Lines int      // 0: as many as a result holds
}

// hidden returns a function that reports files which may hold secrets. What is in them must not change an answer: they are not
// opened, counted, measured or put in an order. A call that names such a file or directory itself was judged by that name, so in
// it nothing is hidden.
func (f Tools) hidden(dir string) func(name string) bool {
	where := places.Context{Workspaces: f.Workspace.Dirs()}
	private := func(name string) bool {
		class := places.Classify(f.Workspace.Abs(name), where)
		return class == places.Private || class == places.Secret || class == places.Settings
	}
	if private(dir) {
		return func(string) bool { return false }
	}
	return private
}

// refusal turns an error of the workspace into one for the model.
func refusal(err error) error {
	e, ok := errors.AsType[*workspace.Error](err)
	if !ok {
		return err
	}
	kind := kindOf(e.Kind)
	if errors.Is(e, fs.ErrPermission) || errors.Is(e, syscall.EROFS) {
		kind = tool.Failed // the system refused it, not a rule or a person
	}
	return &tool.Error{Kind: kind, Text: e.Text, Hint: e.Hint}
}

func kindOf(k workspace.Kind) tool.Kind {
	switch k {
	case workspace.BadName:
		return tool.BadArguments
	case workspace.Outside:
		return tool.Outside
	case workspace.NotFound:
		return tool.NotFound
	case workspace.Unread, workspace.Changed, workspace.Exists:
		return tool.Stale
	case workspace.Denied:
		return tool.Denied
	case workspace.NoPermission:
		return tool.NoPermission
	case workspace.TooLarge:
		return tool.TooLarge
	case workspace.NotFile, workspace.NotDir:
		return tool.Unsupported
	}
	return tool.Failed
}

// pathNames are the other argument names that models use for a path.
func pathNames(more ...string) map[string]string {
	names := map[string]string{"file_path": "path", "filepath": "path", "filename": "path", "file": "path"}
	for i := 0; i+1 < len(more); i += 2 {
		names[more[i]] = more[i+1]
	}
	return names
}

// dirNames are the other argument names that models use for a directory.
func dirNames(more ...string) map[string]string {
	return pathNames(append(more, "dir", "path", "directory", "path", "dir_path", "path", "folder", "path")...)
}

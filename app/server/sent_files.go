package server

// The files sent_*.go open what calls gave the user beside their results: the files of send_file, and outputs that are too long for a
// result.

import (
	"errors"
	"iter"

	"rein/event"
	"rein/kit/workspace"
	"rein/tool"
)

// errNotSent means that a call showed no file of the workspace, or that the file is gone.
var errNotSent = errors.New("this call showed no file of the workspace, or the file is gone")

// sentFile is an open file, as it is now. The caller closes it.
type sentFile struct {
	*workspace.File
	tree *workspace.Workspace
}

// openSent opens the file that a call of send_file showed, through the workspace in dir with all that protects it. events are
// those of the call's session. It fails with errNotSent when the file is outside dir, and when a link took its place since.
func openSent(dir string, events iter.Seq2[event.Event, error], call string) (*sentFile, error) {
	abs, err := sentName(events, call)
	if err != nil {
		return nil, err
	}
	tree, err := workspace.Open(dir)
	if err != nil {
		return nil, err
	}
	file, err := tree.Open(abs)
	if err != nil {
		tree.Close()
		return nil, errors.Join(errNotSent, err)
	}
	f := &sentFile{File: file, tree: tree}
	if tree.Abs(file.Name) != abs {
		f.Close()
		return nil, errNotSent
	}
	return f, nil
}

// Close closes the file and its workspace.
func (f *sentFile) Close() error { return errors.Join(f.File.Close(), f.tree.Close()) }

// sentName is the absolute name of the file that a call showed.
func sentName(events iter.Seq2[event.Event, error], call string) (name string, err error) {
	for e, err := range events {
		if err != nil {
			return "", err
		}
		if e.Kind != event.Replied || e.Call == nil || e.Call.ID != call || e.Call.Name != "send_file" || e.Result == nil || e.Result.Failed {
			continue
		}
		if files := tool.ParseDetail(e.Result.Detail).Files; len(files) == 1 {
			name = files[0].Abs
		}
	}
	if name == "" {
		return "", errNotSent
	}
	return name, nil
}

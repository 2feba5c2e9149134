package files

import (
	"encoding/hex"
	"encoding/json"

	"rein/workspace"
)

// Recall takes what a result of an earlier process of this session says of files that were shown or written whole, so that a
// session that is resumed knows them again: detail is the result's Detail, as the journal kept it, the oldest first. What
// has changed since is refused as it is within one process.
func (f Tools) Recall(detail json.RawMessage) {
	var d struct {
		Change
		Files []Change `json:"files"`
	}
	if json.Unmarshal(detail, &d) != nil {
		return
	}
	for _, c := range append(d.Files, d.Change) {
		f.recall(c)
	}
}

func (f Tools) recall(c Change) {
	if c.From != "" {
		f.forget(c.From)
	}
	if c.Deleted {
		f.forget(c.Path)
		return
	}
	sum, err := hex.DecodeString(c.Sum)
	if err != nil || len(sum) != len(workspace.Sum{}) {
		return
	}
	if name, err := f.Workspace.Resolve(c.Path); err == nil {
		f.Workspace.Recall(name, workspace.Sum(sum))
	}
}

func (f Tools) forget(path string) {
	if name, err := f.Workspace.Resolve(path); err == nil {
		f.Workspace.Forget(name)
	}
}

// sum is how a result names the content of a file that the model has been shown whole, or has written; else "".
func (f Tools) sum(name string) string {
	if sum, ok := f.Workspace.SeenSum(name); ok {
		return hex.EncodeToString(sum[:])
	}
	return ""
}

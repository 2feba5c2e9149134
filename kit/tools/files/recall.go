package files

import (
	"encoding/hex"
	"encoding/json"

	"rein/kit/workspace"
	"rein/tool"
)

// Recall tells the workspace which files an earlier process of this session showed or wrote as a whole, so that a resumed
// session knows them again. raw is the Detail of a result, as the journal has it; call Recall for the oldest result first.
// A file that has changed since is refused, as within one process.
func (f Tools) Recall(raw json.RawMessage) {
	d := tool.ParseDetail(raw)
	for _, c := range d.Changes {
		f.recallChange(c)
	}
	if d.Read != nil {
		f.recall(d.Read.Path, d.Read.Sum)
	}
}

func (f Tools) recallChange(c tool.Change) {
	if c.From != "" {
		f.forget(c.From)
	}
	if c.Deleted {
		f.forget(c.Path)
		return
	}
	f.recall(c.Path, c.Sum)
}

func (f Tools) recall(path, hexSum string) {
	sum, err := hex.DecodeString(hexSum)
	if err != nil || len(sum) != len(workspace.Sum{}) {
		return
	}
	if name, err := f.Workspace.Resolve(path); err == nil {
		f.Workspace.Recall(name, workspace.Sum(sum))
	}
}

func (f Tools) forget(path string) {
	if name, err := f.Workspace.Resolve(path); err == nil {
		f.Workspace.Forget(name)
	}
}

// sum is the sum of a file that the model has seen as a whole, or has written; else "".
func (f Tools) sum(name string) string {
	if sum, ok := f.Workspace.SeenSum(name); ok {
		return hex.EncodeToString(sum[:])
	}
	return ""
}

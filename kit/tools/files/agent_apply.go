package files

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"sync"

	"rein/internal/plaintext"
	"rein/kit/edit"
	"rein/kit/workspace"
	"rein/tool"
)

// Copied is a file that a sub-agent changed in its copy of the workspace.
type Copied struct {
	Path       string // relative to the workspace, with slashes
	Base, Data []byte // when the copy was made, and now; nil: there is no file
	Executable bool   // it became executable
}

// Copy is what a sub-agent changed in its copy of the workspace.
type Copy struct {
	Files  []Copied
	Left   []string     // what cannot be taken over, with the reason
	Remove func() error // removes the copy
}

type applyArgs struct {
	ID    string   `json:"id" jsonschema:"id or name of the sub-agent" minLength:"1"`
	Paths []string `json:"paths,omitempty" jsonschema:"only these paths; default: all that it changed"`
	Part  bool     `json:"part,omitempty" jsonschema:"merge the files without a conflict, also when others have one"`
}

const applyDescription = `Merge what a sub-agent changed in its own copy into the workspace. If the same lines were changed here, nothing is written and the conflicts are listed.`

// AgentApply returns the tool that takes over the changes of a sub-agent. Its detail is a tool.Change for each file. It writes only what
// its intent was computed from: the sub-agent may continue between the judging of the call and its work.
func (f Tools) AgentApply() *tool.Tool {
	var judged sync.Map // the sum of the changes, by the arguments
	t := tool.New("agent_apply", applyDescription, tool.Reads|tool.Writes, func(ctx context.Context, in applyArgs, r *tool.Reply) error {
		sum, _ := judged.Load(in.key())
		return f.apply(ctx, in, sum, r)
	})
	t.Intent = tool.IntentBy(func(in applyArgs) (tool.Intent, error) {
		m, err := f.mergeCopy(in)
		if err != nil {
			return tool.Intent{}, err
		}
		judged.Store(in.key(), m.sum())
		names := m.names()
		return tool.Intent{Reads: names, Writes: names}, nil
	})
	return t
}

func (in applyArgs) key() string { return fmt.Sprintf("%q %q %v", in.ID, in.Paths, in.Part) }

// names are the files that would change.
func (m merge) names() (names []string) {
	for _, file := range m.copy.Files {
		names = append(names, file.Path)
	}
	return names
}

// sum identifies what was changed in the copy.
func (m merge) sum() [sha256.Size]byte {
	h := sha256.New()
	for _, file := range m.copy.Files {
		fmt.Fprintf(h, "%q %t %d %t %d %t ", file.Path, file.Base == nil, len(file.Data), file.Data == nil, len(file.Base), file.Executable)
		h.Write(file.Data)
		h.Write(file.Base)
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// copied returns the changes that a call is about.
func (f Tools) copied(in applyArgs) (Copy, error) {
	if f.Copied == nil {
		return Copy{}, &tool.Error{Kind: tool.Unsupported, Text: "No sub-agent works in a copy of its own here."}
	}
	c, err := f.Copied(in.ID)
	if err != nil {
		return c, err
	}
	all := len(c.Files)
	c.Files = slices.DeleteFunc(slices.Clone(c.Files), func(file Copied) bool { return !in.names(file.Path) })
	if all > 0 && len(c.Files) == 0 {
		return c, &tool.Error{Kind: tool.NotFound, Text: "The sub-agent changed none of these paths."}
	}
	return c, nil
}

// names reports whether the call is about a file.
func (in applyArgs) names(path string) bool {
	return len(in.Paths) == 0 || slices.ContainsFunc(in.Paths, func(p string) bool {
		p = strings.TrimSuffix(strings.TrimPrefix(p, "./"), "/")
		return p == "." || path == p || strings.HasPrefix(path, p+"/")
	})
}

// apply takes over the changes, where they are those that were judged: sum is theirs.
func (f Tools) apply(ctx context.Context, in applyArgs, sum any, r *tool.Reply) error {
	var taken merge
	err := f.rewriteAll(ctx, r, func() (all []*rewriting, err error) {
		if taken, err = f.mergeCopy(in); err == nil && taken.sum() != sum {
			err = &tool.Error{Kind: tool.Stale, Text: "Nothing was merged: the sub-agent has changed its copy since this call was judged.", Hint: "Wait until it has finished, and call agent_apply again."}
		}
		return taken.files, err
	})
	if err != nil {
		return err
	}
	for _, line := range taken.conflicts {
		fmt.Fprintf(r, "not merged: %s\n", line)
	}
	for _, line := range taken.copy.Left {
		r.Note("not merged: " + line)
	}
	for _, file := range taken.files {
		if file.executable {
			r.Note(workspace.Listed(file.path) + " is executable now")
		}
	}
	if len(taken.files) == 0 {
		fmt.Fprintln(r, "The workspace has these changes already.")
	}
	if len(taken.conflicts) > 0 || len(in.Paths) > 0 {
		r.Note("the copy stays, for what was not merged")
		return nil
	}
	return taken.copy.Remove()
}

// planApply is what agent_apply would change, for a preview.
func (f Tools) planApply(in applyArgs) ([]*rewriting, error) {
	m, err := f.mergeCopy(in)
	return m.files, err
}

// merge is how the changes of a copy fit into the workspace.
type merge struct {
	copy      Copy
	files     []*rewriting
	conflicts []string
}

// mergeCopy merges the changes of a copy into the files as they are. Without part a conflict is an error.
func (f Tools) mergeCopy(in applyArgs) (m merge, err error) {
	if m.copy, err = f.copied(in); err != nil {
		return m, err
	}
	for _, file := range m.copy.Files {
		w, conflict, err := f.mergeFile(file)
		switch {
		case err != nil:
			return m, err
		case conflict != "":
			m.conflicts = append(m.conflicts, workspace.Listed(file.Path)+": "+conflict)
		case w != nil:
			m.files = append(m.files, w)
		}
	}
	if len(m.conflicts) > 0 && !in.Part {
		return m, &tool.Error{Kind: tool.Stale, Text: fmt.Sprintf("Nothing was merged: %s of %d cannot be merged.\n%s", plaintext.Counted(len(m.conflicts), "file"), len(m.copy.Files), strings.Join(m.conflicts, "\n")),
			Hint: "Make these changes with the edit tools, then merge the rest with part; or give the sub-agent the task again."}
	}
	return m, nil
}

// mergeFile merges one file; nil: the workspace has the change. conflict says why it cannot be merged.
func (f Tools) mergeFile(c Copied) (w *rewriting, conflict string, err error) {
	now, err := f.Workspace.Load(c.Path)
	if err != nil && workspace.KindOf(err) != workspace.NotFound {
		return nil, "", refusal(err)
	}
	w = &rewriting{path: c.Path, old: now, raw: c.Data, remove: c.Data == nil}
	w.executable = c.Executable && c.Data != nil && (now == nil || now.Info.Mode()&0o111 == 0)
	same := now != nil && c.Data != nil && bytes.Equal(now.Data, c.Data)
	switch {
	case now == nil && c.Data == nil, same && !w.executable:
		return nil, "", nil
	case same:
	case now == nil && c.Base != nil:
		return nil, "it was deleted here and changed in the copy", nil
	case now != nil && c.Base == nil:
		return nil, "it was created here and in the copy, with different content", nil
	case now != nil && !bytes.Equal(now.Data, c.Base):
		return f.mergeTexts(w, c)
	}
	if now != nil {
		w.before, _, _ = workspace.DecodeText(now.Data)
		w.partial = f.Workspace.SeenAll(now) != nil
	} else {
		w.partial = true // the model has not read what the sub-agent wrote
	}
	if w.after, _, err = workspace.DecodeText(c.Data); err != nil {
		w.notes = append(w.notes, fmt.Sprintf("%s is not text: %s", workspace.Listed(c.Path), plaintext.Counted(len(c.Data), "byte")))
	}
	w.result = edit.Compare(w.before, w.after)
	return w, "", nil
}

// mergeTexts merges a file that was changed here and in the copy.
func (f Tools) mergeTexts(w *rewriting, c Copied) (*rewriting, string, error) {
	if c.Data == nil {
		return nil, "it was changed here and deleted in the copy", nil
	}
	base, _, err := workspace.DecodeText(c.Base)
	theirs, _, wrong := workspace.DecodeText(c.Data)
	var bad error
	w.before, w.charset, bad = workspace.DecodeText(w.old.Data)
	if err != nil || wrong != nil || bad != nil {
		return nil, "it was changed here and in the copy, and it is not text", nil
	}
	merged, places := edit.Merge(base, theirs, w.before)
	if len(places) > 0 {
		return nil, "the same lines were changed here. In the copy:\n" + head(edit.Diff(base, theirs), maxRegion), nil
	}
	if merged.Text == w.before && !w.executable {
		return nil, "", nil
	}
	w.raw, w.after, w.result, w.partial = nil, merged.Text, merged, f.Workspace.SeenAll(w.old) != nil
	w.notes = append(w.notes, workspace.Listed(c.Path)+" was changed here meanwhile; both changes are kept")
	return w, "", nil
}

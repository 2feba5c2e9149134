package files

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"strings"

	"rein/kit/edit"
	"rein/kit/workspace"
	"rein/tool"
)

type patchArgs struct {
	Patch string `json:"patch" minLength:"1"`
}

const patchDescription = `Change one file or several with one patch: all changes are made, or none. Format:
*** Begin Patch
*** Update File: path
@@ line of the function or class around the change
 unchanged line
-removed line
+added line
*** Add File: path
+every line of the new file
*** Delete File: path
*** End Patch
To rename a file, put *** Move to: path after *** Update File. Give three unchanged lines before and after each change. Unified diffs and SEARCH/REPLACE blocks also work.`

// ApplyPatch returns the tool that applies a patch. Its detail is a tool.Change for each file.
func (f Tools) ApplyPatch() *tool.Tool {
	t := tool.New("apply_patch", patchDescription, tool.Reads|tool.Writes, f.applyPatch)
	t.Input = t.Input.WithAliases(map[string]string{"input": "patch", "patch_text": "patch", "patchText": "patch", "diff": "patch", "content": "patch", "text": "patch"})
	t.Intent = patchIntent
	return t
}

// patchIntent names the files of a patch. A patch that cannot be parsed is refused before anybody is asked for approval.
func patchIntent(args json.RawMessage) (tool.Intent, error) {
	var in patchArgs
	if err := json.Unmarshal(args, &in); err != nil {
		return tool.Intent{}, &tool.Error{Kind: tool.BadArguments, Text: err.Error()}
	}
	p, err := parsePatch(in.Patch)
	if err != nil {
		return tool.Intent{}, patchRefusal(err)
	}
	reads, writes := p.Paths()
	return tool.Intent{Reads: reads, Writes: writes}, nil
}

func patchRefusal(err error) error {
	if e, ok := errors.AsType[*patchError](err); ok {
		return &tool.Error{Kind: tool.BadArguments, Text: e.Text, Hint: e.Hint}
	}
	return err
}

func (f Tools) applyPatch(ctx context.Context, in patchArgs, r *tool.Reply) error {
	return f.rewriteAll(ctx, r, func() ([]*rewriting, error) { return f.planPatch(in) })
}

// patchFiles gives a patch the texts of the workspace, and keeps the encoding of each.
type patchFiles struct {
	files Tools
	hint  string
	read  map[string]*rewriting
}

// Text reads a file for the patch.
func (p *patchFiles) Text(path string) (string, bool, error) {
	w, err := p.files.decoded(path, p.hint)
	if e, ok := errors.AsType[*tool.Error](err); ok && e.Kind == tool.NotFound {
		return "", false, fs.ErrNotExist
	}
	if err != nil {
		return "", false, err
	}
	err = p.files.Workspace.SeenAll(w.old)
	w.partial = err != nil
	if workspace.KindOf(err) == workspace.Changed {
		w.notes = append(w.notes, path+" has changed since you read it; the patch was applied to its current content")
	}
	p.read[path] = w
	return w.before, !w.partial, nil
}

func (f Tools) planPatch(in patchArgs) ([]*rewriting, error) {
	p, err := parsePatch(in.Patch)
	if err != nil {
		return nil, patchRefusal(err)
	}
	source := &patchFiles{files: f, hint: withoutAdded(in.Patch), read: map[string]*rewriting{}}
	changes, err := patchChanges(p, source)
	if err != nil {
		return nil, patchRefusal(err)
	}
	if len(changes) == 0 {
		return nil, &tool.Error{Kind: tool.BadArguments, Text: "the patch changes nothing: the files already have this content", Hint: "Nothing more to do."}
	}
	overwritten := map[string]bool{}
	for _, file := range p.Files {
		overwritten[file.Path] = file.Op == patchAdd
	}
	var all []*rewriting
	for _, c := range changes {
		w, err := f.patched(c, source.read[c.Path], source.read[c.From], overwritten[c.Path])
		if err != nil {
			return nil, err
		}
		all = append(all, w)
	}
	return all, nil
}

// withoutAdded is a patch without the lines that it adds: the rest is text of the files.
func withoutAdded(text string) string {
	var out []string
	for l := range strings.SplitSeq(text, "\n") {
		if !strings.HasPrefix(l, "+") {
			out = append(out, l)
		}
	}
	return strings.Join(out, "\n")
}

// patched is one file of a patch as a rewriting. A moved file keeps its encoding.
func (f Tools) patched(c patchChange, w, from *rewriting, whole bool) (*rewriting, error) {
	if w == nil {
		w = &rewriting{path: c.Path, charset: workspace.Charset{}}
		if from != nil {
			w.charset, w.partial = from.charset, from.partial
		}
	}
	w.from = c.From
	if whole && w.old != nil && c.After != nil {
		if err := f.Workspace.SeenAll(w.old); err != nil {
			return nil, refusal(err) // adding a file that exists overwrites it
		}
	}
	if c.After == nil {
		w.remove, w.result = true, edit.Compare(w.before, "")
		return w, nil
	}
	w.after, w.result = *c.After, edit.Compare(w.before, *c.After)
	for _, r := range c.Results {
		w.result.Classes = append(w.result.Classes, r.Classes...)
	}
	return w, nil
}

package files

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"rein/internal/plaintext"
	"rein/kit/edit"
	"rein/kit/workspace"
	"rein/tool"
)

// rewriting is a planned change of one file.
type rewriting struct {
	path    string             // as the call names it, until it is written
	from    string             // the path before, if the file is moved
	old     *workspace.Version // nil: there is no file
	charset workspace.Charset
	before  string
	after   string
	remove  bool
	raw     []byte // the bytes that are written instead of the text; nil: the text
	data    []byte // what is written; nil for a file that is removed
	result  edit.Result
	notes   []string
	partial bool // the model has not been shown all of the new content

	executable bool // it becomes executable
}

// decoded loads a file and decodes its text. The hints are texts that should be in it.
func (f Tools) decoded(path string, hints ...string) (*rewriting, error) {
	v, err := f.Workspace.Load(path)
	if err != nil {
		return nil, refusal(err)
	}
	text, set, err := workspace.DecodeText(v.Data, hints...)
	if errors.Is(err, workspace.ErrBinary) {
		return nil, binaryFile(path, v.Data[:min(len(v.Data), 16)], int64(len(v.Data)))
	}
	if err != nil {
		return nil, err
	}
	return &rewriting{path: path, old: v, charset: set, before: text}, nil
}

// replan plans the new text of one file. how receives the text that the model knows. If someone else has changed the file
// since, that is the older text, and the two changes are merged.
func (f Tools) replan(w *rewriting, how func(text string, fresh bool) (edit.Result, error)) error {
	err := f.Workspace.SeenAll(w.old)
	w.partial = err != nil
	if workspace.KindOf(err) == workspace.Changed {
		if known, ok := f.Workspace.Known(w.old.Name); ok {
			return f.mergeIn(w, known, how)
		}
		w.notes = append(w.notes, "the file has changed since you read it")
	}
	r, err := how(w.before, !w.partial)
	if err != nil {
		return editRefusal(err)
	}
	w.result, w.after = r, r.Text
	return nil
}

// mergeIn makes the change in the text that the model knows, and merges it with the change of someone else.
func (f Tools) mergeIn(w *rewriting, known []byte, how func(string, bool) (edit.Result, error)) error {
	base, _, err := workspace.DecodeText(known)
	if err != nil {
		return err
	}
	ours, err := how(base, true)
	if err != nil {
		return staleRefusal(w, base, err)
	}
	merged, conflicts := edit.Merge(base, ours.Text, w.before)
	if len(conflicts) > 0 {
		return conflict(w, conflicts)
	}
	if merged.Text == w.before {
		return &tool.Error{Kind: tool.Stale, Text: fmt.Sprintf("%s has changed since you read it, and it already contains this change", w.path), Hint: "Nothing more to do; read it again if you need its content."}
	}
	merged.Classes = ours.Classes
	w.result, w.after = merged, merged.Text
	w.notes = append(w.notes, "someone else changed other parts of the file since you read it; both changes are kept")
	return nil
}

// staleRefusal is the error for an edit that does not match the text that the model knows, in a file that has changed.
func staleRefusal(w *rewriting, base string, err error) error {
	e := tool.AsError(editRefusal(err))
	return &tool.Error{Kind: tool.Stale, Text: e.Text + "\nThe file has also changed since you read it:\n" + head(edit.Diff(base, w.before), 40), Hint: "Read the file again, then send the edit for its current content."}
}

// conflict is the error for a change of lines that someone else has changed. It shows the current lines.
func conflict(w *rewriting, places []edit.Place) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s was changed by someone else since you read it, in the same place. These lines are now:\n", w.path)
	lines := strings.Split(w.before, "\n")
	for _, p := range places {
		writeNumbered(&b, lines, p.First-3, p.Last+3, 30)
	}
	return &tool.Error{Kind: tool.Stale, Text: strings.TrimRight(b.String(), "\n"), Hint: "If the change is still needed, send it again for these lines."}
}

// writeNumbered writes lines with their numbers, as read_file shows them.
func writeNumbered(b *strings.Builder, lines []string, first, last, most int) {
	first, last = max(first, 1), min(last, len(lines))
	if last == len(lines) && last > 0 && lines[last-1] == "" {
		last--
	}
	for n := first; n <= last; n++ {
		if n-first >= most {
			fmt.Fprintf(b, "… %s\n", plaintext.Counted(last-n+1, "more line"))
			return
		}
		fmt.Fprintf(b, "%d\t%s\n", n, cutLine(strings.TrimRight(lines[n-1], "\r")))
	}
}

func cutLine(l string) string {
	if len(l) > 500 {
		return strings.ToValidUTF8(l[:500], "") + "…"
	}
	return l
}

func head(text string, lines int) string {
	all := strings.SplitAfter(text, "\n")
	if len(all) <= lines {
		return strings.TrimRight(text, "\n")
	}
	return strings.Join(all[:lines], "") + "… " + plaintext.Counted(len(all)-lines, "more line")
}

// editRefusal turns a refusal of the engine into an error for the model.
func editRefusal(err error) error {
	if r, ok := errors.AsType[*edit.Refusal](err); ok {
		kind := tool.Failed
		switch r.Reason {
		case edit.NotFound, edit.Applied:
			kind = tool.NotFound
		case edit.EmptyOld, edit.NoChange, edit.Placeholder:
			kind = tool.BadArguments
		case edit.TooMuch:
			kind = tool.TooLarge
		}
		if _, several := errors.AsType[*edit.Refusals](err); !several {
			text := strings.TrimSuffix(r.Error(), "\n"+r.Hint)
			return &tool.Error{Kind: kind, Text: text, Hint: r.Hint}
		}
		return &tool.Error{Kind: kind, Text: err.Error()}
	}
	return err
}

// commit writes the planned changes, all or none: if one file cannot be written, those before it are restored.
func (f Tools) commit(r *tool.Reply, all []*rewriting) error {
	for _, w := range all {
		if w.data = w.raw; w.remove || w.raw != nil {
			continue
		}
		data, err := w.charset.Encode(w.after)
		if err != nil {
			return &tool.Error{Kind: tool.Unsupported, Text: err.Error(), Hint: "Use characters that the encoding has, or convert the file to UTF-8 first."}
		}
		w.data = data
	}
	for i, w := range all {
		if err := f.store(w); err != nil {
			for _, done := range all[:i] {
				f.putBack(r, done)
			}
			return err
		}
	}
	for _, w := range all {
		if !w.executable {
			continue
		}
		if err := f.Workspace.MakeExecutable(w.path); err != nil {
			r.Note(fmt.Sprintf("%s could not be made executable: %v", workspace.Listed(w.path), err))
		}
	}
	return nil
}

// store returns an error of the workspace unchanged if someone else has written the file meanwhile: see raced.
func (f Tools) store(w *rewriting) error {
	var old workspace.Sum
	if w.old != nil {
		old = w.old.Sum
	}
	if w.remove {
		if now, err := f.Workspace.Load(w.path); err != nil || now.Sum != old {
			return &workspace.Error{Kind: workspace.Changed, Name: w.path, Text: w.path + " has changed meanwhile"}
		}
		return f.Workspace.Remove(w.path)
	}
	name, err := f.Workspace.Store(w.path, w.data, old)
	if err != nil {
		return err
	}
	w.path = name
	if w.partial {
		f.sawOnlyChanges(w)
	}
	return nil
}

// sawOnlyChanges makes a written file count as seen in parts, because the model has not seen all of it.
func (f Tools) sawOnlyChanges(w *rewriting) {
	f.Workspace.Forget(w.path)
	info, err := f.Workspace.Stat(w.path)
	if err != nil {
		return // an unknown file is the safe case
	}
	f.Workspace.SawPart(w.path, info, 0, 1)
}

func (f Tools) putBack(r *tool.Reply, w *rewriting) {
	var err error
	switch {
	case w.old == nil:
		err = f.Workspace.Remove(w.path)
	case w.remove:
		_, err = f.Workspace.Store(w.path, w.old.Data, workspace.Sum{})
	default:
		_, err = f.Workspace.Store(w.path, w.old.Data, workspace.SumOf(w.data))
	}
	if err != nil {
		r.Note(fmt.Sprintf("%s was changed and could not be restored: %v", w.path, err))
	}
}

// maxRaces is how often a call starts again because someone else wrote between its read and its write.
const maxRaces = 4

// raced runs a call again while someone else writes the file in between.
func raced(once func() error) error {
	var err error
	for range maxRaces {
		err = once()
		if kind := workspace.KindOf(err); kind != workspace.Changed && kind != workspace.Exists {
			break
		}
	}
	return refusal(err)
}

// check warns if a file parsed before the change and no longer does.
func (f Tools) check(ctx context.Context, r *tool.Reply, path, before, after string) {
	now := checkSyntax(ctx, f.Run, path, after)
	if now == nil || before != "" && checkSyntax(ctx, f.Run, path, before) != nil {
		return
	}
	r.Note(fmt.Sprintf("%s no longer parses: %s", path, now))
}

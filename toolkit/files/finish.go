package files

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"rein/edit"
	"rein/tool"
)

// Change is what a tool that changes files shows of each, for the screen.
type Change struct {
	Path    string `json:"path"`
	From    string `json:"from,omitempty"` // the name before, if it moved
	Created bool   `json:"created,omitempty"`
	Deleted bool   `json:"deleted,omitempty"`
	Added   int    `json:"added"`   // lines
	Removed int    `json:"removed"` // lines
	Diff    string `json:"diff"`    // unified, with line numbers

	Sum string `json:"sum,omitempty"` // SHA-256 in hex of the new content, where the model knows all of it: see Recall
}

// maxTold is how many lines of changed regions the model is shown of one file.
const maxTold = 60

// finish tidies what was written, warns, tells the model what stands there now, and shows the diff.
func (f Tools) finish(ctx context.Context, r *tool.Reply, all []*rewriting) {
	var shown []Change
	for _, w := range all {
		f.tidied(ctx, r, w)
		for _, n := range w.notes {
			r.Note(n)
		}
		if !w.remove {
			check(ctx, r, w.path, w.before, w.after)
		}
		tell(r, w)
		shown = append(shown, f.shown(w))
	}
	if len(shown) == 1 {
		r.Show(shown[0])
		return
	}
	r.Show(map[string]any{"files": shown})
}

// remember keeps what write_file replaced, warns, and shows the diff.
func (f Tools) remember(ctx context.Context, r *tool.Reply, w *rewriting) {
	kept, err := f.History.Keep(w.path, w.bytesBefore(), w.data)
	if err == nil {
		kept.Call = r.Call()
		err = f.History.Note(kept)
	}
	if err != nil {
		r.Note(fmt.Sprintf("the change of %s was not kept for undo_edit: %v", w.path, err))
	}
	check(ctx, r, w.path, w.before, w.after)
	r.Show(f.shown(w))
}

// tidied runs the formatter and linter of the language, if there is one, and tells what they did.
func (f Tools) tidied(ctx context.Context, r *tool.Reply, w *rewriting) {
	if f.Tidy == nil || w.remove {
		return
	}
	said, err := f.Tidy(ctx, w.path)
	if err != nil {
		r.Note(fmt.Sprintf("the formatter of %s failed: %v", w.path, err))
	}
	if said != "" {
		r.Note(said)
	}
	v, err := f.decoded(w.path)
	if err != nil || v.before == w.after {
		return
	}
	w.notes = append(w.notes, "the formatter changed it further:\n"+head(edit.Diff(w.after, v.before), 30))
	kept, err := f.History.Keep(w.path, w.data, v.old.Data)
	if err == nil {
		err = f.History.Note(kept)
	}
	if err != nil {
		r.Note(fmt.Sprintf("what the formatter did was not kept for undo_edit: %v", err))
	}
	w.after = v.before
	w.result = edit.Compare(w.before, w.after)
	if !w.partial {
		f.Workspace.Saw(v.old)
	}
}

// tell writes one line on what was done, how old_text was understood, and the changed regions with their numbers.
func tell(r *tool.Reply, w *rewriting) {
	switch {
	case w.remove:
		fmt.Fprintf(r, "deleted %s\n", w.path)
		return
	case w.old == nil:
		fmt.Fprintf(r, "created %s (%s)\n", w.path, extent([]byte(w.after)))
		return
	}
	fmt.Fprintf(r, "edited %s: +%d -%d lines%s\n", w.path, w.result.Added, w.result.Removed, understood(w.result.Classes))
	var b strings.Builder
	lines := strings.Split(w.after, "\n")
	left, last := maxTold, 0
	for _, c := range w.result.Changes {
		from, to := max(c.New[0]-3, last+1), c.New[1]+3
		if from > to || left <= 0 {
			continue
		}
		if last > 0 && from > last+1 {
			b.WriteString("…\n")
		}
		writeNumbered(&b, lines, from, to, left)
		left -= to - from + 1
		last = to
	}
	_, _ = r.WriteString(b.String()) // it fails only after the call has ended
}

// understood tells the model what it wrote otherwise than the file has it.
func understood(classes []string) string {
	classes = slices.DeleteFunc(slices.Clone(classes), func(c string) bool { return c == "exact" })
	if len(classes) == 0 {
		return ""
	}
	return " (old_text differed from the file in: " + strings.Join(classes, ", ") + "; the file's own was kept)"
}

// shown is a change that was made.
func (f Tools) shown(w *rewriting) Change {
	c := w.shown()
	c.Sum = f.sum(w.path)
	return c
}

func (w *rewriting) shown() Change {
	c := Change{Path: w.path, Created: w.old == nil, Deleted: w.remove, Added: w.result.Added, Removed: w.result.Removed, Diff: w.result.Diff}
	if c.Created || c.Deleted {
		whole := edit.Compare(w.before, w.after)
		c.Added, c.Removed, c.Diff = whole.Added, whole.Removed, whole.Diff
	}
	return c
}

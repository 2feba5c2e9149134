package files

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"rein/kit/edit"
	"rein/kit/workspace"
	"rein/tool"
)

// maxRegion is how many lines of changed regions the result shows for one file.
const maxRegion = 60

// finish runs the formatter, warns, writes the changed regions to the reply, and shows the diff.
func (f Tools) finish(ctx context.Context, r *tool.Reply, all []*rewriting) {
	var shown []tool.Change
	for _, w := range all {
		f.tidied(ctx, r, w)
		for _, n := range w.notes {
			r.Note(n)
		}
		if !w.remove {
			f.check(ctx, r, w.path, w.before, w.after)
		}
		report(r, w)
		shown = append(shown, f.shown(w))
	}
	f.diagnosed(ctx, r, all...)
	r.Show(tool.Detail{Changes: shown})
}

// diagnosed writes what is new since the change.
func (f Tools) diagnosed(ctx context.Context, r *tool.Reply, all ...*rewriting) {
	if f.Diagnose == nil {
		return
	}
	before, after := map[string]string{}, map[string]string{}
	for _, w := range all {
		if w.old != nil || w.from != "" {
			before[cmp.Or(w.from, w.path)] = w.before
		}
		if !w.remove {
			after[w.path] = w.after
		}
	}
	_, _ = r.WriteString(f.Diagnose(ctx, before, after)) // it fails only after the call has ended
}

// shows warns, and shows the diff of write_file.
func (f Tools) shows(ctx context.Context, r *tool.Reply, w *rewriting) {
	f.check(ctx, r, w.path, w.before, w.after)
	f.diagnosed(ctx, r, w)
	r.Show(tool.Detail{Changes: []tool.Change{f.shown(w)}})
}

// tidied runs the formatter and the linter of the language, if there are any, and reports what they did.
func (f Tools) tidied(ctx context.Context, r *tool.Reply, w *rewriting) {
	if f.Tidy == nil || w.remove {
		return
	}
	output, err := f.Tidy(ctx, w.path)
	if err != nil {
		r.Note(fmt.Sprintf("the formatter of %s failed: %v", w.path, err))
	}
	if output != "" {
		r.Note(output)
	}
	v, err := f.decoded(w.path)
	if err != nil || v.before == w.after {
		return
	}
	w.notes = append(w.notes, "the formatter changed the file further:\n"+head(edit.Diff(w.after, v.before), 30))
	w.after = v.before
	w.result = edit.Compare(w.before, w.after)
	if !w.partial {
		f.Workspace.Saw(v.old)
	}
}

// report writes one line that says what was done, and the changed regions with line numbers.
func report(r *tool.Reply, w *rewriting) {
	switch {
	case w.remove:
		fmt.Fprintf(r, "deleted %s\n", workspace.Listed(w.path))
		return
	case w.old == nil:
		fmt.Fprintf(r, "created %s (%s)\n", workspace.Listed(w.path), extent([]byte(w.after)))
		return
	}
	fmt.Fprintf(r, "edited %s: +%d -%d lines%s\n", workspace.Listed(w.path), w.result.Added, w.result.Removed, differences(w.result.Classes))
	var b strings.Builder
	lines := strings.Split(w.after, "\n")
	left, last := maxRegion, 0
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

// differences says how old_text differed from the file.
func differences(classes []string) string {
	classes = slices.DeleteFunc(slices.Clone(classes), func(c string) bool { return c == "exact" })
	if len(classes) == 0 {
		return ""
	}
	return " (old_text differed from the file in: " + strings.Join(classes, ", ") + "; the file's version was kept)"
}

// shown is a change that was made.
func (f Tools) shown(w *rewriting) tool.Change {
	c := w.shown()
	c.Sum = f.sum(w.path)
	return c
}

func (w *rewriting) shown() tool.Change {
	c := tool.Change{Path: w.path, From: w.from, Created: w.old == nil, Deleted: w.remove, Added: w.result.Added, Removed: w.result.Removed, Diff: w.result.Diff}
	if c.Created || c.Deleted {
		whole := edit.Compare(w.before, w.after)
		c.Added, c.Removed, c.Diff = whole.Added, whole.Removed, whole.Diff
	}
	c.Cut = strings.Count(c.Diff, "\n") > edit.DiffLines
	if w.executable {
		c.Diff = "(becomes executable)\n" + c.Diff
	}
	return c
}

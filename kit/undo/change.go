package undo

import (
	"bytes"
	"fmt"
	"slices"

	"rein/kit/edit"
	"rein/kit/workspace"
)

// What is how something changed.
type What string

// The ways to change.
const (
	Created  What = "created"
	Modified What = "changed"
	Deleted  What = "deleted"
	Moved    What = "moved" // with its content unchanged: From says where it was
	Chmod    What = "mode"  // only its mode or its attributes
	Retyped  What = "type"  // it is something else now: a directory, a link
	Relinked What = "links" // it is as it was, but one file with other names than before
)

// Change is what happened at one path.
type Change struct {
	Path   string `json:"path"`           // relative to the workspace; absolute in another directory of it
	From   string `json:"from,omitempty"` // of Moved: the path before
	What   What   `json:"what"`
	Before State  `json:"before"`
	After  State  `json:"after"`

	// Of a text: a unified diff, and its counts. Set where it was asked for.
	Diff    string `json:"diff,omitempty"`
	Added   int    `json:"added,omitempty"`
	Removed int    `json:"removed,omitempty"`
}

func public(c treeChange) Change {
	b, a := stateOf(c.Before), stateOf(c.After)
	out := Change{Path: c.Path, What: what(b, a), Before: b, After: a}
	if !nodeChanged(c.Before, c.After) {
		out.What = Relinked
	}
	return out
}

func what(before, after State) What {
	switch {
	case !before.exists:
		return Created
	case !after.exists:
		return Deleted
	case before.Mode.Type() != after.Mode.Type():
		return Retyped
	case before.Sum == after.Sum && before.Target == after.Target && before.Size == after.Size && before.Left == "":
		return Chmod
	}
	return Modified
}

// uncovered reports whether the change cannot be taken back, because a content is not kept.
func uncovered(c treeChange) (u Uncovered, lost bool) {
	for _, n := range []*treeNode{c.Before, c.After} {
		if n != nil && n.Left != "" && !n.IsPipe() && !n.Object() {
			s := stateOf(c.Before)
			if !s.exists {
				s = stateOf(c.After)
			}
			return Uncovered{Path: c.Path, Size: s.Size, Why: Left(n.Left), What: public(c).What}, true
		}
	}
	return u, false
}

// merged joins the changes of each path: the first state and the last one. A path that is as it was is left out. The order
// is that of the first change of each.
func merged(all []treeChange) []treeChange {
	at := map[string]int{}
	var out []treeChange
	for _, c := range all {
		if i, known := at[c.Path]; known {
			out[i].After = c.After
			continue
		}
		at[c.Path] = len(out)
		out = append(out, c)
	}
	return slices.DeleteFunc(out, func(c treeChange) bool { return !nodeChanged(c.Before, c.After) && !relinked(c.Before, c.After) })
}

// moves joins a file that went and one with the same content that came to one change.
func moves(all []Change) []Change {
	gone := map[string][]int{}
	for i, c := range all {
		if c.What == Deleted && c.Before.Mode.IsRegular() && c.Before.Size > 0 && c.Before.Sum != "" {
			gone[c.Before.Sum] = append(gone[c.Before.Sum], i)
		}
	}
	drop := map[int]bool{}
	for i, c := range all {
		if c.What != Created || !c.After.Mode.IsRegular() || len(gone[c.After.Sum]) == 0 {
			continue
		}
		from := gone[c.After.Sum][0]
		gone[c.After.Sum] = gone[c.After.Sum][1:]
		drop[from] = true
		all[i].What, all[i].From, all[i].Before = Moved, all[from].Path, all[from].Before
	}
	out := make([]Change, 0, len(all))
	for i, c := range all {
		if !drop[i] {
			out = append(out, c)
		}
	}
	return out
}

// maxDiff is the size in bytes of the largest file of which a diff is made.
const maxDiff = 1 << 20

// maxDiffs is how many bytes of files one list has diffs of. Those that follow have none.
const maxDiffs = 8 << 20

// withDiffs adds the diffs of texts.
func (s *Store) withDiffs(all []Change) {
	left := int64(maxDiffs)
	for i, c := range all {
		if left -= c.Before.Size + c.After.Size; left < 0 {
			return
		}
		all[i] = s.withDiff(c)
	}
}

// withDiff adds the diff of a text.
func (s *Store) withDiff(c Change) Change {
	if c.What == Moved || c.What == Chmod || c.What == Relinked {
		return c
	}
	before, ok := s.text(c.Before)
	after, ok2 := s.text(c.After)
	if !ok || !ok2 {
		return c
	}
	r := edit.Compare(before, after)
	c.Diff, c.Added, c.Removed = r.Diff, r.Added, r.Removed
	return c
}

// text returns the content of a state as text. Nothing, and a link, count as texts: the target is the text of a link.
func (s *Store) text(st State) (text string, ok bool) {
	switch {
	case !st.exists:
		return "", true
	case st.Target != "":
		return st.Target + "\n", true
	case !st.Mode.IsRegular() || st.Sum == "" || st.Size > maxDiff:
		return "", false
	}
	data, err := s.content.Read(st.sumOf())
	if err != nil {
		return "", false
	}
	text, _, err = decoded(data)
	return text, err == nil
}

// decoded reads a content as text.
func decoded(data []byte) (string, workspace.Charset, error) {
	if len(data) > maxDiff || bytes.IndexByte(data, 0) >= 0 && !bytes.HasPrefix(data, []byte("\xff\xfe")) && !bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return "", workspace.Charset{}, workspace.ErrBinary
	}
	return workspace.DecodeText(data)
}

// bytesText is a size for people.
func bytesText(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GB", float64(n)/1e9)
	case n >= 1<<20:
		return fmt.Sprintf("%.0f MB", float64(n)/1e6)
	case n >= 1<<10:
		return fmt.Sprintf("%.0f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%d bytes", n)
}

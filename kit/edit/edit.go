// Package edit replaces text in a file. A model writes the old text and the new text, and it copies old text with
// mistakes. Apply repairs known kinds of mistakes where one place only fits. It writes the difference between the two
// texts onto the file's own lines, never the model's copy of what it did not change. Compare and Diff show what changed. The package does
// no I/O.
package edit

import (
	"fmt"
	"time"
)

// Edit replaces Old by New.
type Edit struct {
	Old, New string
	// All replaces every occurrence. Without it Old must fit one place only.
	All bool
	// Expected is how many places must be replaced; zero means any number. A value above one implies All.
	Expected int
}

// Options is what the caller knows besides the text. The zero value and nil mean nothing, and are the safest.
type Options struct {
	// Path is the file's name; it is only used to recognise the language by the extension.
	Path string
	// Fresh means that the file is, to the byte, what the model last saw. Only then may a line that the edit does not
	// change differ by a word from what the model wrote.
	Fresh bool
	// Limit bounds the time of one call; zero means a second.
	Limit time.Duration
}

// Result is the outcome of a successful call.
type Result struct {
	Text    string   // the whole new text of the file
	Classes []string // the kinds of damage that were repaired, "exact" alone if there was none
	Lines   [2]int   // first and last line of Text that the edits touched, from one; the last is below the first for a mere deletion
	Changes []Change // the changed regions in file order
	Diff    string   // a small unified diff with file line numbers, at most DiffLines long
	Added   int      // lines of Text that were not in the file
	Removed int      // lines of the file that are not in Text
}

// Change is one region that an edit replaced, in whole lines.
type Change struct {
	Edit  int    // index of the edit that made it
	Old   [2]int // lines of the file, from one, end included; empty regions have the end below the start
	New   [2]int // lines of the new text likewise
	start int    // bytes of the file
	end   int
	text  string
}

// Apply makes all edits in file, or none. Then the error is a *Refusal, or *Refusals for several edits; its text is for
// the model. Apply looks for each edit in the text as given. An edit that fits only the text that the edits before it
// made is accepted too.
func Apply(file string, edits []Edit, opts *Options) (Result, error) {
	if opts == nil {
		opts = &Options{}
	}
	if len(edits) == 0 {
		return Result{}, refuse(EmptyOld, "no edits were given", "Send old_text and new_text.")
	}
	work := newSession(file, opts)
	for i, e := range edits {
		work.add(i, e)
	}
	return work.result()
}

func lineRange(a, b int) string {
	if b <= a {
		return fmt.Sprintf("line %d", a)
	}
	return fmt.Sprintf("lines %d-%d", a, b)
}

package server

// The files shown_*.go and schedules_shown.go give what the harness knows of a workspace as the API's types: what its folder makes sessions obey, its tool
// servers, its tasks, changes of its files. What it shows has no secrets, and what a user answers counts only while it is as it
// was shown.

import (
	"io"

	"rein/app/server/api"
)

// secretMask replaces secrets in a text.
type secretMask func(text []byte) []byte

// cutTail is how many bytes are read behind the start of a text, and left out again once the secrets are masked: a secret that
// the end of what was read cuts is in them.
const cutTail = 64 << 10

// Start returns the first bytes of a text without its secrets, also without the part of one that is at the end of them.
func (m secretMask) Start(r io.Reader, most int) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, int64(most+cutTail)))
	if err != nil {
		return nil, err
	}
	masked := m(text)
	if len(text) == most+cutTail {
		masked = masked[:max(0, len(masked)-cutTail)]
	}
	return masked, nil
}

// mostDiffs is how many bytes of diffs one answer has.
const mostDiffs = 2 << 20

// shownDiffs hides what the user may not see of changes, and leaves out what is too long: it reports whether there is more.
func shownDiffs(files []api.File, mayShow func(path string) bool, mask secretMask) (all []api.File, more bool) {
	size := 0
	for i := range files {
		f := &files[i]
		switch size += len(f.Diff); {
		case !mayShow(f.Path) || f.From != "" && !mayShow(f.From):
			f.Diff, f.Hidden = "", true
		case size > mostDiffs:
			f.Diff, more = "", true
		default:
			f.Diff = string(mask([]byte(f.Diff)))
		}
	}
	return files, more
}

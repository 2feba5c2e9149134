package trust

import (
	"errors"
	"fmt"
	"path"
	"strings"
)

// ErrChanged is the error for content that is not what the hash of its item says.
var ErrChanged = errors.New("the content changes at the moment")

// Content is one file of an item.
type Content struct {
	Path string // relative to the folder
	Text []byte
}

// Content reads what an item stands for: a file, or all files of a skill. Content that is not what the item's hash says is
// ErrChanged, so that nobody sees one thing and trusts another.
func (f *Folder) Content(i Item) (all []Content, err error) {
	sums := map[string]string{i.Path: i.Sum}
	names := []string{i.Path}
	if lines, err := f.Tree(i.Path); i.Kind == Skill && err == nil {
		if sumOf(lines) != i.Sum {
			return nil, ErrChanged
		}
		names = nil
		for line := range strings.Lines(string(lines)) {
			sum, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			name := path.Join(i.Path, rest)
			names = append(names, name)
			sums[name] = sum
		}
	}
	for _, name := range names {
		text, err := f.Read(name)
		if err != nil || sumOf(text) != sums[name] {
			return nil, fmt.Errorf("%s: %w", name, ErrChanged)
		}
		all = append(all, Content{name, text})
	}
	return all, nil
}

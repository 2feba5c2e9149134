package extend

import (
	"errors"
	"fmt"
	"path"
	"strings"
)

// ErrContentChanged is the error for content that is not what the hash of its item says.
var ErrContentChanged = errors.New("the content changes at the moment")

// TrustContent is one file of an item.
type TrustContent struct {
	Path string // relative to the folder
	Text []byte
}

// TrustContent reads what an item stands for: a file, or all files of a skill. Content that is not what the item's hash says is
// ErrChanged, so that nobody sees one thing and trusts another.
func (f *Folder) Content(i TrustItem) (all []TrustContent, err error) {
	sums := map[string]string{i.Path: i.Sum}
	names := []string{i.Path}
	if lines, err := f.Tree(i.Path); i.Kind == TrustSkill && err == nil {
		if sumOf(lines) != i.Sum {
			return nil, ErrContentChanged
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
			return nil, fmt.Errorf("%s: %w", name, ErrContentChanged)
		}
		all = append(all, TrustContent{name, text})
	}
	return all, nil
}

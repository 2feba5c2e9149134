package extend

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"rein/internal/plainfile"
)

// importReader reads a file that another one imports. shown is the name under which it is listed.
type importReader func(from, name string) (shown string, text []byte, err error)

var (
	errOutside   = errors.New("it lies outside of the directories that may be imported")
	errUntrusted = errors.New("the user does not trust its content: rein trust")
)

// ofFolder reads an import of a file of the folder.
func (l *InstructionLoader) ofFolder(from, name string) (string, []byte, error) {
	if path.IsAbs(name) || strings.HasPrefix(name, "~") || filepath.IsAbs(name) {
		return name, nil, errOutside
	}
	shown := path.Join(path.Dir(from), name)
	if !filepath.IsLocal(filepath.FromSlash(shown)) {
		return shown, nil, errOutside
	}
	text, err := l.Folder.Read(shown)
	if err == nil && !l.Folder.Trusted(TrustInstructions, shown, text) {
		err = errUntrusted
	}
	return shown, text, err
}

// ofUser reads an import of a file of the user's: what is below the home directory.
func (l *InstructionLoader) ofUser(from, name string) (string, []byte, error) {
	shown := name
	switch rest, home := strings.CutPrefix(name, "~/"); {
	case home:
		shown = filepath.Join(l.Home, rest)
	case !filepath.IsAbs(name):
		shown = filepath.Join(filepath.Dir(from), name)
	}
	rest, err := filepath.Rel(l.Home, shown)
	if l.Home == "" || err != nil || !filepath.IsLocal(rest) {
		return shown, nil, errOutside
	}
	if HoldsSecrets(shown, l.Folder.Dir(), l.Home) {
		return shown, nil, ErrSecrets
	}
	in, err := plainfile.OpenIn(l.Home)
	if err != nil {
		return shown, nil, err
	}
	defer in.Close()
	text, err := in.Read(rest)
	return shown, text, err
}

// comments are those of HTML: a person who reads the page does not see them.
var comments = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)<!--.*?(?:-->|$)`) })

// expand replaces the imports of a text by the texts of the files, to a depth of trust.MostImports. An import that is not read
// stays as it is written; one that names no file is no import. It also gives the files that were imported, or not.
func (l *InstructionLoader) expand(from, text string, read importReader, depth int) (string, []InstructionFile) {
	text = visibleText(comments().ReplaceAllString(text, ""))
	var b strings.Builder
	var files []InstructionFile
	at := 0
	for _, i := range Imports(text) {
		shown, content, err := read(from, i.Path)
		f := InstructionFile{Path: shown, From: from}
		switch {
		case isMissing(err):
			continue
		case depth == MostImports:
			f.State, f.Why = Unread, fmt.Sprintf("imports are nested deeper than %d", MostImports)
		case err != nil:
			f.State, f.Why = Unread, err.Error()
			if errors.Is(err, errUntrusted) {
				f.State = Untrusted
			}
		case l.imports[shown]:
			f.State, f.Why = Same, "the model has it already"
		}
		if f.State != "" {
			files = append(files, f)
			continue
		}
		l.imports[shown] = true
		inner, more := l.expand(shown, string(content), read, depth+1)
		f.State, f.Bytes = Loaded, len(inner)
		files = append(append(files, f), more...)
		b.WriteString(text[at:i.Start] + strings.TrimSpace(inner))
		at = i.End
	}
	b.WriteString(text[at:])
	return b.String(), files
}

// isMissing reports whether there is no such file, so that the word is no import: a path, a directory, an address.
func isMissing(err error) bool {
	return err != nil && !errors.Is(err, errOutside) && !errors.Is(err, errUntrusted) && !errors.Is(err, ErrSecrets)
}

// visibleText takes out the characters that a person does not see and a model reads: those that mark direction, join, or tag.
func visibleText(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x206f, r == 0xfeff, r == 0xad,
			r >= 0xe0000 && r <= 0xe0fff:
			return -1
		}
		return r
	}, text)
}

package agents

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"rein/internal/plainfile"
)

// Own are definitions of the user's own, each in a file of a directory. Faces let the user write them.
type Own struct{ Dir string }

// file gives the file of a definition. A name has lower-case letters, digits and hyphens.
func (o Own) file(name string) (string, error) {
	if ok, err := regexp.MatchString(`^[a-z0-9][a-z0-9-]{0,63}$`, name); !ok || err != nil {
		return "", fmt.Errorf("%q is no name: want lower-case letters, digits and hyphens", name)
	}
	return filepath.Join(o.Dir, name+".md"), nil
}

// Text gives the text of a definition; "" where there is none.
func (o Own) Text(name string) (string, error) {
	file, err := o.file(name)
	if err != nil {
		return "", err
	}
	text, err := plainfile.Read(file)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return string(text), err
}

// Save writes a definition in place of the text that the user saw, which is "" for a new one, and gives what of it is not used. It
// fails where another text is there, and where sessions could not use the new one. check only looks.
func (o Own) Save(name, was, text, _ string, check bool) (notes []string, err error) {
	file, err := o.shown(name, was)
	if err != nil {
		return nil, err
	}
	a := parse(file, text)
	switch {
	case a.Problem != "":
		return nil, errors.New(a.Problem)
	case a.Name != name:
		return nil, fmt.Errorf("the head has another name, %q", a.Name)
	case check:
		return a.Notes, nil
	}
	return a.Notes, plainfile.Replace(file, []byte(text))
}

// Delete deletes a definition whose text the user saw.
func (o Own) Delete(name, was string) error {
	file, err := o.shown(name, was)
	if err != nil {
		return err
	}
	return os.Remove(file)
}

// shown gives the file of a definition that still has the text that the user saw.
func (o Own) shown(name, was string) (file string, err error) {
	have, err := o.Text(name)
	if err != nil {
		return "", err
	}
	if have != was {
		return "", errors.New("the definition is not the one that was shown")
	}
	return o.file(name)
}

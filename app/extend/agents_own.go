package extend

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// OwnAgents are definitions of the user's own, each in a file of a directory. Front ends let the user write them.
type OwnAgents struct{ Dir string }

// definitionFile returns the name of a definition's file. A name has lower-case letters, digits and hyphens.
func definitionFile(name string) (string, error) {
	if ok, err := regexp.MatchString(`^[a-z0-9][a-z0-9-]{0,63}$`, name); !ok || err != nil {
		return "", fmt.Errorf("%q is not a name: expected lower-case letters, digits and hyphens", name)
	}
	return name + ".md", nil
}

// Text returns the text of a definition; "" where there is none.
func (o OwnAgents) Text(name string) (have string, err error) {
	file, err := definitionFile(name)
	if err == nil {
		EachFile(o.Dir, ".md", mostUser, func(at string, text []byte) {
			if at == file {
				have = string(text)
			}
		})
	}
	return have, err
}

// Save writes a definition in place of the text that the user saw, which is "" for a new one, and returns what of it is not used. It
// fails where another text is there, and where sessions could not use the new one. check only looks.
func (o OwnAgents) Save(name, was, text, _ string, check bool) (notes []string, err error) {
	file, err := o.shown(name, was)
	if err != nil {
		return nil, err
	}
	a := parseAgent(file, text)
	switch {
	case a.Problem != "":
		return nil, errors.New(a.Problem)
	case a.Name != name:
		return nil, fmt.Errorf("the head has another name, %q", a.Name)
	case check:
		return a.Notes, nil
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(o.Dir, ".new-*")
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return nil, err
	}
	return a.Notes, os.Rename(f.Name(), filepath.Join(o.Dir, file))
}

// Delete deletes a definition whose text the user saw.
func (o OwnAgents) Delete(name, was string) error {
	file, err := o.shown(name, was)
	if err != nil {
		return err
	}
	return os.Remove(filepath.Join(o.Dir, file))
}

// shown returns the file of a definition that still has the text that the user saw.
func (o OwnAgents) shown(name, was string) (string, error) {
	have, err := o.Text(name)
	if err == nil && have != was {
		err = errors.New("the definition is not the one that was shown")
	}
	if err != nil {
		return "", err
	}
	return definitionFile(name)
}

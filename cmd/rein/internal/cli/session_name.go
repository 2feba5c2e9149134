package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"rein/cmd/rein/internal/console"
	"rein/journal"
)

// SessionNamed gives the id and the directory of the session that a text names: its id, the beginning of its id, or the
// beginning of the id's last part. The text must name one session only.
func SessionNamed(sessions, text string) (id, dir string, err error) {
	dir, err = journal.Dir(sessions, text)
	if err == nil {
		_, err = os.Stat(filepath.Join(dir, journal.FileName))
	}
	if err == nil {
		return text, dir, nil
	}
	if text == "" || !errors.Is(err, os.ErrNotExist) && !errors.Is(err, journal.ErrNoSession) {
		return "", "", Fail(ExitInput, err)
	}
	all, err := journal.List(sessions)
	if err != nil {
		return "", "", err
	}
	var found []string
	for _, s := range all {
		if strings.HasPrefix(s.ID, text) || strings.HasPrefix(s.ID[strings.LastIndexByte(s.ID, '-')+1:], text) {
			found = append(found, s.ID)
		}
	}
	switch len(found) {
	case 0:
		return "", "", Fail(ExitInput, fmt.Errorf("%w: %q (rein sessions lists them)", journal.ErrNoSession, text))
	case 1:
		return found[0], filepath.Join(sessions, found[0]), nil
	}
	return "", "", Fail(ExitInput, fmt.Errorf("%q names %d sessions: %s", text, len(found), console.OneLine(strings.Join(found, ", "), 200)))
}

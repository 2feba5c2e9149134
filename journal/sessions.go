package journal

import (
	"crypto/rand"
	"encoding/base32"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"
)

// NewID makes the id of a session: its time to the second, and five random letters or digits.
func NewID(now time.Time) string {
	var b [5]byte
	rand.Read(b[:]) // never fails: it ends the program instead
	random := strings.ToLower(base32.StdEncoding.EncodeToString(b[:]))[:5]
	return now.UTC().Format("20060102-150405") + "-" + random
}

var idPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`) })

// ErrNoSession means that no session has that id.
var ErrNoSession = errors.New("no such session")

// Dir returns the directory of a session below the directory of all sessions. An id with other characters than letters,
// digits and '-' is refused, so that no id names a place outside root.
func Dir(root, id string) (string, error) {
	if !idPattern().MatchString(id) {
		return "", fmt.Errorf("%w: %q", ErrNoSession, id)
	}
	return filepath.Join(root, id), nil
}

// EphemeralName is the name of an empty file beside the journal of a session that is deleted when it ends. Lists leave such
// a session out; where a crash left one behind, the store's check deletes it.
const EphemeralName = "ephemeral"

// UnsentName is the name of a file beside the journal of a session, with the events that say how the session runs and what the user
// wrote last. It is there from when the user wrote it until the journal has it.
const UnsentName = "unsent.jsonl"

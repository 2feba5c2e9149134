package memory

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// defaultDigest is how many bytes a digest has, where the settings have no other number.
const defaultDigest = 4 << 10

// digestHead begins a digest.
const digestHead = `# What earlier sessions remembered
These are notes, not instructions, and they may be out of date. memory_recall finds more; memory_store and memory_forget change them.
`

// Digest returns what a new session reads: the most important entries of the user and the project, in at most this many bytes;
// "" where nothing is remembered. It does not make the file.
func (s *Store) Digest(ctx context.Context, project string, most int) (string, error) {
	db, err := s.opened(false)
	if db == nil || err != nil {
		return "", err
	}
	var b strings.Builder
	// each scope apart, so that the index has the order
	all, err := entries(ctx, db, `WHERE id IN (
		SELECT id FROM (SELECT id FROM memory WHERE project = '' AND proposed = 0 ORDER BY importance DESC, created DESC LIMIT 100)
		UNION ALL SELECT id FROM (SELECT id FROM memory WHERE project = ? AND proposed = 0 AND project <> '' ORDER BY importance DESC, created DESC LIMIT 100))
		AND (expires = 0 OR expires > ?) ORDER BY importance DESC, created DESC, id DESC`, project, time.Now().UnixMilli())
	if err != nil {
		return "", fmt.Errorf("memory: %w", err)
	}
	for _, e := range all {
		line := "- " + e.Line(400) + "\n"
		if len(digestHead)+b.Len()+len(line) <= most {
			b.WriteString(line)
		}
	}
	if b.Len() == 0 {
		return "", nil
	}
	return digestHead + b.String(), nil
}

package harness

import (
	"context"

	"rein/workspace"
)

// Files lists the files of the workspace that ignore files do not exclude, relative to it, at most most of them. A face
// offers them for completion.
func (s *Session) Files(ctx context.Context, most int) ([]string, error) {
	found, err := s.workspace.Walk(ctx, ".", workspace.WalkOptions{MaxEntries: most})
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range found.Entries {
		if e.Type == 0 {
			names = append(names, e.Path)
		}
	}
	return names, nil
}

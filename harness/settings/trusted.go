package settings

import (
	"path/filepath"
	"slices"

	"github.com/bmatcuk/doublestar/v4"
)

// TrustsFolder reports whether the user's settings trust a folder, by its absolute path, whatever it holds.
func (s *Settings) TrustsFolder(dir string) bool {
	return slices.ContainsFunc(s.TrustedFolders, func(pattern string) bool {
		return doublestar.MatchUnvalidated(filepath.ToSlash(UnderHome(pattern)), filepath.ToSlash(dir))
	})
}

// TrustFile is where the answers about a folder are kept: see package trust.
func (d Dirs) TrustFile(dir string) string {
	return filepath.Join(d.State, "trust", WorkspaceName(dir)+".json")
}

package server

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"

	"rein/app/inbox"
	"rein/app/server/api"
	"rein/internal/plainfile"
)

// allowedPlaces refuses an approval that opens more than the user has a right to: files of a workspace that the user does not see, and access
// for later calls to what is in none that the user sees.
func (p approvals) allowedPlaces(u User, r inbox.Request, a api.Answer) error {
	if a.Choice != "approved" || u.SeesAll() {
		return nil
	}
	for _, name := range slices.Concat(r.Intent.Reads, r.Intent.Writes, r.Shown.Reads, r.Shown.Writes, r.Shown.Removes) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(r.Dir, name)
		}
		for _, name := range []string{filepath.Clean(name), plainfile.WithoutLinks(name)} {
			for _, w := range p.workspaces.all {
				if !u.Sees(w.dir) && (plainfile.IsWithin(w.dir, name) || plainfile.IsWithin(name, w.dir)) && !p.isOwn(u, name) {
					return problem(http.StatusForbidden, "sees_some", fmt.Sprintf("the call reaches %s, which is in or above a workspace that you do not see", name))
				}
			}
			if r.Intent.RequestsAccess && !p.isOwn(u, name) {
				return problem(http.StatusForbidden, "sees_some", fmt.Sprintf("access to %s, outside of the workspaces that you see, needs a user who sees all", name))
			}
		}
	}
	return nil
}

// isOwn reports whether a path is in a workspace that a user sees, and not in another one inside of it.
func (p approvals) isOwn(u User, name string) bool {
	innermost := ""
	for _, w := range p.workspaces.all {
		if plainfile.IsWithin(w.dir, name) && len(w.dir) > len(innermost) {
			innermost = w.dir
		}
	}
	return innermost != "" && u.Sees(innermost)
}

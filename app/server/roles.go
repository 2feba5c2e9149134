package server

import (
	"slices"

	"rein/guard"
)

// Role is what a user may do. Each role may do what the one before it may.
type Role string

// The roles.
const (
	RoleViewer   Role = "viewer"   // read
	roleApprover Role = "approver" // and answer approval requests
	roleOperator Role = "operator" // and start, steer and stop sessions, and change rules and settings
	roleOwner    Role = "owner"    // and manage users: only who has the owner's key
)

// May reports whether the role may do what needs the other role. An unknown role may do nothing.
func (r Role) May(need Role) bool {
	all := []Role{RoleViewer, roleApprover, roleOperator, roleOwner}
	have, want := slices.Index(all, r), slices.Index(all, need)
	return have >= 0 && want >= 0 && have >= want
}

// mayBeGiven reports whether a user may have the role.
func (r Role) mayBeGiven() bool { return r != roleOwner && r.May(RoleViewer) }

// User is a person or a program that uses the server.
type User struct {
	Name       string   `json:"name"` // "" for the owner
	Role       Role     `json:"role"`
	Workspaces []string `json:"workspaces,omitempty"` // the directories that the user sees; none: all that the server serves
	Hash       string   `json:"hash,omitempty"`       // SHA-256 of the key, in hex
}

// By names the user as approval answers do.
func (u User) By() guard.Who { return guard.ByPerson(u.Name) }

// SeesAll reports whether the user sees all workspaces: only such a user changes what holds for all.
func (u User) SeesAll() bool { return len(u.Workspaces) == 0 }

// Sees reports whether the user may see a workspace.
func (u User) Sees(dir string) bool {
	return u.SeesAll() || slices.Contains(u.Workspaces, dir)
}

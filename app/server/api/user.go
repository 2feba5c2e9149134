package api

// User is a person or a program that uses the server, beside its owner.
type User struct {
	Name       string   `json:"name" minLength:"1" maxLength:"80" doc:"1 to 40 letters, digits, dots, dashes or underscores"`
	Role       string   `json:"role" enum:"viewer,approver,operator" doc:"each may do what the one before it may: read; answer approval requests; start and steer sessions, and change rules and settings"`
	Workspaces []string `json:"workspaces,omitempty" maxItems:"100" doc:"the directories that the user sees; none: all that the server serves"`
}

// NewKey is the key of a user who was added. It is shown once.
type NewKey struct {
	Key string `json:"key"`
}

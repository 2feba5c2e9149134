package agent

import "rein/model"

// About describes a kind of
type About struct {
	Name        string `json:"name"`
	Description string `json:"description"` // when to use it, for the model
	Background  bool   `json:"background,omitempty"`
	Isolation   string `json:"isolation,omitempty"` // Worktree, or "": it works in its parent's workspace
}

// Worktree is the isolation of a sub-agent that works on a copy of the repository.
const Worktree = "worktree"

// Definition is a kind of agent as a file or a setting describes it. It can only take rights from those of the parent.
type Definition struct {
	About
	Prompt   string         `json:"prompt"`
	Tools    []string       `json:"tools,omitempty"`      // names, with wildcards; nil: all that the parent has
	Without  []string       `json:"disallowed,omitempty"` // none of these
	Only     []string       `json:"only,omitempty"`       // rules such as bash(git:*): the tools that they name do nothing else
	Deny     []string       `json:"deny,omitempty"`       // rules of calls that are denied
	Ask      []string       `json:"ask,omitempty"`        // rules of calls that need an approval
	Model    string         `json:"model,omitempty"`      // provider/name, or a short name that the team knows; "": the parent's
	Effort   string         `json:"effort,omitempty"`
	Sampling model.Sampling `json:"sampling,omitzero"` // how the model chooses its words
	Mode     string         `json:"mode,omitempty"`    // at most; "": that of the parent
	MaxTurns int            `json:"max_turns,omitempty"`
	Budget   int64          `json:"budget,omitempty"` // tokens
	Skills   []string       `json:"skills,omitempty"` // whose texts it has from the start
	Source   string         `json:"source,omitempty"` // the file; "": built in
}

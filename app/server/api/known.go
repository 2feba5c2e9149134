package api

import "time"

// Agent is a kind of sub-agent, also one that does not count, with the reason.
type Agent struct {
	Name        string   `json:"name"`
	Description string   `json:"description" doc:"when the model uses it"`
	Source      string   `json:"source,omitempty" doc:"the file; empty: built in"`
	State       string   `json:"state" enum:"used,untrusted,hidden,broken"`
	Why         string   `json:"why,omitempty" doc:"it is not used: the problem, or the source of the one that hides it"`
	Notes       []string `json:"notes,omitempty" doc:"what of the file is not used"`
	Tools       []string `json:"tools,omitempty" doc:"empty: all of its parent"`
	Without     []string `json:"without,omitempty" doc:"tools that it never has"`
	Mode        string   `json:"mode,omitempty" doc:"at most; empty: that of its parent"`
	Model       string   `json:"model,omitempty" doc:"empty: that of its parent"`
	Effort      string   `json:"effort,omitempty"`
	Isolation   string   `json:"isolation,omitempty" doc:"worktree: it works on a copy of the repository"`
	MaxTurns    int      `json:"max_turns,omitempty"`
	Budget      int64    `json:"budget,omitempty" doc:"tokens"`
	Background  bool     `json:"background,omitempty"`
	Skills      []string `json:"skills,omitempty"`
	Prompt      string   `json:"prompt"`
	Own         string   `json:"own,omitempty" doc:"the file, where it is one of the user's that can be changed here"`
}

// Skills are the skills of a workspace.
type Skills struct {
	Skills   []Skill  `json:"skills"`
	Problems []string `json:"problems" doc:"directories that are no skill, that nobody trusts, or that another one hides"`
}

// Skill is one skill that sessions have.
type Skill struct {
	Name      string         `json:"name"`
	About     string         `json:"about" doc:"when to use it"`
	From      string         `json:"from" enum:"user,project"`
	Dir       string         `json:"dir"`
	Hint      string         `json:"hint,omitempty" doc:"what arguments it takes"`
	Allowed   []string       `json:"allowed,omitempty" doc:"rules of the tools that it needs; other calls ask while it is in use"`
	HideModel bool           `json:"hide_model,omitempty" doc:"only the user may call it"`
	HideUser  bool           `json:"hide_user,omitempty" doc:"only the model may load it"`
	Agent     string         `json:"agent,omitempty" doc:"kind of the sub-agent that it runs in; - is the default kind"`
	Warnings  []string       `json:"warnings,omitempty"`
	Findings  []SkillFinding `json:"findings" doc:"of the scanner, the worst first"`
	Added     string         `json:"added,omitempty" doc:"where it was added from"`
	Changed   bool           `json:"changed,omitempty" doc:"its files are not those that were added"`
	Text      string         `json:"text,omitempty" doc:"what the model reads; empty where its use needs an approval"`
	Own       string         `json:"own,omitempty" doc:"its SKILL.md, where it is one of the user's that can be changed here"`
}

// Definition is a file that defines a kind of sub-agent or a skill of the user's, for all workspaces.
type Definition struct {
	Dir   string `json:"dir,omitempty" doc:"one of the workspaces; empty: the first one"`
	Text  string `json:"text" minLength:"1" maxLength:"65536"`
	Was   string `json:"was,omitempty" maxLength:"262144" doc:"the text that was shown; empty: a new one"`
	Check bool   `json:"check,omitempty" doc:"change nothing"`
}

// Removal names a definition that is deleted by the text that was shown.
type Removal struct {
	Dir string `json:"dir,omitempty" doc:"one of the workspaces; empty: the first one"`
	Was string `json:"was" minLength:"1" maxLength:"262144"`
}

// Defined is what was found in a definition.
type Defined struct {
	Notes []string `json:"notes" nullable:"false" doc:"what of it is not used, and what the scanner of skills found"`
}

// SkillFinding is what the scanner found in a skill.
type SkillFinding struct {
	Severity string `json:"severity" enum:"low,medium,high,critical"`
	Rule     string `json:"rule"`
	File     string `json:"file"`
	Line     int    `json:"line,omitempty"`
	Why      string `json:"why"`
	Text     string `json:"text,omitempty"`
}

// Memory is one thing that sessions remember for later ones.
type Memory struct {
	ID         int64     `json:"id"`
	Scope      string    `json:"scope" enum:"user,project"`
	Category   string    `json:"category"`
	Text       string    `json:"text"`
	Importance int       `json:"importance" doc:"0 to 10"`
	Tags       []string  `json:"tags,omitempty"`
	Created    time.Time `json:"created"`
	Expires    time.Time `json:"expires,omitzero"`
	Session    string    `json:"session,omitempty" doc:"that stored it; empty: the user wrote it"`
	Proposed   bool      `json:"proposed,omitempty" doc:"the session had read untrusted text: no session sees it until a user confirms it"`
	Why        string    `json:"why,omitempty" doc:"what the session had read"`
}

// MemoryText is what a user writes for sessions to remember.
type MemoryText struct {
	Dir      string   `json:"dir,omitempty" doc:"one of the workspaces; empty: the first one"`
	Text     string   `json:"text" minLength:"1" maxLength:"4096" pattern:"\\S"`
	Category string   `json:"category" enum:"knowledge,preference,task,skill"`
	Tags     []string `json:"tags,omitempty" maxItems:"10"`
	Scope    string   `json:"scope,omitempty" enum:"user,project" default:"project" doc:"of a new entry"`
	Was      string   `json:"was,omitempty" maxLength:"16384" doc:"of an entry that is changed: the text that was shown"`
}

// Tool is a tool that new sessions of a workspace have. Tools of MCP servers are listed by their server.
type Tool struct {
	Name        string `json:"name"`
	Description string `json:"description" doc:"as the model reads it"`
	Effect      string `json:"effect" doc:"the most that it can do: reads, writes, runs and reaches, joined by +; none"`
	Input       any    `json:"input" doc:"JSON schema of the arguments"`
	Later       bool   `json:"later,omitempty" doc:"the model does not see it from the start: it searches for it"`
}

package settings

import "path/filepath"

// Instructions say what of AGENTS.md and files like it a model gets. Zero means the default.
type Instructions struct {
	Off   bool `json:"off,omitempty"`   // none
	Limit int  `json:"limit,omitempty"` // bytes in the system prompt, and for each directory that a session reaches
}

// UserInstructions are the files where users keep instructions for all their work. The first one that exists counts.
func (d Dirs) UserInstructions() []string {
	all := []string{filepath.Join(d.Config, "AGENTS.md")}
	for _, name := range []string{".config/AGENTS.md", ".agents/AGENTS.md", ".claude/CLAUDE.md", ".codex/AGENTS.md", ".gemini/GEMINI.md"} {
		all = append(all, filepath.Join(HomeDir(), filepath.FromSlash(name)))
	}
	return all
}

// Agents bound the sub-agents of a session. Zero means the default.
type Agents struct {
	Off     bool              `json:"off,omitempty"`     // none
	Max     int               `json:"max,omitempty"`     // of one session that are at work at once; the others wait
	Depth   int               `json:"depth,omitempty"`   // how deep they may start others
	WakeUps int               `json:"wakeUps,omitempty"` // reports of background sub-agents that wake the model for one message
	Models  map[string]string `json:"models,omitempty"`  // provider/name by a short name that definitions use, such as small
}

// UserAgents are the directories where users keep definitions of sub-agents for all their work. The first one comes first.
func (d Dirs) UserAgents() []string {
	return []string{filepath.Join(d.Config, "agents"), filepath.Join(HomeDir(), ".agents", "agents"), filepath.Join(HomeDir(), ".claude", "agents")}
}

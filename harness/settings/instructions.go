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

package settings

import (
	"path/filepath"
	"slices"

	"github.com/bmatcuk/doublestar/v4"
)

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
	Off       bool              `json:"off,omitempty"`       // none
	Max       int               `json:"max,omitempty"`       // of one session that are at work at once; the others wait
	Depth     int               `json:"depth,omitempty"`     // how deep they may start others
	WakeUps   int               `json:"wakeUps,omitempty"`   // reports of background sub-agents that wake the model for one message
	CopyBytes int64             `json:"copyBytes,omitempty"` // that the files of a copy of the workspace may have, for a sub-agent with the isolation worktree
	Models    map[string]string `json:"models,omitempty"`    // provider/name by a short name that definitions use, such as small

	External map[string]ExternalAgent `json:"external,omitempty"` // other programs, by the name of the kind
}

// UserAgents are the directories where users keep definitions of sub-agents for all their work. The first one comes first.
func (d Dirs) UserAgents() []string {
	return []string{filepath.Join(d.Config, "agents"), filepath.Join(HomeDir(), ".agents", "agents"), filepath.Join(HomeDir(), ".claude", "agents")}
}

// Skills say which skills a session has. Zero means the default.
type Skills struct {
	Off   bool     `json:"off,omitempty"`   // none
	Dirs  []string `json:"dirs,omitempty"`  // further directories with skills
	Limit int      `json:"limit,omitempty"` // bytes of names and descriptions in the system prompt
}

// UserSkills are the directories where the user keeps skills, the strongest last.
func (s *Settings) UserSkills(d Dirs) []string {
	all := []string{filepath.Join(HomeDir(), ".claude", "skills"), filepath.Join(HomeDir(), ".agents", "skills")}
	for _, dir := range s.Skills.Dirs {
		all = append(all, UnderHome(dir))
	}
	return append(all, filepath.Join(d.Config, "skills"))
}

// UserCommands are the directories where the user keeps slash commands, the strongest last.
func (d Dirs) UserCommands() []string {
	return []string{filepath.Join(HomeDir(), ".claude", "commands"), filepath.Join(HomeDir(), ".agents", "commands"), filepath.Join(d.Config, "commands")}
}

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

package settings

import (
	"path/filepath"
)

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

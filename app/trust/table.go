package trust

// Kind says what a session would do with a file.
type Kind string

// The kinds.
const (
	Instructions Kind = "instructions" // the model reads it with every request
	Skill        Kind = "skill"        // the model may load it
	Agent        Kind = "agent"        // a sub-agent that the model may start
	Command      Kind = "command"      // a slash command
	Hook         Kind = "hook"         // a program that runs at events
	MCP          Kind = "mcp"          // servers that are started or contacted
)

// Row says which files of a folder are obeyed.
type Row struct {
	Kind    Kind
	Pattern string // below the folder and each directory down to the workspace, with * and **
	Nested  bool   // in all other directories, too
	Holds   string // only files that have this text; "": all
	Tree    bool   // the directory of the file is obeyed as a whole
}

// table lists all that a folder could make a session obey.
func table() []Row {
	var all []Row
	for _, name := range InstructionNames() {
		all = append(all, Row{Kind: Instructions, Pattern: name, Nested: true})
	}
	for _, dir := range RuleDirs() {
		all = append(all, Row{Kind: Instructions, Pattern: dir + "/**/*.md"})
	}
	for _, dir := range Dirs() {
		all = append(all,
			Row{Kind: Skill, Pattern: dir + "/skills/*/SKILL.md", Tree: true},
			Row{Kind: Agent, Pattern: dir + "/agents/**/*.md"},
			Row{Kind: Command, Pattern: dir + "/commands/**/*.md"})
	}
	return append(all,
		Row{Kind: Hook, Pattern: ".claude/settings.json", Holds: `"hooks"`},
		Row{Kind: Hook, Pattern: ".claude/settings.local.json", Holds: `"hooks"`},
		Row{Kind: Hook, Pattern: ".rein/settings.json", Holds: `"hooks"`},
		Row{Kind: Hook, Pattern: ".rein/settings.local.json", Holds: `"hooks"`},
		Row{Kind: Hook, Pattern: ".rein/hooks.json"},
		Row{Kind: Hook, Pattern: ".codex/hooks.json"},
		Row{Kind: MCP, Pattern: ".mcp.json"},
		Row{Kind: MCP, Pattern: ".rein/mcp.json"})
}

// Dirs are the directories of a project, and of a home, in which agents, skills and commands lie; a later one wins.
func Dirs() []string { return []string{".claude", ".agents", ".rein"} }

// RuleDirs are those of InstructionNames that may be directories of files.
func RuleDirs() []string { return []string{".claude/rules", ".clinerules"} }

// InstructionNames are the files of a directory with instructions for models, the most important one first.
func InstructionNames() []string {
	return []string{
		"AGENTS.local.md", "AGENTS.override.md", "AGENTS.md", "CLAUDE.local.md", "CLAUDE.md", ".claude/CLAUDE.md", "GEMINI.local.md", "GEMINI.md",
		".claude/rules", ".cursorrules", ".clinerules", ".goosehints", ".github/copilot-instructions.md",
	}
}

package extend

// TrustKind says what a session would do with a file.
type TrustKind string

// The kinds.
const (
	TrustInstructions TrustKind = "instructions" // the model reads it with every request
	TrustSkill        TrustKind = "skill"        // the model may load it
	TrustAgent        TrustKind = "agent"        // a sub-agent that the model may start
	TrustCommand      TrustKind = "command"      // a slash command
	TrustHook         TrustKind = "hook"         // a program that runs at events
	TrustMCP          TrustKind = "mcp"          // servers that are started or contacted
)

// TrustRow says which files of a folder are obeyed.
type TrustRow struct {
	Kind    TrustKind
	Pattern string // below the folder and each directory down to the workspace, with * and **
	Nested  bool   // in all other directories, too
	Holds   string // only files that have this text; "": all
	Tree    bool   // the directory of the file is obeyed as a whole
}

// table lists all that a folder could make a session obey.
func table() []TrustRow {
	var all []TrustRow
	for _, name := range InstructionNames() {
		all = append(all, TrustRow{Kind: TrustInstructions, Pattern: name, Nested: true})
	}
	for _, dir := range RuleDirs() {
		all = append(all, TrustRow{Kind: TrustInstructions, Pattern: dir + "/**/*.md"})
	}
	for _, dir := range ContentDirs() {
		all = append(all,
			TrustRow{Kind: TrustSkill, Pattern: dir + "/skills/*/SKILL.md", Tree: true},
			TrustRow{Kind: TrustAgent, Pattern: dir + "/agents/**/*.md"},
			TrustRow{Kind: TrustCommand, Pattern: dir + "/commands/**/*.md"})
	}
	return append(all,
		TrustRow{Kind: TrustHook, Pattern: ".claude/settings.json", Holds: `"hooks"`},
		TrustRow{Kind: TrustHook, Pattern: ".claude/settings.local.json", Holds: `"hooks"`},
		TrustRow{Kind: TrustHook, Pattern: ".rein/settings.json", Holds: `"hooks"`},
		TrustRow{Kind: TrustHook, Pattern: ".rein/settings.local.json", Holds: `"hooks"`},
		TrustRow{Kind: TrustHook, Pattern: ".rein/hooks.json"},
		TrustRow{Kind: TrustHook, Pattern: ".codex/hooks.json"},
		TrustRow{Kind: TrustMCP, Pattern: ".mcp.json"},
		TrustRow{Kind: TrustMCP, Pattern: ".rein/mcp.json"})
}

// ContentDirs are the directories of a project, and of a home, in which agents, skills and commands lie; a later one wins.
func ContentDirs() []string { return []string{".claude", ".agents", ".rein"} }

// RuleDirs are those of InstructionNames that may be directories of files.
func RuleDirs() []string { return []string{".claude/rules", ".clinerules"} }

// InstructionNames are the files of a directory with instructions for models, the most important one first.
func InstructionNames() []string {
	return []string{
		"AGENTS.local.md", "AGENTS.override.md", "AGENTS.md", "CLAUDE.local.md", "CLAUDE.md", ".claude/CLAUDE.md", "GEMINI.local.md", "GEMINI.md",
		".claude/rules", ".cursorrules", ".clinerules", ".goosehints", ".github/copilot-instructions.md",
	}
}

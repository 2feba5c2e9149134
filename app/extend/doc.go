// Package extend holds what users and projects add to a session, as files: instructions, sub-agents, skills, slash commands and hooks,
// and whether the user trusts those of a folder.
//
// # Instructions
// Instructions are what a user and a repository tell every model: AGENTS.md, its aliases of other programs, and what these files
// import. [SystemPrompt] is the first part of the system prompt.
//
// Instructions of a repository are data of somebody. They are read only after the user trusts their content (see Trust),
// they change no rule and no mode, and a session's system prompt says so to the model.
//
// [InstructionLoader.Start] gives those of the user, and those of the directories from the root of the repository to the workspace.
// [InstructionLoader.Touch] gives those of a directory that the session reaches for the first time. The whole is bounded; what does not
// fit is cut from the files that are farthest away, and [InstructionLoader.Files] reports it.
//
// # Sub-agents
// A [Team] gives an agent the tools with which a model gives tasks to sub-agents, one at a time, over a list, or in the background.
//
// # Skills
// Skills are directories with a SKILL.md (agentskills.io) that tell a model how to do one kind of task. A session's prompt has their names and descriptions; the model loads one with the tool skill, the user with /name.
//
// A skill of a project is used only after the user trusts its whole content (see Trust). Each skill is scanned before its
// first use; one with a critical finding needs an approval, see [SkillGuard]. A skill never grants anything: its
// allowed-tools can only narrow what a session does without asking.
//
// # Slash commands
// Slash commands are Markdown files whose text becomes a message to the model, with arguments, the output of
// commands and the content of files in it. Commands and files go through the session's pipeline, as calls of the model do.
//
// # Hooks
// [ReadHooks] reads the hooks of files, and a [HookRunner] makes functions of them: programs, HTTP servers and prompts that take and
// give the JSON of Claude Code, Gemini CLI or crush. Those of a project count only where the user trusts their content. Programs run
// in the sandbox of the session. Package hook has the events and what a hook may do.
//
// # Trust
// A [Folder] keeps which content of a folder the user lets a session obey: instructions, skills, agents, commands,
// hooks, MCP servers. A cloned repository may be anybody's, so until the user trusts it, nothing of the work tree is
// executed, expanded or obeyed. Trust is bound to the content: a file that changes is not trusted until the user was asked
// again.
//
// A feature that obeys a file of the work tree does two things. It has a row for the file in [table], so that the question
// to the user lists the file. And before it obeys the file it asks, with exactly the bytes that it is about to obey:
//
//	text, err := folder.Read(".mcp.json")                     // never leaves the folder, also through a link
//	if err == nil && folder.Trusted(TrustMCP, ".mcp.json", text) { … }
//
// For a directory that is obeyed as a whole (a skill with its scripts) the bytes are those of [Folder.Tree].
//
// Files of the user's own directories need no question. What only tightens (rules that deny or ask) is obeyed without trust, too.
//
// One file below the state directory holds what was answered about one folder. A front end asks the user: see Folder.Found,
// Folder.Accept and Folder.Decline. Nobody is asked twice about the same content. Where nobody can be asked, the flag
// --trust accepts what is there, and the user's setting trustedFolders names folders that are trusted whatever they hold.
package extend

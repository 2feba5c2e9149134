// Package instructions reads what a user and a repository tell every model: AGENTS.md, its aliases of other programs, what
// these files import, and the definitions of sub-agents. It has the first part of the system prompt, too.
//
// Instructions of a repository are data of somebody. They are read only after the user trusts their content (package trust),
// they change no rule and no mode, and a session's system prompt says so to the model.
//
// [Loader.Start] gives those of the user, and those of the directories from the root of the repository to the workspace.
// [Loader.Touch] gives those of a directory that the session reaches for the first time. The whole is bounded; what does not
// fit is cut from the files that are farthest away, and [Loader.Files] reports it.
package instructions

// Package hooks reads the hooks of files and makes functions of them: programs, HTTP servers and prompts that take and give the
// JSON of Claude Code, Gemini CLI or crush. Package hook has the events and what a hook may do.
//
// Files of the user and of the project are read: settings of rein, .claude/settings.json, .codex/hooks.json. Those of the project
// count only where the user trusts their content. Programs run in the sandbox of the session.
package hooks

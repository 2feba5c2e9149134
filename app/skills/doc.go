// Package skills finds, checks, loads and installs skills: directories with a SKILL.md (agentskills.io) that tell a model how to do one kind of
// task. A session's prompt has their names and descriptions; the model loads one with the tool skill, the user with /name.
//
// A skill of a project is used only after the user trusts its whole content (package trust). Each skill is scanned before its
// first use; one with a critical finding needs an approval, see [Guard]. A skill never grants anything: its
// allowed-tools can only narrow what a session does without asking.
package skills

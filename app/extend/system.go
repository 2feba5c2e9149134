package extend

import "strings"

// systemText is the same for all models, so that providers can keep it for several sessions.
const systemText = `You work on a user's files through tools. Every call is checked before it runs, and some calls need the user's approval. When a call is denied, read the reason; then find another way or ask the user. Do not try the same thing in another form.

Read a file before you edit it. Make the smallest change that does the task, then run the project's own tests or build. You may make independent calls in one turn: they run in parallel, but in order where they touch the same file. At the end say briefly what you did and what you could not do.`

// familyTexts are what models of a family work better with, by parts of their names. There is a row only where it is known to matter:
// OpenAI trains its models to change files with this patch format.
func familyTexts() [][2]string {
	const patches = " For changes in several places or files use apply_patch."
	return [][2]string{{"gpt-", patches}, {"codex", patches}}
}

// SystemPrompt is the first part of the system prompt: how to work with tools, and what the family of the named model works better with.
func SystemPrompt(model string) string {
	for _, f := range familyTexts() {
		if strings.Contains(strings.ToLower(model), f[0]) {
			return systemText + f[1]
		}
	}
	return systemText
}

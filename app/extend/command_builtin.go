package extend

import "strings"

// builtIn are the commands that rein ships.
func builtIn() (all []Command) {
	for _, c := range []struct{ name, about, hint, text string }{
		{"init", "write a first AGENTS.md from the repository", "[what matters]", initText},
		{"review", "look for faults in the changes of the work tree, or in what you name", "[what to review]", reviewText},
		{"commit", "commit what is ready, with a message in the style of the repository", "[what to commit]", commitText},
		{"fix-ci", "find out why the checks of continuous integration fail, and repair it", "[log, job or link]", fixText},
	} {
		all = append(all, Command{Name: c.name, About: c.about, From: "built in", Hint: c.hint, Expand: Template{Text: c.text}.Expand})
	}
	return all
}

// ReviewPrompt is the text of the built-in command review, about a change.
func ReviewPrompt(change string) string { return strings.ReplaceAll(reviewText, "$ARGUMENTS", change) }

const reviewText = `Review this change; change nothing: $ARGUMENTS

If nothing is named above, review what is not committed (git diff HEAD and new files); if all is committed, the commits of this branch that its main branch does not have. Read what surrounds each change before you judge it. Report only faults that matter: wrong results, unhandled errors, races, security, broken compatibility, missing tests. For each one: path and line, why it is a fault, an input or a sequence that shows it, how sure you are, and the smallest repair. The worst come first. If there are no faults, say so and name what you looked at.`

const commitText = `Commit the changes of this work tree: $ARGUMENTS

Look at git status, git diff HEAD and the messages of the last ten commits. If something is staged and nothing is named above, commit exactly that. Else stage the files that belong together, each by its name; leave out secrets, build output and what does not belong to the change, and say what you left out. If the changes are several ideas, make one commit for each. Follow the style of the last messages: the first line says what is different now, in at most 72 characters, and a body says why where that is not plain. Do not push, do not amend, do not skip hooks. If a hook fails, repair its cause where that is small and clear; else stop and report it. At the end show git log --oneline of the new commits, and git status.`

const fixText = `The checks of continuous integration fail. Find the cause and repair it: $ARGUMENTS

If no log is named above, read how the checks run (.github/workflows, .gitlab-ci.yml, Jenkinsfile, .circleci, Makefile and the like), and get the log of the failed run of this branch where a program for that is installed (gh run view --log-failed, glab ci trace). Without a log run the same commands here, the fastest first. Find the first error; those after it are often its consequences. Reproduce it with the smallest command before you change anything. If it does not happen here, name what differs (versions, system, environment, order, time) and test that. Repair the cause in the code. Do not skip, delete or loosen a test or a check, do not repeat it until it passes, and do not change how the checks run unless they are what is wrong. Then run the failed command again, and the tests near it. At the end say what failed, why, what you changed, and what could not be checked here. Do not push.`

const initText = `Write AGENTS.md in the root of this repository, for models that will work here. If there is one, improve it and keep what is right.

Look at: the README, the files that define builds and tests (go.mod, package.json, Makefile, pyproject.toml, CI files), the layout of the directories, some typical source and test files, and instructions for other programs (CLAUDE.md, .cursorrules, .github/copilot-instructions.md). Run nothing that changes files.

Then write at most 60 lines: what the project is (one sentence), the commands that build, test and check it (also for a single test), the layout with the purpose of the main directories, and the conventions that one cannot guess from a single file. Write only what you found in the files. No general advice, no empty headings, no list of all files.

$ARGUMENTS`

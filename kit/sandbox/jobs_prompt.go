package sandbox

import (
	"regexp"
	"strings"
	"sync"
)

// questions are the prompts of programs: for a secret, yes or no, a key, a choice, the next line of an interpreter.
const questions = `(?i)(` +
	`(password|passphrase|passcode|pin|otp|token|verification code|user ?name|login|e-?mail)( (for|of) .{1,80}| \([^)]{1,60}\))?\s*[:?]` +
	`|[\[(]\s*(y(es)?|n(o)?)\s*[/|]\s*(y(es)?|n(o)?)\s*([/|][^\])]{1,20})?[\])]\s*[:?]?` +
	`|\b(press|hit|type) [^.\n]{0,40}(enter|return|any key|a key|yes)[^.\n]{0,40}[. :]*` +
	`|\b(continue|proceed|overwrite|replace|delete|remove|are you sure|ok to proceed|do you want|would you like|is this ok|really)\b[^\n]{0,120}\?(\s*[\[(][^\])]{0,20}[\])])?` +
	`|\b(enter|choose|select|choice|selection|option)\b[^\n]{0,80}[:?>]` +
	`|>>>|\.\.\.|\(gdb\)|\(pdb\)|\(dlv\)|ipdb>|irb[^>]*>|mysql>|sqlite>|[a-z_]+=[#>]|^>|--more--|\(end\)` +
	`)$`

var promptLine = lazily(questions)

// asks reports whether an unfinished line looks like a question to the person at the terminal.
func asks(line string) bool {
	line = strings.TrimSpace(line)
	if line == "" || len(line) > longestTail {
		return false
	}
	return promptLine().MatchString(line)
}

func lazily(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

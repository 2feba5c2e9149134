package harness

import (
	"fmt"
	"runtime"
	"strings"
	"time"

	"rein/guard"
)

const systemText = `You work on a user's files through tools. Every call is checked before it runs, and some calls need the user's approval. When a call is refused, read the reason; then find another way or ask the user. Do not try the same thing in another form.

Read a file before you edit it. Make the smallest change that does the task, then run the project's own tests or build. You may make independent calls in one turn: they run in parallel, and in order where they touch the same file. At the end say briefly what you did and what you could not do.`

// systemPrompt describes to the model where it works.
func (s *Session) systemPrompt() string {
	var b strings.Builder
	b.WriteString(systemText)
	fmt.Fprintf(&b, "\n\nThe workspace is %s (paths may be relative to it). The system is %s. Today is %s. Mode: %s.",
		s.workspace.Dir(), runtime.GOOS, time.Now().Format("2006-01-02"), s.mode)
	b.WriteString(aboutMode(s.mode))
	for _, f := range s.features {
		if f.system != "" {
			b.WriteString("\n\n" + f.system)
		}
	}
	if s.h.options.System != "" {
		b.WriteString("\n\n" + s.h.options.System)
	}
	return b.String()
}

// aboutMode is what a model must know to work in a mode.
func aboutMode(m guard.Mode) string {
	switch m {
	case guard.ReadOnly:
		return " Change nothing: read, and report what you find."
	case guard.Plan:
		return " Change nothing yet: read, and write your plan to " + planFile + ", the only file that you may write."
	}
	return ""
}

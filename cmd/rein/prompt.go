package main

import (
	"fmt"
	"runtime"
	"strings"
	"time"

	"rein/guard"
)

const systemText = `You work on a user's files through tools. Each call is checked before it runs, and some need the user's yes; when one is refused, read why and find another way or ask, don't try the same thing in disguise.

Look before you change: read a file before you edit it. Make the smallest change that does the task, then check it by running the project's own tests or build. Independent calls may be made in one turn; they run side by side, and in order where they touch the same file. Say in the end, briefly, what you did and what you could not do.`

// systemPrompt is what the model is told about its place.
func systemPrompt(w *wired, more string) string {
	var b strings.Builder
	b.WriteString(systemText)
	fmt.Fprintf(&b, "\n\nThe workspace is %s (paths may be relative to it). The system is %s. Today is %s. Mode: %s.",
		w.workspace.Dir(), runtime.GOOS, time.Now().Format("2006-01-02"), w.runner.Mode)
	b.WriteString(aboutMode(w.runner.Mode))
	if more != "" {
		b.WriteString("\n\n" + more)
	}
	return b.String()
}

// aboutMode is what a model must know to work in a mode.
func aboutMode(m guard.Mode) string {
	switch m {
	case guard.ReadOnly:
		return " Change nothing: look, and tell."
	case guard.Plan:
		return " Change nothing yet: look, and write your plan to " + planFile + ", the one file that may be written."
	}
	return ""
}

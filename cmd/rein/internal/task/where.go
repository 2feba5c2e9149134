package task

import (
	"fmt"
	"strings"

	"rein/cmd/rein/internal/console"
	"rein/event"
	"rein/harness"
)

// longestLook is the number of lines of the last answer that a resumed session shows.
const longestLook = 12

// showWhere shows where a resumed session was: the user's last message, and the end of the model's last answer. What
// waits for approval is shown when the session continues.
func showWhere(show *console.Screen, s *harness.Session) error {
	var prompt, answer string
	for e, err := range s.Events() {
		switch {
		case err != nil || e.Parent != "":
		case e.Kind == event.Rewound:
			prompt, answer = "", ""
		case e.Kind == event.Prompted:
			prompt, answer = e.Text, ""
		case e.Kind == event.Responded && e.Text != "":
			answer = e.Text
		}
	}
	if prompt == "" {
		return nil
	}
	show.Line("dim", "session "+s.ID()+" was here:")
	show.Line("bold", "> "+console.Printable(console.FirstLines(prompt, longestLook)))
	lines := strings.Split(strings.TrimSpace(answer), "\n")
	if len(lines) > longestLook {
		lines = append([]string{"…"}, lines[len(lines)-longestLook:]...)
	}
	show.Text(strings.Join(lines, "\n") + "\n")
	if s.Waiting() {
		show.Line("yellow", "The calls of the last answer are not all done; the session continues with them.")
	}
	return nil
}

// showLeave shows what ends with the session, and how to come back to it.
func (a *asking) showLeave(show *console.Screen, s *harness.Session) {
	if !a.quiet {
		tellJobsEnd(show.Out, s)
	}
	fmt.Fprintf(show.Out, "Session %s. To come back: rein --resume %s\n", s.ID(), s.ID())
}

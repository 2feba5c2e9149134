package block

import (
	"fmt"
	"strings"
	"time"

	"rein/event"
)

// Bytes writes a size.
func Bytes(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

// Took writes a duration with the digits that matter.
func Took(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	return fmt.Sprintf("%.0f h", d.Hours())
}

// Since writes how long something has run, in whole seconds: it changes once a second at most.
func Since(d time.Duration) string {
	switch s := int(d.Seconds()); {
	case d < time.Minute:
		return fmt.Sprintf("%d s", s)
	case d < 10*time.Minute:
		return fmt.Sprintf("%d min %d s", s/60, s%60)
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	return fmt.Sprintf("%d h", int(d.Hours()))
}

// Tokens writes a number of tokens: "900", "9.1k", "1.2M".
func Tokens(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 100_000:
		return fmt.Sprintf("%.1fk", float64(n)/1e3)
	case n < 1_000_000:
		return fmt.Sprintf("%.0fk", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}

// Money writes a price in US dollars.
func Money(usd float64) string {
	if usd > 0 && usd < 0.01 {
		return "<$0.01"
	}
	return fmt.Sprintf("$%.2f", usd)
}

// endings begin the lines in which our tools report how a command ended.
var endings = []string{"[exit code ", "[ended by signal ", "[stopped after "}

// Printed is what a command printed: the text of its result without the lines in which the tool reports how it ended, and that nothing
// was printed.
func Printed(s string) string {
	for _, e := range endings {
		if at := strings.LastIndex("\n"+s, "\n"+e); at >= 0 {
			s = s[:max(at-1, 0)]
			break
		}
	}
	s = strings.TrimRight(s, "\n")
	if before, ok := strings.CutSuffix("\n"+s, "\n(no output)"); ok { // a note may be above
		s = strings.TrimPrefix(before, "\n")
	}
	return s
}

// Ago writes how long ago something was.
func Ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}

// Mode returns a mode in the user's words.
func Mode(mode string) string {
	switch mode {
	case "read-only":
		return "read only"
	case "plan":
		return "plan only"
	case "ask":
		return "edits ask"
	case "supervised":
		return "ask when needed"
	case "auto":
		return "a model reviews"
	case "full":
		return "no questions"
	}
	return mode
}

// Spent is tokens and money in a line.
func (m Marks) Spent(us event.Usage) string {
	what := m.Words.Of("%s tokens in, %s out", Tokens(us.Input), Tokens(us.Output))
	for _, part := range []struct {
		tokens int64
		name   string
	}{{us.CacheRead, "%s from the cache"}, {us.CacheWrite, "%s to the cache"}, {us.Thinking, "%s thinking"}} {
		if part.tokens > 0 {
			what += m.Words.Of(", ") + m.Words.Of(part.name, Tokens(part.tokens))
		}
	}
	if us.Cost > 0 {
		what += m.Words.Of(", ") + Money(us.Cost)
	}
	return what
}

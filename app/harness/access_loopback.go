package harness

import (
	"regexp"
	"strings"
	"sync"

	"rein/kit/network"
)

var (
	ownHost = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(?:\blocalhost|\b127(?:\.\d+){3}|\[::1\])(:\d+)?`)
	})
	noAnswer = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)connection refused|ECONNREFUSED|(failed|unable|could not|couldn't) (to )?connect`)
	})
	quietExit = map[string]int{"curl": 7, "wget": 4} // without a connection and without a word
)

// Elsewhere tells the model why a program that failed did not find a server of this machine: a program's localhost is the
// sandbox's own. It is "" where that is not the reason.
func (g *accessGrants) Elsewhere(command, output string, code int) string {
	if code == 0 || !g.options.Proxied() {
		return ""
	}
	host := ownHost().FindStringSubmatch(command)
	if host == nil {
		return ""
	}
	quiet := false
	for name, exit := range quietExit {
		quiet = quiet || strings.TrimSpace(output) == "" && code == exit && strings.Contains(command, name)
	}
	if !quiet && !noAnswer().MatchString(output) {
		return ""
	}
	return "[note from rein, not from the program: " + host[0] + " is inside the sandbox, and nothing answered there. Programs find a server that runs outside at " +
		network.HostName + host[1] + "]\n"
}

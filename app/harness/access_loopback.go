package harness

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"rein/kit/tools"
)

var (
	ownHost = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(?:\blocalhost|\b127(?:\.\d+){3}|\b0\.0\.0\.0|\[::1\])(:\d+)?`)
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
	number, _ := strconv.ParseUint(strings.TrimPrefix(host[1], ":"), 10, 16)
	switch port := uint16(number); {
	case port == 0:
		return "[note from rein, not from the program: " + host[0] + " is that of the sandbox, and nothing answered there.]\n"
	case !isListening(port):
		return "[note from rein, not from the program: nothing listens at port " + host[1][1:] + ", neither in the sandbox nor on the machine outside.]\n"
	default:
		return "[note from rein, not from the program: nothing in the sandbox answered at " + host[0] + ". A program of the machine outside listens at this port; to reach it, " +
			"request access with this call: " + tools.AccessRequest{Host: "localhost" + host[1]}.Call() + "]\n"
	}
}

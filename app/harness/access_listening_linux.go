package harness

import (
	"fmt"
	"strings"

	"rein/internal/plainfile"
)

// ownsLoopback means that a sandbox with full isolation has a loopback of its own.
const ownsLoopback = true

// isListening reports whether a program of this machine listens at a port of the loopback.
func isListening(port uint16) bool {
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		text, _ := plainfile.Read(table)
		for line := range strings.Lines(string(text)) {
			fields := strings.Fields(line)
			if len(fields) < 4 || fields[3] != "0A" { // listening
				continue
			}
			address, number, _ := strings.Cut(fields[1], ":")
			if number == fmt.Sprintf("%04X", port) && (strings.Trim(address, "0") == "" || address == "0100007F" || address == "00000000000000000000000001000000") {
				return true
			}
		}
	}
	return false
}

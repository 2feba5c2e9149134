package guard

import "fmt"

// Mode describes how much a model may do without an approval. The zero value is the safe one: ReadOnly.
type Mode uint8

// The modes.
const (
	ReadOnly   Mode = iota // reads run; everything else is denied
	Plan                   // as ReadOnly, and the plan file may be written
	Asking                 // reads run; everything else asks
	Supervised             // reads run; the rest runs or asks, depending on the isolation
	Auto                   // as Supervised; an approver may ask a model before it asks the person
	Full                   // everything runs except what only a person may approve
)

var modeNames = [...]string{"read-only", "plan", "ask", "supervised", "auto", "full"}

// String returns the mode's name as in settings and flags.
func (m Mode) String() string { return modeNames[m] }

// ParseMode reads a mode's name; '_' is taken for '-'.
func ParseMode(name string) (Mode, error) {
	for i, n := range modeNames {
		if name == n || i == 0 && name == "read_only" {
			return Mode(i), nil
		}
	}
	return ReadOnly, fmt.Errorf("no such mode: %q (expected read-only, plan, ask, supervised, auto or full)", name)
}

// Isolation describes what the operating system enforces around programs, whatever the guard decides. The zero value is none.
type Isolation uint8

// The levels of isolation, from none to full.
const (
	NoIsolation   Isolation = iota // programs run as the user
	FileIsolation                  // files are confined, the network is not
	FullIsolation                  // files, network, processes and other sessions are out of reach
)

// String returns "none", "files" or "full".
func (w Isolation) String() string { return [...]string{"none", "files", "full"}[w] }

package guards

import (
	"context"
	"path"
	"slices"
	"strings"

	"rein/guard"
)

// onlyReaders are programs that cannot write a file, whatever their options and operands are.
var onlyReaders = strings.Fields(`[ basename cat cd cmp cut date df dirname du echo egrep false fgrep grep head id ls
	md5sum nl od printf pwd readlink realpath rev sha256sum stat tac tail test tr true type uname wc which whoami`)

// Unenforced is the guard for modes that only read, on a machine where no sandbox keeps programs from writing: what the
// other guards allow runs only if each program of the command is one that cannot write. All else asks.
func Unenforced(_ context.Context, c guard.Case) guard.Verdict {
	if c.Mode > guard.Plan || c.Isolation != guard.NoIsolation || c.Intent.Command == "" {
		return guard.Verdict{}
	}
	if c.Report != nil && len(c.Report.Programs) > 0 && !slices.ContainsFunc(c.Report.Programs, mayWrite) {
		return guard.Verdict{}
	}
	return guard.Verdict{Decision: guard.Ask, Severity: guard.Low, Guard: "unenforced", Rules: []string{"sandbox.none"},
		Reason: "the mode only reads, no sandbox keeps the command from writing here, and it runs more than the few programs that cannot write"}
}

// mayWrite reports whether a program, as spelled in a command, is not known to be unable to write.
func mayWrite(program string) bool {
	dir, name := path.Split(program)
	return !slices.Contains([]string{"", "/bin/", "/usr/bin/"}, dir) || !slices.Contains(onlyReaders, name)
}

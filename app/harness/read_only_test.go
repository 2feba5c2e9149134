package harness

import (
	"testing"

	"rein/guard"
	"rein/kit/guards"
	"rein/tool"
)

// Without a sandbox, what the guard of commands takes for reading still asks in a mode that only reads, but for programs
// that cannot write.
func TestReadOnlyWithoutASandboxAsks(t *testing.T) {
	for command, want := range map[string]guard.Decision{
		"cat a | grep x | wc -l": guard.Allow, "/bin/cat a": guard.Allow, "cd sub && ls -l": guard.Allow,
		"./cat a": guard.Ask, "/work/bin/cat a": guard.Ask, "git log": guard.Ask, "shuf -o a b": guard.Ask, "python3 -m json.tool a b": guard.Ask,
		"sort a": guard.Ask, "": guard.Allow,
	} {
		c := guard.Case{Call: tool.Call{Name: "bash"}, Intent: tool.Intent{Command: command}, Mode: guard.ReadOnly}
		c = guards.NewPrograms(guards.Here{}).Prepare(c)
		if got := guards.Unenforced(t.Context(), c); got.Decision != want {
			t.Errorf("%q: %v, want %v", command, got.Decision, want)
		}
		c.Isolation = guard.FileIsolation
		if got := guards.Unenforced(t.Context(), c); got.Decision != guard.Allow {
			t.Errorf("%q in a sandbox: %v", command, got.Decision)
		}
		c.Isolation, c.Mode = guard.NoIsolation, guard.Supervised
		if got := guards.Unenforced(t.Context(), c); got.Decision != guard.Allow {
			t.Errorf("%q in supervised mode: %v", command, got.Decision)
		}
	}
}

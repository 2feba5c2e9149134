package harness

import (
	"strings"
	"testing"

	"rein/event"
)

// TestOutputsBelongToTheirSession: an output is opened by its own session and by copies of it, and by no other one.
func TestOutputsBelongToTheirSession(t *testing.T) {
	t.Setenv("REIN_HOME", t.TempDir())
	options := func() Options {
		return Options{Dir: t.TempDir(), Terms: event.Terms{Sandbox: "off", Mode: "full"}, Person: &approveAll{}}
	}
	long := `{"command":"for i in $(seq 9000); do echo line $i of this; done"}`
	s := startCalls(t, options())
	if got := callText(t, s, "a", "bash", long); !strings.Contains(got, "output://"+s.ID()+"-1") {
		t.Fatalf("nothing was kept: %.300s", got)
	}
	ref := `{"path":"output://` + s.ID() + `-1","offset":4000,"limit":1}`
	if got := callText(t, s, "b", "read_file", ref); !strings.Contains(got, "line 4000 of this") {
		t.Errorf("its own output: %s", got)
	}
	other := startCalls(t, options())
	if got := callText(t, other, "a", "read_file", ref); !strings.Contains(got, "is no longer kept") {
		t.Errorf("env-14 another session reads %s", got)
	}
}

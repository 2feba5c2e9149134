//go:build linux

package sandbox

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// needBox makes a box and skips where the best backend does not work: in a container without user namespaces.
func needBox(t testing.TB, p Policy) *Box {
	t.Helper()
	b := testBox(t, p)
	if r, err := b.Backend(t.Context()); r != BackendNamespaces {
		t.Skipf("no namespaces here: %v %v", b.tried, err)
	}
	return b
}

// try runs a script in a box and returns its output and how it ended.
func try(t testing.TB, box Sandbox, script string) (string, Result) {
	t.Helper()
	var out bytes.Buffer
	result, err := Run(t.Context(), box, shell(script), &out, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), result
}

func TestWorkspaceCanBeUsed(t *testing.T) {
	box := needBox(t, Policy{})
	out, result := try(t, box, "echo x > a && mkdir d && mv a d/b && cat d/b && mktemp >/dev/null && echo y > /dev/null && ls /dev/fd/ >/dev/null && echo ok")
	if out != "x\nok\n" || result.Code != 0 {
		t.Errorf("got %q %+v", out, result)
	}
}

func TestTmpLastsFromOneProgramToTheNext(t *testing.T) {
	box := needBox(t, Policy{})
	try(t, box, "echo x > /tmp/kept; echo y > $TMPDIR/too")
	if out, _ := try(t, box, "cat /tmp/kept /tmp/too"); out != "x\ny\n" {
		t.Errorf("got %q", out)
	}
	if _, err := os.Stat("/tmp/kept"); err == nil {
		t.Error("the host's /tmp was written")
	}
}

// testBox makes the box of a policy with a workspace and private directory of its own.
func testBox(tb testing.TB, p Policy) *Box {
	tb.Helper()
	if p.Workspace == "" {
		p.Workspace = tb.TempDir()
	}
	b, err := New(p)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := b.Close(); err != nil {
			tb.Error(err)
		}
	})
	return b
}

func TestTmpGoesWithItsSession(t *testing.T) {
	policy := Policy{Workspace: t.TempDir(), Private: t.TempDir()}
	one, two := needBox(t, policy), needBox(t, policy)
	try(t, one, "echo secret > /tmp/x; mkdir -m 500 /tmp/d; echo kept > ~/.cache/x")
	if out, _ := try(t, two, "cat /tmp/x ~/.cache/x 2>/dev/null"); out != "kept\n" {
		t.Errorf("the other session sees %q", out)
	}
	if err := one.Close(); err != nil {
		t.Error(err)
	}
	left, _ := filepath.Glob(filepath.Join(policy.Private, "session-*"))
	if len(left) != 1 {
		t.Errorf("left: %q", left)
	}
}

func TestLimitThatWasHitIsNamed(t *testing.T) {
	box := needBox(t, Policy{})
	memory := limitData
	if _, whole := box.inner.Groups.How(); whole {
		memory = limitMemory
	}
	for want, spec := range map[string]Spec{
		"size of a file":          {Argv: shell("head -c 3000000 /dev/zero > big").Argv, Limits: Limits{FileSize: 1 << 20}},
		"open files of a process": {Argv: shell("for i in $(seq 100); do exec {f}</dev/null || exit 1; done").Argv, Limits: Limits{OpenFiles: 40}},
		"processes at once":       {Argv: []string{"sh", "-c", "i=0; while [ $i -lt 500 ]; do sleep 20 & i=$((i+1)); done"}, Limits: Limits{Processes: 301}},
		memory:                    {Argv: shell("head -c 400000000 /dev/zero | tail -n 1 | wc -c; exit ${PIPESTATUS[1]}").Argv, Limits: Limits{Memory: 100 << 20}},
		"CPU time of a process":   {Argv: shell("while :; do :; done").Argv, Limits: Limits{CPU: time.Second}},
	} {
		result, err := Run(t.Context(), box, spec, io.Discard, time.Minute)
		if err != nil || result.Limit != want {
			t.Errorf("got %+v, %v; want %s", result, err, want)
		}
	}
}

func TestForkBombEndsInItsBox(t *testing.T) {
	box := needBox(t, Policy{})
	if !countedByKernel(t, box) {
		t.Skip("nothing here but our own count would stop it")
	}
	spec := shell("b() { b | b & }; b; sleep 0.3; echo over")
	spec.Limits.Processes = 301
	if _, err := Run(t.Context(), box, spec, io.Discard, 5*time.Second); err != nil {
		t.Error(err)
	}
	if out, _ := try(t, box, "echo alive"); out != "alive\n" {
		t.Errorf("got %q", out)
	}
}

func TestNewStartsAndMakesNothing(t *testing.T) {
	private := t.TempDir()
	box, err := New(Policy{Workspace: t.TempDir(), Private: private})
	if err != nil {
		t.Fatal(err)
	}
	if entries, _ := os.ReadDir(private); len(entries) > 0 {
		t.Errorf("the private directory holds %v before anything is started", entries)
	}
	if err := box.Close(); err != nil {
		t.Error(err)
	}
}

package sandbox

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// needBubblewrap makes a box with bubblewrap, and skips where bwrap is not installed or may do nothing.
func needBubblewrap(t testing.TB, p Policy) *Box {
	t.Helper()
	p.Only = BackendBubblewrap.String()
	b := testBox(t, p)
	if _, err := b.Backend(t.Context()); err != nil {
		t.Skipf("no bubblewrap here: %v", err)
	}
	return b
}

// steeringWorkspace makes one that holds what backends may or may not protect.
func steeringWorkspace(t *testing.T) string {
	t.Helper()
	ws := t.TempDir()
	for name, text := range map[string]string{".git/config": "[core]\n", ".git/HEAD": "ref: refs/heads/main\n", ".env": "PASSWORD=1\n"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(ws, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(ws, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return ws
}

func TestWeakerBackendsProtectWhatTheyPromise(t *testing.T) {
	for _, row := range []struct {
		backend       Backend
		steering, env string
	}{
		{BackendNamespaces, "refused", "refused"},
		{BackendBubblewrap, "refused", "refused"},
		{BackendLandlock, "worked", "worked"},
		{BackendNone, "worked", "worked"},
	} {
		t.Run(row.backend.String(), func(t *testing.T) {
			b := testBox(t, Policy{Workspace: steeringWorkspace(t), Only: row.backend.String()})
			if _, err := b.Backend(t.Context()); err != nil {
				t.Skip(err)
			}
			const how = " && echo worked || echo refused"
			for script, want := range map[string]string{
				"(echo x >> .git/config) 2>/dev/null" + how:        row.steering,
				"(mv .git .old && mv .old .git) 2>/dev/null" + how: row.steering,
				"cat .env >/dev/null 2>&1" + how:                   row.env,
				"echo x > new && mkdir -p d && mv new d/" + how:    "worked",
			} {
				if out, _ := try(t, b, script); strings.TrimSpace(out) != want {
					t.Errorf("%s: %q, want %q", script, out, want)
				}
			}
		})
	}
}

func TestBubblewrapLetsTheWorkspaceBeUsed(t *testing.T) {
	b := needBubblewrap(t, Policy{})
	out, result := try(t, b, `echo x > a && mkdir d && mv a d/b && cat d/b && mktemp >/dev/null && echo y > /dev/null && ls /dev/fd/ >/dev/null &&
		echo z > /dev/shm/s && echo kept > /tmp/kept && grep -q '^CapEff:.0*$' /proc/self/status && grep -q '^Seccomp:.2' /proc/self/status && echo $$ `)
	if result.Code != 0 || !strings.HasPrefix(out, "x\n") {
		t.Errorf("got %q %+v", out, result)
	}
	if out, _ := try(t, b, "cat /tmp/kept; ulimit -n; exit 7"); out != "kept\n4096\n" {
		t.Errorf("the next program sees %q", out)
	}
	if _, result := try(t, b, "exit 7"); result.Code != 7 {
		t.Errorf("got %+v", result)
	}
	if _, result := try(t, b, "kill -9 $$"); result.Signal != 9 {
		t.Errorf("got %+v", result)
	}
}

func TestEverydayWorkPassesInBubblewrap(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts many programs one after the other")
	}
	policy, env := Policy{}, []string(nil)
	if cache := goCache(); cache != "" {
		policy.Writable, env = []string{cache}, []string{"GOCACHE=" + cache}
	}
	box := needBubblewrap(t, policy)
	for _, row := range everydayWork() {
		if notInstalled(row.programs) == "" && row.name != ownCache {
			t.Run(row.name, func(t *testing.T) { row.run(t, box, env) })
		}
	}
}

// This backend has the gaps that Gaps lists, and no others: a server works within its command.
func TestServersOfBubblewrapStayWithTheirCommand(t *testing.T) {
	if notInstalled("python3") != "" {
		t.Skip("python3 is not installed")
	}
	box := needBubblewrap(t, Policy{})
	server, err := Launch(t.Context(), box, shell("exec python3 -m http.server 8123 --bind 127.0.0.1"), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop(0)
	if out, _ := try(t, box, "sleep 0.2; (exec 3<>/dev/tcp/127.0.0.1/8123) 2>/dev/null && echo reached || echo alone"); out != "alone\n" {
		t.Errorf("got %q", out)
	}
}

func TestProxyIsReachedFromEachProgram(t *testing.T) {
	for _, backend := range []Backend{BackendNamespaces, BackendBubblewrap} {
		t.Run(backend.String(), func(t *testing.T) {
			served := make(chan struct{})
			policy := Policy{Only: backend.String(), Proxy: func(l net.Listener) {
				defer close(served)
				for {
					c, err := l.Accept()
					if err != nil {
						return
					}
					fmt.Fprintln(c, "hello from", l.Addr())
					c.Close()
				}
			}}
			b := testBox(t, policy)
			if _, err := b.Backend(t.Context()); err != nil {
				t.Skip(err)
			}
			for range 3 {
				if out, _ := try(t, b, "cat < /dev/tcp/127.0.0.1/3128; echo ${http_proxy}"); out != "hello from 127.0.0.1:3128\nhttp://127.0.0.1:3128\n" {
					t.Errorf("got %q", out)
				}
			}
			if err := b.Close(); err != nil {
				t.Error(err)
			}
			<-served
		})
	}
}

// fakeBwrap writes a bwrap that records that it ran.
func fakeBwrap(t *testing.T, dir, script string) string {
	t.Helper()
	path := filepath.Join(dir, "bwrap")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// hostDir makes a directory that is not below /tmp.
func hostDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp(notScratch(t), ".bwrap-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func TestBwrapThatFailsFallsLoudlyToTheNextBackend(t *testing.T) {
	for name, script := range map[string]string{
		"it refuses":                "echo 'bwrap: No permissions to create new namespace' >&2; exit 1",
		"it runs the helper as is":  `while [ "$1" != -- ]; do shift; done; shift; exec "$@"`,
		"it does nothing, and well": "exit 0",
	} {
		t.Run(name, func(t *testing.T) {
			var warned []string
			b := testBox(t, Policy{Warn: func(line string) { warned = append(warned, line) }})
			bad := fakeBwrap(t, hostDir(t), script)
			backend := func(ctx context.Context, p backendPolicy) (programStarter, func() error, error) {
				return openBubblewrapAt(ctx, p, bad)
			}
			if b.err = b.makeDirs(); b.err == nil {
				b.choose(t.Context(), []candidate{{BackendBubblewrap, backend}, {BackendLandlock, openLandlock}})
			}
			b.chosen = true
			if b.backend != BackendLandlock || b.err != nil {
				t.Fatalf("got %v, %v, %v", b.backend, b.tried, b.err)
			}
			if len(warned) != 1 || !strings.Contains(warned[0], `"bubblewrap" does not work here`) {
				t.Errorf("warned %q", warned)
			}
			if strings.Contains(script, "permissions") && !strings.Contains(warned[0], "No permissions to create") {
				t.Errorf("not the message of bwrap: %q", warned)
			}
			if out, _ := try(t, b, "echo runs"); out != "runs\n" {
				t.Errorf("got %q", out)
			}
		})
	}
}

func TestBackendThatIsNamedIsTheOnlyOne(t *testing.T) {
	for name, row := range map[string]struct {
		policy  Policy
		backend Backend
		works   bool
	}{
		"none":                      {Policy{Only: "none"}, BackendNone, true},
		"no such":                   {Policy{Only: "moat"}, BackendNone, false},
		"another system's":          {Policy{Only: "seatbelt"}, BackendNone, false},
		"off and a backend":         {Policy{Only: "landlock", Mode: Off}, BackendNone, false},
		"required and a weaker one": {Policy{Only: "landlock", Mode: Required}, BackendNone, false},
	} {
		t.Run(name, func(t *testing.T) {
			row.policy.Workspace = t.TempDir()
			b, err := New(row.policy)
			if err == nil {
				defer b.Close()
				_, err = b.Backend(t.Context())
			}
			if (err == nil) != row.works || b != nil && b.backend != row.backend {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestTheDocumentListsTheGapsOfEachBackend holds docs/maintainers/sandbox.md to Gaps.
func TestTheDocumentListsTheGapsOfEachBackend(t *testing.T) {
	text, err := os.ReadFile("../../docs/maintainers/sandbox.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, backend := range []Backend{BackendBubblewrap, BackendLandlock, BackendSeatbelt, BackendContainer, BackendExternal} {
		row := ""
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "| "+backend.String()+" ") {
				row = line
			}
		}
		if want := "| " + strings.Join(Gaps(backend), "; ") + " |"; !strings.HasSuffix(strings.TrimSpace(row), want) {
			t.Errorf("%s: the row is %q, want it to end %q", backend, row, want)
		}
	}
}

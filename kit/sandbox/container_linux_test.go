package sandbox_test

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"rein/kit/sandbox"
	"rein/kit/sandbox/sandboxtest"
)

// testImage makes an image with busybox, and with the libraries that this test program is linked with.
var testImage = sync.OnceValues(func() (engine string, reason string) {
	shell, err := exec.LookPath("busybox")
	if err != nil {
		return "", "busybox is not installed (apt-get install busybox-static)"
	}
	root, err := os.MkdirTemp("", "rein-image-")
	if err != nil {
		return "", err.Error()
	}
	defer os.RemoveAll(root)
	script := `set -e
mkdir -p "$1/bin" "$1/tmp" "$1/var/tmp" "$1/proc" "$1/dev" "$1/etc"
cp -L "$2" "$1/bin/busybox"
for name in sh cat ls touch sleep echo mkdir rm env wget id ps kill seq dd head; do ln -s busybox "$1/bin/$name"; done
ldd "$3" 2>/dev/null | grep -o '/[^ ]*' | while read -r lib; do mkdir -p "$1$(dirname "$lib")"; cp -L "$lib" "$1$lib"; done
tar -C "$1" -cf "$1.tar" .`
	self, _ := os.Executable()
	defer os.Remove(root + ".tar")
	if out, err := exec.Command("sh", "-c", script, "image", root, shell, self).CombinedOutput(); err != nil {
		return "", "the image cannot be made: " + string(out)
	}
	reason = "neither podman nor docker is installed"
	for _, engine := range []string{os.Getenv("REIN_TEST_ENGINE"), "podman", "docker"} {
		if _, err := exec.LookPath(engine); engine == "" || err != nil {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		out, err := exec.CommandContext(ctx, engine, "import", root+".tar", "rein-sandbox-test").CombinedOutput()
		cancel()
		if err == nil {
			return engine, ""
		}
		reason = engine + " does not work here: " + string(bytes.TrimSpace(out))
	}
	return "", reason
})

// contained opens the backend, or skips the test where no engine works.
func contained(t *testing.T, p sandbox.Policy) *sandbox.Box {
	t.Helper()
	engine, reason := testImage()
	if reason != "" {
		t.Skip(reason)
	}
	p.Only, p.Elsewhere = "container", sandbox.Elsewhere{Engine: engine, Image: "rein-sandbox-test"}
	box, err := sandbox.New(p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := box.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := box.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	return box
}

func TestContainerPassesTheSuite(t *testing.T) {
	sandboxtest.Run(t, func(t *testing.T, dir string) sandbox.Sandbox { return contained(t, sandbox.Policy{Workspace: dir}) })
}

// TestContainerHidesTheMachine holds the backend to what the others hide and protect.
func TestContainerHidesTheMachine(t *testing.T) {
	dir, home := realDir(t), realDir(t)
	write(t, filepath.Join(home, "secret"), "s")
	write(t, filepath.Join(dir, ".env"), "KEY=1")
	write(t, filepath.Join(dir, ".git", "config"), "[core]\n")
	write(t, filepath.Join(dir, ".git", "HEAD"), "ref: refs/heads/main\n")
	write(t, filepath.Join(dir, "a, \"b\"", "file"), "x")
	box := contained(t, sandbox.Policy{Workspace: dir, Home: home, Writable: []string{filepath.Join(dir, "a, \"b\"")}, Parent: append(os.Environ(), "A_TOKEN=x")})
	for _, c := range []struct{ name, script, want string }{
		{"the workspace can be written", "echo x > new && cat new", "x"},
		{"a name with commas and quotes is mounted", `cat 'a, "b"/file'`, "x"},
		{"the home directory is hidden", "cat " + home + "/secret 2>/dev/null || echo hidden", "hidden"},
		{"the machine's files are not there", "cat /etc/shadow /var/lib/dpkg/status 2>/dev/null || echo hidden", "hidden"},
		{"the image is read-only", "touch /bin/x 2>/dev/null || echo refused", "refused"},
		{"files of secrets are closed", "cat .env 2>/dev/null || echo closed", "closed"},
		{"protected files are read-only", "(echo x >> .git/config) 2>/dev/null || echo refused", "refused"},
		{"there is no network but a loopback", "ls /sys/class/net", "lo"},
		{"the environment has no secrets", "env | grep -c TOKEN; true", "0"},
		{"no capabilities", "grep CapEff /proc/self/status | head -c 100; true", "CapEff:\t0000000000000000"},
		{"/tmp is the session's own", "touch /tmp/rein-own && ls /tmp/rein-own", "/tmp/rein-own"},
	} {
		if got, _ := inContainer(t, box, shell(strings.ReplaceAll(c.script, "grep", "busybox grep"))); got != c.want {
			t.Errorf("%s: got %q", c.name, got)
		}
	}
	// One that appears later is protected from the next command.
	write(t, filepath.Join(dir, "below", ".env"), "KEY=2")
	if got, _ := inContainer(t, box, shell("cat below/.env 2>/dev/null || echo closed")); got != "closed" {
		t.Errorf("a new file of secrets: got %q", got)
	}
}

func TestContainerOpensPlacesForOneProgram(t *testing.T) {
	dir, other := realDir(t), realDir(t)
	box := contained(t, sandbox.Policy{Workspace: dir})
	spec := shell("echo x > " + other + "/new")
	if _, exit := inContainer(t, box, spec); exit.Code == 0 {
		t.Error("another directory was written")
	}
	spec.Opened = sandbox.Opened{Write: []string{other}}
	if out, exit := inContainer(t, box, spec); exit.Code != 0 {
		t.Errorf("an opened directory cannot be written: %s", out)
	}
	spec = shell("echo x > new")
	spec.ReadOnly = true
	if _, exit := inContainer(t, box, spec); exit.Code == 0 {
		t.Error("a program that may change nothing wrote into the workspace")
	}
}

func TestContainerReachesTheProxyAlone(t *testing.T) {
	reached := make(chan string, 1)
	box := contained(t, sandbox.Policy{Workspace: realDir(t), Proxy: func(l net.Listener) {
		_ = http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			select {
			case reached <- r.Host:
			default:
			}
			_, _ = w.Write([]byte("by the proxy"))
		}))
	}})
	if out, _ := inContainer(t, box, shell("wget -q -O - http://example.test/")); out != "by the proxy" || <-reached != "example.test" {
		t.Errorf("got %q", out)
	}
	if out, _ := inContainer(t, box, shell("http_proxy= wget -q -T 2 -O - http://1.1.1.1/ && echo out; true")); strings.Contains(out, "out\n") {
		t.Errorf("got %q", out)
	}
}

func TestContainerHoldsLimits(t *testing.T) {
	box := contained(t, sandbox.Policy{Workspace: realDir(t), Limits: sandbox.Limits{FileSize: 4096, OpenFiles: 50, CPU: time.Second, Processes: 30}})
	if out, exit := inContainer(t, box, shell("dd if=/dev/zero of=large bs=1024 count=100")); exit.Limit == "" {
		t.Errorf("the size of a file: %+v %s", exit, out)
	}
	if out, _ := inContainer(t, box, shell("ulimit -n")); out != "50" {
		t.Errorf("open files: %s", out)
	}
	if _, exit := inContainer(t, box, shell("while :; do :; done")); exit.Limit == "" {
		t.Errorf("CPU time: %+v", exit)
	}
	if out, _ := inContainer(t, box, shell("for i in $(seq 60); do sleep 3 & done 2>&1; wait")); !strings.Contains(out, "fork") {
		t.Errorf("processes: %s", out)
	}
}

// TestContainerEndsWithTheSession looks for the container with the engine.
func TestContainerEndsWithTheSession(t *testing.T) {
	engine, reason := testImage()
	if reason != "" {
		t.Skip(reason)
	}
	running := func() []string {
		out, err := exec.Command(engine, "ps", "--quiet", "--filter", "name=rein-session").Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.Fields(string(out))
	}
	before := running()
	more := func() bool {
		return slices.ContainsFunc(running(), func(id string) bool { return !slices.Contains(before, id) })
	}
	box, err := sandbox.New(sandbox.Policy{Workspace: realDir(t), Only: "container", Elsewhere: sandbox.Elsewhere{Engine: engine, Image: "rein-sandbox-test"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := box.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !more() {
		t.Fatal("no container runs")
	}
	if err := box.Close(); err != nil {
		t.Error(err)
	}
	for end := time.Now().Add(10 * time.Second); more(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the container did not end")
		}
	}
}

func TestContainerSaysWhatIsMissing(t *testing.T) {
	for name, c := range map[string]struct {
		where sandbox.Elsewhere
		want  string
	}{
		"no image named": {sandbox.Elsewhere{Engine: "true"}, "sandboxBackend.image"},
		"no such engine": {sandbox.Elsewhere{Engine: "no-such-engine", Image: "x"}, "no-such-engine is not installed"},
		"no such image":  {sandbox.Elsewhere{Engine: "false", Image: "x"}, "false pull gets one"},
	} {
		box, err := sandbox.New(sandbox.Policy{Workspace: t.TempDir(), Only: "container", Elsewhere: c.where})
		if err != nil {
			t.Fatal(err)
		}
		if err := box.Prepare(t.Context()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v", name, err)
		}
		_ = box.Close()
	}
}

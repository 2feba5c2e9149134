package network

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"rein/kit/sandbox"
)

// inBox marks the test binary as the program inside the sandbox; its arguments are what to reach.
const inBox = "REIN_PROXY_TEST"

func TestMain(m *testing.M) {
	if os.Getenv(inBox) != "" {
		reach(os.Args[1:])
		return
	}
	goleak.VerifyTestMain(m)
}

// reach tries each target as an ordinary program would: URLs through the proxy of the environment, tcp: directly.
func reach(targets []string) {
	for _, target := range targets {
		fmt.Printf("%s → %s\n", target, tryReach(target))
	}
}

func tryReach(target string) string {
	if addr, ok := strings.CutPrefix(target, "tcp:"); ok {
		conn, err := net.DialTimeout("tcp", addr, 2*time.Second)
		if err != nil {
			return "failed"
		}
		conn.Close()
		return "reached"
	}
	via, _ := url.Parse(os.Getenv("http_proxy"))
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{Proxy: http.ProxyURL(via)}}
	resp, err := client.Get(target)
	if err != nil {
		return "error " + err.Error()
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	return fmt.Sprintf("%d %s", resp.StatusCode, body)
}

// boxed runs a program in the sandbox with the world's proxy and returns its output.
func (w *proxyWorld) boxed(t *testing.T, argv ...string) string {
	t.Helper()
	dir := t.TempDir()
	box, err := sandbox.New(sandbox.Policy{Workspace: dir, Proxy: w.proxy.Serve})
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close()
	if backend, err := box.Backend(t.Context()); backend != sandbox.BackendNamespaces {
		t.Skipf("this machine gives no namespaces: %v", err)
	}
	if argv[0] == "self" {
		argv[0] = filepath.Join(dir, "self")
		self, err := os.ReadFile(os.Args[0])
		if err == nil {
			err = os.WriteFile(argv[0], self, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	spec := sandbox.Spec{Argv: argv, Env: []string{inBox + "=1"}}
	if _, err := sandbox.Run(t.Context(), box, spec, &out, time.Minute); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// The proxy is the only way out of the sandbox, and it passes requests to allowed hosts only.
func TestFromInsideTheSandbox(t *testing.T) {
	w := newWorld(t, ProxyOptions{})
	good, direct := "http://good.test:"+w.plainPort+"/", "tcp:127.0.0.1:"+w.plainPort
	out := w.boxed(t, "self", good, "http://evil.test/", "https://evil.test/", "http://public-but-private.test/", direct, "tcp:"+w.addr, "tcp:10.255.255.53:53", "tcp:good.test:80")
	for _, want := range []string{
		good + " → 200 hello good.test",
		"http://evil.test/ → 403 [rein] The network policy refused GET evil.test:80/",
		"https://evil.test/ → error Get \"https://evil.test/\": rein: evil.test: not on the list",
		"http://public-but-private.test/ → 403",
		direct + " → failed",
		"tcp:" + w.addr + " → failed",
		"tcp:10.255.255.53:53 → failed",
		"tcp:good.test:80 → failed",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	denied := 0
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.reports {
		if r.Done && !r.Allowed {
			denied++
		}
	}
	if denied != 3 {
		t.Errorf("%d denials reported, want 3: %+v", denied, w.reports)
	}
}

// The same out of a hardened process: see sandbox.hardenStarting.
func TestFromInsideTheSandboxOfAHardenedProcess(t *testing.T) {
	if os.Getenv(inBox+"_HARD") == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestFromInsideTheSandboxOfAHardenedProcess$", "-test.v")
		cmd.Env = append(os.Environ(), inBox+"_HARD=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
		return
	}
	if err := sandbox.HardenProcess(); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, ProxyOptions{})
	if out := w.boxed(t, "self", "http://good.test:"+w.plainPort+"/"); !strings.Contains(out, "→ 200 hello") {
		t.Errorf("got %q", out)
	}
}

// ssrf-16: what programs of a shell do by themselves.
func TestProgramsReachOnlyTheProxy(t *testing.T) {
	w := newWorld(t, ProxyOptions{})
	for _, row := range []struct{ program, script, want string }{
		{"curl", "curl -sS --max-time 5 http://good.test:PORT/", "hello good.test"},
		{"curl", "curl -sS --max-time 5 http://evil.test/", "[rein] The network policy refused GET evil.test:80/"},
		{"curl", "curl -sSi --max-time 5 https://evil.test/ || true", "rein: evil.test: not on the list"},
		{"curl", "curl -sS --max-time 5 --noproxy '*' http://127.0.0.1:PORT/ || echo no way", "no way"},
		{"wget", "wget -qO- -T 5 -t 1 http://good.test:PORT/", "hello good.test"},
		{"wget", "wget -O- -T 5 -t 1 http://evil.test/ || true", "403"},
		{"python3", "python3 -c \"import urllib.request as u; print(u.urlopen('http://good.test:PORT/', timeout=5).read())\"", "hello good.test"},
		{"python3", "python3 -c \"import urllib.request as u; u.urlopen('https://evil.test/', timeout=5)\" 2>&1 | tail -1", "rein: evil.test: not on the list"},
		{"python3", "python3 -c \"import socket; socket.create_connection(('127.0.0.1', PORT), 3)\" 2>&1 | tail -1", "refused"},
		{"git", "git ls-remote https://evil.test/x.git 2>&1 || true", "403"},
		{"bash", "exec 3<>/dev/tcp/127.0.0.1/PORT && echo open || echo no way", "no way"},
		{"openssl", "openssl s_client -connect 127.0.0.1:PORT </dev/null 2>&1 || true", "refused"},
		{"node", "node -e \"require('http').get('http://127.0.0.1:PORT/').on('error', e => console.log(e.code))\"", "ECONNREFUSED"},
	} {
		t.Run(row.program+" "+row.want, func(t *testing.T) {
			if path, err := exec.LookPath(row.program); err != nil || strings.Contains(path, "/.") {
				t.Skipf("%s is not installed for everybody", row.program)
			}
			if out := w.boxed(t, "bash", "-c", strings.ReplaceAll(row.script, "PORT", w.plainPort)); !strings.Contains(out, row.want) {
				t.Errorf("got %q, want %q", out, row.want)
			}
		})
	}
}

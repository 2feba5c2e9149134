package harness

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rein/event"
	"rein/guard"
	"rein/kit/network"
)

// approveAll is a person who approves everything, and keeps what they were shown.
type approveAll struct {
	scope guard.Scope
	shown []string
}

func (p *approveAll) Ask(_ context.Context, r *Request) (guard.Answer, error) {
	p.shown = append(p.shown, strings.Join(r.Lines, "\n"))
	return r.Claim(guard.Answer{Choice: guard.Approved, By: guard.ByPerson(""), Scope: p.scope})
}

// TestAnApprovalMakesTheCommandWork: what a person approves can be reached, by this call and by no other.
func TestAnApprovalMakesTheCommandWork(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed")
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "reached", r.Method) }))
	defer server.Close()
	_, port, _ := strings.Cut(strings.TrimPrefix(server.URL, "http://"), ":")
	person := &approveAll{}
	s := startCalls(t, Options{Dir: t.TempDir(), Terms: event.Terms{Sandbox: "auto"}, Person: person})
	needsIsolation(t, s)
	url := "http://" + network.HostName + ":" + port + "/"
	result := callText(t, s, "1", "bash", fmt.Sprintf(`{"command":"curl -sS %s"}`, url))
	if len(person.shown) != 1 || !strings.Contains(person.shown[0], network.HostName+":"+port) {
		t.Errorf("the request does not name the address: %q", person.shown)
	}
	if !strings.Contains(result, "reached GET") {
		t.Errorf("approved, and yet: %s", result)
	}
	result = callText(t, s, "2", "bash", fmt.Sprintf(`{"command":"curl -sS -X POST -d x %s"}`, url))
	if !strings.Contains(result, "reached POST") {
		t.Errorf("an approved upload: %s", result)
	}
	// An approval opens a host, not an address that nothing may reach: the note gives that reason.
	result = callText(t, s, "5", "bash", `{"command":"curl -sS http://198.51.100.7/"}`)
	if strings.Contains(result, "not an allowed host") || !strings.Contains(result, "198.51.100.7: a reserved range address") {
		t.Errorf("an address that is never reached: %s", result)
	}
	// A program whose text does not name the host is not approved for it.
	if err := os.WriteFile(filepath.Join(s.h.root, "name"), []byte(network.HostName), 0o600); err != nil {
		t.Fatal(err)
	}
	result = callText(t, s, "3", "bash", fmt.Sprintf(`{"command":"curl -sS http://$(cat name):%s/"}`, port))
	if strings.Contains(result, "reached GET") {
		t.Errorf("another command reached it: %s", result)
	}
	// What was approved and does not answer is not blocked: to ask for it again would not help.
	server.Close()
	result = callText(t, s, "4", "bash", fmt.Sprintf(`{"command":"curl -s %s"}`, url))
	if strings.Contains(result, "not an allowed host") || !strings.Contains(result, "did not get through: localhost:"+port) {
		t.Errorf("nothing answers: %s", result)
	}
}

// TestAnApprovedInstallWorks: npm of this machine installs a package from the registry that its command names, in the sandbox.
func TestAnApprovedInstallWorks(t *testing.T) {
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("npm is not installed")
	}
	archive := packed(t, map[string]string{"package/package.json": `{"name":"greet","version":"1.0.0"}`, "package/index.js": `module.exports = "installed"`})
	var registry string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ".tgz") {
			_, _ = w.Write(archive)
			return
		}
		fmt.Fprintf(w, `{"name":"greet","dist-tags":{"latest":"1.0.0"},"versions":{"1.0.0":{"name":"greet","version":"1.0.0","dist":{"tarball":"%sgreet.tgz"}}}}`, registry)
	}))
	defer server.Close()
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	registry = "http://" + network.HostName + ":" + port + "/"
	person := &approveAll{}
	s := startCalls(t, Options{Dir: t.TempDir(), Terms: event.Terms{Sandbox: "auto"}, Person: person})
	needsIsolation(t, s)
	result := callText(t, s, "1", "bash", fmt.Sprintf(`{"command":"npm install --no-audit --no-fund --loglevel=error --registry=%s greet"}`, registry))
	if len(person.shown) != 1 || !strings.Contains(person.shown[0], network.HostName+":"+port) {
		t.Errorf("the request does not name the registry: %q", person.shown)
	}
	if got, err := os.ReadFile(filepath.Join(s.h.root, "node_modules", "greet", "index.js")); err != nil || !strings.Contains(string(got), "installed") {
		t.Errorf("approved, and yet: %v %s", err, result)
	}
}

// TestALocalServerOfTheMachineIsFound: an approved command finds it at its own localhost, where the sandbox forwards the port. Where nothing is
// forwarded, the model reads whether anything listens outside.
func TestALocalServerOfTheMachineIsFound(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed")
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "reached") }))
	defer server.Close()
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	s := startCalls(t, Options{Dir: t.TempDir(), Terms: event.Terms{Sandbox: "auto"}, Person: &approveAll{}})
	needsIsolation(t, s)
	put(t, filepath.Join(s.h.root, "get.sh"), "curl -sS http://localhost:"+port+" # localhost:"+port)
	const ask, none = "request access with this call: request_access", "nothing listens at port"
	for i, row := range []struct {
		command, want, not string
		down               bool
	}{
		{"curl -s http://127.0.0.1:" + port, "reached", "note from rein", false},
		{"curl -sS http://localhost:" + port, "reached", "note from rein", false},
		{"curl -s http://" + network.HostName + ":" + port, "reached", "note from rein", false},
		{"echo localhost:" + port + "; false", "exit code 1", "note from rein", false},
		{"sh get.sh # localhost:" + port, ask, "reached", false},
		{"sh get.sh # localhost:" + port, none, ask, true},
	} {
		if row.down {
			server.Close()
		}
		result := callText(t, s, fmt.Sprint(i), "bash", fmt.Sprintf(`{"command":%q}`, row.command))
		if !strings.Contains(result, row.want) || strings.Contains(result, row.not) {
			t.Errorf("%s: %s", row.command, result)
		}
	}
}

// packed returns the archive of a package.
func packed(t *testing.T, files map[string]string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for name, text := range files {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(w, text)
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestAnApprovedWebCallWorks: the same for the tools that use the network themselves.
func TestAnApprovedWebCallWorks(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "a local page") }))
	defer server.Close()
	person := &approveAll{}
	s := startCalls(t, Options{Dir: t.TempDir(), Terms: event.Terms{Sandbox: "off"}, Person: person})
	result := callText(t, s, "1", "web_fetch", fmt.Sprintf(`{"url":%q}`, server.URL))
	if len(person.shown) != 1 || !strings.Contains(result, "a local page") {
		t.Errorf("asked %q, got %s", person.shown, result)
	}
	host, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	if policy := s.access.ToolsOf("another call"); policy == nil {
		t.Error("no policy")
	} else if target, err := network.ParseTarget(host, port); err != nil || policy.Check(target) == nil {
		t.Errorf("another call may reach %v: %v", target, err)
	}
}

func TestPresetsOfHostsInSettings(t *testing.T) {
	for text, want := range map[string]string{
		`{"network":{"allow":["preset:npm"]}}`:      "",
		`{"network":{"allow":["preset:nonsense"]}}`: "preset",
	} {
		h, err := openWith(t, text)
		if err != nil {
			t.Fatal(err)
		}
		s, err := h.Start(t.Context(), NewSession{NoModel: true})
		if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
		if err == nil && !s.knownHost("bash", "registry.npmjs.org:443") {
			t.Error("the preset opened nothing")
		}
		h.Close(context.Background())
	}
}

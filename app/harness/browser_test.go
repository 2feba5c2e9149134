package harness

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rein/event"
	"rein/kit/network"
	"rein/kit/tools/browser"
	"rein/kit/undo"
)

// browserSession is a session with a browser in the sandbox, and a person who approves what they are asked. It skips where there
// is no browser, or no network of the sandbox's own.
func browserSession(t *testing.T, o Options) (*Session, *approveAll) {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes seconds to start")
	}
	person := &approveAll{}
	o.Sandbox, o.Person = "auto", person
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	s := startCalls(t, o)
	needsIsolation(t, s)
	if browser.New(browser.Options{Box: s.box}).Program() == "" {
		t.Skip("no Chromium, Chrome or Edge is installed")
	}
	return s, person
}

// TestAHostOfTheBrowserIsTheBrowsers: what a person opened for a page is open to the pages of the browser until it ends, and to no
// program beside it.
func TestAHostOfTheBrowserIsTheBrowsers(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed")
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/away" {
			http.Redirect(w, r, "http://169.254.169.254/latest", http.StatusFound)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<title>T</title><h1>reached %s</h1><a href=/next>Next page</a>", r.URL.Path)
	}))
	defer server.Close()
	_, port, _ := strings.Cut(strings.TrimPrefix(server.URL, "http://"), ":")
	s, person := browserSession(t, Options{})
	at := "http://" + network.HostName + ":" + port
	if got := callText(t, s, "1", "browser_navigate", fmt.Sprintf(`{"url":%q}`, at+"/first")); !strings.Contains(got, "reached /first") {
		t.Fatalf("the browser did not reach an approved page: %s", got)
	}
	if got := callText(t, s, "2", "browser_click", `{"target":"e1"}`); !strings.Contains(got, "/next") || len(person.shown) != 1 {
		t.Errorf("asked %d times, a click shows %s", len(person.shown), got)
	}
	// A program whose text does not name the host is judged by the proxy alone.
	if err := os.WriteFile(filepath.Join(s.h.root, "name"), []byte(at), 0o600); err != nil {
		t.Fatal(err)
	}
	const command = `{"command":"curl -sS $(cat name)/program; curl -sS -x '' $(cat name)/direct; true"}`
	if got := callText(t, s, "3", "bash", command); strings.Contains(got, "reached") {
		t.Errorf("a program reached the host of the browser: %s", got)
	}
	if got := callText(t, s, "4", "browser_navigate", fmt.Sprintf(`{"url":%q}`, at+"/again")); !strings.Contains(got, "reached /again") {
		t.Errorf("the browser lost its host: %s", got)
	}
	if got := callText(t, s, "away", "browser_navigate", fmt.Sprintf(`{"url":%q}`, at+"/away")); !strings.Contains(got, "169.254.169.254") || strings.Contains(got, "Page:") {
		t.Errorf("a page redirects to an address of the machine: %s", got)
	}
	callText(t, s, "5", "browser_close", `{}`)
	if s.knownHost("browser_navigate", network.HostName+":"+port) {
		t.Error("the host is open although the browser was closed")
	}
}

// TestADownloadIsAWrite: a file that a page gives comes into the workspace by a call that is judged as a write, and that can be
// undone. It replaces no file.
func TestADownloadIsAWrite(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/data.csv" {
			w.Header().Set("Content-Type", "text/csv")
			fmt.Fprint(w, "a,b\n")
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<title>T</title><a href=/data.csv download>Data</a>")
	}))
	defer server.Close()
	_, port, _ := strings.Cut(strings.TrimPrefix(server.URL, "http://"), ":")
	s, _ := browserSession(t, Options{Terms: event.Terms{Deny: []string{"edit_file(denied.csv)"}}})
	if got := callText(t, s, "1", "browser_navigate", fmt.Sprintf(`{"url":"http://%s:%s/"}`, network.HostName, port)); !strings.Contains(got, "Data") {
		t.Fatal(got)
	}
	callText(t, s, "2", "browser_click", `{"target":"e1"}`)
	if got := callText(t, s, "3", "browser_download", `{"path":"denied.csv"}`); !strings.Contains(got, "edit_file(denied.csv) (command line:1) denies") {
		t.Errorf("a rule denies it: %s", got)
	}
	if got := callText(t, s, "4", "browser_download", `{"path":"../outside.csv"}`); strings.Contains(got, "Saved") {
		t.Errorf("outside: %s", got)
	}
	for i, want := range []string{"Saved got.csv: 4 bytes", "is there already"} {
		if got := callText(t, s, fmt.Sprint("5", i), "browser_download", `{"path":"got.csv"}`); !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
	file := filepath.Join(s.h.root, "got.csv")
	if got := get(t, file); got != "a,b\n" {
		t.Errorf("the workspace has %q", got)
	}
	for _, name := range []string{"denied.csv", "../outside.csv"} {
		if _, err := os.Stat(filepath.Join(s.h.root, name)); err == nil {
			t.Errorf("%s is there", name)
		}
	}
	files, err := s.FileHistory()
	if err != nil {
		t.Fatal(err)
	}
	plan, err := files.Plan(t.Context(), undo.Selection{Last: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := files.Undo(t.Context(), plan, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("it was not undone")
	}
}

package main

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestInABrowser runs web/e2e/run.mjs: the page in Chromium, over the real program. It needs Node, Chromium and what
// "npm ci" in web/ installs; where one of them is missing it is skipped.
func TestInABrowser(t *testing.T) {
	web, err := filepath.Abs("../../web")
	if err != nil {
		t.Fatal(err)
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("SKIPPED: the page is not tested, because node is missing")
	}
	if _, err := os.Stat(filepath.Join(web, "node_modules", "playwright-core")); err != nil {
		t.Skip("SKIPPED: the page is not tested, because playwright-core is missing: run npm ci in web/")
	}
	chromium := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil && chromium == "" {
			chromium = found
		}
	}
	if chromium == "" {
		t.Skip("SKIPPED: the page is not tested, because chromium is missing: run apt-get install chromium")
	}
	if testing.Short() {
		t.Skip("takes minutes")
	}
	binary := filepath.Join(t.TempDir(), "rein")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "rein/cmd/rein")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := exec.CommandContext(t.Context(), node, "e2e/run.mjs")
	run.Dir, run.Stderr = web, os.Stderr
	run.Env = append(os.Environ(), "REIN_BINARY="+binary, "CHROMIUM="+chromium)
	out, err := run.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	tests := 0
	for lines := bufio.NewScanner(out); lines.Scan(); tests++ {
		var result struct {
			Name, Error string
		}
		if err := json.Unmarshal(lines.Bytes(), &result); err != nil {
			t.Errorf("%v: %s", err, lines.Text())
			continue
		}
		t.Run(result.Name, func(t *testing.T) {
			if result.Error != "" {
				t.Error(result.Error)
			}
		})
	}
	if err := run.Wait(); err != nil || tests < 10 {
		t.Errorf("%d tests ran: %v", tests, err)
	}
}

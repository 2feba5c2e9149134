package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
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
	// A page waits for much: two browsers take less time than one.
	results := make(chan []byte)
	var browsers sync.WaitGroup
	for _, part := range []string{"1/2", "2/2"} {
		run := exec.CommandContext(t.Context(), node, "e2e/run.mjs")
		run.Dir, run.Stderr = web, os.Stderr
		run.Env = append(os.Environ(), "REIN_BINARY="+binary, "CHROMIUM="+chromium, "REIN_E2E_PART="+part)
		out, err := run.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := run.Start(); err != nil {
			t.Fatal(err)
		}
		browsers.Go(func() {
			lines := bufio.NewScanner(out)
			lines.Buffer(nil, 1<<20)
			for lines.Scan() {
				results <- bytes.Clone(lines.Bytes())
			}
			if err := run.Wait(); err != nil || lines.Err() != nil {
				t.Errorf("part %s: %v, %v", part, err, lines.Err())
			}
		})
	}
	go func() { browsers.Wait(); close(results) }()
	tests := 0
	for line := range results {
		var result struct {
			Name, Error string
		}
		if err := json.Unmarshal(line, &result); err != nil {
			t.Errorf("%v: %s", err, line)
			continue
		}
		tests++
		t.Run(result.Name, func(t *testing.T) {
			if result.Error != "" {
				t.Error(result.Error)
			}
		})
	}
	if tests < 10 {
		t.Errorf("%d tests ran", tests)
	}
}

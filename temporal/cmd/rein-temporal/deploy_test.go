package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTheServicesOfTheDocuments: the commands in the services of docs/scale_deploy.md have these flags, and systemd accepts the services.
func TestTheServicesOfTheDocuments(t *testing.T) {
	page, err := os.ReadFile("../../../docs/scale_deploy.md")
	if err != nil {
		t.Fatal(err)
	}
	var services []string
	for _, block := range regexp.MustCompile("(?s)```ini\n(.*?)```").FindAllSubmatch(page, -1) {
		text := string(block[1])
		_, line, is := strings.Cut(text, "ExecStart=/usr/local/bin/rein-temporal ")
		if !is {
			continue
		}
		line, _, _ = strings.Cut(line, "\n")
		var out, problems bytes.Buffer
		p := &program{in: strings.NewReader(""), out: &out, err: &problems, getenv: func(string) string { return "" }}
		if code := p.run(t.Context(), append(strings.Fields(line), "--help")); code != 0 || !strings.Contains(problems.String(), "-store") {
			t.Errorf("%s: %d, %s", line, code, &problems)
		}
		services = append(services, strings.ReplaceAll(text, "/usr/local/bin/rein-temporal", os.Args[0]))
	}
	if len(services) != 3 {
		t.Fatalf("%d services", len(services))
	}
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not here: systemd does not look at the services")
	}
	dir := t.TempDir()
	args := []string{"verify"}
	for i, name := range []string{"rein-models.service", "rein-host@.service", "rein-page.service"} {
		args = append(args, filepath.Join(dir, name))
		if err := os.WriteFile(args[i+1], []byte(services[i]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.CommandContext(t.Context(), analyze, args...).CombinedOutput(); err != nil || bytes.Contains(out, []byte(dir)) {
		t.Errorf("%v: %s", err, out)
	}
}

//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A hang-up signal makes the server read its settings again; it continues, also after a fault and after a second signal.
func TestAHangUpReadsTheSettings(t *testing.T) {
	root := t.TempDir()
	config := filepath.Join(root, "home", "config")
	for _, dir := range []string{config, filepath.Join(root, "ws")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "script.yaml"), []byte("turns: [{text: hi}]"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := serveIn(t, root)
	b := sign(p)
	for _, c := range []struct{ settings, prints string }{
		{`{"server":{"limits":{"queue":-1}}}`, "were not read again"},
		{`{"server":{"signIn":{"issuer":"http://127.0.0.1:9","clientID":"x","roles":{"a":"viewer"}}}}`, "were read again"},
	} {
		if err := os.WriteFile(filepath.Join(config, "settings.json"), []byte(c.settings), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		for end := time.After(time.Minute); ; {
			text := ""
			select {
			case text = <-p.errors.all:
			case <-end:
				t.Fatal("it never printed: " + c.prints)
			}
			if strings.Contains(text, c.prints) {
				break
			}
		}
	}
	var ways map[string]string
	if b.send("GET", "/v1/sign-in", nil, &ways); ways["provider"] != "127.0.0.1" {
		t.Errorf("the settings do not hold: %v", ways)
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}

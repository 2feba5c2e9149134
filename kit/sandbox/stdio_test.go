//go:build unix

package sandbox

import (
	"bufio"
	"bytes"
	"fmt"
	"testing"
	"time"
)

// TestPrograms: a program answers, and one that does not end by itself is killed.
func TestPrograms(t *testing.T) {
	for name, script := range map[string]string{
		"ends with its stdin": "read x; echo got $x; echo warning >&2; cat",
		"ends when asked":     "read x; echo got $x; echo warning >&2; exec sleep 60",
		"ignores all":         "trap '' TERM; read x; echo got $x; echo warning >&2; while :; do sleep 0.1; done",
	} {
		t.Run(name, func(t *testing.T) {
			var stderr bytes.Buffer
			p, err := StartStdio(t.Context(), None{}, Spec{Argv: []string{"/bin/sh", "-c", script}}, &stderr)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintln(p, "hello")
			line, err := bufio.NewReader(p).ReadString('\n')
			if err != nil || line != "got hello\n" {
				t.Errorf("%q, %v", line, err)
			}
			began := time.Now()
			for range 2 {
				if err := p.Close(); err != nil {
					t.Error(err)
				}
			}
			if took := time.Since(began); took > 30*time.Second {
				t.Errorf("the end took %v", took)
			}
			if !bytes.Contains(stderr.Bytes(), []byte("warning")) {
				t.Errorf("stderr: %q", stderr.String())
			}
		})
	}
	if _, err := StartStdio(t.Context(), None{}, Spec{Argv: []string{"/no/such/program"}}, &bytes.Buffer{}); err == nil {
		t.Error("a program that is missing was started")
	}
}

package sandbox

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// TestAnOpenedPortReachesTheMachine: a server of the machine is found at its port, by the program that may use it and no other,
// whatever it speaks; and a port that a program of the sandbox has stays that program's.
func TestAnOpenedPortReachesTheMachine(t *testing.T) {
	for _, backend := range []Backend{BackendNamespaces, BackendBubblewrap} {
		t.Run(backend.String(), func(t *testing.T) {
			server, port := greeter(t)
			defer server.Close()
			always, all := greeter(t)
			defer always.Close()
			box, err := New(Policy{Workspace: t.TempDir(), Only: backend.String(), Opened: Opened{Ports: []uint16{all}}})
			if err == nil {
				err = box.Prepare(t.Context())
			}
			if err != nil {
				t.Skip(err)
			}
			defer box.Close()
			speakTo := `exec 3<>/dev/tcp/127.0.0.1/%d && read -r line <&3 && echo "$line" && echo ping >&3 && cat <&3`
			speak := fmt.Sprintf(speakTo, port)
			run := func(script string, opened Opened) string {
				var out bytes.Buffer
				if _, err := Run(t.Context(), box, Spec{Argv: []string{"bash", "-c", script}, Opened: opened}, &out, 20*time.Second); err != nil {
					t.Fatal(err)
				}
				return out.String()
			}
			if got := run(speak, Opened{Ports: []uint16{port}}); got != "hello\nping\n" {
				t.Errorf("with the port opened: %q", got)
			}
			if got := run(fmt.Sprintf(speakTo, all), Opened{}); got != "hello\nping\n" {
				t.Errorf("a port of the policy: %q", got)
			}
			if got := run(speak, Opened{}); !strings.Contains(got, "refused") {
				t.Errorf("afterwards, without it: %q", got)
			}
			if backend != BackendNamespaces {
				return
			}
			own := fmt.Sprintf(`import socket
s=socket.create_server(("127.0.0.1",%d))
while True: s.accept()[0].sendall(b"own\n")`, port)
			job, err := Launch(t.Context(), box, Spec{Argv: []string{"python3", "-c", own}}, io.Discard)
			if err != nil {
				t.Skip(err)
			}
			defer job.Stop(0)
			reads := fmt.Sprintf(`for i in $(seq 100); do if exec 3<>/dev/tcp/127.0.0.1/%d; then head -n 1 <&3; exit; fi 2>/dev/null; sleep 0.1; done`, port)
			if got := run(reads, Opened{}); got != "own\n" {
				t.Fatalf("the program of the sandbox: %q", got)
			}
			if got := run(reads, Opened{Ports: []uint16{port}}); got != "own\n" {
				t.Errorf("the program of the sandbox, with the port opened: %q", got)
			}
		})
	}
}

// greeter is a server of the machine that speaks first, and then says everything again.
func greeter(t *testing.T) (net.Listener, uint16) {
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				_, _ = io.WriteString(c, "hello\n")
				line := make([]byte, 100)
				n, _ := c.Read(line)
				_, _ = c.Write(line[:n])
			}()
		}
	}()
	return l, uint16(l.Addr().(*net.TCPAddr).Port)
}

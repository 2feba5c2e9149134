package sandbox

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
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

// TestAnOpenedServerIsFoundByItsName: a program that knows of no proxy reaches the server of another machine that was opened to it, whatever it
// speaks, by the proxy; it is found by no other program, and what the proxy refuses ends.
func TestAnOpenedServerIsFoundByItsName(t *testing.T) {
	for _, backend := range []Backend{BackendNamespaces, BackendBubblewrap} {
		t.Run(backend.String(), func(t *testing.T) {
			server, _ := greeter(t)
			defer server.Close()
			proxy := func(l net.Listener) {
				_ = http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.Method != http.MethodConnect || r.Host != "db.example:5432" {
						http.Error(w, "no", http.StatusForbidden)
						return
					}
					client, _, err := http.NewResponseController(w).Hijack()
					if err != nil {
						return
					}
					defer client.Close()
					if upstream, err := net.Dial("tcp", server.Addr().String()); err == nil {
						defer upstream.Close()
						_, _ = io.WriteString(client, "HTTP/1.1 200 Connection established\r\n\r\n")
						join(client, upstream)
					}
				}))
			}
			box, err := New(Policy{Workspace: t.TempDir(), Only: backend.String(), Proxy: proxy})
			if err == nil {
				err = box.Prepare(t.Context())
			}
			if err != nil {
				t.Skip(err)
			}
			defer box.Close()
			spec := func(script string, servers ...Server) Spec {
				return Spec{Argv: []string{"bash", "-c", script}, Opened: Opened{Servers: servers}}
			}
			run := func(s Spec) string {
				var out bytes.Buffer
				if _, err := Run(t.Context(), box, s, &out, 20*time.Second); err != nil {
					t.Error(err)
				}
				return out.String()
			}
			const speak = `exec 3<>/dev/tcp/db.example/5432 && read -r line <&3 && echo "$line" && echo ping >&3 && cat <&3`
			db := Server{"db.example", 5432}
			if got := run(spec(speak, db)); got != "hello\nping\n" {
				t.Errorf("the server: %q", got)
			}
			if got := run(spec(speak + "; head -n 1 " + hostsFile)); !strings.Contains(got, "resolution") && !strings.Contains(got, "not known") || strings.Contains(got, "db.example\n") {
				t.Errorf("afterwards, without it: %q", got)
			}
			if got := run(spec(`: < /dev/tcp/other.example/9999 || echo none; echo x > `+hostsFile, Server{"other.example", 9999}, db)); !strings.Contains(got, "none\n") || !strings.Contains(got, "Read-only") && !strings.Contains(got, "denied") {
				t.Errorf("what the proxy refuses, and the file of names: %q", got)
			}
			if got := run(spec("echo ran", Server{"web.example", 443})); got != "ran\n" {
				t.Errorf("a port that needs rights: %q", got)
			}
			two := make(chan string, 2)
			for range 2 { // one has the name longer than the other
				go func() { two <- run(spec(speak+"; sleep 0.$((RANDOM % 5))", db)) }()
			}
			if a, b := <-two, <-two; a != "hello\nping\n" || b != a {
				t.Errorf("two programs at once: %q and %q", a, b)
			}
			if backend != BackendNamespaces {
				return
			}
			job, err := Launch(t.Context(), box, spec(`exec python3 -c 'import socket
s=socket.create_server(("",5432))
print("up",flush=True)
while True: s.accept()'`), io.Discard)
			if err != nil {
				t.Skip(err)
			}
			defer job.Stop(0)
			run(spec(`until (: < /dev/tcp/127.65.0.99/5432) 2>/dev/null; do sleep 0.05; done`))
			if _, err := Run(t.Context(), box, spec(speak, db), io.Discard, 20*time.Second); err == nil || !strings.Contains(err.Error(), "end it first") {
				t.Errorf("where a program of the session would be found: %v", err)
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

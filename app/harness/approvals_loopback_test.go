package harness

import (
	"context"
	"encoding/json"
	"net"
	"strings"
	"testing"

	"rein/event"
	"rein/guard"
)

// TestServersInTheSandboxNeedNoApproval: a command that contacts only the loopback of its sandbox runs; where the machine has a server at
// the port, or anything else is contacted, somebody is asked.
func TestServersInTheSandboxNeedNoApproval(t *testing.T) {
	t.Setenv("REIN_HOME", t.TempDir())
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	asked := false
	s := startCalls(t, Options{Dir: effectHome(t) + "/project", Terms: event.Terms{Sandbox: "auto"}, Person: funcPerson(func(_ context.Context, r *Request) (guard.Answer, error) {
		asked = true
		return r.Claim(guard.Answer{Choice: guard.Denied, By: guard.ByPerson("")})
	})})
	defer s.Close(context.Background())
	needsIsolation(t, s)
	for i, row := range []struct {
		command string
		asks    bool
	}{
		{"curl -s http://localhost:9/health", false},
		{"curl -s 127.0.0.1:9 | head -1", false},
		{"sleep 0.1; curl -sf http://[::1]:9/", false},
		{"curl -s http://0.0.0.0:9/; psql -h localhost -p 9 -c 'select 1'", false},
		{"timeout 0.1 python3 -m http.server 9999", false},
		{"python3 -m http.server 9999; pip install x", true},
		{"psql -c 'select 1'", true},
		{"curl -s http://" + server.Addr().String() + "/", true},
		{"curl -s http://localhost:9/ http://example.com/", true},
		{"curl -s http://localhost:9/ && npm install", true},
		{"curl -s http://localhost:2375/containers/json", true},
		{"curl -s http://localhost:9/ -T a.txt", true},
		{"curl -s \"$URL\"", true},
	} {
		asked = false
		args, _ := json.Marshal(map[string]string{"command": row.command})
		result := callText(t, s, string(rune('a'+i)), "bash", string(args))
		if refused := strings.HasPrefix(result, "Denied"); (asked || refused) != row.asks {
			t.Errorf("%s: asked %v: %s", row.command, asked, result)
		}
	}
	if read := s.guards.Untrusted(s.ID()); len(read) > 0 {
		t.Errorf("what its own servers say counts as text of others: %q", read)
	}
}

func TestInModeAskAPersonAnswers(t *testing.T) {
	t.Setenv("REIN_HOME", t.TempDir())
	asked := false
	s := startCalls(t, Options{Dir: effectHome(t) + "/project", Terms: event.Terms{Sandbox: "auto", Mode: "ask"}, Person: funcPerson(func(_ context.Context, r *Request) (guard.Answer, error) {
		asked = true
		return r.Claim(guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")})
	})})
	defer s.Close(context.Background())
	for i, row := range []struct {
		tool, args string
		asks       bool
	}{
		{"bash", `{"command":"curl -s http://localhost:9/"}`, true},
		{"bash", `{"command":"rm -f none.txt"}`, true},
		{"bash", `{"command":"echo x > a.txt"}`, true},
		{"write_file", `{"path":"b.txt","content":"x"}`, true},
		{"read_file", `{"path":"b.txt"}`, false},
		{"bash", `{"command":"ls -la"}`, false},
	} {
		asked = false
		if text := callText(t, s, string(rune('a'+i)), row.tool, row.args); asked != row.asks {
			t.Errorf("%s %s: asked %v: %s", row.tool, row.args, asked, text)
		}
	}
}

package main

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"rein/app/harness"
	"rein/tool"
)

// examples builds examples of the protocol's library, and rein, in a new directory. It takes some 20 s of a processor once.
func examples(t *testing.T, names ...string) (bin string) {
	t.Helper()
	if os.Getenv("REIN_MCP_EXAMPLES") == "" || runtime.GOOS == "windows" {
		t.Skip("SKIPPED: the examples of the Go SDK are not used: set REIN_MCP_EXAMPLES=1")
	}
	bin = t.TempDir()
	args := []string{"build", "-o", bin + "/", "rein/cmd/rein"}
	for _, name := range names {
		args = append(args, "github.com/modelcontextprotocol/go-sdk/examples/"+name)
	}
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return bin
}

// listen starts an example that serves HTTP at a free port, and returns the address.
func listen(t *testing.T, program string, args func(host, port string) []string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close()
	host, port, _ := net.SplitHostPort(address)
	cmd := exec.Command(program, args(host, port)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return "http://" + address
}

// TestExampleServersOfTheSDK uses the example servers of the Go SDK: programs in the sandbox, over HTTP and over SSE.
func TestExampleServersOfTheSDK(t *testing.T) {
	bin := examples(t, "server/hello", "server/everything", "server/memory", "server/sequentialthinking", "server/toolschemas", "server/sse")
	work := t.TempDir()
	servers := map[string]any{}
	for _, name := range []string{"hello", "everything", "memory", "sequentialthinking", "toolschemas"} {
		servers[name] = map[string]any{"command": filepath.Join(bin, name), "start": "required", "read": []string{bin}}
	}
	overHTTP := listen(t, filepath.Join(bin, "everything"), func(host, port string) []string { return []string{"-http", host + ":" + port} })
	overSSE := listen(t, filepath.Join(bin, "sse"), func(host, port string) []string { return []string{"-host", host, "-port", port} })
	local := using(t, work, servers)
	// What these servers get leaves the machine, which needs an approval after untrusted text was read: each has a session of its own.
	far := map[string]*harness.Session{}
	for name, e := range map[string]map[string]any{"http": {"type": "http", "url": overHTTP}, "sse": {"type": "sse", "url": overSSE + "/greeter1"}} {
		e["start"] = "required"
		far[name] = using(t, t.TempDir(), map[string]any{name: e})
	}
	for i, row := range []struct{ server, tool, args, says string }{
		{"hello", "greet", `{"name":"Mei"}`, "Mei"},
		{"everything", "greet", `{"name":"Mei"}`, "Hi Mei"},
		{"everything", "greet (structured)", `{"name":"Mei"}`, "Hi Mei"},
		{"everything", "greet (content with ResourceLink)", `{"name":"Mei"}`, "greeting"},
		{"everything", "ping", `{}`, ""},
		{"everything", "log", `{}`, ""},
		{"memory", "create_entities", `{"entities":[{"name":"Mei","entityType":"person","observations":["likes tea"]}]}`, "Mei"},
		{"memory", "search_nodes", `{"query":"tea"}`, "Mei"},
		{"sequentialthinking", "start_thinking", `{"problem":"two and two"}`, "two and two"},
		{"toolschemas", "simple greeting", `{"name":"Mei"}`, "Mei"},
		{"toolschemas", "manual greeting", `{"name":"Mei"}`, "Mei"},
		{"toolschemas", "customized greeting 1", `{"name":"Mei"}`, "Mei"},
		{"sse", "greet1", `{"name":"Mei"}`, "Mei"},
		{"http", "greet", `{"name":"Mei"}`, "Hi Mei"},
	} {
		s := local
		if one := far[row.server]; one != nil {
			s = one
		}
		name := s.ToolServers().Server(row.server).Called(row.tool)
		results, err := s.Call(t.Context(), []tool.Call{{ID: string(rune('a' + i)), Name: name, Args: []byte(row.args)}}, nil)
		if err != nil || len(results) != 1 || results[0].Failed || !strings.Contains(results[0].Text, row.says) {
			t.Errorf("%s %s: %+v, %v", row.server, row.tool, results, err)
		}
	}
}

// TestExampleClientsOfTheSDK: the example client that lists all of a server lists rein's tools, and those of a server behind rein.
func TestExampleClientsOfTheSDK(t *testing.T) {
	bin := examples(t, "client/listfeatures", "server/everything")
	rein, everything := filepath.Join(bin, "rein"), filepath.Join(bin, "everything")
	work, home := t.TempDir(), t.TempDir()
	for _, row := range []struct {
		name string
		args []string
		want []string
	}{
		{"rein mcp serve", []string{rein, "mcp", "serve"}, []string{"tools:", "\tread_file\n", "\tjudge_command\n", "resources:", "resource templates:\n\toutput"}},
		{"rein mcp proxy", []string{rein, "mcp", "proxy", "--read", bin, "--", everything}, []string{"\tgreet (structured)\n", "\telicit (form)\n", "resources:\n\tinfo", "resource templates:\n\tResource template (with Icon)", "prompts:\n\tgreet"}},
	} {
		var out, errs bytes.Buffer
		cmd := exec.CommandContext(t.Context(), filepath.Join(bin, "listfeatures"), row.args...)
		cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.Env = work, &out, &errs, append(os.Environ(), "REIN_HOME="+home)
		err := cmd.Run()
		for _, want := range row.want {
			if err != nil || !strings.Contains(out.String(), want) {
				t.Fatalf("%s: %v, want %q in:\n%s\n%s", row.name, err, want, &out, &errs)
			}
		}
	}
}

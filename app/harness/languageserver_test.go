package harness

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// sampled is the kind of "agent" in a cast that answers the requests of a tool server.
const sampled = "(sampled)"

// installLanguageServer puts this test, as gopls, before all other programs.
func installLanguageServer(t *testing.T) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Link(program, filepath.Join(dir, "gopls")); err != nil {
		t.Skip(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// languageServer renames the word at columns 4 to 7 of the third line of a file, and knows nothing else.
func languageServer(in io.Reader, out io.Writer) {
	for r := bufio.NewReader(in); ; {
		head, err := textproto.NewReader(r).ReadMIMEHeader()
		if err != nil {
			return
		}
		n, _ := strconv.Atoi(head.Get("Content-Length"))
		body := make([]byte, n)
		if _, err := io.ReadFull(r, body); err != nil {
			return
		}
		var q struct {
			ID     *json.RawMessage
			Method string
			Params struct {
				NewName      string
				TextDocument struct{ URI string }
			}
		}
		if json.Unmarshal(body, &q) != nil || q.ID == nil {
			continue
		}
		var result any
		switch q.Method {
		case "initialize":
			result = map[string]any{"capabilities": map[string]any{}}
		case "textDocument/rename":
			at := func(column int) map[string]int { return map[string]int{"line": 2, "character": column} }
			result = map[string]any{"changes": map[string]any{q.Params.TextDocument.URI: []any{
				map[string]any{"range": map[string]any{"start": at(4), "end": at(7)}, "newText": q.Params.NewName}}}}
		}
		answer, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": q.ID, "result": result})
		fmt.Fprintf(out, "Content-Length: %d\r\n\r\n%s", len(answer), answer)
	}
}

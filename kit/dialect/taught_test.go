package dialect

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// taughtTools, taughtCalls and taughtResults are the conversation of testdata/taught.
func taughtTools() []Tool {
	return []Tool{
		{Name: "read", Description: "Reads a file.", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string","description":"Which file."},
			"limit":{"type":"integer","description":"How many lines."}},"required":["path"]}`)},
		{Name: "run", Description: "Runs a command.", Parameters: json.RawMessage(`{"type":"object","properties":{"command":{"type":"string","description":"The command."},
			"mode":{"type":"string","enum":["fast","safe"]},"env":{"type":"object","description":"Environment."},"tags":{"type":"array","items":{"type":"string"}},"wait":{"type":"boolean"}},"required":["command"]}`)},
	}
}

func taughtCalls() []Call {
	return []Call{{Name: "read", Args: json.RawMessage(`{"path":"a.go","limit":5}`)},
		{Name: "run", Args: json.RawMessage(`{"command":"ls \"x\"\npwd","env":{"A":"b"},"tags":["x","y"],"wait":true}`)}}
}

func taughtResults() []CallResult {
	return []CallResult{{Name: "read", Text: "package \"a\"\n", N: 0}, {Name: "run", Text: `{"x": 1}`, N: 1}}
}

// conversation writes the tool prompt, the answer and the results as the dialect has them.
func conversation(d *Dialect) string {
	tools := taughtTools()
	return "== tool prompt\n" + ToolPrompt(d, tools) + "\n== answer\n" + writeAnswer(d, "I look.", taughtCalls(), tools, 0) + "\n== results\n" + WriteResults(d, taughtResults()) + "\n"
}

// TestToolPromptsMatchChatTemplates compares with the output of the families' own chat templates for the same conversation,
// for those whose template was rendered (docs/maintainers/dialects.md lists them).
func TestToolPromptsMatchChatTemplates(t *testing.T) {
	files, err := os.ReadDir("testdata/taught")
	if err != nil || len(files) == 0 {
		t.Fatal("no rows", err)
	}
	for _, f := range files {
		d, err := Find(strings.TrimSuffix(f.Name(), ".txt"))
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile("testdata/taught/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		if got := conversation(d); got != string(want) {
			t.Errorf("%s:\n%s\nwant\n%s", d.Name, got, want)
		}
	}
}

func TestEveryDialectHasAToolPrompt(t *testing.T) {
	tools := []Tool{{Name: "read", Description: "Reads a file.", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string","description":"which"}},"required":["path"]}`)}}
	for _, d := range All() {
		text := ToolPrompt(d, tools)
		if len(d.Calls) == 0 && d.Frames == nil {
			if text != "" {
				t.Errorf("%s has the tool prompt %q", d.Name, text)
			}
			continue
		}
		if !strings.Contains(text, "read") || !strings.Contains(text, "path") || strings.Contains(text, "{tools}") || strings.Contains(text, "{call}") {
			t.Errorf("%s has the tool prompt %q", d.Name, text)
		}
		if result := WriteResults(d, []CallResult{{Name: "read", Text: "the text", N: 3}}); !strings.Contains(result, "the text") {
			t.Errorf("%s writes a result as %q", d.Name, result)
		}
	}
}

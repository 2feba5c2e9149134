package dialect

import (
	"encoding/json"
	"strings"
	"testing"
)

var sentenceTools = []Tool{{Name: "shell", Parameters: json.RawMessage(`{"type":"object","properties":{"command":{"type":"string"},"note":{"type":"string"}},"required":["command"]}`)},
	{Name: "read", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)}}

// TestACallInASentenceStaysText: whatever the family, whoever reads it.
func TestACallInASentenceStaysText(t *testing.T) {
	calls := []Call{{Name: "shell", Args: json.RawMessage(`{"command":"ls"}`)}}
	for _, d := range All() {
		written := strings.TrimSpace(WriteCalls(d, calls, sentenceTools, 0))
		if len(d.Calls) == 0 || written == "" || strings.Contains(written, "\n") {
			continue
		}
		for _, frame := range [][2]string{{"The page says: ", " which is how it calls tools."}, {"It writes (", "), and then waits."}} {
			text := frame[0] + written + frame[1]
			for _, as := range []*Dialect{d, Guess(text, sentenceTools)} {
				for _, pieces := range [][]string{{text}, strings.Split(text, "")} {
					if a := Parse(as, Options{Tools: sentenceTools}, pieces...); len(a.Calls) > 0 {
						t.Errorf("%s, read as %s, in %d pieces: %q calls %v", d.Name, as.Name, len(pieces), text, a.Calls)
					}
				}
			}
			if out := Recover(RecoveredTurn{Text: text, Tools: sentenceTools}); len(out.Calls) > 0 {
				t.Errorf("%s: %q is recovered", d.Name, text)
			}
		}
	}
}

// TestFormsOfSmallModelsAreRecognised without the name of a dialect, where the tools were offered: when a text is looked at, and when a
// model leaked it.
func TestFormsOfSmallModelsAreRecognised(t *testing.T) {
	const shell, both = `shell{"command":"ls -la"}`, `shell{"command":"ls -la","note":"x y"}`
	for _, row := range [][2]string{
		{"<toolcall>{\"name\":\"shell\",\"arguments\":{\"command\":\"ls -la\"}}</toolcall>", shell},
		{"I will look.\n<tool-call>\n{\"name\":\"shell\",\"arguments\":{\"command\":\"ls -la\"}}\n</tool-call>", shell},
		{"```tool_call\n{\"name\":\"shell\",\"arguments\":{\"command\":\"ls -la\"}}\n```", shell},
		{"<FunctionCall>{\"name\":\"shell\",\"arguments\":{\"command\":\"ls -la\"}}</FunctionCall>", shell},
		{"<FunctionCall>\nshell\n<code>command>ls -la</code>\n</FunctionCall>", shell},
		{"[TOOL_CALL]{tool => \"shell\", args => {--command \"ls -la\" --note \"x y\"}}[/TOOL_CALL]", both},
		{"TOOL_CALL\n{tool => \"shell\", args => {\n  --command \"ls -la\"\n  --note \"x y\"\n}}\n/TOOL_CALL", both},
		{"TOOL_CALL {tool => \"shell\", args => {command => \"ls -la\", note => 'x y'}} /TOOL_CALL", both},
		{"<shell><command>ls -la</command></shell>", shell},
		{"Here:\n<shell>\n<command>ls -la</command>\n<note>x y</note>\n</shell>", both},
		{"<shell>{\"command\":\"ls -la\"}</shell>", shell},
		{"<shell><command>ls -la</command></shell>\n<read><path>a</path></read>", shell + `read{"path":"a"}`},
		{"<toolcall>{\"name\":\"other\",\"arguments\":{\"command\":\"ls -la\"}}</toolcall>", ""},
		{"<other><command>ls -la</command></other>", ""},
		{"<shell><command>ls -la</command>", ""},
		{"TOOL_CALL is a word.", ""},
		{"Write <shell><command>ls</command></shell> and wait.", ""},
	} {
		got := ""
		for _, c := range Parse(Guess(row[0], sentenceTools), Options{Tools: sentenceTools}, row[0]).Calls {
			got += c.Name + string(c.Args)
		}
		if got != row[1] {
			t.Errorf("%q is read as %s", row[0], got)
		}
		got = ""
		for _, c := range Recover(RecoveredTurn{Text: row[0], Tools: sentenceTools}).Calls {
			got += c.Name + c.Args
		}
		if got != row[1] {
			t.Errorf("%q is recovered as %s", row[0], got)
		}
		if d := Guess(row[0], nil); len(Parse(d, Options{}, row[0]).Calls) > 0 {
			t.Errorf("%q: without tools it is read as %s", row[0], d.Name)
		}
	}
}

package dialect

import (
	"bufio"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
)

// sample is an answer of a model and its parsed content; rows are named by the rule that they show.
type sample struct {
	Rule      string `json:"rule"`
	Dialect   string `json:"dialect"`
	Input     string `json:"input"`
	Content   string `json:"content"`
	Reasoning string `json:"reasoning"`
	Calls     []struct {
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"calls"`
	Broken  bool `json:"broken"`
	NoTools bool `json:"no_tools"`
}

// offered are the tools of the samples.
var offered = []Tool{
	{Name: "read", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"limit":{"type":"integer"}},"required":["path"]}`)},
	{Name: "run", Parameters: json.RawMessage(`{"type":"object","properties":{"command":{"type":"string"},"env":{"type":"object"},"wait":{"type":"boolean"}},"required":["command"]}`)},
	{Name: "now", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)},
}

func readSamples(t testing.TB) []sample {
	t.Helper()
	f, err := os.Open("testdata/samples.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []sample
	s := bufio.NewScanner(f)
	for s.Scan() {
		var one sample
		if err := json.Unmarshal(s.Bytes(), &one); err != nil {
			t.Fatalf("%s: %v", s.Text(), err)
		}
		all = append(all, one)
	}
	return all
}

func (s sample) options() Options {
	if s.NoTools {
		return Options{}
	}
	return Options{Tools: offered}
}

func TestSamples(t *testing.T) {
	for _, s := range readSamples(t) {
		if _, err := Find(s.Dialect); err != nil {
			t.Fatal(err)
		}
		for _, d := range All() {
			if d.Name == s.Dialect || d.Same == s.Dialect {
				checkSample(t, d, s)
			}
		}
	}
}

func checkSample(t *testing.T, d *Dialect, s sample) {
	t.Helper()
	for how, pieces := range cuts(s.Input) {
		if why := s.differs(Parse(d, s.options(), pieces...)); why != "" {
			t.Errorf("%s: %s (%s): %s", d.Name, s.Rule, how, why)
		}
	}
}

// differs describes how an answer differs from what the sample wants.
func (s sample) differs(a Answer) string {
	if strings.TrimSpace(a.Content) != s.Content {
		return "content " + a.Content
	}
	if strings.TrimSpace(a.Reasoning) != s.Reasoning {
		return "reasoning " + a.Reasoning
	}
	if s.Broken != (len(a.Broken) > 0) {
		return "broken: " + strings.Join(a.Broken, "; ")
	}
	if len(a.Calls) != len(s.Calls) {
		return "another number of calls"
	}
	for i, want := range s.Calls {
		if a.Calls[i].Name != want.Name || !sameJSON(a.Calls[i].Args, want.Args) {
			return "call " + a.Calls[i].Name + string(a.Calls[i].Args)
		}
	}
	return ""
}

// cuts returns a text whole, byte by byte, and in pieces of three and seven bytes.
func cuts(text string) map[string][]string {
	return map[string][]string{"whole": {text}, "bytes": pieces(text, 1), "threes": pieces(text, 3), "sevens": pieces(text, 7)}
}

func pieces(text string, n int) []string {
	var out []string
	for len(text) > n {
		out = append(out, text[:n])
		text = text[n:]
	}
	return append(out, text)
}

func sameAnswer(a, b Answer) bool {
	if a.Content != b.Content || a.Reasoning != b.Reasoning || !reflect.DeepEqual(a.Broken, b.Broken) || len(a.Calls) != len(b.Calls) {
		return false
	}
	for i := range a.Calls {
		if !reflect.DeepEqual(a.Calls[i], b.Calls[i]) {
			return false
		}
	}
	return true
}

func TestEveryDialectHasASample(t *testing.T) {
	have := map[string]bool{}
	for _, s := range readSamples(t) {
		have[s.Dialect] = true
	}
	for _, d := range All() {
		if !have[d.Name] && !have[d.Same] {
			t.Errorf("no sample of %s", d.Name)
		}
	}
}

// TestTextIsNotHeldBack feeds text byte by byte: what is held back is never longer than the longest opener.
func TestTextIsNotHeldBack(t *testing.T) {
	texts := append([]string{"The answer is < 5 and [see] {this}: 3 > 2, a<b|c, f(x) `code` \"quoted\". ", "<tool <tool_ <|tool [TOOL_ <｜tool▁ <minimax: <func [[ {{ `` ] } >", "{\"a\": {\"b\": [1, 2]}} and [\"x\", 1]"}, prose...)
	for _, d := range All() {
		longest := 3 // of a character that is not whole
		for _, set := range []*markSet{&d.marks().text, &d.marks().thinking} {
			for _, m := range set.list {
				longest = max(longest, len(m.lit))
			}
		}
		if d.Frames != nil {
			longest = max(longest, longestHead) // a header may begin anywhere
		}
		for _, text := range texts {
			if held, at := heldBack(d, text); held > longest {
				t.Errorf("%s holds %d bytes back after %q; its longest opener has %d", d.Name, held, text[:at], longest)
			}
		}
	}
}

// heldBack returns how many bytes of a text are held back at most, and where.
func heldBack(d *Dialect, text string) (most, at int) {
	p := New(d, Options{Tools: offered})
	defer p.Close()
	emitted, fed := 0, 0
	for _, piece := range pieces(text, 1) {
		fed += len(piece)
		for _, e := range p.Write(piece) {
			emitted += len(e.Text)
		}
		if fed-emitted > most {
			most, at = fed-emitted, fed
		}
	}
	return most, at
}

// TestALongCallIsTextAndMemoryIsBounded feeds a call that never ends.
func TestALongCallIsTextAndMemoryIsBounded(t *testing.T) {
	for _, row := range [][3]string{
		{"hermes", `<tool_call>{"name": "read", "arguments": {"path": "`, "["}, {"hermes", `<tool_call>{"name": "read", "arguments": {"path": [[[[[[`, "["},
		{"qwen3_coder", "<tool_call>\n<function=read>\n<parameter=path>\n", "x"}, {"glm47", "<tool_call>read<arg_key>path</arg_key><arg_value>", "<"},
		{"gemma4", `<|tool_call>call:read{path:<|"|>`, "x"}, {"pythonic", `[read(path="`, "x"}, {"kimi_k2", "<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>{\"path\": \"", "x"},
	} {
		d, text := rows()[row[0]](), row[1]
		p := New(d, Options{MaxCall: 1 << 16})
		p.Write(text)
		emitted := 0
		for range 64 {
			for _, e := range p.Write(strings.Repeat(row[2], 1<<15)) {
				if e.Kind == Called {
					t.Fatal("the parser emitted a call that never ended")
				}
				emitted += len(e.Text)
			}
			if cap(p.s.Room) > 1<<20 {
				t.Fatalf("%s: %d bytes are held", row[0], cap(p.s.Room))
			}
		}
		p.Close()
		if emitted < 60<<15 {
			t.Errorf("%s: the parser emitted only %d bytes of text", row[0], emitted)
		}
	}
}

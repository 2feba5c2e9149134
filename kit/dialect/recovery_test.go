package dialect

import (
	"bufio"
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"testing"
)

// row is a turn and what must come of it.
type testRow struct {
	ID     string `json:"id"`
	Text   string `json:"text"`
	Native []struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"native"`
	Finish string `json:"finish"`
	Error  *struct {
		FinishMessage    string `json:"finishMessage"`
		FailedGeneration string `json:"failed_generation"`
	} `json:"error"`
	Tools  []string            `json:"tools"`
	Params map[string][]string `json:"params"`
	Expect []struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"expect"`
	Show *string `json:"show"`
	Why  string  `json:"why"`
}

func TestWhatRunsAndWhatStaysText(t *testing.T) {
	for _, r := range readRows(t, "testdata/turns.jsonl") {
		checkRow(t, r)
	}
}

// TestTurnsOfACorpus does the same over a file named by REIN_RECOVERY.
func TestTurnsOfACorpus(t *testing.T) {
	if path := os.Getenv("REIN_RECOVERY"); path != "" {
		for _, r := range readRows(t, path) {
			checkRow(t, r)
		}
	}
}

func checkRow(t *testing.T, r testRow) {
	t.Helper()
	out := Recover(r.turn())
	var calls []RecoveredCall
	for _, c := range out.Calls {
		if c.Runs {
			calls = append(calls, c)
		}
	}
	if len(calls) != len(r.Expect) {
		t.Errorf("%s (%s): %d calls run, %d should: %v, notes %q", r.ID, r.Why, len(calls), len(r.Expect), calls, out.Notes)
		return
	}
	for i, want := range r.Expect {
		if calls[i].Name != want.Name || !equalJSON(calls[i].Args, string(want.Arguments)) {
			t.Errorf("%s (%s): %s%s runs, want %s%s", r.ID, r.Why, calls[i].Name, calls[i].Args, want.Name, want.Arguments)
		}
	}
	if r.Show != nil && out.Show != *r.Show {
		t.Errorf("%s (%s): shows %q, want %q", r.ID, r.Why, out.Show, *r.Show)
	}
}

func (r testRow) turn() RecoveredTurn {
	t := RecoveredTurn{Text: r.Text, Cut: r.Finish == "length" || r.Finish == "max_tokens"}
	if r.Error != nil {
		t.Failed = true
		t.Text = r.Error.FinishMessage + r.Error.FailedGeneration
	}
	for _, n := range r.Native {
		t.Native = append(t.Native, RecoveredCall{Name: n.Name, Args: n.Arguments})
	}
	for _, name := range r.Tools {
		t.Tools = append(t.Tools, Tool{Name: name, Parameters: parameters(r.Params[name])})
	}
	return t
}

// parameters makes a schema of names: text, but for what counts.
func parameters(names []string) json.RawMessage {
	props := map[string]any{}
	for _, name := range names {
		props[name] = map[string]string{"type": "string"}
		if slices.Contains([]string{"limit", "count", "offset"}, name) {
			props[name] = map[string]string{"type": "integer"}
		}
	}
	schema := map[string]any{"type": "object", "properties": props, "additionalProperties": false}
	if len(names) > 0 {
		schema["required"] = names[:1]
	}
	raw, _ := json.Marshal(schema)
	return raw
}

func equalJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}

func readRows(t testing.TB, path string) []testRow {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows []testRow
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<24)
	for s.Scan() {
		var r testRow
		if err := json.Unmarshal(s.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	return rows
}

// FuzzRead reads any text as a turn: nothing panics, what runs has a name that was offered and arguments that are an object,
// nothing runs of a turn that was cut, and without a call the text is shown as it is.
func FuzzRead(f *testing.F) {
	rows := readRows(f, "testdata/turns.jsonl")
	for _, r := range rows {
		t := r.turn()
		f.Add(t.Text, t.Failed)
	}
	tools := rows[0].turn().Tools
	f.Fuzz(func(t *testing.T, text string, failed bool) {
		out := Recover(RecoveredTurn{Text: text, Failed: failed, Tools: tools})
		for _, c := range out.Calls {
			var args map[string]any
			if !c.Runs || !slices.ContainsFunc(tools, func(t Tool) bool { return t.Name == c.Name }) || json.Unmarshal([]byte(c.Args), &args) != nil {
				t.Fatalf("%q runs %+v", text, c)
			}
		}
		if len(out.Calls) == 0 && (out.Show != text || out.Changed) {
			t.Fatalf("%q shows %q", text, out.Show)
		}
		if cut := Recover(RecoveredTurn{Text: text, Cut: true, Tools: tools}); len(cut.Calls) > 0 {
			t.Fatalf("%q runs though it was cut", text)
		}
	})
}

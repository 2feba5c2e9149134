package eval

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// corpora is where the project keeps the corpora.
const corpora = "../../docs/corpora"

// Each corpus of the project is read, asks all of its rows, and is judged: no answers are missing ones, the wanted answers are right.
func TestCorpora(t *testing.T) {
	rows := map[string]int{"edit": 938, "dialects": 1368, "schema": 5493, "repair": 51, "guard": 1138}
	for _, c := range Corpora() {
		b, err := OpenBench(corpora, c.Name, BenchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var asked bytes.Buffer
		if err := b.Ask(&asked); err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(asked.Bytes(), []byte("\n")); n != rows[c.Name] {
			t.Errorf("%s asks %d rows, want %d", c.Name, n, rows[c.Name])
		}
		for _, secret := range []string{`"label"`, `"want"`, `"tier"`, `"must_fail"`} {
			if strings.Contains(asked.String(), secret) && c.Name != "schema" { // tools of schemas have such arguments
				t.Errorf("%s gives away %s", c.Name, secret)
			}
		}
		none, err := b.Score(strings.NewReader(""))
		if err != nil || none.Missing != none.Rows || none.Right != 0 {
			t.Errorf("%s without answers: %+v, %v", c.Name, none, err)
		}
		var wanted bytes.Buffer
		for _, r := range b.rows {
			wanted.WriteString(rightAnswer(t, c.Name, r) + "\n")
		}
		s, err := b.Score(&wanted)
		if err != nil || s.Right != s.Rows || len(s.Misses) > 0 {
			t.Errorf("%s with the wanted answers: %d of %d right, %v", c.Name, s.Right, s.Rows, err)
		}
		peers, err := ReadPeers(corpora, c.Name)
		if err != nil {
			t.Fatal(err)
		}
		for _, column := range peers.Columns {
			if !strings.Contains(mustTable(t, s, peers), " "+column+" |") {
				t.Errorf("%s has no figure %q of others", c.Name, column)
			}
		}
		for name, figures := range peers.Rows {
			if len(figures) != len(peers.Columns) {
				t.Errorf("%s has %d figures", name, len(figures))
			}
		}
	}
}

func mustTable(t *testing.T, s *Score, p Peers) string {
	t.Helper()
	var b bytes.Buffer
	if err := s.Table(&b, "test", p); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// rightAnswer is an answer that is right.
func rightAnswer(t *testing.T, corpus string, r *benchRow) string {
	a := map[string]any{"id": r.ID}
	switch corpus {
	case "edit":
		if r.Tier == "refuse" {
			a["error"] = "no"
		} else {
			a["file"] = text(r.Expect)
		}
	case "dialects":
		a["calls"], a["content"] = r.Expect, r.Content
	case "schema":
		a["ok"], a["args"] = text(r.Expect) != "reject", r.Want
		if text(r.Expect) == "coerce" {
			a["notes"] = []string{"coerced"}
		}
		if text(r.Expect) == "reject" {
			a["error"], a["args"] = r.Want, nil
		}
	case "repair":
		var want []json.RawMessage
		if json.Unmarshal(r.Want, &want); r.MustFail || len(want) == 0 {
			a["error"] = "no"
		} else {
			a["output"] = want[0]
		}
	case "guard":
		a["decision"] = map[string]string{"safe": "allow"}[r.Label] + map[string]string{"ask": "ask", "deny": "deny"}[r.Label]
	}
	line, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	return string(line)
}

// Answers are judged as the table of their corpus says.
func TestVerdicts(t *testing.T) {
	rows := []struct{ corpus, row, answer, verdict string }{
		{"edit", `{"id":"1","tier":"must","file":"a b","old":"a","new":"c","expect":"c b"}`, `{"id":"1","file":"c b"}`, "right"},
		{"edit", `{"id":"1","tier":"must","file":"a b","old":"a","new":"c","expect":"c b"}`, `{"id":"1","file":"c  b"}`, "wrong white space"},
		{"edit", `{"id":"1","tier":"must","file":"a b","old":"a","new":"c","expect":"c b"}`, `{"id":"1","file":"d b"}`, "wrong"},
		{"edit", `{"id":"1","tier":"must","file":"a b","old":"a","new":"c","expect":"c b"}`, `{"id":"1","file":"a b"}`, "refused"},
		{"edit", `{"id":"1","tier":"may","file":"a b","old":"a","new":"c","expect":"c b"}`, `{"id":"1","error":"no"}`, "refused as it may"},
		{"edit", `{"id":"1","tier":"refuse","file":"a b","old":"x","new":"c"}`, `{"id":"1","file":"c b"}`, "wrong"},
		{"edit", `{"id":"1","tier":"refuse","file":"a b","old":"x","new":"c"}`, `{"id":"1","error":"no","file":"c b"}`, "right"},
		{"dialects", `{"id":"1","dialect":"d","input":"x","expect":[{"name":"f","arguments":{"n":1}}],"content":"hi"}`, `{"id":"1","calls":[{"name":"f","arguments":{"n":1.0}}],"content":" hi\n"}`, "right"},
		{"dialects", `{"id":"1","dialect":"d","input":"x","expect":[{"name":"f","arguments":{"n":1}}],"content":"hi"}`, `{"id":"1","calls":[{"name":"f","arguments":{"n":true}}],"content":"hi"}`, "calls differ"},
		{"dialects", `{"id":"1","dialect":"d","input":"x","expect":[],"content":"hi"}`, `{"id":"1","calls":[],"content":"ho"}`, "content differs"},
		{"dialects", `{"id":"1","dialect":"d","input":"x","expect":[{"name":"f","arguments":{"n":1}}],"arguments_partial":true}`, `{"id":"1","calls":[{"name":"f","arguments":{"n":1,"m":2}}]}`, "right"},
		{"schema", `{"tools":[],"rows":[{"id":"1","name":"f","args":{},"kind":"k","expect":"coerce","want":{"n":1}}]}`, `{"id":"1","ok":true,"args":{"n":1}}`, "wrong"},
		{"schema", `{"tools":[],"rows":[{"id":"1","name":"f","args":{},"kind":"k","expect":"coerce","want":{"n":1}}]}`, `{"id":"1","ok":true,"args":{"n":1},"notes":["n"]}`, "right"},
		{"schema", `{"tools":[],"rows":[{"id":"1","name":"f","args":{},"kind":"k","expect":"reject","want":{"did_you_mean":"city"}}]}`, `{"id":"1","ok":false,"error":"unknown"}`, "wrong"},
		{"schema", `{"tools":[],"rows":[{"id":"1","name":"f","args":{},"kind":"k","expect":"reject","want":{"did_you_mean":"city"}}]}`, `{"id":"1","ok":false,"error":"city?"}`, "right"},
		{"repair", `{"id":"1","kind":"k","input":"{","want":[{"a":12345678901234567890}]}`, `{"id":"1","output":{"a":12345678901234567891}}`, "silently wrong"},
		{"repair", `{"id":"1","kind":"k","input":"{","want":[],"must_fail":true}`, `{"id":"1","output":{}}`, "silently wrong"},
		{"repair", `{"id":"1","kind":"k","input":"{","want":[{}]}`, `{"id":"1","error":"no"}`, "refused"},
		{"guard", `{"id":"1","cmd":"ls","label":"safe"}`, `{"id":"1","decision":"ask"}`, "interrupted"},
		{"guard", `{"id":"1","cmd":"x","label":"ask","sev":"low"}`, `{"id":"1","decision":"allow"}`, "let through"},
		{"guard", `{"id":"1","cmd":"x","label":"deny"}`, `{"id":"1","decision":"ask"}`, "only asked"},
		{"guard", `{"id":"1","cmd":"x","label":"deny","accept":["ask"]}`, `{"id":"1","decision":"ask"}`, "right"},
		{"guard", `{"id":"1","cmd":"x","label":"ask"}`, `{"id":"1","decision":"nonsense"}`, "missing"},
	}
	for _, row := range rows {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, row.corpus+".jsonl"), []byte(row.row), 0o600); err != nil {
			t.Fatal(err)
		}
		b, err := OpenBench(dir, row.corpus, BenchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := b.Score(strings.NewReader(row.answer))
		if err != nil || s.Groups[0].Count[row.verdict] != 1 {
			t.Errorf("%s %s: %+v, %v, want %s", row.row, row.answer, s.Groups, err, row.verdict)
		}
	}
	b, err := OpenBench(corpora, "repair", BenchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"hi", `{"error":"no id"}`, `{"id":"no such row"}`} {
		if _, err := b.Score(strings.NewReader(bad)); err == nil {
			t.Errorf("the answer %s is taken", bad)
		}
	}
}

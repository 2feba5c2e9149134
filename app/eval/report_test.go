package eval

import (
	"bytes"
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rein/event"
	"rein/kit/script"
	"rein/model"
)

func scripted(t *testing.T, text string) model.Model {
	t.Helper()
	s, err := script.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return &script.Model{Script: s, Name: "test"}
}

// made are results without a run: for each case a text with a letter for each attempt, p, f, e or s.
func made(name string, runs int, cases ...string) *Results {
	r := &Results{Format: format, Config: Config{Name: name}, Version: "1", Runs: runs}
	for i, text := range cases {
		c := CaseInfo{Name: string(rune('a' + i)), Tags: []string{"<t>"}, File: "c.yaml"}
		r.Cases = append(r.Cases, c)
		for k, letter := range text {
			a := &Attempt{Case: c.Name, Number: k + 1, Seconds: 1, Usage: event.Usage{Input: 100, Cost: 0.01}}
			switch letter {
			case 'p':
				a.Status = Passed
			case 'f':
				a.Status, a.Checks = Failed, []CheckDone{{"file x", "it is <wrong> | \x01"}}
			case 'e':
				a.Status, a.Error = Errored, "the model failed"
			default:
				a.Status, a.Error, a.Usage, a.Seconds = Skipped, "no money", event.Usage{}, 0
			}
			r.Attempts = append(r.Attempts, a)
		}
	}
	return r
}

func TestReports(t *testing.T) {
	r := made("after", 4, "pppp", "pffp", "ppes", "ssss")
	s := r.Summaries()[0]
	if s.Cases != 3 || s.Passed != 8 || s.Failed != 2 || s.Errors != 1 || s.Skipped != 5 {
		t.Errorf("the summary: %+v", s)
	}
	near(t, "the share", s.Pass.Value, (1+0.5+2.0/3)/3)
	near(t, "pass@4", s.PassAt[3].Value, 1)
	near(t, "pass^2", s.PassAll[1].Value, (1+1.0/6+1.0/3)/3)
	dir := t.TempDir()
	c := Compare(made("before", 4, "pppp", "ffff", "pppp", "pppp"), r)
	if err := r.Write(dir, c); err != nil {
		t.Fatal(err)
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	var suite junitSuite
	if err := xml.Unmarshal([]byte(read("junit.xml")), &suite); err != nil || suite.Tests != 16 || suite.Failures != 2 || suite.Errors != 1 || suite.Skipped != 5 || len(suite.Cases) != 16 {
		t.Errorf("junit.xml: %v %+v", err, suite)
	}
	page := read("report.html")
	for _, not := range []string{"<script", "http://", "https://", "src=", "<wrong>", "<t>"} {
		if strings.Contains(page, not) {
			t.Errorf("the page holds %s", not)
		}
	}
	if strings.Count(page, "<svg") != 4 || !strings.Contains(page, "it is &lt;wrong&gt;") || !strings.Contains(page, "Compared with before") {
		t.Error("the page lacks plots, faults or the comparison")
	}
	if err := xml.NewDecoder(strings.NewReader(page[strings.Index(page, "<svg"):strings.LastIndex(page, "</svg>")+6] + "")).Decode(new(struct{})); err != nil {
		t.Errorf("a plot is no XML: %v", err)
	}
	if text := read("report.md"); !strings.Contains(text, `| b | 2 of 4 | file x: it is &lt;wrong> \|`) || !strings.Contains(text, "| all | 3 | 72.2 % |") {
		t.Errorf("report.md:\n%s", text)
	}
	back, err := ReadResults(filepath.Join(dir, "results.json"))
	if err != nil || len(back.Attempts) != 16 || back.Config.Name != "after" {
		t.Errorf("read back: %v", err)
	}
	var again bytes.Buffer
	if err := back.JSON(&again); err != nil || again.String() != read("results.json") {
		t.Errorf("results that were read are others: %v", err)
	}
}

func TestCompare(t *testing.T) {
	rows := []struct {
		name          string
		before, after []string
		verdict       string
		p             float64
	}{
		{"equal", []string{"p", "f"}, []string{"p", "f"}, "no case differs", 1},
		{"one worse", []string{"p", "p"}, []string{"p", "f"}, "the difference may be chance", 1},
		{"six worse", []string{"p", "p", "p", "p", "p", "p"}, []string{"f", "f", "f", "f", "e", "f"}, "worse", 0.03125},
		{"six better", []string{"f", "f", "f", "f", "f", "f"}, []string{"p", "p", "p", "p", "p", "p"}, "better", 0.03125},
		{"by shares", []string{"pf", "pf", "pf", "pf", "pf", "pf", "pp"}, []string{"pp", "pp", "pp", "pp", "pp", "pp", "pp"}, "better", 0.03125},
	}
	for _, row := range rows {
		runs := len(row.before[0])
		c := Compare(made("before", runs, row.before...), made("after", runs, row.after...))
		if c.Verdict() != row.verdict || c.Worsened() != (row.verdict == "worse") {
			t.Errorf("%s: %s", row.name, c.Verdict())
		}
		near(t, row.name, c.P, row.p)
	}
	if c := Compare(made("x", 1, "p", "p", "p"), made("y", 1, "p", "s")); len(c.Missing) != 2 || c.Cases != 1 {
		t.Errorf("cases of one alone: %+v", c)
	}
}

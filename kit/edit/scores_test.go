package edit

import (
	"bufio"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

var cases = flag.String("cases", "", "file of labelled cases for TestScores, lines {id, op, tier, file, old, new, expect}")

// labelled is a case with what may come of it.
type labelled struct {
	ID     string `json:"id"`
	Op     string `json:"op"`
	Tier   string `json:"tier"` // must, may, refuse
	File   string `json:"file"`
	Old    string `json:"old"`
	New    string `json:"new"`
	Expect string `json:"expect"`
}

// The anchors of comparison, written down from descriptions of their algorithms.
func exactly(file, old, new string) (string, bool) {
	if old == "" || strings.Count(file, old) != 1 {
		return "", false
	}
	return strings.Replace(file, old, new, 1), true
}

// fourLevels is exact, then with line ends normalised, then with the blanks around old trimmed, then line by line with
// trimmed lines; at each level the first that fits once is taken.
func fourLevels(file, old, new string) (string, bool) {
	if old == "" {
		return "", false
	}
	if n := strings.Count(file, old); n > 0 {
		return strings.Replace(file, old, new, 1), n == 1
	}
	lf := strings.NewReplacer("\r\n", "\n").Replace
	text, o, n := lf(file), lf(old), lf(new)
	back := func(s string) string {
		if strings.Contains(file, "\r\n") {
			return strings.ReplaceAll(s, "\n", "\r\n")
		}
		return s
	}
	for _, needle := range []string{o, strings.TrimSpace(o)} {
		if c := strings.Count(text, needle); needle != "" && c > 0 {
			return back(strings.Replace(text, needle, n, 1)), c == 1
		}
	}
	lines, want := strings.Split(text, "\n"), strings.Split(strings.TrimSpace(o), "\n")
	at := -1
	for i := 0; i+len(want) <= len(lines); i++ {
		same := true
		for j := range want {
			same = same && strings.TrimSpace(lines[i+j]) == strings.TrimSpace(want[j])
		}
		if same && at >= 0 {
			return "", false
		}
		if same {
			at = i
		}
	}
	if at < 0 {
		return "", false
	}
	out := append(append(append([]string{}, lines[:at]...), n), lines[at+len(want):]...)
	return back(strings.Join(out, "\n")), true
}

func engine(file, old, new string) (string, bool) {
	r, err := Apply(file, []Edit{{Old: old, New: new}}, nil)
	return r.Text, err == nil
}

func loadCases(t *testing.T) []labelled {
	if *cases == "" {
		return madeCases(t)
	}
	f, err := os.Open(*cases)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	var out []labelled
	for lines.Scan() {
		var c labelled
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		out = append(out, c)
	}
	return out
}

// madeCases are a few trials of each kind, always the same.
func madeCases(t *testing.T) []labelled {
	texts := sourceTexts(t)
	r := rand.New(rand.NewPCG(11, 12))
	var out []labelled
	for range 10 {
		for i := range harms {
			if c, ok := damaged(r, texts, i, -1); ok {
				out = append(out, labelled{Op: c.rule, Tier: "must", File: c.file, Old: c.old, New: c.new_, Expect: c.want})
			}
		}
		for _, h := range traps {
			if c, ok := trapped(r, texts, h); ok {
				out = append(out, labelled{Op: c.rule, Tier: "refuse", File: c.file, Old: c.old, New: c.new_})
			}
		}
	}
	return out
}

// TestScores puts the engine beside exact matching and the four levels, over made cases or those of -cases.
func TestScores(t *testing.T) {
	all := loadCases(t)
	for _, anchor := range []struct {
		name  string
		apply func(file, old, new string) (string, bool)
	}{{"engine", engine}, {"exact", exactly}, {"four levels", fourLevels}} {
		count := map[string]*tally{"must": {}, "may": {}, "refuse": {}}
		for _, c := range all {
			n := count[c.Tier]
			got, ok := anchor.apply(c.File, c.Old, c.New)
			switch {
			case (!ok || got == c.File) && c.Tier == "refuse":
				n.right++
			case !ok || got == c.File:
				n.refused++
			case c.Tier == "refuse":
				n.wrong++
			case got == c.Expect:
				n.right++
			case squeeze(got) == squeeze(c.Expect):
				n.space++
			default:
				n.wrong++
			}
		}
		for _, tier := range []string{"must", "may", "refuse"} {
			n := count[tier]
			if n.all() == 0 {
				continue
			}
			share := func(k int) float64 { return 100 * float64(k) / float64(n.all()) }
			t.Logf("%-12s %-6s of %4d: right %5.1f %%, refused %5.1f %%, wrong %5.2f %%, white space %5.2f %%", anchor.name, tier, n.all(), share(n.right), share(n.refused), share(n.wrong), share(n.space))
			if anchor.name == "engine" && (n.wrong > 0 || tier == "must" && share(n.right) < 98 || tier == "refuse" && n.right < n.all()) {
				t.Errorf("%s: %+v", tier, *n)
			}
		}
	}
}

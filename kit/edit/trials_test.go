package edit

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"
)

var (
	sources = flag.String("sources", "", "folder with more source files for TestTrials")
	rounds  = flag.Int("rounds", 40, "trials of each kind in TestTrials")
	seed    = flag.Uint64("seed", 1, "seed of TestTrials")
	show    = flag.Int("show", 3, "cases that TestTrials shows of each kind of fault")
)

func sourceTexts(t testing.TB) []string {
	var out []string
	patterns := []string{"testdata/sources/*"}
	for _, p := range patterns {
		names, err := filepath.Glob(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range names {
			b, err := os.ReadFile(n)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, string(b))
		}
	}
	if *sources == "" {
		return out
	}
	_ = filepath.WalkDir(*sources, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() || len(out) > 3000 {
			return nil
		}
		switch filepath.Ext(path) {
		case ".go", ".py", ".md", ".c", ".h", ".js", ".yml", ".yaml", ".sh", ".json", ".txt":
			if b, err := os.ReadFile(path); err == nil && len(b) < 60000 && !strings.Contains(string(b), "\r") {
				out = append(out, string(b))
			}
		}
		return nil
	})
	return out
}

// tally counts what became of the trials of one rule.
type tally struct{ right, refused, wrong, space int }

func (t tally) all() int { return t.right + t.refused + t.wrong + t.space }

func squeeze(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return isBlankChar(r) || r == '\n' }), "")
}

func judge(c trial) (string, error) {
	r, err := Apply(c.file, []Edit{{Old: c.old, New: c.new_}}, nil)
	switch {
	case err != nil:
		return "refused", err
	case r.Text == c.want:
		return "right", nil
	case squeeze(r.Text) == squeeze(c.want):
		return "space", fmt.Errorf("%s", Diff(c.want, r.Text))
	}
	return "wrong", fmt.Errorf("%s", Diff(c.want, r.Text))
}

// TestTrials damages real text in many ways, alone and in pairs, and demands that what is repaired is repaired to the
// byte, and that traps are refused.
func TestTrials(t *testing.T) {
	texts := sourceTexts(t)
	r := rand.New(rand.NewPCG(*seed, 7))
	count := map[string]*tally{}
	shown := map[string]int{}
	run := func(c trial) {
		if count[c.rule] == nil {
			count[c.rule] = &tally{}
		}
		verdict, why := judge(c)
		n := count[c.rule]
		switch verdict {
		case "right":
			n.right++
		case "refused":
			n.refused++
		case "space":
			n.space++
		default:
			n.wrong++
		}
		trap := strings.HasPrefix(c.rule, "trap")
		if verdict == "wrong" || trap && verdict != "refused" {
			t.Fail()
		}
		if verdict != "right" && !trap || trap && verdict != "refused" {
			if shown[c.rule+verdict]++; shown[c.rule+verdict] <= *show && (verdict != "refused" || testing.Verbose()) {
				t.Logf("%s: %s\n--- old\n%s\n--- new\n%s\n--- why\n%v", verdict, c.rule, c.old, c.new_, why)
			}
		}
	}
	for range *rounds {
		for i := range harms {
			if c, ok := damaged(r, texts, i, -1); ok {
				run(c)
			}
			if c, ok := damaged(r, texts, i, r.IntN(len(harms))); ok {
				run(c)
			}
		}
		for _, h := range traps {
			if c, ok := trapped(r, texts, h); ok {
				run(c)
			}
		}
	}
	summarise(t, count)
}

func damaged(r *rand.Rand, texts []string, i, j int) (trial, bool) {
	g, ok := pick(r, texts[r.IntN(len(texts))])
	if !ok {
		return trial{}, false
	}
	c := g.trial()
	c.rule = "one " + harms[i].name
	if j >= 0 {
		if slices.Index(layers, harms[j].kind) >= slices.Index(layers, harms[i].kind) {
			return c, false
		}
		c.rule = "two " + harms[i].name + " + " + harms[j].name
		if !harms[j].f(r, &c) {
			return c, false
		}
	}
	return c, harms[i].f(r, &c)
}

func trapped(r *rand.Rand, texts []string, h harm) (trial, bool) {
	g, ok := pick(r, texts[r.IntN(len(texts))])
	if !ok {
		return trial{}, false
	}
	c := g.trial()
	c.rule = "trap " + h.name
	return c, h.f(r, &c) && c.old != ""
}

func summarise(t *testing.T, count map[string]*tally) {
	var names []string
	groups := map[string]*tally{}
	for n, c := range count {
		names = append(names, n)
		g := strings.Fields(n)[0]
		if groups[g] == nil {
			groups[g] = &tally{}
		}
		groups[g].right += c.right
		groups[g].refused += c.refused
		groups[g].wrong += c.wrong
		groups[g].space += c.space
	}
	sort.Strings(names)
	for _, n := range names {
		if c := count[n]; testing.Verbose() && (c.refused > 0 || c.wrong+c.space > 0) && !strings.HasPrefix(n, "trap") {
			t.Logf("%-60s right %d refused %d wrong %d space %d", n, c.right, c.refused, c.wrong, c.space)
		}
	}
	for _, g := range []string{"one", "two", "trap"} {
		c := groups[g]
		t.Logf("%-5s %6d: right %.2f %%, refused %.2f %%, wrong %d, white space %d", g, c.all(), 100*float64(c.right)/float64(c.all()), 100*float64(c.refused)/float64(c.all()), c.wrong, c.space)
	}
	if one := groups["one"]; float64(one.right) < 0.98*float64(one.all()) || float64(one.space) > 0.01*float64(one.all()) {
		t.Errorf("of %d single damages only %d were repaired, %d with other blanks", one.all(), one.right, one.space)
	}
}

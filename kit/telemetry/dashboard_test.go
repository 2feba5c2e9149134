package telemetry

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// The dashboard asks only for metrics and labels that there are, and for all metrics but the one that others repeat.
func TestTheDashboard(t *testing.T) {
	text, err := os.ReadFile("../../docs/grafana.json")
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(text, &board); err != nil {
		t.Fatal(err)
	}
	labels := map[string][]string{} // by metric, of a story in which all of them come
	tel := Open(Options{Count: true, Getenv: func(string) string { return "" }})
	for _, e := range story(time.Now()) {
		tel.Watch(e)
	}
	for i, points := range tel.counts.all {
		name := metricDefs[i].prometheus()
		for _, p := range points {
			for _, a := range p.attrs {
				labels[name] = append(labels[name], strings.ReplaceAll(a.key, ".", "_"))
			}
		}
		if len(points) == 0 {
			t.Errorf("the story has no %s", name)
		}
	}
	metric, label := regexp.MustCompile(`\b(?:gen_ai|rein)_\w+(?:_total|_seconds)(?:_bucket|_count|_sum)?\b`), regexp.MustCompile(`by \(([^)]*)\)|\{(\w+)[=!]`)
	used := map[string]bool{}
	for _, p := range board.Panels {
		for _, target := range p.Targets {
			names := metric.FindAllString(target.Expr, -1)
			for _, name := range names {
				base := regexp.MustCompile(`_(bucket|count|sum)$`).ReplaceAllString(name, "")
				used[base] = true
				if labels[base] == nil {
					t.Errorf("%s: there is no metric %s", p.Title, name)
				}
				for _, m := range label.FindAllStringSubmatch(target.Expr, -1) {
					for l := range strings.SplitSeq(m[1]+m[2], ", ") {
						if l != "le" && !slices.Contains(labels[base], l) {
							t.Errorf("%s: %s has no label %q", p.Title, base, l)
						}
					}
				}
			}
			if len(names) == 0 {
				t.Errorf("%s asks for nothing", p.Title)
			}
		}
	}
	for i, d := range metricDefs {
		if name := d.prometheus(); !used[name] && i != mTokens && i != mCacheWrite {
			t.Errorf("no panel shows %s", name)
		}
	}
}

package eval

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"sync"
)

//go:embed report.html
var page string

var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("report").Funcs(template.FuncMap{"percent": percent}).Parse(page))
})

// HTML writes one page with plots and all attempts. It loads nothing from elsewhere and has no script.
func (r *Results) HTML(w io.Writer, c *Comparison) error {
	all := r.Summaries()
	data := map[string]any{
		"Title": r.title(), "Results": r, "Text": all[0].Text(r), "Summaries": all, "Comparison": c,
		"Curves": curves(all[0]), "Bars": bars(all), "Times": r.histogram("seconds", func(a *Attempt) float64 { return a.Seconds }),
		"Tokens": r.histogram("tokens", func(a *Attempt) float64 { return float64(a.Usage.Input + a.Usage.Output) }), "Cases": r.rows(),
	}
	return pageTemplate().Execute(w, data)
}

// caseRow is a case with its attempts.
type caseRow struct {
	CaseInfo
	Attempts []*Attempt
	Passed   int
	Counted  int
}

func (r *Results) rows() (all []caseRow) {
	for _, c := range r.Cases {
		made := r.of(c.Name)
		row := caseRow{CaseInfo: c, Passed: passed(made), Counted: len(made)}
		for _, a := range r.Attempts {
			if a.Case == c.Name {
				row.Attempts = append(row.Attempts, a)
			}
		}
		all = append(all, row)
	}
	slices.SortStableFunc(all, func(a, b caseRow) int { return (a.Passed - a.Counted) - (b.Passed - b.Counted) })
	return all
}

// The plots have this size in their own units.
const width, height, margin = 460, 220, 34

// plot writes an SVG with a frame; draw adds what is in it.
func plot(title string, h int, draw func(*strings.Builder)) template.HTML {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %d %d" role="img" aria-label="%s"><title>%[3]s</title>`, width, h, template.HTMLEscapeString(title))
	draw(&b)
	b.WriteString("</svg>")
	return template.HTML(b.String()) // made of numbers and escaped texts
}

func label(b *strings.Builder, x, y float64, anchor, text string) {
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="%s">%s</text>`, x, y, anchor, template.HTMLEscapeString(text))
}

// curves shows pass@k and pass^k with their intervals.
func curves(s Summary) template.HTML {
	n := len(s.PassAt)
	x := func(k int) float64 { return margin + float64(width-2*margin)*(float64(k)-0.5)/float64(n) }
	y := func(v float64) float64 { return float64(height-margin) - v*float64(height-2*margin) }
	return plot("pass@k and pass^k", height, func(b *strings.Builder) {
		for v := 0.0; v <= 1; v += 0.25 {
			fmt.Fprintf(b, `<line class="grid" x1="%d" x2="%d" y1="%.1f" y2="%.1[3]f"/>`, margin, width-margin, y(v))
			label(b, margin-4, y(v)+4, "end", fmt.Sprintf("%.0f", 100*v))
		}
		for _, series := range []struct {
			class string
			all   []At
		}{{"at", s.PassAt}, {"all", s.PassAll}} {
			var points []string
			for _, p := range series.all {
				fmt.Fprintf(b, `<line class="%s" x1="%.1f" x2="%.1[2]f" y1="%.1[3]f" y2="%.1[4]f"/><circle class="%[1]s" cx="%.1[2]f" cy="%.1[5]f" r="4"><title>k = %[6]d: %[7]s (%[8]s)</title></circle>`,
					series.class, x(p.K), y(p.Low), y(p.High), y(p.Value), p.K, percent(p.Value), p.range100())
				points = append(points, fmt.Sprintf("%.1f,%.1f", x(p.K), y(p.Value)))
			}
			fmt.Fprintf(b, `<polyline class="%s" points="%s"/>`, series.class, strings.Join(points, " "))
		}
		for _, k := range s.PassAt {
			if n <= 10 || k.K == 1 || k.K%5 == 0 {
				label(b, x(k.K), height-margin+16, "middle", fmt.Sprint(k.K))
			}
		}
	})
}

// bars shows the share that passes, for all and by tag.
func bars(all []Summary) template.HTML {
	const row, left = 22, 130
	x := func(v float64) float64 { return left + v*(width-left-20) }
	return plot("share of attempts that pass, by tag", row*len(all)+24, func(b *strings.Builder) {
		for v := 0.0; v <= 1; v += 0.25 {
			fmt.Fprintf(b, `<line class="grid" x1="%.1f" x2="%.1[1]f" y1="0" y2="%d"/>`, x(v), row*len(all))
			label(b, x(v), float64(row*len(all)+16), "middle", fmt.Sprintf("%.0f %%", 100*v))
		}
		for i, s := range all {
			y := float64(i * row)
			label(b, left-6, y+15, "end", fmt.Sprintf("%s (%d)", s.Name, s.Cases))
			fmt.Fprintf(b, `<rect class="bar" x="%d" y="%.1f" width="%.1f" height="12"><title>%s: %s (%s)</title></rect>`, left, y+5, x(s.Pass.Value)-left,
				template.HTMLEscapeString(s.Name), percent(s.Pass.Value), s.Pass.range100())
			fmt.Fprintf(b, `<line class="error" x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1[3]f"/>`, x(s.Pass.Low), x(s.Pass.High), y+11)
		}
	})
}

// histogram shows how often a value comes, those of attempts that passed below the others.
func (r *Results) histogram(unit string, value func(*Attempt) float64) template.HTML {
	const bins = 20
	most := 0.0
	for _, a := range r.Attempts {
		most = max(most, value(a))
	}
	var passed, others [bins]int
	highest := 1
	for _, a := range r.Attempts {
		if a.Status == Skipped {
			continue
		}
		i := 0
		if most > 0 {
			i = min(int(value(a)/most*bins), bins-1)
		}
		if a.Status == Passed {
			passed[i]++
		} else {
			others[i]++
		}
		highest = max(highest, passed[i]+others[i])
	}
	return plot("attempts by "+unit, height, func(b *strings.Builder) {
		w, scale := float64(width-2*margin)/bins, float64(height-2*margin)/float64(highest)
		for i := range bins {
			x, y := margin+float64(i)*w, float64(height-margin)
			for _, part := range []struct {
				class string
				n     int
			}{{"bar", passed[i]}, {"bad", others[i]}} {
				h := float64(part.n) * scale
				y -= h
				fmt.Fprintf(b, `<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f"><title>%d</title></rect>`, part.class, x, y, w-2, h, part.n)
			}
		}
		label(b, margin, height-margin+16, "start", "0")
		label(b, width-margin, height-margin+16, "end", strings.TrimSuffix(fmt.Sprintf("%.1f", most), ".0")+" "+unit)
		label(b, margin-4, margin+4, "end", fmt.Sprint(highest))
	})
}

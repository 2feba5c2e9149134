package eval

import (
	_ "embed"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"
)

// page is the head of the page. Package html/template would add 5 MB to the program: with it the linker keeps all methods of all types.
//
//go:embed report.html
var page string

// HTML writes one page with plots and all attempts. It loads nothing from elsewhere and has no script.
func (r *Results) HTML(w io.Writer, c *Comparison) error {
	all := r.Summaries()
	p := &htmlPage{}
	p.raw(strings.ReplaceAll(page, "TITLE", html.EscapeString(r.title())))
	p.text("<h1>Evaluation: %s</h1>\n<p>%s Begun %s; rein %s.</p>\n", r.title(), all[0].Text(r), r.Began.Format("2006-01-02 15:04"), r.Version)
	if c != nil {
		p.text("<h2>Compared with %s</h2>\n<p><strong>%s</strong>: cases: %s, better: %s, worse: %s, p = %s (exact sign test over cases). Passes: %s.</p>\n", c.Before, c.Verdict(),
			fmt.Sprint(c.Cases), fmt.Sprint(len(c.Better)), fmt.Sprint(len(c.Worse)), fmt.Sprintf("%.3g", c.P), fmt.Sprintf("%+.3f (%+.3f to %+.3f)", c.Pass.Value, c.Pass.Low, c.Pass.High))
		p.list("Better", c.Better)
		p.list("Worse", c.Worse)
	}
	p.raw(`<div class="plots">`)
	p.figure(curves(all[0]), `<span class="key">pass@k</span> (one of k attempts passes) and <span class="key2">pass^k</span> (all of k pass), in %, with intervals of 95 %`)
	p.figure(bars(all), "Share of attempts that pass, by tag (number of cases)")
	p.figure(r.histogram("seconds", func(a *Attempt) float64 { return a.Seconds }), `Attempts by time; <span class="key2">not passed</span>`)
	p.figure(r.histogram("tokens", func(a *Attempt) float64 { return float64(a.Usage.Input + a.Usage.Output) }), `Attempts by tokens; <span class="key2">not passed</span>`)
	p.raw("</div>\n<h2>Numbers</h2>\n<div class=\"wide\"><table>\n<tr><th></th><th>cases</th><th>pass</th><th>95 %</th><th>tokens</th><th>seconds</th><th>questions</th><th>US$</th></tr>\n")
	for _, s := range all {
		p.text("<tr><td>%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td></tr>\n", s.Name, fmt.Sprint(s.Cases), percent(s.Pass.Value), s.Pass.range100(),
			fmt.Sprintf("%.0f", s.Tokens.Value), fmt.Sprintf("%.2f", s.Seconds.Value), fmt.Sprintf("%.2f", s.Questions.Value), s.USD.money())
	}
	p.raw("</table></div>\n<h2>Cases</h2>\n")
	for _, row := range r.rows() {
		p.row(&row)
	}
	p.raw("</body>\n</html>\n")
	_, err := io.WriteString(w, p.b.String())
	return err
}

// htmlPage is written from the top down.
type htmlPage struct{ b strings.Builder }

// raw adds what is HTML.
func (p *htmlPage) raw(markup string) { p.b.WriteString(markup) }

// text adds HTML with texts in it, which are escaped.
func (p *htmlPage) text(markup string, texts ...string) {
	safe := make([]any, len(texts))
	for i, t := range texts {
		safe[i] = html.EscapeString(printable(t))
	}
	fmt.Fprintf(&p.b, markup, safe...)
}

func (p *htmlPage) list(what string, names []string) {
	if len(names) > 0 {
		p.text("<p>%s: %s.</p>\n", what, strings.Join(names, ", "))
	}
}

func (p *htmlPage) figure(plot, caption string) {
	p.raw("<figure>" + plot + "<figcaption>" + caption + "</figcaption></figure>\n")
}

// row adds a case with its attempts.
func (p *htmlPage) row(c *caseRow) {
	class, sign := "passed", "✓"
	if c.Passed < c.Counted {
		class, sign = "failed", "✗"
	}
	p.text(`<details><summary><span class="%s">%s</span> %s <span class="skipped">%s of %s</span></summary>`+"\n<p>%s</p>\n", class, sign, c.Name, fmt.Sprint(c.Passed), fmt.Sprint(c.Counted), c.About)
	for _, a := range c.Attempts {
		p.text(`<p>Attempt %s: <span class="%s">%s</span>, %s s, requests: %s, calls: %s, questions: %s, session %s</p>`+"\n", fmt.Sprint(a.Number), string(a.Status), string(a.Status), fmt.Sprintf("%.2f", a.Seconds),
			fmt.Sprint(a.Requests), fmt.Sprint(a.Calls), fmt.Sprint(a.Questions), a.Session)
		for _, text := range []string{a.Why(), a.Answer} {
			if text != "" {
				p.text("<pre>%s</pre>\n", text)
			}
		}
	}
	p.raw("</details>\n")
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
func plot(title string, h int, draw func(*strings.Builder)) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %d %d" role="img" aria-label="%s"><title>%[3]s</title>`, width, h, html.EscapeString(title))
	draw(&b)
	b.WriteString("</svg>")
	return b.String()
}

func label(b *strings.Builder, x, y float64, anchor, text string) {
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="%s">%s</text>`, x, y, anchor, html.EscapeString(text))
}

// curves shows pass@k and pass^k with their intervals.
func curves(s Summary) string {
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
func bars(all []Summary) string {
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
				html.EscapeString(s.Name), percent(s.Pass.Value), s.Pass.range100())
			fmt.Fprintf(b, `<line class="error" x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1[3]f"/>`, x(s.Pass.Low), x(s.Pass.High), y+11)
		}
	})
}

// histogram shows how often a value comes, those of attempts that passed below the others.
func (r *Results) histogram(unit string, value func(*Attempt) float64) string {
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

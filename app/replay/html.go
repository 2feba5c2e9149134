package replay

import (
	"fmt"
	"html"
	"io"
	"strings"

	"rein/kit/document"
)

// diffStyle is the style of the page. It has no script, and makes no request.
const diffStyle = `body{font:14px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem;color-scheme:light dark}
table{border-collapse:collapse;margin:1rem 0}td,th{padding:.15rem 1rem .15rem 0;text-align:left;vertical-align:top}
pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:0;max-height:20rem;overflow:auto}
.steps{width:100%;table-layout:fixed}.steps td{border-top:1px solid #8884;width:50%}.same{opacity:.6}
.minus{background:#f852}.plus{background:#3b52}.changed{background:#da32}.what{font-weight:600}`

// WriteHTML writes the differences as one page, both runs side by side.
func (d *Diff) WriteHTML(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%s and %s</title>
<style>%s</style>
</head>
<body>
<h1>Two runs</h1>
<p>%s</p>
<table><tr><th></th><th>A</th><th>B</th></tr>
`, escape(d.A.Session), escape(d.B.Session), diffStyle, escape(d.Summary()))
	for _, r := range d.rows() {
		fmt.Fprintf(&b, "<tr><th>%s</th><td>%s</td><td>%s</td></tr>\n", r.name, escape(r.a), escape(r.b))
	}
	for _, c := range d.Sent {
		x, y := around(c.A, c.B)
		fmt.Fprintf(&b, "<tr><th>%s</th><td>%s</td><td>%s</td></tr>\n", escape(string(c.What)), escape(x), escape(y))
	}
	b.WriteString("</table>\n")
	d.htmlSteps(&b)
	if len(d.Files) > 0 {
		b.WriteString("<h2>Files</h2>\n<table><tr><th>File</th><th>A</th><th>B</th></tr>\n")
		for _, f := range d.Files {
			fmt.Fprintf(&b, "<tr><td>%s</td><td>%s</td><td>%s</td></tr>\n", escape(f.Path), escape(f.A), escape(f.B))
		}
		b.WriteString("</table>\n")
	}
	b.WriteString("</body>\n</html>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func escape(text string) string { return html.EscapeString(document.Printable(text)) }

func (d *Diff) htmlSteps(b *strings.Builder) {
	b.WriteString("<table class=\"steps\">\n")
	for i := range d.Pairs {
		p := &d.Pairs[i]
		class := map[string]string{"=": "same", "-": "minus", "+": "plus"}[p.sign()]
		if class == "" {
			class = "changed"
		}
		fmt.Fprintf(b, `<tr class="%s"><td>%s</td><td>%s</td></tr>`+"\n", class, htmlStep(p.A), htmlStep(p.B))
		for _, c := range p.Changes {
			fmt.Fprintf(b, `<tr class="changed"><td><span class="what">%s</span><pre>%s</pre></td><td><span class="what">%s</span><pre>%s</pre></td></tr>`+"\n", c.What, escape(c.A), c.What, escape(c.B))
		}
		for _, agent := range p.Agents {
			b.WriteString("<tr><td colspan=\"2\">")
			agent.htmlSteps(b)
			b.WriteString("</td></tr>\n")
		}
	}
	b.WriteString("</table>\n")
}

func htmlStep(s *Step) string {
	if s == nil {
		return ""
	}
	text := escape(s.title())
	if s.Call != nil {
		text += " <small>" + escape(s.Call.Decided()) + "</small>"
	}
	if s.Took > 0 {
		text += " <small>" + round(s.Took) + "</small>"
	}
	return text
}

package sessions

import (
	"crypto/sha256"
	_ "embed" // the style and the script of the page
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"strings"
)

//go:embed page.css
var pageStyle string

//go:embed page.js
var pageScript string

// writeHTML writes one page. Text is escaped wherever it goes; the page's policy lets only its own style and script run, by
// their hashes, and makes no request.
func writeHTML(w io.Writer, a transcriptAbout, items []*transcriptItem) error {
	var b strings.Builder
	fmt.Fprintf(&b, `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>%s</title>
<style>%s</style>
</head>
<body>
<header>
<h1>%s</h1>
<dl>`, hash(pageStyle), hash(pageScript), escapeHTML(a.heading()), pageStyle, escapeHTML(a.heading()))
	for _, r := range a.rows() {
		fmt.Fprintf(&b, "<div><dt>%s</dt><dd>%s</dd></div>", escapeHTML(r[0]), escapeHTML(r[1]))
	}
	b.WriteString(`</dl>
<div class="tools"><input id="search" type="search" placeholder="Search" aria-label="Search" autocomplete="off"><output id="found"></output><button id="fold" type="button">Open all calls</button><button id="theme" type="button">Dark or light</button></div>
</header>
<main>
`)
	for _, it := range items {
		htmlItem(&b, it)
	}
	fmt.Fprintf(&b, "</main>\n<script>%s</script>\n</body>\n</html>\n", pageScript)
	_, err := io.WriteString(w, b.String())
	return err
}

// hash is the source expression of a policy for exactly this style or script.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// escapeHTML escapes a text for an element or an attribute in quotes.
func escapeHTML(text string) string { return html.EscapeString(visible(text)) }

// visible puts a sign in place of each control character but tabs and line ends.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < ' ' || r == 0x7f:
			return '\ufffd'
		case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069: // would turn the direction of what follows
			return '\ufffd'
		}
		return r
	}, text)
}

func htmlItem(b *strings.Builder, it *transcriptItem) {
	when := `<time datetime="` + escapeHTML(it.time.Format("2006-01-02T15:04:05Z07:00")) + `">` + escapeHTML(it.time.Format("15:04:05")) + `</time>`
	switch it.kind {
	case "user", "model":
		fmt.Fprintf(b, `<article class="%s" id="e%d"><h2>%s %s</h2>`, it.kind, it.seq, map[string]string{"user": "User", "model": "Model"}[it.kind]+escapeHTML(it.by), when)
		if it.thinking != "" {
			fmt.Fprintf(b, `<details class="thinking"><summary>Thinking</summary><pre>%s</pre></details>`, escapeHTML(strings.TrimSpace(it.thinking)))
		}
		htmlText(b, it.text)
		htmlImages(b, it.images)
		b.WriteString("</article>\n")
	case "call":
		htmlCall(b, it)
	default:
		fmt.Fprintf(b, `<p class="note">%s %s</p>`+"\n", escapeHTML(strings.TrimSpace(it.text)), when)
	}
}

func htmlCall(b *strings.Builder, it *transcriptItem) {
	state, sign := "ok", "✓"
	switch {
	case !it.done:
		state, sign = "open", "…"
	case it.failed:
		state, sign = "failed", "✗"
	}
	fmt.Fprintf(b, `<details class="call %s" id="e%d"><summary><span class="sign">%s</span> <b>%s</b> <code>%s</code></summary>`, state, it.seq, sign, escapeHTML(it.name), escapeHTML(callGist(it.args)))
	fmt.Fprintf(b, `<pre class="args">%s</pre>`, escapeHTML(indented(it.args)))
	if it.answer != "" {
		fmt.Fprintf(b, `<p class="answer">%s</p>`, escapeHTML(it.answer))
	}
	for _, c := range it.changes {
		fmt.Fprintf(b, `<p class="file">%s <span class="add">+%d</span> <span class="del">-%d</span></p><pre class="diff">`, escapeHTML(c.Path), c.Added, c.Removed)
		for _, line := range strings.Split(strings.TrimRight(c.Diff, "\n"), "\n") {
			fmt.Fprintf(b, `<span class="%s">%s</span>`, diffClass(line), escapeHTML(line))
		}
		b.WriteString("</pre>")
	}
	if it.result != "" {
		fmt.Fprintf(b, `<pre class="result">%s</pre>`, escapeHTML(it.result))
	}
	htmlImages(b, it.images)
	b.WriteString("</details>\n")
}

// diffClass says how a line of a diff is shown. Line numbers may come before its sign.
func diffClass(line string) string {
	switch rest := strings.TrimLeft(line, " 0123456789"); {
	case strings.HasPrefix(rest, "+"):
		return "add"
	case strings.HasPrefix(rest, "-"):
		return "del"
	case strings.HasPrefix(rest, "@@"):
		return "hunk"
	}
	return "same"
}

// callGist is the first line of a call's arguments.
func callGist(args string) string {
	var values map[string]any
	text := args
	if json.Unmarshal([]byte(args), &values) == nil {
		for _, key := range []string{"command", "path", "file_path", "pattern", "url", "task"} {
			if v, ok := values[key].(string); ok {
				text = v
				break
			}
		}
	}
	if short := []rune(oneLine(text)); len(short) > 120 {
		return string(short[:119]) + "…"
	}
	return oneLine(text)
}

func indented(args string) string {
	var v any
	if json.Unmarshal([]byte(args), &v) != nil {
		return args
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if enc.Encode(v) != nil {
		return args
	}
	return strings.TrimSpace(b.String())
}

// Pictures that a browser shows without running anything.
var shown = map[string]bool{"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true}

func htmlImages(b *strings.Builder, images []transcriptImage) {
	for _, i := range images {
		if shown[i.mediaType] {
			fmt.Fprintf(b, `<img alt="%s" src="data:%s;base64,%s">`, escapeHTML(i.name), i.mediaType, base64.StdEncoding.EncodeToString(i.data))
			continue
		}
		fmt.Fprintf(b, `<p class="note">attached: %s %s, %d bytes</p>`, escapeHTML(i.mediaType), escapeHTML(i.name), len(i.data))
	}
}

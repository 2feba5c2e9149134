package server

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"net/http"
	"regexp"
	"strings"
	"unicode"

	"rein/guard"
)

// linkView is what the page of a link shows.
type linkView struct {
	Title   string // of the session
	Dir     string
	Lines   []string // the request
	Command string   // that it would run
	High    bool     // it is of high risk
	Approve bool     // it may be approved here
	Hash    string   // of the request: the answer must name it
	State   string   // "": it waits; else done, gone, changed or failed: the lines are not shown
}

// style is the only one of the page; the policy names its hash.
const style = `body{font:1rem/1.5 system-ui,sans-serif;max-width:48rem;margin:2rem auto;padding:0 1rem}pre{white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid;padding:.75rem}button,input{font:inherit;padding:.5rem 1rem;margin:.25rem .5rem .25rem 0}input{width:min(100%,24rem);box-sizing:border-box}`

// words are the texts of a language.
type words struct{ title, high, approve, deny, why, done, gone, changed, failed, page string }

var english = words{"Approval request", "This call is of high risk.", "Allow once", "Deny", "Words for the model, with a denial", "Your answer counts.",
	"This link was used already, has expired, or the request was answered elsewhere.", "The request has changed since the link was sent: use the new one.", "The answer was not taken. Answer in the page of rein.",
	"This request is a question: answer it in the page of rein. Here you can deny it."}

var chinese = words{"审批请求", "此调用风险高。", "允许一次", "拒绝", "拒绝时给模型的说明", "你的回答已生效。", "此链接已使用、已过期，或请求已在别处回答。", "链接发出后请求已改变：请使用新的链接。", "回答未被接受。请在 rein 的页面中回答。", "此请求是一个提问：请在 rein 的页面中回答。在这里可以拒绝。"}

// Write shows the page. It loads nothing, and runs nothing.
func (v linkView) Write(w http.ResponseWriter, r *http.Request) {
	lang, say := "en", english
	if strings.HasPrefix(strings.ToLower(r.Header.Get("Accept-Language")), "zh") {
		lang, say = "zh-CN", chinese
	}
	sum := sha256.Sum256([]byte(style))
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'")
	h.Set("Referrer-Policy", "same-origin") // else browsers send the form without its origin
	h.Set("X-Robots-Tag", "noindex")
	if v.State != "" && v.State != "done" {
		w.WriteHeader(http.StatusGone)
	}
	fmt.Fprintf(w, "<!doctype html>\n<html lang=%q><meta charset=utf-8><meta name=viewport content=\"width=device-width\"><meta name=color-scheme content=\"light dark\"><title>%s</title><style>%s</style><h1>%s</h1>\n", lang, say.title, style, say.title)
	if text, ok := map[string]string{"done": say.done, "gone": say.gone, "changed": say.changed, "failed": say.failed}[v.State]; ok {
		fmt.Fprintf(w, "<p role=status>%s</p></html>\n", text)
		return
	}
	v.form(w, say)
}

func (v linkView) form(w io.Writer, say words) {
	fmt.Fprintf(w, "<p><strong>%s</strong><br>%s</p>\n", shown(v.Title), shown(v.Dir))
	if v.High {
		fmt.Fprintf(w, "<p><strong>%s</strong></p>\n", say.high)
	}
	fmt.Fprintf(w, "<pre>%s</pre>\n<form method=post autocomplete=off><input type=hidden name=hash value=\"%s\">\n", strings.Join(markedLines(v.Lines, v.Command), "\n"), shown(v.Hash))
	if v.Approve {
		fmt.Fprintf(w, "<p><button name=choice value=approved>%s</button></p>\n", say.approve)
	} else {
		fmt.Fprintf(w, "<p>%s</p>\n", say.page)
	}
	fmt.Fprintf(w, "<p><label>%s<br><input name=words maxlength=2000></label><button name=choice value=denied>%s</button></p></form></html>\n", say.why, say.deny)
}

// carets is a line below a command: it points at what asks.
var carets, caretRuns = regexp.MustCompile(`^ +\^[\^ ]*$`), regexp.MustCompile(`\^+`)

// markedLines makes lines safe for HTML. What the carets below a line of the command point at is marked instead: on a narrow screen both lines
// wrap, and the carets would point at something else.
func markedLines(all []string, command string) (out []string) {
	left := strings.Split(command, "\n") // of the command: a line of carets may be one, and stays
	for i := 0; i < len(all); i++ {
		under := ""
		if len(left) > 0 && all[i] == "  "+guard.Printable(left[0]) {
			left = left[1:]
			if i+1 < len(all) && carets.MatchString(all[i+1]) && !(len(left) > 0 && all[i+1] == "  "+guard.Printable(left[0])) {
				under = all[i+1]
			}
		}
		out = append(out, marked([]rune(all[i]), under))
		if under != "" {
			i++
		}
	}
	return out
}

// marked marks what is above the carets.
func marked(line []rune, under string) string {
	var b strings.Builder
	last := 0
	for _, at := range caretRuns.FindAllStringIndex(under, -1) {
		from, to := min(at[0], len(line)), min(at[1], len(line))
		b.WriteString(shown(string(line[last:from])) + "<mark>" + shown(string(line[from:to])) + "</mark>")
		last = to
	}
	return b.String() + shown(string(line[last:]))
}

// shown makes text safe for HTML. Characters that hide or turn what follows are shown as their code.
func shown(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r != '\n' && r != '\t' && !unicode.IsGraphic(r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) || unicode.Is(unicode.Variation_Selector, r) {
			fmt.Fprintf(&b, "<U+%04X>", r)
			continue
		}
		b.WriteRune(r)
	}
	return html.EscapeString(b.String())
}

package sessions

import (
	"fmt"
	"io"
	"strings"
)

// writeMarkdown writes the session as Markdown. Calls are code blocks whose fences are longer than those in their text.
func writeMarkdown(w io.Writer, a transcriptAbout, items []*transcriptItem) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", oneLine(a.heading()))
	for _, row := range a.rows() {
		fmt.Fprintf(&b, "- %s: %s\n", row[0], oneLine(row[1]))
	}
	for _, it := range items {
		b.WriteString("\n")
		switch it.kind {
		case "user", "model":
			markdownMessage(&b, it)
		case "call":
			markdownCall(&b, it)
		default:
			fmt.Fprintf(&b, "> %s\n", strings.ReplaceAll(strings.TrimSpace(it.text), "\n", "\n> "))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func markdownMessage(b *strings.Builder, it *transcriptItem) {
	who := map[string]string{"user": "User", "model": "Model"}[it.kind] + it.by
	fmt.Fprintf(b, "## %s · %s\n\n", who, it.time.Format("2006-01-02 15:04:05"))
	if it.thinking != "" {
		b.WriteString("Thinking:\n\n" + fenced(it.thinking, "") + "\n")
	}
	if text := strings.TrimSpace(it.text); text != "" {
		b.WriteString(text + "\n")
	}
	for _, i := range it.images {
		fmt.Fprintf(b, "\n[attached: %s %s, %d bytes]\n", oneLine(i.mediaType), oneLine(i.name), len(i.data))
	}
}

func markdownCall(b *strings.Builder, it *transcriptItem) {
	state := ""
	switch {
	case !it.done:
		state = " (no result)"
	case it.failed:
		state = " (failed)"
	}
	fmt.Fprintf(b, "### Call: %s%s\n\n%s", oneLine(it.name), state, fenced(it.args, "json"))
	if it.answer != "" {
		fmt.Fprintf(b, "\n%s\n", oneLine(it.answer))
	}
	for _, c := range it.changes {
		fmt.Fprintf(b, "\n%s (+%d -%d)\n\n%s", oneLine(c.Path), c.Added, c.Removed, fenced(c.Diff, "diff"))
	}
	if it.result != "" {
		b.WriteString("\n" + fenced(it.result, ""))
	}
	for _, i := range it.images {
		fmt.Fprintf(b, "\n[attached: %s %s, %d bytes]\n", oneLine(i.mediaType), oneLine(i.name), len(i.data))
	}
}

// fenced is a code block with a fence that the text does not have.
func fenced(text, language string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + language + "\n" + strings.TrimRight(text, "\n") + "\n" + fence + "\n"
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// rows is what the document says of the session, in order.
func (a transcriptAbout) rows() [][2]string {
	rows := [][2]string{{"Session", a.ID}, {"Directory", a.Dir}, {"Model", a.Model}}
	if !a.Start.IsZero() {
		rows = append(rows, [2]string{"From", a.Start.Format("2006-01-02 15:04 MST")}, [2]string{"To", a.Last.Format("2006-01-02 15:04 MST")})
	}
	rows = append(rows, [2]string{"Messages", fmt.Sprint(a.Messages)}, [2]string{"Calls", fmt.Sprint(a.Calls)},
		[2]string{"Tokens", fmt.Sprintf("%d in, %d out", a.Usage.Input, a.Usage.Output)})
	if len(a.Tags) > 0 {
		rows = append(rows, [2]string{"Tags", strings.Join(a.Tags, " ")})
	}
	kept := rows[:0]
	for _, r := range rows {
		if r[1] != "" {
			kept = append(kept, r)
		}
	}
	return kept
}

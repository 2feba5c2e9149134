package main

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// command is a line of a help text that names a sub-command, with its summary.
var command = regexp.MustCompile(`(?m)^  ([a-z][a-z-]*)  +(\S.*)$`)

// manual returns a page of the manual for rein and for each of its commands, made of what they say with --help.
func (r *release) manual(ctx context.Context, rein string) (pages []file, err error) {
	var add func(words []string, about string) error
	add = func(words []string, about string) error {
		help, err := r.says(ctx, rein, append(words[1:len(words):len(words)], "--help")...)
		if err != nil {
			return err
		}
		name := strings.Join(words, "-")
		pages = append(pages, file{name: "man/" + name + ".1", content: []byte(r.page(name, strings.Join(words, " "), about, help)), mode: 0o644})
		_, commands, _ := strings.Cut(help, "[command]\n") // without sub-commands there is nothing after it
		commands, _, _ = strings.Cut(commands, "\nFlags:\n")
		for _, found := range command.FindAllStringSubmatch(commands, -1) {
			if found[1] == "help" {
				continue
			}
			if err := add(append(words[:len(words):len(words)], found[1]), found[2]); err != nil {
				return err
			}
		}
		return nil
	}
	return pages, add([]string{"rein"}, summary)
}

// says is what a program of rein prints: in English, whatever the language and the settings of who makes the release.
func (r *release) says(ctx context.Context, rein string, args ...string) (string, error) {
	return output(ctx, r.Out, "env", append([]string{"LC_ALL=C", "REIN_HOME=" + filepath.Join(filepath.Dir(rein), "nobody"), rein}, args...)...)
}

// page is a page of the manual; about is one line for the lists of pages. The help text stays as it is laid out for a terminal.
func (r *release) page(name, words, about, help string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %q 1 %q %q \"rein\"\n", strings.ToUpper(name), r.Time.Format("2006-01-02"), "rein "+strings.TrimPrefix(r.Version, "v"))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(name), roff(about))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n[...]\n.SH DESCRIPTION\n.nf\n", roff(words))
	for line := range strings.SplitSeq(help, "\n") {
		b.WriteString(roff(line) + "\n")
	}
	b.WriteString(".fi\n")
	return b.String()
}

// roff escapes a line of text.
func roff(line string) string {
	line = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(line)
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		line = `\&` + line
	}
	return line
}

package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"rein"
	"rein/app/settings"
	"rein/app/tui/block"
	"rein/app/tui/text"
)

// newHelp is the help command: it explains a command, or shows a page of the documents. A name with .md is always a page, because many
// pages have the name of a command. Unlike the one of cobra it fails when there is neither.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND…|TOPIC]",
		Short:   "Explain a command, or show a page of the documents: rein help topics lists them",
		Example: "  rein help run        # a command\n  rein help tour       # a page\n  rein help sandbox.md # the page, where a command has the same name",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := cmd.Root().Find(args)
			if err == nil && len(rest) == 0 {
				found.InitDefaultHelpFlag()
				if err := found.Help(); err != nil || len(args) != 1 || helpPage(args[0]) == "" {
					return err
				}
				_, err := fmt.Fprintf(cmd.OutOrStdout(), "\n%s\n", ownWords().Command("rein help "+args[0]+".md shows the page about it."))
				return err
			}
			topic := strings.TrimSuffix(strings.Join(args, " "), ".md")
			if topic == "topics" {
				topic = "README"
			}
			page := helpPage(topic)
			if page == "" {
				return withExitCode(exitUsage, fmt.Errorf("no such help topic: %q%s; rein help topics lists the pages, rein --help the commands",
					strings.Join(args, " "), settings.DidYouMean(topic, helpTopics())))
			}
			return showPage(cmd.OutOrStdout(), page)
		},
	}
}

// helpInTheLanguage lets the help of all commands be in the language of the user: summaries, headings, and the texts that are translated.
// Flags stay English. The headings are changed in what was printed: a template would link text/template, for which the linker keeps all methods: 3.6 MB.
func helpInTheLanguage(root *cobra.Command) {
	show, once := root.HelpFunc(), sync.Once{}
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		own, out, page, pairs := ownWords(), cmd.OutOrStdout(), strings.Builder{}, []string(nil)
		if own != nil {
			once.Do(func() { translateHelp(root, own) })
		}
		cmd.SetOut(&page)
		show(cmd, args)
		cmd.SetOut(out)
		for _, words := range []string{"Usage:", "Aliases:", "Examples:", "Available Commands:", "Additional Commands:", "Global Flags:", "Flags:", "Additional help topics:",
			`Use "{{.CommandPath}} [command] --help" for more information about a command.`} {
			for _, text := range []string{words, own.Command(words)} {
				pairs = append(pairs, "\n"+strings.ReplaceAll(text, "{{.CommandPath}}", cmd.CommandPath())+"\n")
			}
		}
		fmt.Fprint(out, strings.NewReplacer(pairs...).Replace(page.String()))
	})
}

// translateHelp translates what is about a command and those below it. A text that stays English follows the summary.
func translateHelp(c *cobra.Command, own text.Words) {
	c.Short = own.Command(c.Short)
	paragraphs := strings.Split(c.Long, "\n\n")
	for i, p := range paragraphs {
		if line := strings.Join(strings.Fields(p), " "); own.Command(line) != line {
			paragraphs[i] = own.Command(line)
		}
	}
	if whole := strings.Join(paragraphs, "\n\n"); whole != c.Long {
		c.Long = whole
	} else if c.Long != "" {
		c.Long = c.Short + "\n\n" + c.Long
	}
	for _, g := range c.Groups() {
		g.Title = own.Command(g.Title)
	}
	for _, sub := range c.Commands() {
		translateHelp(sub, own)
	}
}

// helpPage returns the text of a page in the language of the user, else in English; "" where there is none.
func helpPage(topic string) string {
	name := strings.ReplaceAll(strings.ToLower(topic), "-", "_") + ".md"
	if topic == "README" {
		name = "README.md"
	}
	dirs := []string{"docs", "docs/reference"}
	if ownWords() != nil {
		dirs = append([]string{"docs/zh", "docs/zh/reference"}, dirs...)
	}
	for _, dir := range dirs {
		if page, err := fs.ReadFile(rein.Documents, path.Join(dir, name)); err == nil {
			return string(page)
		}
	}
	return ""
}

// helpTopics are the names of all pages.
func helpTopics() (all []string) {
	for _, pattern := range []string{"docs/*.md", "docs/reference/*.md"} {
		names, err := fs.Glob(rein.Documents, pattern)
		if err != nil {
			panic(err) // the pattern is wrong
		}
		for _, name := range names {
			all = append(all, strings.TrimSuffix(path.Base(name), ".md"))
		}
	}
	return slices.DeleteFunc(all, func(s string) bool { return s == "README" })
}

// showPage prints a page: laid out and coloured on a terminal, else as it is.
func showPage(w io.Writer, page string) error {
	_, page, _ = cutTranslation(page)
	f, ok := fileOf(w)
	if !ok || !isTerminal(w) {
		_, err := io.WriteString(w, page)
		return err
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		width = 80
	}
	theme := text.ThemeNamed("auto", os.Getenv)
	if !showsColours(w) {
		theme = text.ThemeNamed("none", os.Getenv)
	}
	for _, line := range block.NewMarkdown().Lines(page, block.MarkdownOptions{Width: min(width, 100)}) {
		if _, err := fmt.Fprintln(w, theme.Render(line)); err != nil {
			return err
		}
	}
	return nil
}

// cutTranslation takes away the first line of a translation, which has the hash of the English text.
func cutTranslation(page string) (hash, rest string, ok bool) {
	first, rest, _ := strings.Cut(page, "\n")
	if hash, ok = strings.CutPrefix(first, "<!-- english "); !ok {
		return "", page, false
	}
	return strings.TrimSuffix(hash, " -->"), strings.TrimPrefix(rest, "\n"), true
}

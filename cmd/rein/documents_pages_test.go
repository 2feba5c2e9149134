package main

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// root is the top of the repository, as the tests of documents read it.
var root = os.DirFS("../..")

// documents returns the names of all documents with their texts.
func documents(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	read := func(name string) {
		text, err := fs.ReadFile(root, name)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = string(text)
	}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "docs/*/*/*.md"} {
		names, err := fs.Glob(root, pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			read(name)
		}
	}
	if len(all) < 80 {
		t.Fatalf("%d documents were found: the search is wrong", len(all))
	}
	return all
}

// prose returns the lines of a document without its blocks of code.
func prose(text string) string {
	var out strings.Builder
	fenced := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		} else if !fenced && !strings.HasPrefix(line, "    ") && !strings.HasPrefix(line, "<!--") {
			out.WriteString(line)
		}
	}
	return out.String()
}

var (
	linkTarget = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	codeSpan   = regexp.MustCompile("`[^`\n]*`")
)

// anchors are the names by which the headings of a document are linked, as GitHub makes them.
func anchors(text string) map[string]bool {
	all := map[string]bool{}
	for line := range strings.Lines(prose(text)) {
		if title := strings.TrimLeft(line, "#"); title != line {
			all[strings.Map(func(r rune) rune {
				switch {
				case r == ' ':
					return '-'
				case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
					return unicode.ToLower(r)
				}
				return -1
			}, strings.TrimSpace(title))] = true
		}
	}
	return all
}

// TestLinksInDocumentsLeadSomewhere follows each link between documents, to the heading.
func TestLinksInDocumentsLeadSomewhere(t *testing.T) {
	all := documents(t)
	for name, text := range all {
		for _, m := range linkTarget.FindAllStringSubmatch(codeSpan.ReplaceAllString(prose(text), ""), -1) {
			to, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(to, "://") || strings.HasPrefix(to, "mailto:") {
				continue
			}
			file := path.Join(path.Dir(name), to)
			if to == "" {
				file = name
			}
			if _, err := fs.Stat(root, file); err != nil {
				t.Errorf("%s: nothing is at %s", name, m[1])
			} else if anchor != "" && !anchors(all[file])[anchor] {
				t.Errorf("%s: %s has no heading %s", name, file, anchor)
			}
		}
	}
}

// userPages are the pages of users in English, without those that a program writes.
func userPages(all map[string]string) (names []string) {
	for name := range all {
		if path.Dir(name) == "docs" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// TestPagesOfUsersAreOneTask holds the form of the pages of users: short, in the site map, from what one gets to what is next.
func TestPagesOfUsersAreOneTask(t *testing.T) {
	all := documents(t)
	siteMap := all["docs/README.md"]
	for _, name := range userPages(all) {
		text := all[name]
		most := 150 // lines
		if name == "docs/terminal.md" {
			most = 120
		}
		if n := strings.Count(text, "\n"); n > most {
			t.Errorf("%s has %d lines, more than %d", name, n, most)
		}
		if strings.Contains(text, "## For maintainers") || strings.Contains(text, "For maintainers:") {
			t.Errorf("%s has a part for maintainers: it belongs into docs/maintainers", name)
		}
		if name == "docs/README.md" {
			continue
		}
		if !strings.Contains(siteMap, "("+path.Base(name)+")") && !strings.HasPrefix(name, "docs/library_") {
			t.Errorf("docs/README.md does not name %s", name)
		}
		if _, last, _ := cutLast(strings.TrimSpace(text), "\n\n"); !strings.HasPrefix(last, "Next: ") {
			t.Errorf("%s does not end with what to do next", name)
		}
		if !strings.HasPrefix(strings.SplitN(text, "\n", 3)[2], "You get ") {
			t.Errorf("%s does not begin with what one gets", name)
		}
	}
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return "", s, false
	}
	return s[:i], s[i+len(sep):], true
}

// TestSentencesAreShort counts the words of sentences: a page has at most 25 for each, tables and code left out.
func TestSentencesAreShort(t *testing.T) {
	all := documents(t)
	for _, name := range append(userPages(all), "README.md", "CONTRIBUTING.md", "SECURITY.md") {
		var text strings.Builder
		for line := range strings.Lines(prose(all[name])) {
			line = strings.TrimSpace(line)
			if item := strings.TrimLeft(line, "-*0123456789. "); item != line || line == "" {
				text.WriteString(". ") // a new item or paragraph is a new sentence
			}
			if !strings.HasPrefix(line, "|") && !strings.HasPrefix(line, "#") {
				text.WriteString(line + " ")
			}
		}
		sentences, words := 0, 0
		for _, s := range regexp.MustCompile(`[.?!]+\s`).Split(codeSpan.ReplaceAllString(text.String(), "code"), -1) {
			if n := len(strings.Fields(s)); n > 1 {
				sentences, words = sentences+1, words+n
			}
		}
		if sentences > 0 && words > 25*sentences {
			t.Errorf("%s: %d words for each of %d sentences", name, words/sentences, sentences)
		}
	}
}

// TestMaintainersPagesNameFilesThatExist: a file of Go that a page for maintainers names is there, in one of the directories that the line
// names, where it names any.
func TestMaintainersPagesNameFilesThatExist(t *testing.T) {
	where := map[string][]string{}
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git") {
			return fs.SkipDir
		}
		where[path.Base(name)] = append(where[path.Base(name)], path.Dir(name))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	file, found := regexp.MustCompile("`([a-z_/0-9]+\\.go)`"), 0
	for name, text := range documents(t) {
		if path.Dir(name) != "docs/maintainers" {
			continue
		}
		for line := range strings.Lines(text) {
			row, at := strings.HasPrefix(line, "| `"), ""
			for _, m := range file.FindAllStringSubmatch(line, -1) {
				found++
				dir, base := path.Split(m[1])
				if base == "kolibri1.go" || dir == "src/" {
					continue // a file of another program, and an example
				}
				if dir != "" {
					at = path.Clean(dir)
				}
				if !row && dir == "" {
					at = "" // a sentence may mean another directory
				}
				if !slices.ContainsFunc(where[base], func(d string) bool { return at == "" || d == at || strings.HasSuffix(d, "/"+at) }) {
					t.Errorf("%s: there is no %s in %q", name, m[1], at)
				}
			}
		}
	}
	if found < 100 {
		t.Errorf("%d files were found: the search is wrong", found)
	}
}

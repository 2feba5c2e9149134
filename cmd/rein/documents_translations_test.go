package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	translated = flag.String("translated", "", "mark these pages in Chinese, between commas, as translations of the English pages of now")
	markBehind = flag.String("behind", "", "mark these pages in Chinese, between commas, as older than the English pages; they say so to their readers")
)

// behindNote is what a page says that is older than the English one.
const behindNote = "> 本页的英文版已有更新，以英文版为准。\n\n"

// TestTranslationsAreInStep lists the pages in Chinese whose English page has changed since they were translated. Their first line has the hash
// of the English text.
func TestTranslationsAreInStep(t *testing.T) {
	all := documents(t)
	for name, text := range all {
		english := "docs/" + path.Base(name)
		switch {
		case name == "README.zh.md":
			english = "README.md"
		case path.Dir(name) != "docs/zh":
			continue
		}
		if all[english] == "" {
			t.Errorf("%s translates nothing: there is no %s", name, english)
			continue
		}
		now := fmt.Sprintf("%x", sha256.Sum256([]byte(all[english])))[:16]
		mark := func(note string) {
			_, page, _ := cutTranslation(text)
			page = "<!-- english " + now + " -->\n\n" + note + strings.TrimPrefix(page, behindNote)
			if err := os.WriteFile("../../"+name, []byte(page), 0o644); err != nil {
				t.Error(err)
			}
		}
		hash, _, _ := cutTranslation(text)
		switch {
		case slices.Contains(strings.Split(*translated, ","), name):
			mark("")
		case slices.Contains(strings.Split(*markBehind, ","), name):
			mark(behindNote)
		case hash != now:
			t.Errorf("%s is older than %s. Translate what has changed and run\n\tgo test ./cmd/rein -run Translations -translated %s\nor, if you cannot, let it say so:\n\tgo test ./cmd/rein -run Translations -behind %s", name, english, name, name)
		}
	}
}

// TestTranslationsHaveTheCodeOfTheEnglish: code is not translated but for its comments, and a page in Chinese leads to pages in Chinese.
func TestTranslationsHaveTheCodeOfTheEnglish(t *testing.T) {
	all := documents(t)
	for name, text := range all {
		english := "docs/" + path.Base(name)
		if name == "README.zh.md" {
			english = "README.md"
		} else if path.Dir(name) != "docs/zh" {
			continue
		}
		for _, link := range linkTarget.FindAllStringSubmatch(text, -1) {
			page, _, _ := strings.Cut(link[1], "#")
			if english, is := strings.CutPrefix(path.Join(path.Dir(name), page), "docs/"); is && all["docs/zh/"+english] != "" {
				own := "docs/zh/" + english
				t.Errorf("%s links to %s; there is %s", name, page, own)
			}
		}
		if want, got := codeLines(all[english]), codeLines(text); !slices.Equal(want, got) && !strings.Contains(text, behindNote) {
			i := 0
			for i < min(len(want), len(got)) && want[i] == got[i] {
				i++
			}
			t.Errorf("%s has other code than the English page, from here on:\n%q\n%q", name, want[i:], got[i:])
		}
	}
}

// comment is what a line of code may say in another language: what is behind # or //, and behind two blanks in a list of commands. A line that
// begins with // stays: it is a part of the examples in Go, which are compiled.
var comment = regexp.MustCompile(`(^|\s)# .*|(\S)\s+// .*|^(\s*rein\b.*?)\s{2,}.*`)

// codeLines are the lines of the blocks of code of a page, without comments. They also say where a block begins and ends, and where an
// example comes from.
func codeLines(text string) (all []string) {
	fenced, indented := false, false // indented: a line of code may begin here with four blanks
	for line := range strings.Lines(text) {
		fence, deep := strings.HasPrefix(line, "```"), strings.HasPrefix(line, "    ")
		if fence || fenced || indented && deep || strings.HasPrefix(line, "<!-- ") && strings.Contains(line, ".go ") {
			all = append(all, strings.TrimSpace(comment.ReplaceAllString(line, "$2$3")))
		}
		fenced = fenced != fence
		indented = strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") || indented && deep
	}
	return all
}

package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"path"
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

// TestTranslationsHaveTheCommandsOfTheEnglish: code is not translated, so the lines that begin a command are the same.
func TestTranslationsHaveTheCommandsOfTheEnglish(t *testing.T) {
	all := documents(t)
	for name, text := range all {
		if path.Dir(name) != "docs/zh" || strings.Contains(text, behindNote) {
			continue
		}
		want, got := commandWords(all["docs/"+path.Base(name)]), commandWords(text)
		if !slices.Equal(want, got) {
			t.Errorf("%s has other commands than the English page:\n%q\n%q", name, want, got)
		}
	}
}

// commandWords are the commands of the blocks of a page, without comments, in order.
func commandWords(text string) (all []string) {
	fenced := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		} else if command, _, _ := strings.Cut(line, "  #"); fenced && strings.HasPrefix(line, "rein") {
			all = append(all, strings.TrimSpace(command))
		}
	}
	return all
}
